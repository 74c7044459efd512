"""Reductions: sums, means, products, standard deviations, counts, `any` and `all`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.common.dtype import to_torch
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.gradients.integer_gradients import reduced
from torchspore.engine.op import Operand, Size, Type, op
from torchspore.engine.primitive import Primitive, as_primitive, primitive
from torchspore.engine.widening import UNSIGNED, alike, wrapping
from torchspore.ops.array.overloads import documented

__all__ = [
    "CountNonZero", "ReduceAll", "ReduceAny", "ReduceMax", "ReduceMean", "ReduceMin", "ReduceProd", "ReduceStd",
    "ReduceSum", "all", "any", "count_nonzero", "logsumexp", "mean", "nanmean", "nansum", "prod", "reduce_max",
    "reduce_mean", "reduce_min", "reduce_sum", "std", "std_mean", "sum", "var", "var_mean",
]  # fmt: skip


# Unsigned integers that torch would sum in int64; MindSpore keeps their type.


def _either(axis: Any, dim: Any, api: str) -> Any:
    """Return `axis` or `dim`, whichever is given; methods take the dimensions by either name."""
    if dim is None:
        return axis
    if axis is not None:
        raise TypeError(f"For '{api}', give 'axis' or 'dim', but not both: {axis} and {dim}.")
    return dim


@op
def sum(
    input: Tensor, dim: int | tuple[int, ...] | None = None, keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """Sum over the dimensions `dim`.

    Args:
        input: a Tensor of any shape; bools count as 0 and 1.
        dim: the dimensions; None or an empty tuple: all. Default: None.
        keepdim: whether to keep them, with size 1. Default: False.
        dtype: the type to sum in. Default: the type of `input`, int64 for bools and integers.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 0))
        [4. 6.]
    """
    total = torch.sum(reduced(input, dtype), dim, keepdim, dtype=dtype)
    if dtype is None and total.dtype is torch.int64 and input.dtype in UNSIGNED:
        return total.to(input.dtype)
    return total


@op(method="sum")
def _sum(
    self: Tensor,
    axis: int | tuple[int, ...] | None = None,
    dtype: Any = None,
    keepdims: bool = False,
    initial: Operand | None = None,
    *,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Sum over the dimensions `axis` (or `dim`), to which `initial` is added; also called as `sum(dim, keepdim)`."""
    if dtype is True or dtype is False:
        dtype, keepdims = None, dtype
    if dim is not None:
        axis = _either(axis, dim, "sum")
    if dtype is not None:
        dtype = to_torch(dtype, "sum")
        self = reduced(self, dtype)
    total = torch.sum(self, axis, keepdims or keepdim, dtype=dtype)
    if dtype is None and total.dtype is torch.int64 and self.dtype in UNSIGNED:
        total = total.to(self.dtype)
    return total if initial is None else total + initial


@op(method="sum_to_size")
def _sum_to_size(self: Tensor, *size: Size) -> Tensor:
    """Sum over the dimensions that broadcasting from `size` to the tensor's shape would add or expand."""
    total = self.sum_to_size(size)
    return total.to(self.dtype) if self.dtype in UNSIGNED else total


@op
def mean(x: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False) -> Tensor:
    """Mean over the dimensions `axis`.

    Args:
        x: a Tensor of any shape; the mean of integers is truncated to an integer.
        axis, keep_dims: as `dim` and `keepdim` of `sum`.

    Raises:
        TypeError: `x` holds bools.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1))
        [1.5 3.5]
    """
    dtype = x.dtype
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return torch.mean(x, axis, keep_dims)
    return torch.mean(x, axis, keep_dims, dtype=torch.float64).to(dtype)


