"""Transforms that apply a random choice of other transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchspore.dataset.parameters import Int32
from torchspore.dataset.transforms.base import CallingTransform, Random, check_list, is_pil
from torchspore.dataset.value_checks import check_number, wrong_type
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as

__all__ = ["RandomSelectSubpolicy", "UniformAugment"]


class RandomSelectSubpolicy(Random, CallingTransform):
    """Chooses one of several lists of transforms, and applies each of its transforms with a probability.

    Args:
        policy: a list of lists of pairs (transform, probability), none of them empty.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> policy = [[(vision.Invert(), 1.0), (vision.HorizontalFlip(), 0.0)]]
        >>> vision.RandomSelectSubpolicy(policy)(np.array([[[0, 9, 255]]], np.uint8))
        array([[[255, 246,   0]]], dtype=uint8)
    """

    def __init__(self, policy: Sequence[Sequence[tuple[Callable[..., Any], float]]]) -> None:
        self.policy = [
            [_pair(each) for each in _filled(group, f"policy[[{at}]]")] for at, group in enumerate(_filled(policy))
        ]
        self.transforms = [transform for group in self.policy for transform, _ in group]

    def _taken(self, value: Any) -> Any:
        return np.array(value) if is_pil(value) else value

    def _apply(self, value: Any) -> Any:
        draws = self._random()
        for transform, prob in self.policy[draws.below(len(self.policy))]:
            if draws.fraction() <= prob:
                value = transform(value)
        return value


def _filled(value: Any, name: str = "policy") -> list[Any]:
    if not isinstance(value, list):
        raise wrong_type(value, (list,), name, "RandomSelectSubpolicy")
    if not value:
        raise ValueError("For 'RandomSelectSubpolicy', 'policy' and its lists must not be empty.")
    return value


def _pair(value: Any) -> tuple[Callable[..., Any], float]:
    if not isinstance(value, tuple) or len(value) != 2:
        raise ValueError(
            f"For 'RandomSelectSubpolicy', an element of 'policy' must be (transform, probability), but got "
            f"{describe(value)}."
        )
    transform = take_as(Callable, value[0], "policy", "RandomSelectSubpolicy")
    return transform, check_number(value[1], "policy", "RandomSelectSubpolicy", minimum=0, maximum=1)


class UniformAugment(Random, CallingTransform):
    """Chooses some of several transforms, and applies each of them with a probability of one half.

    Args:
        transforms: transforms or functions.
        num_ops: the number of chosen transforms. Default: 2.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> augment = vision.UniformAugment([vision.Invert(), vision.HorizontalFlip()], 1)
        >>> augment(np.zeros((2, 2, 3), np.uint8)).shape
        (2, 2, 3)
    """

    def __init__(self, transforms: Sequence[Callable[..., Any]], num_ops: Int32 = 2) -> None:
        listed = list(transforms) if isinstance(transforms, tuple) else transforms
        self.transforms = check_list("UniformAugment", listed)
        self.num_ops = num_ops
        if self.num_ops < 1:
            raise ValueError(f"For 'UniformAugment', 'num_ops' must be > 0, but got {num_ops}.")
        if self.num_ops > len(self.transforms):
            raise ValueError(
                f"For 'UniformAugment', 'num_ops' must be at most {len(self.transforms)}, the number of transforms, "
                f"but got {num_ops}."
            )

    def _apply(self, value: Any) -> Any:
        draws = self._random()
        for transform in draws.sample(self.transforms, self.num_ops):
            if not draws.below(2):
                value = transform(value)
        return value
