"""Questions about shapes and functions, under names that packages import from `mindspore.common._utils`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

__all__ = ["get_func", "is_dim_unknown", "is_shape_unknown"]


def is_dim_unknown(shape: Iterable[int]) -> bool:
    """Return whether the number of dimensions is open, which -2 says."""
    return -2 in shape


def is_shape_unknown(shape: Iterable[int]) -> bool:
    """Return whether a shape has an open size, -1 or -2."""
    return any(size in (-1, -2) for size in shape)


def get_func(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that a `functools.partial` calls, or else the function itself."""
    return func.func if isinstance(func, partial) else func
