"""Primitives of sparse tensors in coordinates, which MindSpore keeps private: indices (N, rank), values (N,), shape."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import Operand
from torchspore.engine.primitive import as_primitive

__all__ = [
    "DenseToDenseSetOperation", "DenseToSparseSetOperation", "RaggedTensorToSparse", "SetSize", "SparseAdd",
    "SparseAddmm", "SparseConcat", "SparseCountSparseOutput", "SparseDenseCwiseAdd", "SparseDenseCwiseDiv",
    "SparseDenseCwiseMul", "SparseFillEmptyRows", "SparseReorder", "SparseReshape", "SparseSegmentMeanWithNumSegments",
    "SparseSegmentSqrtN", "SparseSegmentSqrtNWithNumSegments", "SparseSegmentSum", "SparseSegmentSumWithNumSegments",
    "SparseSoftmax", "SparseSparseMaximum", "SparseSparseMinimum", "SparseSplit", "SparseToDenseV2", "Sspaddmm",
]  # fmt: skip


def _flat(indices: Tensor, shape: list[int]) -> Tensor:
    """Return the indices into the flattened tensor."""
    result = torch.zeros(indices.shape[0], dtype=torch.int64, device=indices.device)
    for column, size in zip(indices.long().unbind(1), shape):
        result = result * size + column
    return result


def _unflat(flat: Tensor, shape: list[int], like: Tensor) -> Tensor:
    return torch.stack(torch.unravel_index(flat, shape), 1).to(like.dtype)


def _sizes(shape: Tensor) -> list[int]:
    return [int(size) for size in shape.flatten().tolist()]


@as_primitive
def SparseAdd(
    x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2_indices: Tensor, x2_values: Tensor, x2_shape: Tensor,
    thresh: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """The sum of two sparse tensors; sums of two elements that are smaller than `thresh` are dropped."""
    shape = _sizes(x1_shape)
    flat, where = torch.cat([_flat(x1_indices, shape), _flat(x2_indices, shape)]).unique(return_inverse=True)
    values = torch.cat([x1_values, x2_values])
    sums = values.new_zeros(flat.shape).index_add(0, where, values)
    kept = (torch.bincount(where) == 1) | (sums.abs() >= thresh)
    return _unflat(flat[kept], shape, x1_indices), sums[kept], x1_shape


def _choice(choose: Callable[[Tensor, Tensor], Tensor], name: str) -> Any:
    def body(
        x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2_indices: Tensor, x2_values: Tensor,
        x2_shape: Tensor,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        shape = _sizes(x1_shape)
        first, second = _flat(x1_indices, shape), _flat(x2_indices, shape)
        flat, where = torch.cat([first, second]).unique(return_inverse=True)
        zeros = x1_values.new_zeros(flat.shape)
        left = zeros.index_copy(0, where[: len(first)], x1_values)
        right = zeros.index_copy(0, where[len(first) :], x2_values)
        return _unflat(flat, shape, x1_indices), choose(left, right)

    body.__name__ = body.__qualname__ = name
    body.__doc__ = f"The {name[12:].lower()} of two sparse tensors, whose missing elements are zeros."
    return as_primitive(body)


SparseSparseMaximum = _choice(torch.maximum, "SparseSparseMaximum")
SparseSparseMinimum = _choice(torch.minimum, "SparseSparseMinimum")


@as_primitive
def SparseAddmm(
    indices: Tensor, values: Tensor, sparse_shape: Tensor, x2_dense: Tensor, x3_dense: Tensor, alpha: Tensor,
    beta: Tensor,
) -> Tensor:  # fmt: skip
    """`alpha * sparse @ x2_dense + beta * x3_dense`."""
    dense = x2_dense.new_zeros(_sizes(sparse_shape)).index_put(tuple(indices.long().unbind(1)), values, accumulate=True)
    return alpha * (dense @ x2_dense) + beta * x3_dense


@as_primitive
def Sspaddmm(
    x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2_indices: Tensor, x2_values: Tensor, x2_shape: Tensor,
    x3_dense: Tensor, alpha: Tensor, beta: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """`beta * x1 + alpha * x2 @ x3_dense` of sparse matrices whose indices have shape (2, N): a sparse matrix."""
    rows, inner = x2_indices.long()
    products = alpha * x2_values[:, None] * x3_dense[inner]
    columns = torch.arange(x3_dense.shape[1], device=rows.device)
    added = torch.stack([rows.repeat_interleave(len(columns)), columns.repeat(len(rows))]).to(x1_indices.dtype)
    values = torch.cat([(beta * x1_values).to(x1_values.dtype), products.flatten().to(x1_values.dtype)])
    return torch.cat([x1_indices, added], 1), values, x1_shape


@as_primitive
def SparseConcat(
    sp_input_indices: list[Tensor], sp_input_values: list[Tensor], sp_input_shapes: list[Tensor], *,
    concat_dim: int = 0,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Sparse tensors joined along a dimension."""
    shape = sp_input_shapes[0].clone()
    moved, offset = [], 0
    for indices, own in zip(sp_input_indices, sp_input_shapes):
        shift = torch.zeros_like(indices)
        shift[:, concat_dim] = offset
        moved.append(indices + shift)
        offset += int(own[concat_dim])
    shape[concat_dim] = offset
    joined = torch.cat(moved)
    order = _flat(joined, _sizes(shape)).argsort(stable=True)
    return joined[order], torch.cat(sp_input_values)[order], shape


