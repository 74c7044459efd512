"""The numbers of hifloat8, as Ascend cards have them: the greater the exponent, the fewer bits the mantissa has."""

from __future__ import annotations

import functools
import math

import torch

__all__ = ["decoded", "encoded"]

_INFINITY, _NAN, _SIGN = 111, 128, 128
_BANDS = ((0, 0, 3), (1, 1, 3), (2, 3, 3), (4, 7, 2), (8, 15, 1))  # exponents, and bits of the mantissa


@functools.cache
def _values() -> tuple[float, ...]:
    """Return the number of each code; not as a tensor, which a recording would make a fake one."""
    found = [0.0, *(2.0 ** (code - 23) for code in range(1, 8))]
    for low, high, bits in _BANDS:
        for sign in (1, -1) if low else (1,):
            for exponent in range(low, high + 1):
                found += [2.0 ** (sign * exponent) * (1 + part / 2**bits) for part in range(2**bits)]
    found[_INFINITY] = math.inf
    return *found, math.nan, *(-value for value in found[1:])


def decoded(codes: torch.Tensor) -> torch.Tensor:
    """Return the float32 numbers of codes, a tensor of torch.bits8."""
    return torch.tensor(_values(), device=codes.device)[codes.view(torch.uint8).long()]


def encoded(numbers: torch.Tensor) -> torch.Tensor:
    """Return the codes of numbers, as torch.bits8: rounded towards zero, above 32768 infinite."""
    numbers = numbers.float()
    bounds, order = torch.tensor(_values()[:_SIGN], device=numbers.device).sort()
    bounds[-1] = 32768.0 + 1e-2
    codes = order[torch.bucketize(numbers.abs(), bounds, right=True).clamp(1) - 1]
    codes = torch.where((numbers < 0) & (codes > 0), codes + _SIGN, codes)
    return codes.masked_fill(numbers.isnan(), _NAN).to(torch.uint8).view(torch.bits8)
