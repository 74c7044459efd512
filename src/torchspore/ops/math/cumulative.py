"""Running sums, products and extremes along a dimension."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from torchspore.engine.integer_gradients import reduced
from torchspore.engine.op import Type, op
from torchspore.engine.primitive import as_primitive, primitive

__all__ = [
    "CumProd", "CumSum", "Cummax", "Cummin", "CumulativeLogsumexp", "cummax", "cummin", "cumprod", "cumsum",
    "logcumsumexp",
]  # fmt: skip

# The types in which running sums of narrow integers do not overflow.
WIDER = {torch.bool: torch.int32, torch.int8: torch.int32, torch.int16: torch.int32, torch.uint8: torch.int32}


@op
def cumsum(x: Tensor, axis: int, dtype: Type | None = None) -> Tensor:
    """Sum of the elements up to each, along `axis`.

    Args:
        x: a Tensor of any shape.
        axis: the dimension.
        dtype: the type of the result. Default: that of `x`; int32 for bools.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.cumsum(ms.Tensor([1.0, 2.0, 3.0]), 0))
        [1. 3. 6.]
    """
    if dtype is None:
        dtype = torch.int32 if x.dtype is torch.bool else x.dtype
    return torch.cumsum(reduced(x, dtype), axis, dtype=dtype)


@op(method="cumsum")
def _cumsum(self: Tensor, axis: int | None = None, dtype: Type | None = None, *, dim: int | None = None) -> Tensor:
    """`cumsum` along `axis` (or `dim`), in int32 for narrower integers; of the flattened tensor without either."""
    if dim is not None:
        if axis is not None:
            raise TypeError(f"For 'cumsum', give 'axis' or 'dim', but not both: {axis} and {dim}.")
        axis = dim
    dtype = dtype or WIDER.get(self.dtype)
    return cumsum.body(self.flatten(), 0, dtype) if axis is None else cumsum.body(self, axis, dtype)


@op(method="cumprod")
def cumprod(input: Tensor, dim: int, dtype: Type | None = None) -> Tensor:
    """Product of the elements up to each, along `dim`, in `dtype`; integers and bools give int64 by default."""
    return torch.cumprod(reduced(input, dtype), dim, dtype=dtype)


@op(method="cummax")
def cummax(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The greatest of the elements up to each, along `axis`, and their int64 indices; of equal ones the last."""
    values, indices = torch.cummax(input, axis)
    return values, indices


@op(method="cummin")
def cummin(input: Tensor, axis: int) -> tuple[Tensor, Tensor]:
    """The least of the elements up to each, along `axis`, and their int32 indices; of equal ones the last."""
    values, indices = torch.cummin(input, axis)
    return values, indices.to(torch.int32)


@op(method="logcumsumexp")
def logcumsumexp(input: Tensor, axis: int) -> Tensor:
    """Logarithm of the sum of the exponentials of the elements up to each, along `axis`."""
    return torch.logcumsumexp(input, axis)


def _run(function: Callable[..., Tensor], x: Tensor, axis: int, exclusive: bool, reverse: bool, start: float) -> Tensor:
    """Run `function` along `axis`; `exclusive` leaves each element itself out, `reverse` runs from the end."""
    result = function(x.flip(axis) if reverse else x, axis)
    if exclusive and x.shape[axis]:
        first = torch.full_like(x.narrow(axis, 0, 1), start)
        result = torch.cat([first, result.narrow(axis, 0, x.shape[axis] - 1)], axis)
    return result.flip(axis) if reverse else result


@as_primitive
def CumSum(input: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Sum of the elements up to each, along `axis`."""
    return _run(cumsum.body, input, axis, exclusive, reverse, 0)


@as_primitive
def CumProd(x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Product of the elements up to each, along `axis`, in the type of `x`."""
    return _run(partial(torch.cumprod, dtype=x.dtype), x, axis, exclusive, reverse, 1)


@as_primitive
def CumulativeLogsumexp(x: Tensor, axis: int, *, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Logarithm of the sum of the exponentials of the elements up to each, along `axis`; of none, the least number."""
    return _run(torch.logcumsumexp, x, axis, exclusive, reverse, torch.finfo(x.dtype).min)


Cummax = primitive("Cummax", cummax, "axis")
Cummin = primitive("Cummin", cummin, "axis")
