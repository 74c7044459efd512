"""Transforms that apply a random choice of other transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.parameters import Natural, Operation, ruled
from torchspore.dataset.transforms.base import CallingTransform, Random, is_pil
from torchspore.dataset.vision.parameters import Probability
from torchspore.engine.parameters import Length, Rule

__all__ = ["RandomSelectSubpolicy", "UniformAugment"]


_FILLED = Length(1)
_Step: TypeAlias = Annotated[tuple[Callable[..., Any], Probability], ValueError]
_Group: TypeAlias = Annotated[list[_Step], _FILLED]


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

    def __init__(self, policy: Annotated[list[_Group], _FILLED]) -> None:
        self.policy = [[*group] for group in policy]
        self.transforms = [transform for group in self.policy for transform, _ in group]

    def _taken(self, value: Any) -> Any:
        return np.array(value) if is_pil(value) else value

    def _apply(self, value: Any) -> Any:
        draws = self._random()
        for transform, prob in self.policy[draws.below(len(self.policy))]:
            if draws.fraction() <= prob:
                value = transform(value)
        return value


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

    @ruled(
        Rule(
            "'num_ops' must be at most the number of 'transforms'",
            lambda num_ops, transforms: num_ops <= len(transforms),
        )
    )
    def __init__(self, transforms: Annotated[Sequence[Operation], Length(1)], num_ops: Natural = 2) -> None:
        self.transforms = list(transforms)
        self.num_ops = num_ops

    def _apply(self, value: Any) -> Any:
        draws = self._random()
        for transform in draws.sample(self.transforms, self.num_ops):
            if not draws.below(2):
                value = transform(value)
        return value
