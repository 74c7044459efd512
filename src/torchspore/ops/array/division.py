"""Arithmetic of integers and bools that torch does not support: division by 0, differences of bools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.private_torch.error_texts import DIVISION_BY_ZERO, says
from torchspore.common.scopes.scope import scope
from torchspore.engine.widening import dividing, wrapping

_MAX = torch.iinfo(torch.int64).max

__all__ = [
    "difference",
    "divided",
    "modulo",
    "quotient",
    "remainder",
    "scaled_difference",
    "truncated_modulo",
    "truncated_remainder",
]


def difference(x: Any, y: Any) -> Tensor:
    """Return `x - y` with bools, which torch does not subtract; for two bools, whether they differ."""
    dtype = torch.result_type(x, y)
    x, y = _tensors(x, y, dtype)
    result: Tensor = torch.logical_xor(x, y) if dtype is torch.bool else x - y
    return result


@wrapping
def scaled_difference(x: Any, y: Any, *, alpha: Any = 1) -> Tensor:
    """Return `x - alpha * y` with bools, or with a factor of another kind, which torch does not compute."""
    dtype = torch.result_type(x, y)
    x, y = _tensors(x, y, dtype)
    return difference(x, y if alpha is True or alpha == 1 else alpha * y)


def divided(x: Any, y: Any, mode: str) -> Tensor:
    """Return the quotient rounded to an integer, "floor" or "trunc"; of integers by 0, the limit of the dtype."""
    divide = _truncated_quotient if mode == "trunc" else _floor_quotient
    return _divide(divide, x, y, _limits, _uint64_quotient)


def _floor_quotient(x: Any, y: Any) -> Tensor:
    return torch.div(x, y, rounding_mode="floor")


def _truncated_quotient(x: Any, y: Any) -> Tensor:
    """Return the quotient truncated towards 0. torch's own kills the process for the minimum integer divided by -1."""
    dtype = torch.result_type(x, y)
    if dtype.is_floating_point or dtype not in (torch.int32, torch.int64):
        return torch.div(x, y, rounding_mode="trunc")
    quotient = _floor_quotient(x, y)
    return quotient + ((quotient < 0) & (quotient * y != x))


@dividing
def modulo(x: Any, y: Any) -> Tensor:
    """Return the remainder with the sign of `y`; of integers by 0, 0."""
    return _divide(_floor_remainder, x, y, lambda a, b: torch.zeros_like(a), _uint64_remainder)


@dividing
def remainder(x: Any, y: Any) -> Tensor:
    """Return the remainder with the sign of `y`; of integers by 0, `x`."""
    return _divide(_floor_remainder, x, y, lambda a, b: a)


def _floor_remainder(x: Any, y: Any) -> Tensor:
    if not isinstance(x, Tensor):  # torch's remainder of a number has no derivative
        x = torch.full((), x, dtype=torch.result_type(x, y), device=y.device)
    result: Tensor = x % y
    return result


@dividing
def truncated_remainder(x: Any, y: Any) -> Tensor:
    """Return the remainder with the sign of `x`; of integers by 0, `x`."""
    return _divide(torch.fmod, x, y, lambda a, b: a)


@dividing
def truncated_modulo(x: Any, y: Any) -> Tensor:
    """Return the remainder with the sign of `x`; of integers by 0, 0."""
    return _divide(torch.fmod, x, y, lambda a, b: torch.zeros_like(a))


def _divide(
    function: Callable[..., Tensor],
    x: Any,
    y: Any,
    at_zero: Callable[[Tensor, Tensor], Tensor],
    of_uint64: Callable[..., Tensor] | None = None,
) -> Tensor:
    """Divide; where an integer divisor is 0, the result is `at_zero(x, y)`; `of_uint64` replaces a missing kernel."""
    if scope.tracing is None:
        try:
            return function(x, y)
        except RuntimeError as error:
            if of_uint64 is not None and _are_uint64(x, y):
                return of_uint64(x, y)
            if not says(error, DIVISION_BY_ZERO):
                raise
    elif of_uint64 is not None and _are_uint64(x, y):
        return of_uint64(x, y)
    return _around_zero(function, x, y, at_zero)


def _are_uint64(x: Any, y: Any) -> bool:
    return any(isinstance(value, Tensor) and value.dtype is torch.uint64 for value in (x, y)) and (
        torch.result_type(x, y) is torch.uint64
    )


def _uint64_quotient(x: Any, y: Any) -> Tensor:
    """Return the quotient of uint64, for which torch has no kernel, by the signed division of the halved dividend."""
    x, y = [value.view(torch.int64) for value in _tensors(x, y, torch.uint64)]
    divisor = torch.where(y > 0, y, 1)
    quotient = ((x >> 1) & _MAX).div(divisor, rounding_mode="floor") * 2
    rest = x - quotient * divisor  # in [0, 2 * divisor), as uint64
    quotient = quotient + ((rest < 0) | (rest >= divisor))
    above = (x ^ ~_MAX) >= (y ^ ~_MAX)  # the order of uint64
    quotient = torch.where(y < 0, above.long(), quotient)
    return torch.where(y == 0, -(x != 0).long(), quotient).view(torch.uint64)


def _uint64_remainder(x: Any, y: Any) -> Tensor:
    quotient = _uint64_quotient(x, y).view(torch.int64)
    x, y = [value.view(torch.int64) for value in _tensors(x, y, torch.uint64)]
    return torch.where(y == 0, 0, x - quotient * y).view(torch.uint64)


def _around_zero(
    function: Callable[..., Tensor], x: Any, y: Any, at_zero: Callable[[Tensor, Tensor], Tensor]
) -> Tensor:
    """Divide; where an integer divisor is 0, the result is `at_zero(x, y)`.

    A captured graph always has this form, because the divisor may be 0 in a later call.
    """
    dtype = torch.result_type(x, y)
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return function(x, y)
    x, y = _tensors(x, y, dtype)
    is_zero = y == 0
    return torch.where(is_zero, at_zero(x, y), function(x, torch.where(is_zero, 1, y)))


def _limits(x: Tensor, y: Tensor) -> Tensor:
    limits = torch.iinfo(x.dtype)
    return torch.where(x > 0, limits.max, torch.where(x < 0, limits.min, 0)).to(x.dtype)


def _tensors(x: Any, y: Any, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    device = next((value.device for value in (x, y) if isinstance(value, Tensor)), None)
    return torch.as_tensor(x, dtype=dtype, device=device), torch.as_tensor(y, dtype=dtype, device=device)


def quotient(x: Any, y: Any, rounding_mode: str | None = None) -> Tensor:
    """Return the quotient, exact or rounded as `divided` does it."""
    return divided(x, y, rounding_mode) if rounding_mode else torch.div(x, y)