@as_primitive
def SparseSplit(split_dim: Tensor, indices: Tensor, values: Tensor, shape: Tensor, *, num_split: int = 1) -> Any:
    """A sparse tensor cut into parts along a dimension: their indices, values and shapes."""
    axis, size = int(split_dim), int(shape[int(split_dim)])
    base, longer = divmod(size, num_split)
    parts: list[tuple[Tensor, Tensor, Tensor]] = []
    start = 0
    for n in range(num_split):
        end = start + base + (n < longer)
        inside = (indices[:, axis] >= start) & (indices[:, axis] < end)
        own, own_shape = indices[inside].clone(), shape.clone()
        own[:, axis] -= start
        own_shape[axis] = end - start
        parts.append((own, values[inside], own_shape))
        start = end
    return tuple(map(tuple, zip(*parts)))


def _elementwise(name: str, function: Callable[[Tensor, Tensor], Tensor]) -> Any:
    def body(x1_indices: Tensor, x1_values: Tensor, x1_shape: Tensor, x2: Tensor) -> Tensor:
        dense = x2.broadcast_to(_sizes(x1_shape))
        return function(x1_values, dense[tuple(x1_indices.long().unbind(1))])

    body.__name__ = body.__qualname__ = name
    body.__doc__ = "The values of a sparse tensor with a dense tensor's, which is broadcast, at the same places."
    return as_primitive(body)


SparseDenseCwiseAdd = _elementwise("SparseDenseCwiseAdd", torch.add)
SparseDenseCwiseMul = _elementwise("SparseDenseCwiseMul", torch.mul)
SparseDenseCwiseDiv = _elementwise("SparseDenseCwiseDiv", torch.div)


@as_primitive
def SparseFillEmptyRows(
    indices: Tensor, values: Tensor, dense_shape: Tensor, default_value: Tensor
) -> tuple[Tensor, ...]:
    """A sparse tensor with a default value in the first place of each empty row."""
    rows = int(dense_shape[0])
    empty = torch.bincount(indices[:, 0].long(), minlength=rows) == 0
    added = torch.zeros(int(empty.sum()), indices.shape[1], dtype=indices.dtype, device=indices.device)
    added[:, 0] = empty.nonzero().flatten()
    joined = torch.cat([indices, added])
    order = joined[:, 0].argsort(stable=True)
    filled = torch.cat([values, default_value.to(values.dtype).expand(len(added))])
    return joined[order], filled[order], empty, order.argsort()[: len(indices)].to(indices.dtype)


@as_primitive
def SparseReorder(indices: Tensor, values: Tensor, shape: Tensor) -> tuple[Tensor, Tensor]:
    """A sparse tensor in row-major order."""
    order = _flat(indices, _sizes(shape)).argsort(stable=True)
    return indices[order], values[order]


