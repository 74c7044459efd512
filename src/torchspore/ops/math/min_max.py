"""Maxima, minima, medians and quantiles, and their indices."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.common.conversion import saturated
from torchspore.common.scopes.scope import number, scope
from torchspore.common.tensor import wrap
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Operand, Type, attach, op
from torchspore.engine.parameters import Where
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.engine.widening import ordering
from torchspore.ops.array.overloads import documented

__all__ = [
    "ArgMaxWithValue", "ArgMinWithValue", "Argmax", "Argmin", "Median", "Quantile", "amax", "amin", "aminmax", "argmax",
    "argmin", "max", "median", "min", "nanmedian", "nanquantile", "quantile",
]  # fmt: skip


_ABSENT: Any = ...  # an argument that is not given, not even as None


_SHARE = Where("in [0, 1]", lambda q: isinstance(q, Tensor) or 0 <= q <= 1)


def _selected(input: Tensor, where: Any, initial: Any, bound: str, api: str) -> Tensor:
    """Replace elements where `where` is false by `initial`, and clamp the rest to it on the side of `bound`."""
    if isinstance(where, np.ndarray):
        where = torch.as_tensor(where, device=input.device)
    if isinstance(where, Tensor) and where.dim() == 0:
        where = number(wrap(where), bool)
    if isinstance(where, Tensor) or where in (False, 0):
        if initial is None:
            raise ValueError(f"For '{api}', 'where' needs 'initial', the value of the elements that it excludes.")
        kept = where.bool() if isinstance(where, Tensor) else torch.zeros_like(input, dtype=torch.bool)
        input = torch.where(kept, input, initial).to(input.dtype)
    if initial is None:
        return input
    return torch.clamp(input, **{bound: saturated(initial, input.dtype)}).to(input.dtype)


def _pair(result: Any) -> tuple[Tensor, Tensor]:
    return result[0], result[1]  # instead of torch's named tuple


def _first_of_all(input: Tensor, extreme: Callable[..., Tensor]) -> tuple[Tensor, Tensor]:
    return extreme(input), torch.zeros((), dtype=torch.int64, device=input.device)


def _along_axis(name: str, extreme: Callable[..., Any], bound: str, doc: str | None = None) -> Any:
    """Make the operation `max` or `min`."""

    def body(
        input: Tensor,
        axis: int | None = None,
        keepdims: bool = False,
        *,
        initial: Operand | None = None,
        where: Operand | None = None,
    ) -> tuple[Tensor, Tensor]:
        """The maxima along a dimension, and their indices.

        Args:
            input: a Tensor of any shape.
            axis: the dimension. Default: None: the maximum of all elements, with index 0; as in MindSpore, the other
                arguments have no effect then.
            keepdims: whether to keep the dimension, with size 1. Default: False.
            initial: the minimum value of a result. Default: None.
            where: a bool Tensor, broadcast to `input`; where it is false, `initial` is used instead. Default: None.

        Returns:
            A tuple of the values and their int64 indices; of equal elements the index is the first.

        Raises:
            ValueError: `input` is empty, or `where` is given without `initial`.

        Examples:
            >>> import torchspore as ms
            >>> values, indices = ms.ops.max(ms.Tensor([[1.0, 5.0], [4.0, 3.0]]), 1)
            >>> print(values, indices)
            [5. 4.] [1 0]
        """
        if axis is None:
            return _first_of_all(input, extreme)
        return _pair(extreme(_selected(input, where, initial, bound, name), axis, keepdims))

    return op(documented(body, name, doc), trait=ordering)


max = _along_axis("max", torch.max, "min")
min = _along_axis("min", torch.min, "max", "The minima along a dimension, and their indices; see `max`.")


def _over_axes(name: str, extreme: Callable[..., Tensor], bound: str, doc: str | None = None) -> Any:
    """Make the operation `amax` or `amin`."""

    def body(
        input: Tensor,
        axis: int | tuple[int, ...] | None = None,
        keepdims: bool = False,
        *,
        initial: Operand | None = None,
        where: Operand | None = None,
    ) -> Tensor:
        """The maxima over the dimensions `axis`; None or an empty tuple: all. Other arguments as for `max`."""
        return extreme(_selected(input, where, initial, bound, name), () if axis is None else axis, keepdims)

    return op(documented(body, name, doc), method=name, trait=ordering)


amax = _over_axes("amax", torch.amax, "min")
amin = _over_axes("amin", torch.amin, "max", "The minima over the dimensions `axis`; arguments as for `amax`.")


def _extreme(name: str, pair: Callable[..., Any], reduce: Callable[..., Tensor], bound: str) -> None:
    """Make the method `max` or `min`, which has three signatures.

    `x.max()` is a value, `x.max(dim, keepdim)` the values and indices, and `x.max(axis=..., keepdims=...)` the values,
    also if a positional `dim` and `keepdim` precede `initial`, `where` or `return_indices`, even as None.
    """

    def body(
        self: Tensor,
        dim: int | tuple[int, ...] | None = None,
        keepdim: bool = False,
        *,
        axis: int | tuple[int, ...] | None = None,
        keepdims: bool | None = None,
        initial: Any = _ABSENT,
        where: Any = _ABSENT,
        return_indices: bool | None = None,
    ) -> Any:
        if dim is not None:
            if axis is not None:
                raise TypeError(f"For '{name}', give 'dim' or 'axis', but not both: {dim} and {axis}.")
            is_newer = keepdims is return_indices is None and initial is where is _ABSENT
            if dim.__class__ is int and is_newer:
                return _pair(pair(self, dim, keepdim))
            axis, keepdims = dim, keepdim or keepdims
        if axis is None:
            return _first_of_all(self, pair) if return_indices else pair(self)
        initial, where = [None if given is _ABSENT else getattr(given, "_t", given) for given in (initial, where)]
        self = _selected(self, where, initial, bound, name)
        if return_indices and axis.__class__ is int:
            return _pair(pair(self, axis, bool(keepdims)))
        if return_indices:
            raise TypeError(f"For '{name}', 'return_indices' needs an int as 'axis', but got {axis}.")
        if self.requires_grad and axis.__class__ is int:  # the gradient of a tie goes to one element
            return pair(self, axis, bool(keepdims)).values
        return reduce(self, axis, bool(keepdims))

    doc = f"`{name}` of all elements; along `dim` with indices; along `axis` with or without them."
    function = op(documented(body, name, doc), trait=ordering)

    def method(self: Any, *args: Any, **named: Any) -> Any:
        # In MindSpore's graphs positional arguments follow the older signature, `x.max(axis, keepdims)`.
        if 0 < len(args) < 3 and scope.captured and not ("keepdim" in named or "axis" in named):
            named |= zip(("axis", "keepdims"), args)
            args = ()
        return function(self, *args, **named)

    method.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    attach(documented(method, name, doc), name)


_extreme("max", torch.max, torch.amax, "min")
_extreme("min", torch.min, torch.amin, "max")


@op(trait=ordering)
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the maximum along `dim`, as int64.

    Args:
        input: a Tensor of any shape.
        dim: the dimension; None: the index into the flattened tensor, a scalar. Default: None.
        keepdim: whether to keep the dimension, with size 1. Default: False.
    """
    return torch.argmax(_ordered(input), dim, keepdim and dim is not None)


