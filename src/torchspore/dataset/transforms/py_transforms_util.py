"""Transforms as functions, and wrappers of functions.

MindSpore: `mindspore.dataset.transforms.py_transforms_util`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchspore.dataset.transforms.compound import Compose, RandomApply, RandomChoice, RandomOrder
from torchspore.dataset.transforms.operations import OneHot
from torchspore.engine.failures.errors import describe

__all__ = [
    "FuncWrapper", "all_numpy", "compose", "not_random", "one_hot_encoding", "random_apply", "random_choice",
    "random_order",
]  # fmt: skip


class FuncWrapper:
    """A callable that calls a function.

    Args:
        transform: the function.

    Examples:
        >>> from torchspore.dataset.transforms.py_transforms_util import FuncWrapper
        >>> FuncWrapper(lambda x: x + 1)(2)
        3
    """

    def __init__(self, transform: Callable[..., Any]) -> None:
        if not callable(transform):
            raise ValueError(f"For 'FuncWrapper', 'transform' must be callable, but got {transform!r}.")
        self.transform = transform
        self.random = bool(getattr(transform, "random", False))

    def __call__(self, *args: Any) -> Any:
        return self.transform(*args)


def not_random(func: Callable[..., Any]) -> Callable[..., Any]:
    """Note that a function yields the same result each time, as its attribute `random`, and return it.

    Args:
        func: the function.

    Examples:
        >>> from torchspore.dataset.transforms import not_random
        >>> @not_random
        ... def double(x):
        ...     return 2 * x
        >>> double(2), double.random
        (4, False)

    MindSpore: `mindspore.dataset.transforms.transforms.not_random`.
    """
    func.random = False  # type: ignore[attr-defined]
    return func


def all_numpy(args: Any) -> bool:
    """Return whether a value is an array, or all values of a tuple are."""
    return all(isinstance(value, np.ndarray) for value in (args if isinstance(args, tuple) else (args,)))


def compose(transforms: list[Callable[..., Any]], *args: Any) -> tuple[Any, ...]:
    """Return the results of transforms called in sequence, as a tuple."""
    result = Compose(list(transforms))(*args)
    return result if isinstance(result, tuple) else (result,)


def one_hot_encoding(label: Any, num_classes: int, epsilon: float) -> Any:
    """Return `transforms.OneHot(num_classes, epsilon)` of an array, in float64."""
    if not isinstance(label, np.ndarray):
        raise ValueError(f"For 'one_hot_encoding', 'label' must be a NumPy array, but got {describe(label)}.")
    return OneHot(num_classes, epsilon)(label).astype(np.float64)


def random_apply(img: Any, transforms: list[Callable[..., Any]], prob: float) -> Any:
    """Return `transforms.RandomApply(transforms, prob)(img)`."""
    return RandomApply(list(transforms), prob)(img)


def random_choice(img: Any, transforms: list[Callable[..., Any]]) -> Any:
    """Return `transforms.RandomChoice(transforms)(img)`."""
    return RandomChoice(list(transforms))(img)


def random_order(img: Any, transforms: list[Callable[..., Any]]) -> Any:
    """Return `transforms.RandomOrder(transforms)(img)`."""
    return RandomOrder(list(transforms))(img)
