"""What difference rounding explains.

Two correct computations of the same values differ by rounding. How much is measured: the reference side is run again in
float64, and its distance to that run is what rounding did to it. A value of the other side diverges if it is further
away from the reference side than `FACTOR` times this distance, plus `FLOOR` units of rounding of the largest number, as
a measured distance can be small by luck; sums of n terms count sqrt(n) units.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

__all__ = ["Difference", "difference", "unit"]

FACTOR = 4.0
FLOOR = 8.0
_PART = 2**18  # values, whose difference fits into a cache


@dataclass(frozen=True)
class Difference:
    """The distance of two tensors.

    Attributes:
        absolute: the maximum of |a - b|; inf if nan or inf are at different positions.
        relative: the same divided by the maximum of |b|.
        expected: the rounding that was allowed, as `absolute`.
        diverged: whether the distance is larger.
        note: what else differs, such as shapes.
    """

    absolute: float
    relative: float
    expected: float
    diverged: bool
    note: str = ""


def unit(dtype: torch.dtype) -> float:
    """Return the relative error of one rounding in a dtype: 0 for integers."""
    return torch.finfo(dtype).eps / 2 if dtype.is_floating_point or dtype.is_complex else 0.0


def spread(a: torch.Tensor, b: torch.Tensor) -> float:
    """Return the maximum of |a - b| where both are finite; inf if the others are not the same."""
    if not a.numel():
        return 0.0
    a, b = _detached(a), _detached(b)
    # The difference of two numbers is as exact as they are, so that few values need a wider type.
    parts = zip(a.reshape(-1).split(_PART), b.reshape(-1).split(_PART))
    distance = max(float(torch.linalg.vector_norm(x - y, math.inf)) for x, y in parts)
    if math.isfinite(distance):
        return distance
    a, b = _wide(a), _wide(b)
    finite = torch.isfinite(a) & torch.isfinite(b)
    same = (a == b) | (torch.isnan(a) & torch.isnan(b))
    if not bool((finite | same).all()):
        return math.inf
    return float(torch.where(finite, (a - b).abs(), torch.zeros((), dtype=torch.float64)).max())


def largest(value: torch.Tensor) -> float:
    """Return the maximum of the finite magnitudes."""
    if not value.numel():
        return 0.0
    found = float(torch.linalg.vector_norm(_detached(value), math.inf))
    if math.isfinite(found):
        return found
    return float(torch.nan_to_num(_wide(value).abs(), nan=0.0, posinf=0.0, neginf=0.0).max())


def difference(
    a: torch.Tensor,
    b: torch.Tensor,
    rounding: float | None = None,
    terms: float = 1.0,
    tolerance: float | None = None,
) -> Difference:
    """Compare `a` with the reference `b`.

    Args:
        rounding: the measured distance of `b` to its float64 reference; None if it could not be measured.
        terms: the length of the sums behind each element.
        tolerance: a relative tolerance of the user's instead of the derived one.
    """
    if a.shape != b.shape:
        return Difference(math.inf, math.inf, 0.0, True, f"the shapes are {tuple(a.shape)} and {tuple(b.shape)}")
    scale, distance = largest(b), spread(a, b)
    expected = FLOOR * max(unit(b.dtype), 0.0) * scale * math.sqrt(max(terms, 1.0))
    if rounding is None:
        expected *= FACTOR
    elif math.isfinite(rounding):
        expected += FACTOR * rounding
    if tolerance is not None:
        expected = tolerance * scale
    note = "" if distance < math.inf else "nan or inf at different positions"
    relative = distance / scale if scale else (math.inf if distance else 0.0)
    return Difference(distance, relative, expected, distance > expected, note)


def _detached(value: torch.Tensor) -> torch.Tensor:
    """Return a tensor on the CPU in a type that has norms."""
    value = value.detach().cpu()
    return value if value.dtype in (torch.float32, torch.float64) else _wide(value)


def _wide(value: torch.Tensor) -> torch.Tensor:
    value = value.detach().cpu()
    return value.to(torch.complex128) if value.is_complex() else value.to(torch.float64)