@as_primitive
def SparseReshape(indices: Tensor, shape: Tensor, new_shape: Tensor) -> tuple[Tensor, Tensor]:
    """The indices and the shape of a sparse tensor after a change of shape; -1 is the size that fits."""
    old, new = _sizes(shape), _sizes(new_shape)
    if -1 in new:
        known = -int(torch.tensor(new).prod())
        new[new.index(-1)] = int(torch.tensor(old).prod()) // max(known, 1)
    return _unflat(_flat(indices, old), new, indices), torch.tensor(new, dtype=shape.dtype, device=shape.device)


@as_primitive
def SparseSoftmax(indices: Tensor, values: Tensor, shape: Tensor) -> Tensor:
    """The softmax of the values in each row of the last dimension."""
    sizes = _sizes(shape)[:-1]
    _, rows = _flat(indices[:, :-1], sizes).unique(return_inverse=True)
    count = int(rows.max()) + 1 if rows.numel() else 0
    peak = values.new_full((count,), -torch.inf).scatter_reduce(0, rows, values, "amax")
    powers = (values - peak[rows]).exp()
    return powers / powers.new_zeros(count).index_add(0, rows, powers)[rows]


@as_primitive
def SparseToDenseV2(
    indices: Tensor, output_shape: Tensor, values: Tensor, default_value: Tensor, *, validate_indices: bool = True
) -> Tensor:
    """A dense tensor of a default value with the given elements."""
    dense = default_value.broadcast_to(_sizes(output_shape)).clone()
    places = indices.long() if indices.ndim > 1 else indices.long().reshape(-1, 1)
    if validate_indices and ((places < 0) | (places >= output_shape)).any():
        raise ValueError(f"the indices must be within the shape {_sizes(output_shape)}, but got {places.tolist()}.")
    return dense.index_put(tuple(places.unbind(1)), values.to(dense.dtype))


def _segments(name: str, scale: Callable[[Tensor], Tensor], counted: bool) -> Any:
    def reduced(x: Tensor, indices: Tensor, segment_ids: Tensor, count: int) -> Tensor:
        ids = segment_ids.long()
        sums = x.new_zeros((count, *x.shape[1:])).index_add(0, ids, x[indices.long()])
        sizes = torch.bincount(ids, minlength=count).to(x.dtype).clamp(min=1)
        return sums * scale(sizes).view(-1, *[1] * (x.ndim - 1))

    def plain(x: Tensor, indices: Tensor, segment_ids: Tensor) -> Tensor:
        return reduced(x, indices, segment_ids, int(segment_ids[-1]) + 1 if segment_ids.numel() else 0)

    def with_count(x: Tensor, indices: Tensor, segment_ids: Tensor, num_segments: Operand) -> Tensor:
        return reduced(x, indices, segment_ids, int(num_segments))

    body: Any = with_count if counted else plain
    body.__name__ = body.__qualname__ = f"SparseSegment{name}" + "WithNumSegments" * counted
    body.__doc__ = "Rows chosen by `indices` and reduced where `segment_ids`, which are sorted, are equal."
    return as_primitive(body)


SparseSegmentSum = _segments("Sum", torch.ones_like, False)
SparseSegmentSqrtN = _segments("SqrtN", torch.rsqrt, False)
SparseSegmentSumWithNumSegments = _segments("Sum", torch.ones_like, True)
SparseSegmentSqrtNWithNumSegments = _segments("SqrtN", torch.rsqrt, True)
SparseSegmentMeanWithNumSegments = _segments("Mean", torch.reciprocal, True)


# Sets: the rows of the last dimension


def _rows_of(indices: Tensor, values: Tensor, sizes: list[int]) -> list[list[Any]]:
    rows: list[list[Any]] = [[] for _ in range(int(torch.tensor(sizes).prod()))]
    for row, value in zip(_flat(indices, sizes).tolist(), values.tolist()):
        rows[row].append(value)
    return rows


_SETS: dict[str, Callable[[set[Any], set[Any]], set[Any]]] = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


def _combined(first: list[list[Any]], second: list[list[Any]], sizes: list[int], name: str, like: Tensor) -> Any:
    if name not in _SETS:
        raise ValueError(f"'set_operation' must be one of {', '.join(_SETS)}, but got {name!r}.")
    rows = [sorted(_SETS[name](set(a), set(b))) for a, b in zip(first, second)]
    starts = [[int(part) for part in torch.unravel_index(torch.tensor(n), sizes)] for n in range(len(rows))]
    places = [[*start, m] for start, row in zip(starts, rows) for m in range(len(row))]
    longest = max(map(len, rows), default=0)
    return (
        torch.tensor(places, dtype=torch.int64, device=like.device).reshape(-1, len(sizes) + 1),
        torch.tensor([value for row in rows for value in row], dtype=like.dtype, device=like.device),
        torch.tensor([*sizes, longest], device=like.device),
    )


