"""Greatest, least and middle elements, and where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.engine.op import Operand, Type, op
from torchspore.engine.primitive import as_primitive, primitive

__all__ = [
    "ArgMaxWithValue", "ArgMinWithValue", "Argmax", "Argmin", "Median", "Quantile", "amax", "amin", "aminmax", "argmax",
    "argmin", "max", "median", "min", "nanmedian", "nanquantile", "quantile",
]  # fmt: skip


def _selected(input: Tensor, where: Any, initial: Any, bound: str, api: str) -> Tensor:
    """Put `initial` where `where` is false and limit the rest by it: below for a maximum, above for a minimum."""
    if where is not None and where is not True:
        if initial is None:
            raise ValueError(f"For '{api}', 'where' needs 'initial', the value of the elements that are left out.")
        input = torch.where(where.bool(), input, initial).to(input.dtype)
    if initial is None:
        return input
    return torch.clamp(input, **{bound: initial}).to(input.dtype)


def _pair(result: Any) -> tuple[Tensor, Tensor]:
    return result[0], result[1]  # instead of torch's named tuple


def _first_of_all(input: Tensor, extreme: Callable[..., Tensor]) -> tuple[Tensor, Tensor]:
    return extreme(input), torch.zeros((), dtype=torch.int64, device=input.device)


@op
def max(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Operand | None = None,
    where: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The greatest elements along a dimension, and their indices.

    Args:
        input: a Tensor of any shape.
        axis: the dimension. Default: None: the greatest element of all, with index 0; as in MindSpore, the other
            arguments have no effect then.
        keepdims: whether the dimension stays, with size 1. Default: False.
        initial: the least value of a result. Default: None.
        where: a bool Tensor, broadcast to `input`; where it is false, `initial` takes part instead. Default: None.

    Returns:
        A tuple of the values and their int64 indices; of equal elements the index is the first.

    Raises:
        ValueError: `input` has no such dimension, is empty, or `where` is given without `initial`.

    Examples:
        >>> import torchspore as ms
        >>> values, indices = ms.ops.max(ms.Tensor([[1.0, 5.0], [4.0, 3.0]]), 1)
        >>> print(values, indices)
        [5. 4.] [1 0]
    """
    if axis is None:
        return _first_of_all(input, torch.max)
    return _pair(torch.max(_selected(input, where, initial, "min", "max"), axis, keepdims))


