"""The numbers that describe a tensor in a report."""

from __future__ import annotations

from typing import NamedTuple

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.private_torch import FakeTensor

__all__ = ["HEAD", "Statistics", "has_nan", "is_finite", "statistics"]


class Statistics(NamedTuple):
    """A tensor in numbers; a complex tensor is described by its magnitudes.

    Attributes:
        name: what the tensor is.
        shape: its shape.
        dtype: the name of its data type.
        min, max, mean: of the finite elements; None if there are none.
        nan, inf: the numbers of elements that are NaN, and positive or negative infinity.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    min: float | None
    max: float | None
    mean: float | None
    nan: int
    inf: int

    def row(self) -> list[str]:
        """Return the columns of a table."""
        numbers = ["-" if number is None else f"{number:.4g}" for number in (self.min, self.max, self.mean)]
        return [self.name, str(self.shape), self.dtype, *numbers, str(self.nan), str(self.inf)]


HEAD = ("", "shape", "dtype", "min", "max", "mean", "NaN", "inf")


def statistics(name: str, value: torch.Tensor) -> Statistics:
    """Return the numbers of a tensor, which is read, but not copied to another device."""
    shape, dtype = tuple(value.shape), str(FROM_TORCH.get(value.dtype, value.dtype))
    if not _has_values(value):
        return Statistics(name, shape, dtype, None, None, None, 0, 0)
    value = value.detach()
    magnitudes = value.abs() if value.is_complex() else value
    real = magnitudes if magnitudes.dtype.itemsize > 1 or not magnitudes.is_floating_point() else magnitudes.float()
    finite = real[torch.isfinite(real)]
    nan = int(torch.isnan(real).sum())
    inf = real.numel() - finite.numel() - nan
    if not finite.numel():
        return Statistics(name, shape, dtype, None, None, None, nan, inf)
    mean = finite.mean(dtype=torch.float64).item()
    return Statistics(name, shape, dtype, finite.min().item(), finite.max().item(), mean, nan, inf)


def is_finite(value: torch.Tensor) -> bool:
    """Return whether all elements are finite, as integers are, and tensors without values."""
    return not _can_overflow(value) or bool(torch.isfinite(_readable(value)).all())


def has_nan(value: torch.Tensor) -> bool:
    """Return whether an element is NaN."""
    return _can_overflow(value) and bool(torch.isnan(_readable(value)).any())


def _readable(value: torch.Tensor) -> torch.Tensor:
    return value.float() if value.is_floating_point() and value.dtype.itemsize == 1 else value


def _can_overflow(value: torch.Tensor) -> bool:
    return (value.is_floating_point() or value.is_complex()) and _has_values(value)


def _has_values(value: torch.Tensor) -> bool:
    is_plain = value.layout is torch.strided and not value.is_meta and not isinstance(value, FakeTensor)
    return is_plain and value.numel() > 0
