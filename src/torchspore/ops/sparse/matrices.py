"""Operations on sparse tensors: conversions, sums, products, and primitives of their parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common import sparse_base
from torchspore.common.error_classes import WrongType, WrongValue
from torchspore.common.sparse import COOTensor, CSRTensor, RowTensor, joined
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.common.tensor import wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.engine.op import Size, attach, op
from torchspore.engine.parameters import (
    Dimensions,
    Floats,
    Indices,
    Length,
    Rule,
    TypeOf,
    checked,
    holding,
    kind_of,
    take_as,
)
from torchspore.engine.parameters.of_operations import ruled
from torchspore.engine.primitive import Primitive, as_primitive, primitive
from torchspore.ops.array.overloads import documented

__all__ = [
    "COO2CSR", "CSR2COO", "CSRGather", "Coalesce", "SparseSlice", "SparseTensorDenseAdd", "SparseTensorDenseMatmul",
    "SparseToDense", "coalesce", "coo2csr", "coo_add", "coo_concat", "coo_tensor_get_dense_shape",
    "coo_tensor_get_indices", "coo_tensor_get_values", "csr2coo", "csr_add", "csr_div", "csr_gather", "csr_mm",
    "csr_mul", "csr_mv", "csr_reduce_sum", "csr_softmax", "csr_tensor_get_dense_shape", "csr_tensor_get_indices",
    "csr_tensor_get_indptr", "csr_tensor_get_values", "csr_to_coo", "csr_to_dense", "dense_to_sparse_coo",
    "dense_to_sparse_csr", "make_coo_tensor", "make_csr_tensor", "make_row_tensor", "make_row_tensor_inner",
    "make_sparse_tensor", "row_tensor_add", "row_tensor_get_dense_shape", "row_tensor_get_indices",
    "row_tensor_get_values",
]  # fmt: skip

_INTS = (torch.int32, torch.int64)
_MATRIX = 2  # dimensions


# Construction and parts

make_coo_tensor = make_sparse_tensor = COOTensor
make_csr_tensor = CSRTensor
make_row_tensor = make_row_tensor_inner = RowTensor


def _part(name: str, kind: type, attribute: str) -> Any:
    def get(sparse_tensor: Any) -> Any:
        kind_of(kind).take(sparse_tensor, "sparse_tensor", name)
        return getattr(sparse_tensor, attribute)

    return documented(get, name, f"Return `{attribute}` of a {kind.__name__}.")


coo_tensor_get_indices = _part("coo_tensor_get_indices", COOTensor, "indices")
coo_tensor_get_values = _part("coo_tensor_get_values", COOTensor, "values")
coo_tensor_get_dense_shape = _part("coo_tensor_get_dense_shape", COOTensor, "shape")
csr_tensor_get_indptr = _part("csr_tensor_get_indptr", CSRTensor, "indptr")
csr_tensor_get_indices = _part("csr_tensor_get_indices", CSRTensor, "indices")
csr_tensor_get_values = _part("csr_tensor_get_values", CSRTensor, "values")
csr_tensor_get_dense_shape = _part("csr_tensor_get_dense_shape", CSRTensor, "shape")
row_tensor_get_indices = _part("row_tensor_get_indices", RowTensor, "indices")
row_tensor_get_values = _part("row_tensor_get_values", RowTensor, "values")
row_tensor_get_dense_shape = _part("row_tensor_get_dense_shape", RowTensor, "dense_shape")


@checked
def row_tensor_add(x: RowTensor, y: _Tensor) -> _Tensor:
    """Return the sum of a RowTensor and a dense Tensor of the same shape, a Tensor."""
    if y.shape != x.dense_shape:
        raise ValueError(f"For 'row_tensor_add', the shapes must be equal, but got {x.dense_shape} and {y.shape}.")
    return wrap(y._t.index_add(0, x.indices._t.long(), x.values._t.to(y._t.dtype)))


# Dense to sparse and back


@checked
def dense_to_sparse_coo(tensor: _Tensor) -> COOTensor:
    """Convert a Tensor of two dimensions to a COOTensor with int32 indices.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.ops.dense_to_sparse_coo(ms.Tensor([[1.0, 0.0], [-5.0, 0.0]]))
        >>> print(x.indices, x.values, x.shape)
        [[0 0]
         [1 0]] [ 1. -5.] (2, 2)

    MindSpore: `mindspore.ops.dense_to_sparse_coo`, `mindspore.Tensor.to_coo`.
    """
    if tensor.ndim != _MATRIX:
        raise ValueError(f"For 'dense_to_sparse_coo', 'tensor' must have two dimensions, but got {describe(tensor)}.")
    indices = (tensor._t != 0).nonzero()  # unsigned integers of more than 8 bits have no kernel of their own
    return COOTensor.of(tensor.shape, wrap(indices.int()), wrap(tensor._t[indices.unbind(1)]))


@named
def dense_to_sparse_csr(tensor: _Tensor) -> CSRTensor:
    """Convert a Tensor of two dimensions to a CSRTensor.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[1.0, 0.0], [-5.0, 0.0]]).to_csr()
        >>> print(x.indptr, x.indices, x.values)
        [0 1 2] [0 0] [ 1. -5.]

    MindSpore: `mindspore.ops.dense_to_sparse_csr`, `mindspore.Tensor.to_csr`.
    """
    return dense_to_sparse_coo(tensor).to_csr()


attach(dense_to_sparse_coo, "to_coo")
attach(dense_to_sparse_csr, "to_csr")


@checked
def csr_to_dense(csr_tensor: CSRTensor) -> _Tensor:
    """Convert a CSRTensor of two dimensions to a dense Tensor."""
    return csr_tensor.to_dense()


@checked
def csr_to_coo(tensor: CSRTensor) -> COOTensor:
    """Convert a CSRTensor of two dimensions to a COOTensor."""
    return tensor.to_coo()


@op
def coo2csr(row_indices: Tensor, height: int) -> Tensor:
    """Return the row pointers, of shape (height + 1,), of sorted row indices.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.coo2csr(ms.Tensor([0, 0, 2]), 3))
        [0 2 2 3]
    """
    return sparse_base.row_starts(row_indices, height)


@op
def csr2coo(indptr: Tensor, nnz: int) -> Tensor:
    """Return the row indices, of shape (nnz,), for row pointers.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.csr2coo(ms.Tensor([0, 2, 2, 3]), 3))
        [0 0 2]
    """
    return sparse_base.row_numbers(indptr, nnz)


@op
def csr_gather(indptr: Tensor, indices: Tensor, dense: Tensor, sparse_shape: Size) -> Tensor:
    """Return the elements of a dense tensor at the indices of a CSR tensor.

    Args:
        indptr: the row pointers, a Tensor of ints.
        indices: the column indices, a Tensor of ints of shape (N,).
        dense: a Tensor, broadcast to `sparse_shape`.
        sparse_shape: the shape of the CSR tensor.

    Returns:
        A Tensor of shape (N, ...), with the dimensions of `dense` after the second.
    """
    rows = sparse_base.row_numbers(indptr, indices.shape[0])
    return dense.expand(*sparse_shape, *dense.shape[len(sparse_shape) :])[rows.long(), indices.long()]


# Sums and products


@checked
def coo_add(x1: COOTensor, x2: COOTensor, thresh: Any) -> COOTensor:
    """Return the sum of two COOTensors of one shape, without values of magnitude below the scalar Tensor `thresh`."""
    return x1.add(x2, thresh)


@checked
def csr_add(a: CSRTensor, b: CSRTensor, alpha: Any, beta: Any) -> CSRTensor:
    """Return `alpha * a + beta * b` for two CSRTensors of one shape; `alpha` and `beta` are Tensors of one element."""
    return a.add(b, alpha, beta)


@checked
def csr_mul(x: CSRTensor, y: Any) -> _Tensor:
    """Return the values of a CSRTensor times a number, or a Tensor that is broadcast to its shape."""
    return x * y


@checked
def csr_div(x: CSRTensor, y: Any) -> _Tensor:
    """Return the values of a CSRTensor divided by a number or Tensor; see `csr_mul`."""
    return x / y


@checked
def csr_mv(csr_tensor: CSRTensor, dense: Any) -> _Tensor:
    """Return the product of a CSRTensor and a column vector, a Tensor of shape (columns, 1)."""
    return csr_tensor.mv(dense)


@checked
def csr_mm(
    a: CSRTensor,
    b: CSRTensor,
    trans_a: bool = False,
    trans_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> CSRTensor:
    """Return the product of two CSRTensors; `a.mm(dense)` takes a dense matrix.

    Args:
        a, b: CSRTensors.
        trans_a, trans_b: whether to transpose `a` or `b` first. Default: False.
        adjoint_a, adjoint_b: whether to take the conjugate transpose of `a` or `b`. Default: False.
    """
    for flag, value in (("trans_a", trans_a), ("trans_b", trans_b), ("adjoint_a", adjoint_a), ("adjoint_b", adjoint_b)):
        take_as(bool, value, flag, "csr_mm")
    return _transposed(a, trans_a, adjoint_a).mm(_transposed(b, trans_b, adjoint_b))


def _transposed(x: CSRTensor, transpose: bool, adjoint: bool) -> CSRTensor:
    if adjoint:
        x = x.with_values(wrap(x.values._t.conj().resolve_conj()))
    return x.transposed() if transpose or adjoint else x


@checked
def csr_reduce_sum(csr_tensor: CSRTensor, axis: int) -> _Tensor:
    """Return the sums of the rows of a CSRTensor, a Tensor of shape (rows, 1, ...).

    Args:
        csr_tensor: a CSRTensor.
        axis: 1, or 1 - ndim.
    """
    return csr_tensor.sum(axis)


@checked
def csr_softmax(logits: CSRTensor, dtype: Any) -> CSRTensor:
    """Return the softmax of each row over the stored values.

    Args:
        logits: a CSRTensor of two dimensions.
        dtype: the dtype to compute in, float32 or float64; the result has the dtype of `logits`.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.CSRTensor(ms.Tensor([0, 2, 3]), ms.Tensor([0, 3, 1]), ms.Tensor([1.0, 1.0, 7.0]), (2, 4))
        >>> print(ms.ops.csr_softmax(x, ms.float32).values)
        [0.5 0.5 1. ]
    """
    compute_dtype = _DTYPES.get(str(dtype))
    if compute_dtype is None:
        raise TypeError(f"For 'csr_softmax', 'dtype' must be float32 or float64, but got {dtype}.")
    if logits.ndim != _MATRIX:
        raise ValueError(f"For 'csr_softmax', 'logits' must have two dimensions, but its shape is {logits.shape}.")
    values = logits.values._t
    count = logits.shape[0]
    rows = sparse_base.row_numbers(logits.indptr._t, values.shape[0]).long()
    scores = values.to(compute_dtype)
    maxima = scores.new_full((count,), -torch.inf).scatter_reduce(0, rows, scores.detach(), "amax")
    exponentials = torch.exp(scores - maxima[rows])
    totals = exponentials.new_zeros(count).index_add(0, rows, exponentials)
    return logits.with_values(wrap((exponentials / totals[rows]).to(values.dtype)))


_DTYPES = {"Float32": torch.float32, "Float64": torch.float64}


def coo_concat(sp_input: Sequence[COOTensor], concat_dim: int = 0) -> COOTensor:
    """Concatenate COOTensors along a dimension, with sorted indices.

    Args:
        sp_input: a list or tuple of two or more COOTensors of one dtype, equal in the other dimension.
        concat_dim: 0 or 1, or -2 or -1. Default: 0.

    Raises:
        ValueError: there are fewer than two.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[1, 0], [0, 2]]).to_coo()
        >>> print(ms.ops.coo_concat((x, x), 1).to_dense())
        [[1 0 1 0]
         [0 2 0 2]]
    """
    if not isinstance(sp_input, (list, tuple)) or not all(isinstance(x, COOTensor) for x in sp_input):
        raise TypeError(
            f"For 'coo_concat', 'sp_input' must be a list or tuple of COOTensors, but got {describe(sp_input)}."
        )
    if len(sp_input) < 2:
        raise ValueError(f"For 'coo_concat', 'sp_input' must hold two COOTensors or more, but got {len(sp_input)}.")
    if concat_dim not in (-2, -1, 0, 1):
        kind = WrongValue if isinstance(concat_dim, int) else WrongType
        raise kind(f"For 'coo_concat', 'concat_dim' must be from -2 to 1, but got {concat_dim}.")
    axis = concat_dim % _MATRIX
    if len({x.shape[1 - axis] for x in sp_input}) != 1:
        raise ValueError(
            f"For 'coo_concat', the shapes may differ in dimension {axis} only, but got {[x.shape for x in sp_input]}."
        )
    if len({x.dtype for x in sp_input}) != 1:
        raise TypeError(f"For 'coo_concat', the dtypes must be equal, but got {[str(x.dtype) for x in sp_input]}.")
    return joined(sp_input, axis)


# Parts of sparse tensors


@op
def coalesce(
    x_indices: Annotated[Tensor, "D N", holding(torch.int64)],
    x_values: Annotated[Floats, "N"],
    x_shape: Annotated[Tensor, "D", holding(torch.int64)],
) -> tuple[Tensor, Tensor, Tensor]:
    """Sort the indices of a sparse tensor, and add up the values of duplicates.

    Args:
        x_indices: the indices, an int64 Tensor of shape (dimensions, N).
        x_values: their values, a floating-point Tensor of shape (N,).
        x_shape: the shape, an int64 Tensor of shape (dimensions,).

    Returns:
        Three Tensors: the indices, the values and the shape.

    Examples:
        >>> import torchspore as ms
        >>> indices = ms.Tensor([[0, 0, 1], [1, 1, 2]])
        >>> print(ms.ops.coalesce(indices, ms.Tensor([1.0, 5.0, 4.0]), ms.Tensor([3, 3]))[1])
        [6. 4.]
    """
    if wrap(((x_indices < 0) | (x_indices >= x_shape.unsqueeze(1))).any()):
        raise ValueError(f"coordinates must be from 0 to less than the shape, {x_shape.tolist()}")
    indices, inverse = torch.unique(x_indices, dim=1, return_inverse=True)
    return indices, x_values.new_zeros(indices.shape[1]).index_add(0, inverse, x_values), x_shape


@as_primitive
@ruled(
    Rule(
        "'indices' must have a column for each of 'sparse_shape'",
        lambda indices, sparse_shape: indices.shape[1] == len(sparse_shape),
    )
)
def SparseToDense(indices: Annotated[Indices, "N D"], values: Annotated[Tensor, "N"], sparse_shape: Size) -> Tensor:
    """The dense tensor of a sparse one, given by indices of shape (N, dimensions), N values and its shape."""
    return sparse_base.dense(indices, values, sparse_shape, "SparseToDense")


@as_primitive
@ruled(
    Rule("'x2' must be of shape 'x1_shape'", lambda x2, x1_shape: x2.shape == x1_shape),
    Rule(
        "'x1_indices' must have a column for each of 'x1_shape'",
        lambda x1_indices, x1_shape: x1_indices.shape[1] == len(x1_shape),
    ),
)
def SparseTensorDenseAdd(
    x1_indices: Annotated[Indices, "N D"],
    x1_values: Annotated[Tensor, "N"],
    x1_shape: Size,
    x2: Annotated[Tensor, TypeOf("x1_values")],
) -> Tensor:
    """The dense sum of a sparse and a dense tensor of one shape and dtype."""
    return x2 + sparse_base.dense(x1_indices, x1_values, x1_shape, "SparseTensorDenseAdd")


@op(name="SparseTensorDenseMatmul")
def _sparse_tensor_dense_matmul(
    indices: Annotated[Indices, "N 2"],
    values: Annotated[Tensor, "N"],
    sparse_shape: Annotated[tuple[int, ...], Length(2, 2)],
    dense: Annotated[Tensor, Dimensions(2), TypeOf("values")],
    adjoint_st: bool = False,
    adjoint_dt: bool = False,
) -> Tensor:
    rows, columns = indices.long().unbind(1)
    if adjoint_st:
        rows, columns, values, sparse_shape = columns, rows, values.conj(), sparse_shape[::-1]
    matrix = dense.mH if adjoint_dt else dense
    if matrix.shape[0] != sparse_shape[1]:
        raise ValueError(
            f"a matrix of shape {sparse_shape} cannot be multiplied by one of shape {tuple(matrix.shape)}, after "
            "transposition"
        )
    products = values.unsqueeze(1) * matrix[columns]
    return products.new_zeros(sparse_shape[0], matrix.shape[1]).index_add(0, rows, products)


@as_primitive
def SparseSlice(
    indices: Annotated[Tensor, "N D", holding(torch.int64)],
    values: Annotated[Tensor, "N"],
    shape: Annotated[Tensor, "D", holding(torch.int64)],
    start: Annotated[Tensor, "D", holding(torch.int64)],
    size: Annotated[Tensor, "D", holding(torch.int64)],
) -> tuple[Tensor, Tensor, Tensor]:
    """The part of a sparse tensor that begins at `start` and has at most the shape `size`.

    Args:
        indices: the indices, an int64 Tensor of shape (N, dimensions).
        values: their values, a Tensor of shape (N,).
        shape, start, size: int64 Tensors of shape (dimensions,).

    Returns:
        Three Tensors: the indices, the values and the shape of the part.
    """
    stop = torch.minimum(start + size, shape)
    kept = ((indices >= start) & (indices < stop)).all(1).nonzero().squeeze(1)
    return indices[kept] - start, values[kept], (stop - start).clamp(min=0)


COO2CSR = primitive("COO2CSR", coo2csr)
CSR2COO = primitive("CSR2COO", csr2coo)
CSRGather = primitive("CSRGather", csr_gather)
Coalesce = primitive("Coalesce", coalesce)


class SparseTensorDenseMatmul(Primitive):
    """The product of a sparse and a dense matrix: `SparseTensorDenseMatmul()(indices, values, sparse_shape, dense)`.

    Args:
        adjoint_st: whether to take the conjugate transpose of the sparse matrix. Default: False.
        adjoint_dt: whether to take the conjugate transpose of the dense one. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> indices, values = ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, 2.0])
        >>> print(ms.ops.SparseTensorDenseMatmul()(indices, values, (2, 3), ms.Tensor([[1.0], [2.0], [3.0]])))
        [[2.]
         [6.]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        self.adjoint_st = take_as(bool, adjoint_st, "adjoint_st", "SparseTensorDenseMatmul")
        self.adjoint_dt = take_as(bool, adjoint_dt, "adjoint_dt", "SparseTensorDenseMatmul")

    def __call__(self, indices: Any, values: Any, sparse_shape: Any, dense: Any) -> Any:
        """Return the product of the sparse matrix of these parts and `dense`."""
        return _sparse_tensor_dense_matmul(indices, values, sparse_shape, dense, self.adjoint_st, self.adjoint_dt)