@op(method="mean")
def _mean(
    self: Tensor,
    axis: int | tuple[int, ...] | None = None,
    keep_dims: bool = False,
    *,
    dtype: Type | None = None,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Mean over the dimensions `axis` (or `dim`), of the elements as `dtype`."""
    if dtype is not None:
        self = self.to(dtype)
    if dim is not None:
        axis = _either(axis, dim, "mean")
    return mean.body(self, axis, keep_dims or keepdim)


@op
def prod(
    input: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False, dtype: Type | None = None
) -> Tensor:
    """Product over the dimensions `axis`.

    Args:
        input: a Tensor of any shape.
        axis, keep_dims: as `dim` and `keepdim` of `sum`.
        dtype: the type to multiply in. Default: `input`'s, int64 for bools and integers unless `axis` is a tuple.
    """
    if dtype is None and input.dtype in UNSIGNED:
        return prod.body(input.to(torch.int64), axis, keep_dims).to(input.dtype)
    input = reduced(input, dtype)
    if isinstance(axis, int):
        return torch.prod(input, axis, keep_dims, dtype=dtype)
    if axis is not None:  # with a tuple, MindSpore keeps the type
        dtype = dtype or input.dtype
    if axis:
        for dimension in axis:
            input = torch.prod(input, dimension, True, dtype=dtype)
        return input if keep_dims else input.squeeze(axis)
    product = torch.prod(input, dtype=dtype)
    return product.reshape([1] * input.dim()) if keep_dims else product


@op(method="prod")
def _prod(
    self: Tensor,
    axis: int | tuple[int, ...] | None = None,
    keep_dims: bool = False,
    dtype: Type | None = None,
    *,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Product over the dimensions `axis` (or `dim`), of the elements as `dtype`."""
    return prod.body(self, _either(axis, dim, "prod"), keep_dims or keepdim, dtype)


@op
def all(input: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False) -> Tensor:
    """Whether all elements in the dimensions `axis` (default: all) are true, that is, not zero."""
    return torch.all(input if input.dtype is torch.bool else input.bool(), _or_none(axis), keep_dims)


@op
def any(input: Tensor, axis: int | tuple[int, ...] | None = None, keep_dims: bool = False) -> Tensor:
    """Whether any element in the dimensions `axis` (default: all) is true, that is, not zero."""
    return torch.any(input if input.dtype is torch.bool else input.bool(), _or_none(axis), keep_dims)


def _or_none(axis: Any) -> Any:
    # An empty tuple means every dimension; torch's `all` and `any` read it as none, and `std` has no gradient then.
    return None if axis == () else axis


def _truth(function: Any) -> Any:
    name = function.__name__

    def body(
        self: Tensor,
        axis: int | tuple[int, ...] | None = None,
        keep_dims: bool = False,
        *,
        dim: int | tuple[int, ...] | None = None,
        keepdim: bool = False,
    ) -> Tensor:
        return function.body(self, _either(axis, dim, name), keep_dims or keepdim)

    return op(documented(body, name, f"`{name}` over the dimensions `axis` (or `dim`)."), method=name)


_truth(all)
_truth(any)


@op
def count_nonzero(
    x: Tensor, axis: int | tuple[int, ...] | None = (), keep_dims: bool = False, dtype: Type | None = mstype.int32
) -> Tensor:
    """Count the elements that are not zero, over the dimensions `axis`.

    Args:
        x: a Tensor of any shape.
        axis, keep_dims: as `dim` and `keepdim` of `sum`.
        dtype: the type of the counts. Default: int32.
    """
    return torch.sum(x != 0, axis, keep_dims, dtype=dtype)


@op(method="count_nonzero")
def _count_nonzero(
    self: Tensor,
    axis: int | tuple[int, ...] | None = None,
    keep_dims: bool = False,
    dtype: Type | None = mstype.int32,
    *,
    dim: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Count the elements that are not zero, over the dimensions `axis` (or `dim`)."""
    return torch.sum(self != 0, _either(axis, dim, "count_nonzero"), keep_dims, dtype=dtype or torch.int32)


@op
def nansum(
    input: Tensor, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """Sum over the dimensions `axis`, with nan as 0; integers keep their dtype, bools become int64."""
    if dtype is None:
        dtype = torch.int64 if input.dtype is torch.bool else input.dtype
    total = torch.nansum(input, axis, keepdims, dtype=None if input.is_floating_point() else dtype)
    return reduced(total, dtype).to(dtype)


@op(method="nansum")
def _nansum(
    self: Tensor,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    *,
    dtype: Type | None = None,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
) -> Tensor:
    """Sum over the dimensions `axis` (or `dim`), with nan as 0."""
    return nansum.body(self, _either(axis, dim, "nansum"), keepdims or keepdim, dtype=dtype)


@op(method="nanmean")
def nanmean(
    input: Tensor, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """Mean over the dimensions `axis` of the elements that are not nan; `input` is a floating-point tensor."""
    return torch.nanmean(input, axis, keepdims, dtype=dtype)


@op(method="logsumexp")
def logsumexp(input: Tensor, dim: int | tuple[int, ...], keepdim: bool = False) -> Tensor:
    """Logarithm of the sum of the exponentials over the dimensions `dim` (empty tuple: all), without overflow."""
    dim = tuple(range(input.dim())) if dim == () else dim
    if input.dtype in (torch.float16, torch.bfloat16):  # the gradient needs more digits than the result has
        return torch.logsumexp(input.float(), dim, keepdim).to(input.dtype)
    return torch.logsumexp(input, dim, keepdim)


def _degrees(ddof: Any, api: str) -> int:
    if ddof.__class__ is int or ddof.__class__ is bool:
        return int(ddof)
    raise TypeError(f"For '{api}', 'ddof' must be an int or a bool, but got {ddof!r} ({type(ddof).__name__}).")


@op
def var(input: Tensor, axis: int | tuple[int, ...] | None = None, ddof: Any = 0, keepdims: bool = False) -> Tensor:
    """Variance over the dimensions `axis`, with the divisor N - `ddof`.

    Args:
        input: a Tensor of a floating point type.
        axis, keepdims: as `dim` and `keepdim` of `sum`.
        ddof: the delta degrees of freedom, an int or a bool. Default: 0.
    """
    return torch.var(input, _or_none(axis), correction=_degrees(ddof, "var"), keepdim=keepdims)


@op
def std(input: Tensor, axis: int | tuple[int, ...] | None = None, ddof: Any = 0, keepdims: bool = False) -> Tensor:
    """Standard deviation over the dimensions `axis`: the square root of `var`, with the same arguments."""
    return torch.std(input, _or_none(axis), correction=_degrees(ddof, "std"), keepdim=keepdims)


@op
def var_mean(
    input: Tensor, axis: int | tuple[int, ...] | None = None, ddof: Any = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """Variance and mean over the dimensions `axis`; arguments as for `var`."""
    return torch.var_mean(input, _or_none(axis), correction=_degrees(ddof, "var_mean"), keepdim=keepdims)


@op
def std_mean(
    input: Tensor, axis: int | tuple[int, ...] | None = None, ddof: Any = 0, keepdims: bool = False
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean over the dimensions `axis`; arguments as for `var`."""
    return torch.std_mean(input, _or_none(axis), correction=_degrees(ddof, "std_mean"), keepdim=keepdims)


def _deviation(name: str, function: Callable[..., Tensor]) -> Any:
    """Make the method `var` or `std`, which has two signatures: (axis, ddof, keepdims) and (dim, correction, keepdim).

    Without a correction the first divides by N, the second by N - 1. Integers become float32.
    """

    def body(
        self: Tensor,
        axis: int | tuple[int, ...] | None = None,
        ddof: Any = None,
        keepdims: bool = False,
        *,
        dim: int | tuple[int, ...] | None = None,
        correction: Any = None,
        keepdim: bool | None = None,
    ) -> Tensor:
        if ddof is None:
            ddof = correction if correction is not None else int(dim is not None or keepdim is not None)
        elif correction is not None:
            raise TypeError(f"For '{name}', give 'ddof' or 'correction', but not both: {ddof} and {correction}.")
        if not self.is_floating_point() and not self.is_complex() and self.dtype is not torch.bool:
            self = self.float()
        kept = keepdims or bool(keepdim)
        return function(self, _or_none(_either(axis, dim, name)), correction=_degrees(ddof, name), keepdim=kept)

    doc = f"`{name}` over the dimensions `axis` with `ddof`, or `dim` with `correction`."
    return op(documented(body, name, doc), method=name)


_deviation("var", torch.var)
_deviation("std", torch.std)


def _reduction(name: str, function: Callable[[Tensor, Any, bool], Tensor], summary: str) -> type[Primitive]:
    """Make a primitive that keeps the data type of its input."""

    def body(x: Tensor, axis: int | tuple[int, ...] = (), keep_dims: bool = False) -> Tensor:
        return function(x, axis, keep_dims)

    alike(body, function)
    doc = f"{summary} over the dimensions `axis`; an empty tuple means all."
    return primitive(name, op(documented(body, name, doc)), keep_dims=False)


@as_primitive
@wrapping
def ReduceSum(
    x: Tensor, axis: int | tuple[int, ...] = (), *, keep_dims: bool = False, skip_mode: bool = False
) -> Tensor:
    """Sum over the dimensions `axis`, in the type of `x`; with `skip_mode`, an empty `axis` means none."""
    if skip_mode and axis == ():
        return x
    return torch.sum(x, axis, keep_dims, dtype=x.dtype)


@as_primitive
def ReduceStd(
    x: Tensor, *, axis: int | tuple[int, ...] = (), unbiased: bool = True, keep_dims: bool = False
) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean over the dimensions `axis`; unbiased: with the divisor N - 1."""
    return torch.std_mean(x, _or_none(axis), correction=int(unbiased), keepdim=keep_dims)


@as_primitive
def CountNonZero(x: Tensor, *, dims: int | tuple[int, ...] | None = None) -> Tensor:
    """Count the elements that are not zero, over the dimensions `dims`, as int32."""
    return count_nonzero.body(x, dims, dtype=torch.int32)


@wrapping
def _product(x: Tensor, axis: int | tuple[int, ...], keep_dims: bool) -> Tensor:
    return prod.body(x, axis, keep_dims, x.dtype)


ReduceAll = primitive("ReduceAll", all, keep_dims=False)
ReduceAny = _reduction("ReduceAny", any.body, "Whether any element is true")
ReduceMean = _reduction("ReduceMean", mean.body, "Mean")
ReduceMax = _reduction("ReduceMax", torch.amax, "The maximum")
ReduceMin = _reduction("ReduceMin", torch.amin, "The minimum")
ReduceProd = _reduction("ReduceProd", _product, "Product")
reduce_sum = ReduceSum()
reduce_mean = ReduceMean()
reduce_max = ReduceMax()
reduce_min = ReduceMin()
rules.cut_by(rules.aligned, ReduceAll, ReduceAny, ReduceMax, ReduceMean, ReduceMin, ReduceProd, ReduceSum)
