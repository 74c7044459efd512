"""Arithmetic of integers and bools that torch refuses: division by 0, differences of bools."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.scope import scope

__all__ = ["difference", "divided", "truncated_rest", "wrapped_rest"]


def difference(x: Any, y: Any) -> Tensor:
    """Return `x - y`; the difference of two bools is a bool, whether they differ."""
    try:
        result: Tensor = operator.sub(x, y)
    except RuntimeError:  # torch subtracts no bools
        dtype = torch.result_type(x, y)
        if dtype is torch.bool:
            return torch.logical_xor(*_tensors(x, y, dtype))
        x, y = [v.to(dtype) if isinstance(v, Tensor) and v.dtype is torch.bool else v for v in (x, y)]
        result = operator.sub(x, y)
    return result


def divided(x: Any, y: Any, mode: str) -> Tensor:
    """Return the quotient rounded to an integer, "floor" or "trunc"; of integers by 0, the limit of the type."""
    return _of_integers(lambda a, b: torch.div(a, b, rounding_mode=mode), x, y, _limits)


def wrapped_rest(x: Any, y: Any) -> Tensor:
    """Return the remainder with the sign of `y`; of integers by 0, 0."""
    return _of_integers(operator.mod, x, y, lambda a, b: torch.zeros_like(a))


def truncated_rest(x: Any, y: Any) -> Tensor:
    """Return the remainder with the sign of `x`; of integers by 0, `x`."""
    return _of_integers(torch.fmod, x, y, lambda a, b: a)


def _of_integers(function: Callable[..., Tensor], x: Any, y: Any, at_zero: Callable[[Tensor, Tensor], Tensor]) -> Tensor:
    """Compute a division, whose value where the divisor is 0 is `at_zero(x, y)`, if it is one of integers.

    A graph may meet a 0 later, so it has the form that stands one from the start.
    """
    try:
        if scope.tracing is None or torch.result_type(x, y).is_floating_point:
            return function(x, y)
    except RuntimeError as error:
        if "ZeroDivisionError" not in str(error):
            raise
    x, y = _tensors(x, y, torch.result_type(x, y))
    is_zero = y == 0
    return torch.where(is_zero, at_zero(x, y), function(x, torch.where(is_zero, 1, y)))


def _limits(x: Tensor, y: Tensor) -> Tensor:
    limits = torch.iinfo(x.dtype)
    return torch.where(x > 0, limits.max, torch.where(x < 0, limits.min, 0)).to(x.dtype)


def _tensors(x: Any, y: Any, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    device = x.device if isinstance(x, Tensor) else y.device
    return torch.as_tensor(x, dtype=dtype, device=device), torch.as_tensor(y, dtype=dtype, device=device)
