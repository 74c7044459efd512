"""Sums, means, extrema, deviations and counts; cumulative sums and products; covariances."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.op import NumpyType, op
from torchspore.engine.widening import ordering, wrapping
from torchspore.numpy.arrays import along, array, floating, in_range, named, promoted, single, whole
from torchspore.ops.array.casting import cast
from torchspore.ops.math import reduction
from torchspore.ops.math.cumulative import WIDER

__all__ = [
    "amax", "amin", "argmax", "argmin", "average", "bincount", "corrcoef", "count_nonzero", "cov", "cumprod", "cumsum",
    "max", "mean", "min", "nancumsum", "nanmax", "nanmean", "nanmin", "nanstd", "nansum", "nanvar", "ptp", "std", "sum",
    "var",
]  # fmt: skip

# For the docstrings of factories.
_AXIS = "    axis: the dimensions to reduce, an int or a tuple of ints. Default: None, all.\n"
_ARGS = f"\n\nArgs:\n    a: an array.\n{_AXIS}"
_DTYPE = "    dtype: the data type of the result. Default: None, its own.\n"
_DDOF = "    ddof: the number subtracted from the number of elements in the divisor. Default: 0.\n"
_KEEPDIMS = "    keepdims: whether the dimensions are kept with size 1. Default: False."


def _axes(axis: Any, x: Tensor) -> tuple[int, ...]:
    """Return the dimensions to reduce, counted from 0; all for None and an empty tuple."""
    return tuple(range(x.dim())) if axis is None or axis == () else in_range(axis, x.dim())


@op
def sum(
    a: Any,
    axis: int | tuple[int, ...] | None = None,
    dtype: NumpyType | None = None,
    keepdims: bool = False,
    initial: Any = None,
) -> Tensor:
    """Sum of the elements.

    Args:
        a: an array.
        axis: the dimensions to reduce, an int or a tuple of ints. Default: None, all.
        dtype: the data type to sum in. Default: None: the type of `a`, int64 for bools and integers.
        keepdims: whether the dimensions are kept with size 1. Default: False.
        initial: a number to add. Default: None.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.sum([[1, 2], [3, 4]], axis=1, initial=10))
        [13 17]
    """
    a = array(a)
    result = reduction.sum.body(a, _axes(axis, a), keepdims, dtype=dtype)
    return result if initial is None else result + number_in(initial)


@op
def mean(
    a: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False, dtype: NumpyType | None = None
) -> Tensor:
    """Mean of the elements, truncated for integers; arguments as for `sum`, but `dtype` is only the result's."""
    a = array(a)
    result = reduction.mean.body(a, _axes(axis, a), keepdims)
    return result if dtype is None else result.to(dtype)


def _deviation(name: str, function: Callable[..., Tensor], summary: str) -> Any:
    def body(x: Any, axis: int | tuple[int, ...] | None = None, ddof: int = 0, keepdims: bool = False) -> Tensor:
        x = floating(array(x))
        return function(x, _axes(axis, x), correction=ddof, keepdim=keepdims)

    return named(body, name, f"{summary}; integers become float32.{_ARGS.replace('a: ', 'x: ')}{_DDOF}{_KEEPDIMS}")


var = _deviation("var", torch.var, "Variance: the mean squared distance from the mean")
std = _deviation("std", torch.std, "Standard deviation: the root of the variance")


def _is_true(where: Any) -> bool:
    return bool(where) if isinstance(where, (int, float, np.bool_)) or getattr(where, "shape", None) == () else False


