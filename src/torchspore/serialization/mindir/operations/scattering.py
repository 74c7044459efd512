"""Operations that read and write elements whose places are tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, Value
from torchspore.serialization.mindir.operations.expansions import expansion
from torchspore.serialization.mindir.operations.forms import form

aten = torch.ops.aten

_SCATTERS = {
    "": "TensorScatterUpdate", "add": "TensorScatterAdd", "sum": "TensorScatterAdd", "prod": "TensorScatterMul",
    "multiply": "TensorScatterMul", "amax": "TensorScatterMax", "amin": "TensorScatterMin",
}  # fmt: skip


def _counted(index: torch.Tensor, size: Any) -> torch.Tensor:
    """Return places counted from the start, where negative ones count from the end."""
    index = index.to(torch.int64)
    return torch.where(index < 0, index + size, index)


def _as_places(indices: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
    """Return the places where masks are True, for masks."""
    found: list[torch.Tensor | None] = []
    for index in indices:
        if index is None or index.dtype not in (torch.bool, torch.uint8):
            found.append(index)
        else:
            found.extend(index.nonzero().unbind(1))
    return found


def _rows(x: torch.Tensor, indices: Sequence[torch.Tensor | None]) -> tuple[torch.Tensor, torch.Tensor, list[int]]:
    """Return a tensor as rows, the numbers of the rows that are meant, and the order of the dimensions before that."""
    dims = [number for number, index in enumerate(indices) if index is not None]
    order = [*dims, *(dim for dim in range(x.ndim) if dim not in dims)]
    given = [index for index in indices if index is not None]
    given = torch.broadcast_tensors(*[_counted(index, x.shape[dim]) for index, dim in zip(given, dims)])
    rows = given[0]
    for index, dim in zip(given[1:], dims[1:]):
        rows = rows * x.shape[dim] + index
    moved = x.permute(order) if order != list(range(x.ndim)) else x
    return moved.reshape((-1, *moved.shape[len(dims) :])), rows, order


def _place_of_rows(indices: Sequence[torch.Tensor | None], count: int) -> int:
    """Return where the dimensions of the indices are in the result."""
    dims = [number for number, index in enumerate(indices) if index is not None]
    return dims[0] if dims == list(range(dims[0], dims[0] + count)) else 0


@expansion(aten.index.Tensor)
def _index(x: torch.Tensor, indices: Sequence[torch.Tensor | None]) -> torch.Tensor:
    indices = _as_places(indices)
    count = sum(index is not None for index in indices)
    table, rows, _ = _rows(x, indices)
    found = table.index_select(0, rows.reshape(-1)).reshape((*rows.shape, *table.shape[1:]))
    place = _place_of_rows(indices, count)
    if place == 0:
        return found
    inner = list(range(rows.ndim, rows.ndim + place))
    return found.permute([*inner, *range(rows.ndim), *range(rows.ndim + place, found.ndim)])


@expansion(aten.index_put.default)
def _index_put(
    x: torch.Tensor, indices: Sequence[torch.Tensor | None], values: torch.Tensor, accumulate: bool = False
) -> torch.Tensor:
    given = [index for index in indices if index is not None]
    if len(given) == 1 and given[0].dtype == torch.bool and values.numel() == 1:
        before = next(number for number, index in enumerate(indices) if index is not None)
        mask = given[0].reshape((*[1] * before, *given[0].shape, *[1] * (x.ndim - before - given[0].ndim)))
        wanted = x + values.reshape(()) if accumulate else values.reshape(()).to(x.dtype)
        return torch.where(mask, wanted, x)
    indices = _as_places(indices)
    table, rows, order = _rows(x, indices)
    place = _place_of_rows(indices, sum(index is not None for index in indices))
    inner = table.shape[1:]
    values = values.to(x.dtype)
    if place:
        shape = (*inner[:place], *rows.shape, *inner[place:])
        values = values.expand(shape)
        values = values.permute(
            [*range(place, place + rows.ndim), *range(place), *range(place + rows.ndim, len(shape))]
        )
    values = values.expand((*rows.shape, *inner)).reshape((-1, *inner))
    written = torch.ops.torchspore.scatter_rows(table, rows.reshape(-1, 1), values, "add" if accumulate else "")
    back = [order.index(dim) for dim in range(x.ndim)]
    return written.reshape([x.shape[dim] for dim in order]).permute(back)


@expansion(aten.scatter.src, aten.scatter.value, aten.scatter.reduce, aten.scatter.value_reduce)
def _scatter(x: torch.Tensor, dim: int, index: torch.Tensor, src: Any, reduce: str = "") -> torch.Tensor:
    if x.ndim == 0:
        return _scatter(x.reshape(1), 0, index.reshape(-1), src, reduce).reshape(())
    dim %= x.ndim
    strides = [math.prod(x.shape[each + 1 :]) for each in range(x.ndim)]
    places = torch.zeros((), dtype=torch.int64)
    for each, size in enumerate(index.shape):
        shape = [1] * x.ndim
        shape[each] = size
        own = _counted(index, x.shape[dim]) if each == dim else torch.arange(size).reshape(shape)
        places = places + own * strides[each]
    values = src.to(x.dtype) if isinstance(src, torch.Tensor) else torch.full((), src, dtype=x.dtype)
    values = values[tuple([slice(size) for size in index.shape])] if values.ndim else values.expand(index.shape)
    flat = torch.ops.torchspore.scatter_rows(
        x.reshape(-1), places.expand(index.shape).reshape(-1, 1), values.reshape(-1), reduce
    )
    return flat.reshape(x.shape)


@expansion(aten.scatter_add.default)
def _scatter_add(x: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor) -> torch.Tensor:
    return _scatter(x, dim, index, src, "add")


@expansion(aten.scatter_reduce.two)
def _scatter_reduce(
    x: torch.Tensor, dim: int, index: torch.Tensor, src: torch.Tensor, reduce: str, *, include_self: bool = True
) -> torch.Tensor:
    if reduce == "mean":
        count = _scatter(
            torch.ones_like(x) if include_self else torch.zeros_like(x), dim, index, torch.ones_like(src), "add"
        )
        start = x if include_self else _scatter(x, dim, index, 0)
        total = _scatter(start, dim, index, src, "add")
        count = count.clamp(min=1)
        return total / count if x.dtype.is_floating_point else torch.div(total, count, rounding_mode="floor")
    if not include_self:
        empty = {"sum": 0, "prod": 1}
        start = empty.get(reduce)
        if start is None:
            limits = torch.finfo(x.dtype) if x.dtype.is_floating_point else torch.iinfo(x.dtype)
            start = limits.min if reduce == "amax" else limits.max
        x = _scatter(x, dim, index, start)
    return _scatter(x, dim, index, src, reduce)


torch.library.define("torchspore::scatter_rows", "(Tensor x, Tensor rows, Tensor values, str reduce) -> Tensor")
torch.library.register_fake("torchspore::scatter_rows")(lambda x, rows, values, reduce: x.clone())


@form(torch.ops.torchspore.scatter_rows.default)
def _scatter_rows(b: Builder, x: Value, rows: Value, values: Value, reduce: str) -> Value:
    if x.dtype == torch.bool:
        number = b.call(_SCATTERS[reduce], b.cast(x, torch.int32), rows, b.cast(values, torch.int32))
        return b.cast(number, torch.bool)
    return b.call(_SCATTERS[reduce], x, rows, values)


@expansion(aten.masked_scatter.default)
def _masked_scatter(x: torch.Tensor, mask: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    x, mask = torch.broadcast_tensors(x, mask)
    places = (mask.reshape(-1).to(torch.int64).cumsum(0) - 1).clamp(0, source.numel() - 1)
    return torch.where(mask, source.reshape(-1).index_select(0, places).reshape(x.shape), x)


@expansion(aten.searchsorted.Tensor)
def _searchsorted(
    sequence: torch.Tensor, values: torch.Tensor, *, out_int32: bool = False, right: bool = False,
    side: str | None = None, sorter: torch.Tensor | None = None,
) -> torch.Tensor:  # fmt: skip
    if sorter is not None:
        sequence = sequence.gather(-1, sorter)
    shape = values.shape
    values = values.reshape(1) if values.ndim == 0 else values
    edges = sequence.unsqueeze(-2)
    if sequence.ndim == 1:
        edges = sequence.reshape((*[1] * values.ndim, -1))
    under = edges <= values.unsqueeze(-1) if right or side == "right" else edges < values.unsqueeze(-1)
    return (
        under.to(torch.int32 if out_int32 else torch.int64)
        .sum(-1, dtype=torch.int32 if out_int32 else torch.int64)
        .reshape(shape)
    )


@expansion(aten.bucketize.Tensor)
def _bucketize(
    values: torch.Tensor, edges: torch.Tensor, *, out_int32: bool = False, right: bool = False
) -> torch.Tensor:
    return _searchsorted(edges, values, out_int32=out_int32, right=right)


@expansion(aten.kthvalue.default)
def _kthvalue(x: torch.Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    values, places = x.sort(dim)
    found = [each.narrow(dim, k - 1, 1) for each in (values, places)]
    return tuple(found if keepdim else [each.squeeze(dim) for each in found])  # type: ignore[return-value]