@op
def min(
    input: Tensor,
    axis: int | None = None,
    keepdims: bool = False,
    *,
    initial: Operand | None = None,
    where: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The least elements along a dimension, and their indices; arguments and results as for `max`."""
    if axis is None:
        return _first_of_all(input, torch.min)
    return _pair(torch.min(_selected(input, where, initial, "max", "min"), axis, keepdims))


@op(method="amax")
def amax(
    input: Tensor,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    *,
    initial: Operand | None = None,
    where: Tensor | None = None,
) -> Tensor:
    """The greatest element in the dimensions `axis`.

    Args:
        input: a Tensor of any shape.
        axis: the dimensions; None or an empty tuple: all. Default: None.
        keepdims: whether they stay, with size 1. Default: False.
        initial: the least value of a result. Default: None.
        where: a bool Tensor, broadcast to `input`; where it is false, `initial` takes part instead. Default: None.

    Raises:
        ValueError: `input` has no such dimension, or `where` is given without `initial`.
    """
    return torch.amax(_selected(input, where, initial, "min", "amax"), () if axis is None else axis, keepdims)


@op(method="amin")
def amin(
    input: Tensor,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    *,
    initial: Operand | None = None,
    where: Tensor | None = None,
) -> Tensor:
    """The least element in the dimensions `axis`; arguments as for `amax`, `initial` being the greatest value."""
    return torch.amin(_selected(input, where, initial, "max", "amin"), () if axis is None else axis, keepdims)


def _extreme(name: str, pair: Callable[..., Any], reduce: Callable[..., Tensor], bound: str) -> None:
    """Make the method `max` or `min`, which has three signatures.

    `x.max()` is a value, `x.max(dim, keepdim)` the values and indices, and `x.max(axis=..., keepdims=...)` the values.
    """

    def body(
        self: Tensor,
        dim: int | tuple[int, ...] | None = None,
        keepdim: bool = False,
        *,
        axis: int | tuple[int, ...] | None = None,
        keepdims: bool | None = None,
        initial: Operand | None = None,
        where: Any = None,
        return_indices: bool = False,
    ) -> Any:
        if dim is not None:
            if axis is not None:
                raise TypeError(f"For '{name}', give 'dim' or 'axis', but not both: {dim} and {axis}.")
            if dim.__class__ is int and keepdims is None and initial is None and where is None:
                return _pair(pair(self, dim, keepdim))
            axis, keepdims = dim, keepdim or keepdims
        if axis is None:
            return _first_of_all(self, pair) if return_indices else pair(self)
        self = _selected(self, getattr(where, "_t", where), initial, bound, name)
        if return_indices and axis.__class__ is int:
            return _pair(pair(self, axis, bool(keepdims)))
        if return_indices:
            raise TypeError(f"For '{name}', 'return_indices' needs an int as 'axis', but got {axis}.")
        return reduce(self, axis, bool(keepdims))

    body.__name__ = name
    body.__doc__ = f"`{name}` of all elements; along `dim` with indices; along `axis` with or without them."
    op(body, method=name)


_extreme("max", torch.max, torch.amax, "min")
_extreme("min", torch.min, torch.amin, "max")


@op
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the greatest element along `dim`, as int64.

    Args:
        input: a Tensor of any shape.
        dim: the dimension; None: the index into the flattened tensor, without dimensions. Default: None.
        keepdim: whether the dimension stays, with size 1. Default: False.
    """
    return torch.argmax(_ordered(input), dim, keepdim and dim is not None)


@op
def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the least element along `axis`, as int32; arguments as for `argmax`."""
    return torch.argmin(_ordered(input), axis, keepdims and axis is not None).to(torch.int32)


def _ordered(x: Tensor) -> Tensor:
    return x.to(torch.uint8) if x.dtype is torch.bool else x  # torch does not order bools


def _position(function: Any) -> None:
    """Make the method `argmax` or `argmin`, which takes the dimension as `axis` and as `dim`."""
    name = function.__name__

    def body(
        self: Tensor, axis: int | None = None, keepdims: bool = False, *, dim: int | None = None, keepdim: bool = False
    ) -> Tensor:
        if axis is not None and dim is not None:
            raise TypeError(f"For '{name}', give 'axis' or 'dim', but not both: {axis} and {dim}.")
        return function.body(self, dim if axis is None else axis, keepdims or keepdim)

    body.__name__ = name
    body.__doc__ = f"`{name}` along `axis` (or `dim`)."
    op(body, method=name)


_position(argmax)
_position(argmin)


@op(method="aminmax")
def aminmax(input: Tensor, *, axis: int | None = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The least and the greatest elements along `axis`; None: of all elements."""
    return _pair(torch.aminmax(input, dim=axis, keepdim=keepdims))


@op(method="ptp")
def _ptp(self: Tensor, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """The distance from the least to the greatest element in the dimensions `axis`; None: of all elements."""
    axis = () if axis is None else axis
    return torch.amax(self, axis, keepdims) - torch.amin(self, axis, keepdims)


@op
def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The median along `axis`, the lesser of the two for an even count, and its int64 index."""
    return _pair(torch.median(input, axis, keepdims))


@op(method="median")
def _median(
    self: Tensor, axis: int = -1, keepdims: bool = False, *, dim: int | None = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """`median` along `axis` (or `dim`)."""
    return _pair(torch.median(self, axis if dim is None else dim, keepdims or keepdim))


@op(method="nanmedian")
def nanmedian(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The median along `axis` of the elements that are not nan, and its int64 index."""
    return _pair(torch.nanmedian(input, axis, keepdims))


@op(method="quantile")
def quantile(input: Tensor, q: Operand, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The values below which the shares `q` of the elements lie, interpolated linearly.

    Args:
        input: a Tensor of dtype float32 or float64.
        q: a number in [0, 1], or a Tensor of them without or with one dimension, which leads in the result.
        axis: the dimension; None: of all elements. Default: None.
        keepdims: whether the dimension stays, with size 1. Default: False.
    """
    return torch.quantile(input, _share(q, "quantile"), axis, keepdims)


def _share(q: Any, api: str) -> Any:
    if isinstance(q, (int, float)) and not 0 <= q <= 1:
        raise ValueError(f"For '{api}', 'q' must be in [0, 1], but got {q}.")
    return q


@op(method="nanquantile")
def nanquantile(input: Tensor, q: Operand, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """`quantile` of the elements that are not nan."""
    return torch.nanquantile(input, _share(q, "nanquantile"), axis, keepdims)


@op(method="argmax_with_value")
def _argmax_with_value(self: Tensor, axis: int | None = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """The greatest elements along `axis` and their int64 indices; None: the greatest of all, and 0."""
    return _first_of_all(self, torch.max) if axis is None else _pair(torch.max(self, axis, keep_dims))


@op(method="argmin_with_value")
def _argmin_with_value(self: Tensor, axis: int | None = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """The least elements along `axis` and their int64 indices; None: the least of all, and 0."""
    return _first_of_all(self, torch.min) if axis is None else _pair(torch.min(self, axis, keep_dims))


def _indices_first(name: str, pair: Callable[..., Any]) -> Any:
    def body(input: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
        values, indices = pair(input, axis, keep_dims)
        return indices, values

    body.__name__ = name
    body.__doc__ = "The int64 indices of the extreme elements along `axis`, and their values."
    return primitive(name, op(body), axis=0, keep_dims=False)


ArgMaxWithValue = _indices_first("ArgMaxWithValue", torch.max)
ArgMinWithValue = _indices_first("ArgMinWithValue", torch.min)


def _index_of(x: Tensor, function: Any, axis: int, output_type: torch.dtype, api: str) -> Tensor:
    if output_type not in (torch.int32, torch.int64):
        raise ValueError(
            f"For '{api}', 'output_type' must be int32 or int64, but got {mstype.FROM_TORCH[output_type]}."
        )
    return function.body(x, axis).to(output_type)


@as_primitive
def Argmax(input_x: Tensor, *, axis: int = -1, output_type: Type = mstype.int32) -> Tensor:
    """The index of the greatest element along `axis`, as `output_type`."""
    return _index_of(input_x, argmax, axis, output_type, "Argmax")


@as_primitive
def Argmin(x: Tensor, *, axis: int = -1, output_type: Type = mstype.int32) -> Tensor:
    """The index of the least element along `axis`, as `output_type`."""
    return _index_of(x, argmin, axis, output_type, "Argmin")


@as_primitive
def Median(
    x: Tensor, *, global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False
) -> tuple[Tensor, Tensor]:
    """The median along `axis` and its index, or that of all elements and 0; `ignore_nan` leaves nan out."""
    function = torch.nanmedian if ignore_nan else torch.median
    if global_median:
        median = function(x)
        return median, torch.zeros_like(median, dtype=torch.int64)  # as MindSpore: there is no axis to index
    return _pair(function(x, axis, keep_dims))


@as_primitive
def Quantile(
    input: Tensor, q: Operand, *, dim: int | None = None, keep_dims: bool = False, ignore_nan: bool = False
) -> Tensor:
    """The values below which the shares `q` of the elements lie, along dimension `dim`; see `quantile`."""
    return (nanquantile if ignore_nan else quantile).body(input, q, dim, keep_dims)
