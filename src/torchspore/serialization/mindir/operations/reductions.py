"""Operations that combine the elements along dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, Value
from torchspore.serialization.mindir.operations.forms import FORMS, form

aten = torch.ops.aten


def _reduction(primitive: str) -> Any:
    def write(
        b: Builder, x: Value, dim: int | Sequence[int] | None = None, keepdim: bool = False, dtype: Any = None
    ) -> Value:
        dims = () if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
        if dtype is None and primitive in ("ReduceSum", "ReduceProd") and not x.dtype.is_floating_point:
            dtype = torch.int64
        if primitive in ("ReduceAny", "ReduceAll"):
            dtype = torch.bool
        # All axes are written: MindSpore Lite 2.0 does not return from an empty list.
        axes = tuple([each % x.rank for each in dims or range(x.rank)]) if x.rank else ()
        return b.call(primitive, x if dtype is None else b.cast(x, dtype), axes, keep_dims=keepdim)

    return write


FORMS |= {
    aten.sum.default: _reduction("ReduceSum"), aten.sum.dim_IntList: _reduction("ReduceSum"),
    aten.mean.default: _reduction("ReduceMean"), aten.mean.dim: _reduction("ReduceMean"),
    aten.amax.default: _reduction("ReduceMax"), aten.amin.default: _reduction("ReduceMin"),
    aten.prod.default: _reduction("ReduceProd"), aten.prod.dim_int: _reduction("ReduceProd"),
    aten.any.default: _reduction("ReduceAny"), aten.any.dim: _reduction("ReduceAny"),
    aten.any.dims: _reduction("ReduceAny"), aten.all.dims: _reduction("ReduceAll"),
    aten.all.default: _reduction("ReduceAll"), aten.all.dim: _reduction("ReduceAll"),
    aten.max.default: _reduction("ReduceMax"), aten.min.default: _reduction("ReduceMin"),
}  # fmt: skip


@form(aten.softmax.int, aten._softmax.default)
def _softmax(b: Builder, x: Value, dim: int, half_to_float: Any = None, dtype: Any = None) -> Value:
    return b.call("Softmax", x if dtype is None else b.cast(x, dtype), axis=(dim % x.rank,))


@form(aten.log_softmax.int, aten._log_softmax.default)
def _log_softmax(b: Builder, x: Value, dim: int, half_to_float: Any = None, dtype: Any = None) -> Value:
    return b.call("LogSoftmax", x if dtype is None else b.cast(x, dtype), axis=dim % x.rank)


def _places(b: Builder, x: Value) -> Value:
    """Return places as int64: in versions of MindSpore they are int32 where ours are int64."""
    return b.as_type(x, torch.int64)


@form(aten.argmax.default)
def _argmax(b: Builder, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    if dim is None:
        x, dim = b.reshape(x, (-1,)), 0
    # Argmax takes the data type of its result, which versions of MindSpore read differently.
    found = b.call("ArgMaxWithValue", x, axis=dim % x.rank, keep_dims=keepdim)
    return _places(b, b.item(found, 0))


@form(aten.argmin.default)
def _argmin(b: Builder, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    return _argmax(b, b.call("Neg", x), dim, keepdim)


def _extreme(primitive: str) -> Any:
    def write(b: Builder, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
        found = b.call(primitive, x, axis=dim % x.rank, keep_dims=keepdim)
        return b.item(found, 1), _places(b, b.item(found, 0))

    return write


FORMS |= {aten.max.dim: _extreme("ArgMaxWithValue"), aten.min.dim: _extreme("ArgMinWithValue")}


def _cumulative(primitive: str) -> Any:
    def write(b: Builder, x: Value, dim: int, dtype: Any = None) -> Value:
        if dtype is None and not (x.dtype.is_floating_point or x.dtype.is_complex):
            dtype = torch.int64
        x = x if dtype is None else b.cast(x, dtype)
        return b.call(primitive, x, dim % x.rank, exclusive=False, reverse=False) if x.rank else x

    return write


FORMS |= {aten.cumsum.default: _cumulative("CumSum"), aten.cumprod.default: _cumulative("CumProd")}


def _running(primitive: str) -> Any:
    def write(b: Builder, x: Value, dim: int) -> tuple[Value, Value]:
        found = b.call(primitive, x, axis=dim % x.rank)
        return b.item(found, 0), _places(b, b.item(found, 1))

    return write


FORMS |= {aten.cummax.default: _running("Cummax"), aten.cummin.default: _running("Cummin")}


@form(aten.topk.default)
def _topk(
    b: Builder, x: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> tuple[Value, Value]:
    order = [each for each in range(x.rank) if each != dim % x.rank] + [dim % x.rank]
    back = [order.index(each) for each in range(x.rank)]
    is_last = order == back == list(range(x.rank))
    x = x if is_last else b.call("Transpose", x, tuple(order))
    found = b.call("TopK", x if largest else b.call("Neg", x), k, sorted=True)
    values, places = b.item(found, 0), _places(b, b.item(found, 1))
    values = values if largest else b.call("Neg", values)
    if is_last:
        return values, places
    return b.call("Transpose", values, tuple(back)), b.call("Transpose", places, tuple(back))


@form(aten.sort.stable, aten.sort.default)
def _sort(
    b: Builder, x: Value, dim: int = -1, descending: bool = False, stable: bool | None = None
) -> tuple[Value, Value]:
    if x.rank == 0:
        return x, b.constant(torch.tensor(0))
    found = b.call("Sort", x, axis=dim % x.rank, descending=descending)
    return b.item(found, 0), _places(b, b.item(found, 1))
