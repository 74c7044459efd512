"""Checks of the arguments and inputs of layers."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe

__all__ = ["check_bool", "check_initial", "positive", "rank"]


def rank(x: Any, api: str) -> int:
    """Return the number of dimensions of a tensor.

    Raises:
        TypeError: `x` is no Tensor.
    """
    try:
        return x._t.dim()
    except AttributeError:
        raise TypeError(f"For '{api}', the input must be a Tensor, but got {describe(x)}.") from None


def positive(value: Any, name: str, api: str) -> int:
    """Return `value` if it is a positive int.

    Raises:
        TypeError: it is no int.
        ValueError: it is not positive.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be an int, but got {describe(value)}.")
    if value <= 0:
        raise ValueError(f"For '{api}', '{name}' must be > 0, but got {value}.")
    return value


def check_bool(value: Any, name: str, api: str) -> None:
    """Refuse what is no bool.

    Raises:
        TypeError: `value` is no bool.
    """
    if not isinstance(value, bool):
        raise TypeError(f"For '{api}', '{name}' must be a bool, but got {describe(value)}.")


def check_initial(value: Any, name: str, shape: tuple[int, ...], api: str) -> None:
    """Refuse a Tensor of another shape as a parameter's initial value.

    Raises:
        ValueError: `value` is a Tensor of another shape.
    """
    if isinstance(value, Tensor) and value.shape != shape:
        raise ValueError(f"For '{api}', '{name}' must be of shape {shape}, but got {describe(value)}.")
