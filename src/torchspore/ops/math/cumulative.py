"""Cumulative sums, products, maxima and minima along a dimension."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from torchspore.engine.distributed.cutting import rules
from torchspore.engine.gradients.integer_gradients import reduced
from torchspore.engine.op import Type, op
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.engine.widening import ordering, wrapping
from torchspore.ops.array.casting import cast

__all__ = [
    "CumProd", "CumSum", "Cummax", "Cummin", "CumulativeLogsumexp", "cummax", "cummin", "cumprod", "cumsum",
    "logcumsumexp",
]  # fmt: skip

# The types in which cumulative sums of narrow integers do not overflow.
WIDER = {torch.bool: torch.int32, torch.int8: torch.int32, torch.int16: torch.int32, torch.uint8: torch.int32}


@op(trait=wrapping)
def cumsum(x: Tensor, axis: int, dtype: Type | None = None) -> Tensor:
    """Cumulative sum along `axis`.

    Args:
        x: a Tensor of any shape.
        axis: the dimension.
        dtype: the type of the result. Default: the type of `x`; int32 for bools.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.cumsum(ms.Tensor([1.0, 2.0, 3.0]), 0))
        [1. 3. 6.]
    """
    if dtype is None:
        dtype = torch.int32 if x.dtype is torch.bool else x.dtype
    return torch.cumsum(reduced(x, dtype), axis, dtype=dtype)


@op(method="cumsum", trait=wrapping)
def _cumsum(self: Tensor, axis: int | None = None, dtype: Type | None = None, *, dim: int | None = None) -> Tensor:
    """`cumsum` along `axis` (or `dim`), in int32 for narrower integers; of the flattened tensor without either."""
    if dim is not None:
        if axis is not None:
            raise TypeError(f"give 'axis' or 'dim', but not both: {axis} and {dim}")
        axis = dim
    self, axis = (self.flatten(), 0) if axis is None else (self, axis)
    if dtype is not None and self.is_floating_point() and not dtype.is_floating_point:
        return cast.body(torch.cumsum(self, axis), dtype)  # what is converted are the sums
    return cumsum.body(self, axis, dtype or WIDER.get(self.dtype))


@op(method="cumprod", trait=wrapping)
def cumprod(input: Tensor, dim: int, dtype: Type | None = None) -> Tensor:
    """Cumulative product along `dim`, in `dtype`; by default int64 for integers and bools."""
    return torch.cumprod(reduced(input, dtype), dim, dtype=dtype)


@op(method="cummax", trait=ordering)
def cummax(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Cumulative maximum along `axis`, and its int64 indices; of equal elements the last."""
    values, indices = torch.cummax(input, axis)
    return values, indices


@op(method="cummin", trait=ordering)
def cummin(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """Cumulative minimum along `axis`, and its int32 indices; of equal elements the last."""
    values, indices = torch.cummin(input, axis)
    return values, indices.to(torch.int32)


@op(method="logcumsumexp")
def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """Logarithm of the cumulative sum of the exponentials along `axis`."""
    return torch.logcumsumexp(input, axis)


def _cumulative(
    function: Callable[..., Tensor], x: Tensor, axis: int, exclusive: bool, reverse: bool, start: float
) -> Tensor:
    """Apply a cumulative function; `exclusive` excludes each element itself, `reverse` starts at the end."""
    result = function(x.flip(axis) if reverse else x, axis)
    if exclusive and x.shape[axis]:
        first = torch.full_like(x.narrow(axis, 0, 1), start)
        result = torch.cat([first, result.narrow(axis, 0, x.shape[axis] - 1)], axis)
    return result.flip(axis) if reverse else result


@as_primitive
def CumSum(input: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Cumulative sum along `axis`."""
    return _cumulative(cumsum.body, input, axis, exclusive, reverse, 0)


@as_primitive
def CumProd(x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Cumulative product along `axis`, in the dtype of `x`."""
    return _cumulative(partial(torch.cumprod, dtype=x.dtype), x, axis, exclusive, reverse, 1)


@as_primitive
def CumulativeLogsumexp(x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Logarithm of the cumulative sum of the exponentials along `axis`; of no elements, the lowest number."""
    return _cumulative(torch.logcumsumexp, x, axis, exclusive, reverse, torch.finfo(x.dtype).min)


Cummax = primitive("Cummax", cummax, "axis")
Cummin = primitive("Cummin", cummin, "axis")
rules.cut_by(rules.along_second, CumProd, CumSum)