def _extreme(name: str, function: Callable[..., Tensor], either: Callable[..., Tensor], which: str) -> Any:
    def body(
        a: Any,
        axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Tensor:
        a = array(a)
        axes = _axes(axis, a)
        if where is None or (initial is None and _is_true(where)):
            where = True
        if where is not True:
            if initial is None:
                raise ValueError("'where' requires 'initial'")
            a, where = torch.broadcast_tensors(a, array(where).bool())
            a = torch.where(where, a, initial)
        result = function(a, axes, keepdims) if axes else a
        return result if initial is None else either(*promoted(result, torch.full_like(result, initial)))

    about = (
        "    initial: a further number to compare. Default: None.\n    where: an array of bools, broadcast, that "
        "selects the elements; requires `initial`. Default: True."
    )
    return named(body, name, f"The {which} element; nan if one is nan.{_ARGS}{_KEEPDIMS}\n{about}", function)


amax = _extreme("amax", torch.amax, torch.maximum, "largest")
amin = _extreme("amin", torch.amin, torch.minimum, "smallest")
max, min = amax, amin


@op
def ptp(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """The difference between the largest and the smallest element in the dimensions `axis` (default: all)."""
    x = array(x)
    return torch.amax(x, _axes(axis, x), keepdims) - torch.amin(x, _axes(axis, x), keepdims)


@op(trait=ordering)
def argmax(a: Any, axis: int | None = None) -> Tensor:
    """The index of the largest element along the dimension `axis` (default: in the flattened array), in int64."""
    a = array(a)
    return torch.argmax(a.to(torch.uint8) if a.dtype is torch.bool else a, axis)


@op(trait=ordering)
def argmin(a: Any, axis: int | None = None) -> Tensor:
    """The index of the smallest element along the dimension `axis` (default: in the flattened array), in int32."""
    a = array(a)
    return torch.argmin(a.to(torch.uint8) if a.dtype is torch.bool else a, axis).to(torch.int32)


@op
def average(x: Any, axis: int | tuple[int, ...] | None = None, weights: Any = None, returned: bool = False) -> Any:
    """Weighted mean of the elements.

    Args:
        x: an array.
        axis: the dimensions to average over. Default: None, all.
        weights: an array in the shape of `x`, or a vector along `axis`. Default: None, 1.
        returned: whether to return (mean, sum of the weights). Default: False.

    Raises:
        TypeError: the weights have a different shape, and `axis` is not given.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.average(np.array([1.0, 2.0, 4.0]), weights=[1, 1, 2]))
        2.75
    """
    x = array(x)
    axes = _axes(axis, x)
    if weights is None:
        result = mean.body(x, axis)
        total = torch.full_like(result, x.numel() / builtins.max(result.numel(), 1))
    else:
        x, scale = promoted(x, _fitting(array(weights), x, axis))
        total = torch.sum(scale, axes, dtype=x.dtype)
        result = (torch.sum(x * scale, axes, dtype=x.dtype) / total).to(x.dtype)
    return (result, total) if returned else result


def _fitting(weights: Tensor, x: Tensor, axis: Any) -> Tensor:
    if weights.shape == x.shape:
        return weights
    if not isinstance(axis, int):
        raise TypeError("'axis' must be an int when the shapes of 'x' and 'weights' differ")
    if weights.shape != (x.shape[axis],):
        raise ValueError(f"'weights' must have the shape of 'x' or be a vector of length {x.shape[axis]}")
    return along(weights, x.dim(), axis).expand(x.shape)


@op
def count_nonzero(x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """Count the elements that are not zero in the dimensions `axis` (default: all), in int32."""
    x = array(x)
    return torch.sum(x != 0, _axes(axis, x), keepdims, dtype=torch.int32)


# Cumulative sums and products

_WIDER_PRODUCT = {**WIDER, torch.uint8: torch.uint32, torch.uint16: torch.uint32}


@op(trait=wrapping)
def cumsum(a: Any, axis: int | None = None, dtype: NumpyType | None = None) -> Tensor:
    """Cumulative sums along a dimension.

    Args:
        a: an array.
        axis: the dimension. Default: None, the array is flattened.
        dtype: the data type. Default: None: the type of `a`, int32 for narrower integers and bools.
    """
    a = array(a)
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    if dtype is torch.bool:
        return torch.cumsum(a != 0, axis).bool()
    if dtype is not None and a.is_floating_point() and not dtype.is_floating_point:
        return cast.body(torch.cumsum(a, axis), dtype)  # what is converted are the sums
    return torch.cumsum(a, axis, dtype=dtype or WIDER.get(a.dtype, a.dtype))


@op
def nancumsum(a: Any, axis: int | None = None, dtype: NumpyType | None = None) -> Tensor:
    """Cumulative sums along a dimension, with nan as 0; arguments as for `cumsum`."""
    return cumsum.body(_without_nan(array(a), 0), axis, dtype)


@op(trait=wrapping)
def cumprod(a: Any, axis: int | None = None, dtype: NumpyType | None = None) -> Tensor:
    """Cumulative products along a dimension.

    Args:
        a, axis: as for `cumsum`.
        dtype: the data type. Default: None: the type of `a`, of 32 bits for narrower integers and bools.
    """
    a = array(a)
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    kind = dtype or _WIDER_PRODUCT.get(a.dtype, a.dtype)
    if kind is torch.uint32:  # which torch cannot multiply
        return torch.cumprod(a, axis, dtype=torch.int64).to(kind)
    return torch.cumprod(a, axis, dtype=kind)


# Without nan


def _without_nan(x: Tensor, replacement: float) -> Tensor:
    return torch.where(torch.isnan(x), replacement, x) if x.is_floating_point() else x


def _ignoring_nan(name: str, function: Callable[[Tensor, Any, bool], Tensor], summary: str) -> Any:
    def body(
        a: Any, axis: int | tuple[int, ...] | None = None, dtype: NumpyType | None = None, keepdims: Any = False
    ) -> Tensor:
        a = array(a)
        result = function(a, _axes(axis, a), bool(keepdims))  # as in MindSpore, also an int
        return result if dtype is None else result.to(dtype)

    return named(body, name, f"{summary}, of the elements that are not nan.{_ARGS}{_DTYPE}{_KEEPDIMS}")


_EXTREME = float(2**63)  # stands for nan: the result where all elements are nan

nansum = _ignoring_nan("nansum", lambda a, axes, keep: torch.sum(_without_nan(a, 0), axes, keep, dtype=a.dtype), "Sum")
nanmean = _ignoring_nan(
    "nanmean", lambda a, axes, keep: torch.nanmean(single(a), axes, keep), "Mean; integers and float16 become float32"
)
nanmax = _ignoring_nan(
    "nanmax", lambda a, axes, keep: torch.amax(_without_nan(a, -_EXTREME), axes, keep), "The largest element"
)
nanmin = _ignoring_nan(
    "nanmin", lambda a, axes, keep: torch.amin(_without_nan(a, _EXTREME), axes, keep), "The smallest element"
)


def _nan_variance(a: Tensor, axes: Any, ddof: int, keepdims: bool) -> Tensor:
    a = single(a)
    distances = _without_nan(a - torch.nanmean(a, axes, True), 0)
    count = torch.sum(~torch.isnan(a), axes, keepdims)
    return torch.sum(distances * distances, axes, keepdims) / (count - ddof)


def _deviation_without_nan(name: str, finish: Callable[[Tensor], Tensor], summary: str) -> Any:
    def body(
        a: Any,
        axis: int | tuple[int, ...] | None = None,
        dtype: NumpyType | None = None,
        ddof: int = 0,
        keepdims: Any = False,
    ) -> Tensor:
        a = array(a)
        result = finish(_nan_variance(a, _axes(axis, a), ddof, bool(keepdims)))
        return result if dtype is None else result.to(dtype)

    about = "of the elements that are not nan; integers become float32."
    return named(body, name, f"{summary} {about}{_ARGS}{_DTYPE}{_DDOF}{_KEEPDIMS}")


nanvar = _deviation_without_nan("nanvar", lambda variance: variance, "Variance")
nanstd = _deviation_without_nan("nanstd", torch.sqrt, "Standard deviation")


# Several variables


def _observations(m: Any, y: Any, rowvar: bool, dtype: Any) -> Tensor:
    parts = [single(part) for part in promoted(*([m] if y is None else [m, y]))]
    if any(part.dim() > 2 for part in parts):
        raise ValueError("observations must be arrays of at most two dimensions")
    rows = [torch.atleast_2d(part) if rowvar or part.dim() < 2 else part.T for part in parts]
    return torch.cat(rows) if dtype is None else torch.cat(rows).to(dtype)


@op
def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    dtype: NumpyType | None = None,
) -> Tensor:
    """Estimate the covariances of variables from observations.

    Args:
        m: an array of one or two dimensions.
        y: further variables in the same layout. Default: None.
        rowvar: whether rows are variables and columns observations, or vice versa. Default: True.
        bias: whether to divide by the number of observations instead of one less. Default: False.
        ddof: the number subtracted from the number of observations in the divisor; overrides `bias`. Default: None.
        fweights: the number of times each observation occurs, a vector of ints. Default: None, 1.
        aweights: the weight of each observation, a vector. Default: None, equal weights.
        dtype: the data type of the result. Default: None, at least float32.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.cov([[0.0, 3.0], [1.0, 4.0]]))
        [[4.5 4.5]
         [4.5 4.5]]
    """
    x = _observations(m, y, rowvar, dtype)
    counts = None if fweights is None else array(fweights)
    if counts is not None and counts.is_floating_point():
        raise TypeError("'fweights' must be integers")
    return _covariances(
        x,
        ddof if ddof is not None else 0 if bias else 1,
        None if counts is None else torch.abs(counts).to(x.dtype),
        None if aweights is None else torch.abs(array(aweights)).to(x.dtype),
    )


def _covariances(x: Tensor, ddof: int, counts: Tensor | None, weights: Tensor | None) -> Tensor:
    """Return the covariances of the rows; `torch.cov` would check the values of the weights."""
    scale = torch.ones(x.shape[1:], dtype=x.dtype, device=x.device)
    for factor in (counts, weights):
        scale = scale if factor is None else scale * factor
    total = torch.sum(scale)
    correction = ddof if weights is None else ddof * torch.sum(scale * weights) / total
    distances = x - torch.sum(x * scale, 1, True) / total
    return (((distances * scale) @ torch.conj(distances).T) / (total - correction)).squeeze()


@op
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, dtype: NumpyType | None = None) -> Tensor:
    """Estimate the correlation coefficients of variables from observations; arguments as for `cov`."""
    covariances = torch.atleast_2d(_covariances(_observations(x, y, rowvar, dtype), 1, None, None))
    deviations = torch.sqrt(torch.diagonal(covariances))
    return (covariances / deviations / deviations.unsqueeze(1)).squeeze()


@op
def bincount(x: Any, weights: Any = None, minlength: float = 0, length: int | None = None) -> Tensor:
    """Count the occurrences of each of the integers 0, 1, 2, ... in a vector, in float32 as in MindSpore.

    Args:
        x: a vector of ints; negative ones are clamped to 0.
        weights: the weight of each element, a vector. Default: None, 1.
        minlength: the minimum number of bins. Default: 0.
        length: the number of bins; larger elements are ignored. Captured functions need it. Default: None, the largest
            element plus 1.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.bincount([0, 1, 1, 3]))
        [1. 2. 0. 1.]
    """
    x, bins = torch.clamp(array(x), min=0).long(), whole(minlength, "minlength")
    if bins >= 2**63:
        raise ValueError(f"'minlength' must be less than 2**63, but got {minlength}")
    if x.dim() != 1:
        raise ValueError(f"'x' must be a vector, but has {x.dim()} dimensions")
    amounts = torch.ones(x.shape, device=x.device) if weights is None else array(weights).float()
    if amounts.shape != x.shape:
        raise ValueError(f"'weights' must have the shape of 'x', {tuple(x.shape)}, but have {tuple(amounts.shape)}")
    if length is None:
        length = int(x.max()) + 1 if x.numel() else 0
    else:
        bins = 0
    beyond = torch.clamp(x, max=length)  # one more bin, for ignored elements
    counts = torch.zeros(length + 1, device=x.device).index_add(0, beyond, amounts)[:length]
    return torch.nn.functional.pad(counts, (0, bins - length)) if bins > length else counts