@as_primitive
def DenseToDenseSetOperation(
    x1: Tensor, x2: Tensor, *, set_operation: str = "a-b", validate_indices: bool = True
) -> Any:
    """A set operation on the rows of two tensors: indices, values and shape of a sparse tensor."""
    sizes = list(x1.shape[:-1])
    return _combined(x1.flatten(0, -2).tolist(), x2.flatten(0, -2).tolist(), sizes, set_operation, x1)


@as_primitive
def DenseToSparseSetOperation(
    x1: Tensor, x2_indices: Tensor, x2_values: Tensor, x2_shape: Tensor, *,
    set_operation: str = "", validate_indices: bool = True,
) -> Any:  # fmt: skip
    """A set operation on the rows of a dense and a sparse tensor: indices, values and shape of a sparse tensor."""
    sizes = list(x1.shape[:-1])
    rows = _rows_of(x2_indices[:, :-1], x2_values, sizes)
    return _combined(x1.flatten(0, -2).tolist(), rows, sizes, set_operation, x1)


@as_primitive
def SetSize(set_indices: Tensor, set_values: Tensor, set_shape: Tensor, *, validate_indices: bool = True) -> Tensor:
    """The number of unique values in each row of a sparse tensor."""
    sizes = _sizes(set_shape)[:-1]
    counts = [len(set(row)) for row in _rows_of(set_indices[:, :-1], set_values, sizes)]
    return torch.tensor(counts, dtype=torch.int32, device=set_values.device).reshape(sizes)


@as_primitive
def RaggedTensorToSparse(rt_nested_splits: list[Tensor], rt_dense_values: Tensor, *, Tsplits: Any) -> Any:
    """The sparse tensor of rows of different lengths, of which `rt_nested_splits` has the ends at each level."""
    sizes = [len(rt_nested_splits[0]) - 1]
    rows = [[n] for n in range(sizes[0])]
    for splits in rt_nested_splits:
        ends = splits.tolist()
        sizes.append(max((b - a for a, b in itertools.pairwise(ends)), default=0))
        rows = [[*row, m] for row, a, b in zip(rows, ends[:-1], ends[1:]) for m in range(b - a)]
    dense = rt_dense_values.shape[1:]
    for size in dense:
        rows = [[*row, m] for row in rows for m in range(size)]
    device = rt_dense_values.device
    indices = torch.tensor(rows, dtype=torch.int64, device=device).reshape(-1, len(sizes) + len(dense))
    return indices, rt_dense_values.flatten(), torch.tensor([*sizes, *dense], device=device)


@as_primitive
def SparseCountSparseOutput(
    indices: Tensor, values: Tensor, dense_shape: Tensor, weights: Tensor, *,
    binary_output: bool = False, minlength: int = -1, maxlength: int = -1,
) -> Any:  # fmt: skip
    """How often each value occurs in each row, or the sum of its weights, as a sparse tensor."""
    batched = len(dense_shape) > 1
    rows = indices[:, 0].tolist() if batched else [0] * len(values)
    given = weights.tolist() if weights.numel() else [1] * len(values)
    counts: dict[tuple[int, int], Any] = {}
    for row, value, weight in zip(rows, values.tolist(), given):
        if maxlength < 0 or value < maxlength:
            counts[row, value] = 1 if binary_output else counts.get((row, value), 0) + weight
    width = max(minlength, maxlength if maxlength >= 0 else max((value for _, value in counts), default=-1) + 1)
    places = sorted(counts)
    shape = [int(dense_shape[0]), width] if batched else [width]
    device = values.device
    kept = torch.tensor([place if batched else place[1:] for place in places], dtype=torch.int64, device=device)
    values_kept = torch.tensor([counts[place] for place in places], dtype=weights.dtype, device=device)
    return kept.reshape(-1, len(shape)), values_kept, torch.tensor(shape, device=device)
