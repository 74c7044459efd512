"""Primitives of sparse matrices by rows, which MindSpore keeps private.

A matrix is its shape, the starts of the batches and of the rows in the values, their columns, and the values. In a
shape of three sizes the first is the number of batches.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import Type
from torchspore.engine.primitive import as_primitive

__all__ = [
    "CSRSparseMatrixToDense", "CSRSparseMatrixToSparseTensor", "DenseToCSRSparseMatrix", "SparseMatrixAdd",
    "SparseMatrixMatMul", "SparseMatrixNNZ", "SparseMatrixSoftmax", "SparseMatrixSparseMatMul", "SparseMatrixTranspose",
    "SparseTensorToCSRSparseMatrix",
]  # fmt: skip


def _places(shape: Tensor, batches: Tensor, rows: Tensor, columns: Tensor) -> Tensor:
    """Return the batch, row and column of each value."""
    height, count = int(shape[-2]), len(batches) - 1
    lengths = rows.long().view(count, height + 1).diff(dim=1).flatten()
    line = torch.arange(count * height, device=rows.device).repeat_interleave(lengths)
    return torch.stack([line // height, line % height, columns.long()], 1)


def _dense(shape: Tensor, batches: Tensor, rows: Tensor, columns: Tensor, values: Tensor) -> Tensor:
    """Return the matrices with a dimension of batches."""
    sizes = [len(batches) - 1, *map(int, shape[-2:])]
    places = _places(shape, batches, rows, columns)
    return values.new_zeros(sizes).index_put(tuple(places.unbind(1)), values)


def _from_places(places: Tensor, values: Tensor, shape: Tensor) -> tuple[Tensor, ...]:
    """Return the parts of the matrices with values at (batch, row, column), which are in row-major order."""
    count, height = int(shape[0]) if len(shape) == 3 else 1, int(shape[-2])
    lengths = torch.bincount(places[:, 0] * height + places[:, 1], minlength=count * height).view(count, height)
    rows = torch.nn.functional.pad(lengths.cumsum(1), (1, 0)).flatten()
    batches = torch.nn.functional.pad(lengths.sum(1).cumsum(0), (1, 0))
    return shape, *(part.to(shape.dtype) for part in (batches, rows, places[:, 2])), values


def _with_batch(indices: Tensor) -> Tensor:
    places = indices.long()
    return places if places.shape[1] == 3 else torch.nn.functional.pad(places, (1, 0))


@as_primitive
def DenseToCSRSparseMatrix(dense_input: Tensor, indices: Tensor) -> tuple[Tensor, ...]:
    """The sparse matrix of the elements of a dense one at `indices`."""
    values = dense_input[tuple(indices.long().unbind(1))]
    shape = torch.tensor(dense_input.shape, dtype=indices.dtype, device=indices.device)
    return _from_places(_with_batch(indices), values, shape)


@as_primitive
def SparseTensorToCSRSparseMatrix(x_indices: Tensor, x_values: Tensor, x_dense_shape: Tensor) -> tuple[Tensor, ...]:
    """The sparse matrix by rows of one in coordinates."""
    return _from_places(_with_batch(x_indices), x_values, x_dense_shape)


@as_primitive
def CSRSparseMatrixToDense(
    x_dense_shape: Tensor, x_batch_pointers: Tensor, x_row_pointers: Tensor, x_col_indices: Tensor, x_values: Tensor
) -> Tensor:
    """The dense matrix of a sparse one."""
    dense = _dense(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
    return dense.view([int(size) for size in x_dense_shape])


@as_primitive
def CSRSparseMatrixToSparseTensor(
    x_dense_shape: Tensor, x_batch_pointers: Tensor, x_row_pointers: Tensor, x_col_indices: Tensor, x_values: Tensor
) -> tuple[Tensor, ...]:
    """The sparse matrix in coordinates of one by rows."""
    places = _places(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
    return places[:, 3 - len(x_dense_shape) :].to(x_dense_shape.dtype), x_values, x_dense_shape


@as_primitive
def SparseMatrixNNZ(
    x_dense_shape: Tensor, x_batch_pointers: Tensor, x_row_pointers: Tensor, x_col_indices: Tensor, x_values: Tensor
) -> Tensor:
    """The number of values of each batch."""
    return x_batch_pointers.diff().to(torch.int32)


@as_primitive
def SparseMatrixTranspose(
    x_dense_shape: Tensor, x_batch_pointers: Tensor, x_row_pointers: Tensor, x_col_indices: Tensor, x_values: Tensor,
    *, conjugate: bool = False,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The transposed sparse matrix."""
    places = _places(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)[:, [0, 2, 1]]
    shape = torch.cat([x_dense_shape[:-2], x_dense_shape[-2:].flip(0)])
    height, width = int(shape[-2]), int(shape[-1])
    order = ((places[:, 0] * height + places[:, 1]) * width + places[:, 2]).argsort()
    values = x_values[order]
    return _from_places(places[order], values.conj().resolve_conj() if conjugate else values, shape)