@op(trait=ordering)
def argmin(input: Tensor, axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The index of the minimum along `axis`, as int32; arguments as for `argmax`."""
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

    op(documented(body, name, f"`{name}` along `axis` (or `dim`)."), method=name, trait=ordering)


_position(argmax)
_position(argmin)


@op(method="aminmax", trait=ordering)
def aminmax(input: Tensor, *, axis: int | None = 0, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The minima and the maxima along `axis`; None: of all elements."""
    return _pair(torch.aminmax(input, dim=axis, keepdim=keepdims))


@op(method="ptp")
def _ptp(self: Tensor, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
    """The difference of maximum and minimum over the dimensions `axis`; None: of all elements."""
    axis = () if axis is None else axis
    return torch.amax(self, axis, keepdims) - torch.amin(self, axis, keepdims)


@op
def median(input: Tensor, axis: int = -1, keepdims: bool = False) -> tuple[Tensor, Tensor]:
    """The median along `axis`, the lower of the two for an even count, and its int64 index."""
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
def quantile(input: Tensor, q: Annotated[Operand, _SHARE], axis: int | None = None, keepdims: bool = False) -> Tensor:
    """The quantiles of the elements, interpolated linearly.

    Args:
        input: a Tensor of dtype float32 or float64.
        q: a number in [0, 1], or a Tensor of them with at most one dimension, which becomes the first of the result.
        axis: the dimension; None: of all elements. Default: None.
        keepdims: whether to keep the dimension, with size 1. Default: False.
    """
    return torch.quantile(input, q, axis, keepdims)


@op(method="nanquantile")
def nanquantile(
    input: Tensor, q: Annotated[Operand, _SHARE], axis: int | None = None, keepdims: bool = False
) -> Tensor:
    """`quantile` of the elements that are not nan."""
    return torch.nanquantile(input, q, axis, keepdims)


@op(method="argmax_with_value")
def _argmax_with_value(self: Tensor, axis: int | None = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """The maxima along `axis` and their int64 indices; None: the maximum of all elements, and 0."""
    return _first_of_all(self, torch.max) if axis is None else _pair(torch.max(self, axis, keep_dims))


@op(method="argmin_with_value")
def _argmin_with_value(self: Tensor, axis: int | None = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """The minima along `axis` and their int64 indices; None: the minimum of all elements, and 0."""
    return _first_of_all(self, torch.min) if axis is None else _pair(torch.min(self, axis, keep_dims))


def _indices_first(name: str, pair: Callable[..., Any]) -> Any:
    def body(input: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
        values, indices = pair(input, axis, keep_dims)
        return indices, values

    doc = "The int64 indices of the extreme elements along `axis`, and their values."
    return primitive(name, op(documented(body, name, doc)), axis=0, keep_dims=False)


ArgMaxWithValue = _indices_first("ArgMaxWithValue", torch.max)
ArgMinWithValue = _indices_first("ArgMinWithValue", torch.min)


def _index_of(x: Tensor, function: Any, axis: int, output_type: torch.dtype) -> Tensor:
    if output_type not in (torch.int32, torch.int64):
        raise ValueError("'output_type' must be int32 or int64")
    return function.body(x, axis).to(output_type)


@as_primitive
def Argmax(input_x: Tensor, *, axis: int = -1, output_type: Type = mstype.int32) -> Tensor:
    """The index of the maximum along `axis`, as `output_type`."""
    return _index_of(input_x, argmax, axis, output_type)


@as_primitive
def Argmin(x: Tensor, *, axis: int = -1, output_type: Type = mstype.int32) -> Tensor:
    """The index of the minimum along `axis`, as `output_type`."""
    return _index_of(x, argmin, axis, output_type)


@as_primitive
def Median(
    x: Tensor, *, global_median: bool = False, axis: int = 0, keep_dims: bool = False, ignore_nan: bool = False
) -> tuple[Tensor, Tensor]:
    """The median along `axis` and its index, or the median of all elements and 0; `ignore_nan` excludes nan."""
    function = torch.nanmedian if ignore_nan else torch.median
    if global_median:
        median = function(x)
        return median, torch.zeros_like(median, dtype=torch.int64)  # as MindSpore: there is no axis to index
    return _pair(function(x, axis, keep_dims))


@as_primitive
def Quantile(
    input: Tensor, q: Operand, *, dim: int | None = None, keep_dims: bool = False, ignore_nan: bool = False
) -> Tensor:
    """The quantiles along dimension `dim`; see `quantile`."""
    return (nanquantile if ignore_nan else quantile).body(input, q, dim, keep_dims)


rules.cut_by(rules.aligned, ArgMaxWithValue, ArgMinWithValue, Argmax, Argmin)
