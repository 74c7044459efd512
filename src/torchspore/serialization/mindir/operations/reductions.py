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
    aten.all.default: _reduction("ReduceAll"), aten.all.dim: _reduction("ReduceAll"),
}  # fmt: skip


@form(aten.softmax.int, aten._softmax.default)
def _softmax(b: Builder, x: Value, dim: int, half_to_float: Any = None, dtype: Any = None) -> Value:
    return b.call("Softmax", x if dtype is None else b.cast(x, dtype), axis=(dim % x.rank,))


@form(aten.log_softmax.int, aten._log_softmax.default)
def _log_softmax(b: Builder, x: Value, dim: int, half_to_float: Any = None, dtype: Any = None) -> Value:
    return b.call("LogSoftmax", x if dtype is None else b.cast(x, dtype), axis=dim % x.rank)


@form(aten.argmax.default)
def _argmax(b: Builder, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
    if dim is None:
        x, dim = b.reshape(x, (-1,)), 0
    found = b.call("Argmax", x, axis=dim % x.rank, output_type=torch.int32)
    found = b.cast(found, torch.int64)
    return b.call("ExpandDims", found, dim) if keepdim else found
