"""Checks of the inputs and the initial values of layers."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe

__all__ = ["check_initial", "rank"]


def rank(x: Any, api: str) -> int:
    """Return the number of dimensions of a tensor."""
    try:
        return x._t.dim()
    except AttributeError:
        raise TypeError(f"For '{api}', the input must be a Tensor, but got {describe(x)}.") from None


def check_initial(value: Any, name: str, shape: tuple[int, ...], api: str) -> None:
    """Check the shape of a Tensor that is a parameter's initial value."""
    if isinstance(value, Tensor) and value.shape != shape:
        raise ValueError(f"For '{api}', '{name}' must be of shape {shape}, but got {describe(value)}.")