def _sum_of(first: list[Tensor], second: list[Tensor]) -> tuple[Tensor, ...]:
    """Return the sum of two sparse matrices, with the places of both."""
    shape = first[0]
    height, width = int(shape[-2]), int(shape[-1])
    places = torch.cat([_places(*first[:4]), _places(*second[:4])])
    flat, where = ((places[:, 0] * height + places[:, 1]) * width + places[:, 2]).unique(return_inverse=True)
    values = torch.cat([first[4], second[4]])
    kept = torch.stack([flat // (height * width), flat // width % height, flat % width], 1)
    return _from_places(kept, values.new_zeros(flat.shape).index_add(0, where, values), shape)


@as_primitive
def SparseMatrixAdd(
    x1_dense_shape: Tensor, x1_batch_pointers: Tensor, x1_row_pointers: Tensor, x1_col_indices: Tensor,
    x1_values: Tensor, x2_dense_shape: Tensor, x2_batch_pointers: Tensor, x2_row_pointers: Tensor,
    x2_col_indices: Tensor, x2_values: Tensor, alpha: Tensor, beta: Tensor,
) -> tuple[Tensor, ...]:  # fmt: skip
    """`alpha * x1 + beta * x2` of sparse matrices."""
    return _sum_of(
        [x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values * alpha],
        [x2_dense_shape, x2_batch_pointers, x2_row_pointers, x2_col_indices, x2_values * beta],
    )


def _turned(x: Tensor, transpose: bool, adjoint: bool) -> Tensor:
    return x.mH if adjoint else x.mT if transpose else x


@as_primitive
def SparseMatrixMatMul(
    x1_dense_shape: Tensor, x1_batch_pointers: Tensor, x1_row_pointers: Tensor, x1_col_indices: Tensor,
    x1_values: Tensor, x2_dense: Tensor, *,
    transpose_x1: bool = False, transpose_x2: bool = False, adjoint_x1: bool = False, adjoint_x2: bool = False,
    transpose_output: bool = False, conjugate_output: bool = False,
) -> Tensor:  # fmt: skip
    """The dense product of a sparse and a dense matrix."""
    first = _dense(x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values)
    if len(x1_dense_shape) == 2:
        first = first[0]
    product = _turned(first, transpose_x1, adjoint_x1) @ _turned(x2_dense, transpose_x2, adjoint_x2)
    product = product.mT if transpose_output else product
    return product.conj().resolve_conj() if conjugate_output else product


@as_primitive
def SparseMatrixSparseMatMul(
    x1_dense_shape: Tensor, x1_batch_pointers: Tensor, x1_row_pointers: Tensor, x1_col_indices: Tensor,
    x1_values: Tensor, x2_dense_shape: Tensor, x2_batch_pointers: Tensor, x2_row_pointers: Tensor,
    x2_col_indices: Tensor, x2_values: Tensor, *,
    transpose_a: bool = False, transpose_b: bool = False, adjoint_a: bool = False, adjoint_b: bool = False,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The product of two sparse matrices, without its zeros."""
    first = _dense(x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values)
    second = _dense(x2_dense_shape, x2_batch_pointers, x2_row_pointers, x2_col_indices, x2_values)
    product = _turned(first, transpose_a, adjoint_a) @ _turned(second, transpose_b, adjoint_b)
    places = product.nonzero()
    sizes = x1_dense_shape.new_tensor(product.shape[-len(x1_dense_shape) :])
    return _from_places(places, product[tuple(places.unbind(1))], sizes)


@as_primitive
def SparseMatrixSoftmax(
    x_dense_shape: Tensor, x_batch_pointers: Tensor, x_row_pointers: Tensor, x_col_indices: Tensor, x_values: Tensor,
    *, dtype: Type,
) -> tuple[Tensor, ...]:  # fmt: skip
    """The softmax of the values in each row."""
    places = _places(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices)
    lines = places[:, 0] * int(x_dense_shape[-2]) + places[:, 1]
    values: Any = x_values.to(dtype)
    count = (len(x_batch_pointers) - 1) * int(x_dense_shape[-2])
    peak = values.new_full((count,), -torch.inf).scatter_reduce(0, lines, values, "amax")
    powers = (values - peak[lines]).exp()
    shares = powers / powers.new_zeros(count).index_add(0, lines, powers)[lines]
    return x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, shares
