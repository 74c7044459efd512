"""Operators that read or write elements by index, or find them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchspore.serialization.onnx_graph.operations.movement import listed
from torchspore.serialization.onnx_graph.small import product
from torchspore.serialization.onnx_graph.table import Operation, Table, of_numbers

__all__ = ["TABLE"]

_REDUCTIONS = {"mul": "prod", "max": "amax", "min": "amin"}


def _wrapped(index: Tensor, size: int) -> Tensor:
    """Return indices from the end as indices from the beginning."""
    if index.is_floating_point() or index.dtype is torch.bool:
        raise ValueError(f"indices are of the type {index.dtype}")
    index = index.to(torch.int64)
    return torch.where(index < 0, index + size, index)


def _gather(x: Tensor, indices: Tensor, *, axis: int = 0) -> Tensor:
    index = indices.to(torch.int64)  # others would be masks
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"the axis {axis} is not one of {tuple(x.shape)}")
    return x[(slice(None),) * (axis % x.ndim) + (index,)]


def _gather_count(x: Tensor, indices: Tensor) -> int:
    return product(x.shape) * product(indices.shape)


def _gather_elements(x: Tensor, indices: Tensor, *, axis: int = 0) -> Tensor:
    return torch.gather(x, axis, _wrapped(indices, x.shape[axis]))


def _gather_nd(x: Tensor, indices: Tensor, *, batch_dims: int = 0) -> Tensor:
    if not 0 <= batch_dims < min(x.ndim, indices.ndim):
        raise ValueError(f"{batch_dims} dimensions of batches, of {tuple(x.shape)} and {tuple(indices.shape)}")
    parts = list(indices.to(torch.int64).unbind(-1))
    rank = indices.ndim - 1
    for axis in reversed(range(batch_dims)):
        shape = [-1 if i == axis else 1 for i in range(rank)]
        parts.insert(0, torch.arange(x.shape[axis], device=x.device).reshape(shape))
    return x[tuple(parts)]


def _scatter_elements(x: Tensor, indices: Tensor, updates: Tensor, *, axis: int = 0, reduction: str = "none") -> Tensor:
    index = _wrapped(indices, x.shape[axis])
    if reduction == "none":
        return torch.scatter(x, axis, index, updates)
    if reduction == "add":
        return torch.scatter_add(x, axis, index, updates)
    return torch.scatter_reduce(x, axis, index, updates, _REDUCTIONS[reduction])


def _scatter_nd(x: Tensor, indices: Tensor, updates: Tensor, *, reduction: str = "none") -> Tensor:
    parts = indices.to(torch.int64).unbind(-1)
    if reduction in ("none", "add"):
        return x.index_put(tuple(parts), updates, accumulate=reduction == "add")
    depth = indices.shape[-1]
    rows = x.reshape(-1, *x.shape[depth:])
    place = torch.zeros_like(parts[0])
    for part, size in zip(parts, x.shape[:depth]):
        place = place * size + _wrapped(part, size)
    values = updates.reshape(-1, *x.shape[depth:])
    index = place.reshape(-1, *[1] * (values.ndim - 1)).expand_as(values)
    return torch.scatter_reduce(rows, 0, index, values, _REDUCTIONS[reduction]).reshape(x.shape)


def _tensor_scatter(
    x: Tensor, update: Tensor, starts: Tensor | None = None, *, mode: str = "linear", axis: int = -2
) -> Tensor:
    axis = axis % x.ndim
    size, length = x.shape[axis], update.shape[axis]
    starts = torch.zeros(x.shape[0], dtype=torch.int64, device=x.device) if starts is None else starts
    index = starts.reshape(-1, 1) + torch.arange(length, device=x.device)
    if mode == "circular":
        index = index.remainder(size)
    index = index.reshape([x.shape[0], *[1] * (axis - 1), length, *[1] * (x.ndim - axis - 1)]).expand_as(update)
    return torch.scatter(x, axis, index, update)


def _one_hot(indices: Tensor, depth: int, values: Tensor, *, axis: int = -1) -> Tensor:
    size = int(listed(depth)[0])
    rank = indices.ndim + 1
    if not -rank <= axis < rank or values.shape != (2,):
        raise ValueError(f"the axis {axis} of {rank}, and values of the shape {tuple(values.shape)}")
    index = indices.to(torch.int64)
    index = torch.where(index < 0, index + size, index).unsqueeze(axis)
    classes = torch.arange(size, device=indices.device).reshape([-1, *[1] * (rank - 1 - axis % rank)])
    return torch.where(index == classes, values[1], values[0])


def _nonzero(x: Tensor) -> Tensor:
    return torch.nonzero(x.reshape(1) if x.ndim == 0 else x).T[: max(x.ndim, 0)]


def _compress(x: Tensor, condition: Tensor, *, axis: int | None = None) -> Tensor:
    if axis is None:
        x, axis = x.reshape(-1), 0
    index = torch.nonzero(condition.reshape(-1)).reshape(-1)
    return x.index_select(axis, index)


def _unique(x: Tensor, *, axis: int | None = None, sorted: int = 1) -> tuple[Tensor, ...]:
    if axis is None:
        x, axis = x.reshape(-1), 0
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True, dim=axis)
    places = torch.arange(len(inverse), device=x.device)
    first = torch.full_like(counts, len(inverse)).scatter_reduce(0, inverse, places, "amin")
    if not sorted:
        order = first.argsort()
        values, counts, first = values.index_select(axis, order), counts[order], first[order]
        inverse = order.argsort()[inverse]
    return values, first, inverse, counts


def _count_of_indices(x: Tensor, indices: Tensor, *others: Any, **attributes: Any) -> int:
    return product(x.shape) + product(indices.shape)


def _top(
    x: Tensor, k: Sequence[int] | int, *, axis: int = -1, largest: int = 1, sorted: int = 1
) -> tuple[Tensor, Tensor]:
    """Return the largest or smallest values; of equal ones the first, which torch's `topk` does not promise."""
    count = listed(k)[0]
    if not 0 <= count <= x.shape[axis]:
        raise ValueError(f"{count} of {x.shape[axis]} values are wanted")
    values, indices = torch.sort(x, dim=axis, descending=bool(largest), stable=True)
    return values.narrow(axis, 0, count), indices.narrow(axis, 0, count)


TABLE: Table = {
    "Compress": Operation(_compress),
    "Gather": of_numbers(_gather, _gather_count),
    "GatherElements": of_numbers(_gather_elements, _count_of_indices),
    "GatherND": Operation(_gather_nd),
    "NonZero": of_numbers(_nonzero, lambda x: x.numel() * max(x.ndim, 1)),
    "OneHot": Operation(_one_hot, (1,)),
    "Scatter": of_numbers(_scatter_elements, _count_of_indices),
    "ScatterElements": of_numbers(_scatter_elements, _count_of_indices),
    "ScatterND": of_numbers(_scatter_nd, _count_of_indices),
    "TensorScatter": Operation(_tensor_scatter),
    "TopK": of_numbers(_top, lambda x, *k: x.numel(), 1),
    "Unique": Operation(_unique),
}
