"""Layers for sparse tensors."""

from __future__ import annotations

from typing import Any

from torchspore.common.sparse import COOTensor
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import take_as
from torchspore.nn.cell import Cell
from torchspore.ops.sparse import matrices as ops

__all__ = ["SparseTensorDenseMatmul", "SparseToDense"]


class SparseToDense(Cell):
    """Convert a COOTensor to a dense tensor.

    Inputs: coo_tensor: a COOTensor.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([2]), (2, 2))
        >>> print(ms.nn.SparseToDense()(x))
        [[0 2]
         [0 0]]
    """

    def construct(self, sparse_tensor: COOTensor) -> Tensor:
        """Return the dense tensor."""
        take_as(COOTensor, sparse_tensor, "sparse_tensor", "SparseToDense")
        return sparse_tensor.to_dense()


class SparseTensorDenseMatmul(Cell):
    """Multiply a sparse and a dense matrix.

    Args:
        adjoint_st: whether the sparse matrix is transposed, and conjugated, first. Default: False.
        adjoint_dt: the same for the dense matrix. Default: False.

    Inputs:
        indices: the coordinates of the sparse matrix, a Tensor of int32 or int64 of shape (N, 2).
        values: their values, a Tensor of shape (N,).
        sparse_shape: the shape of the sparse matrix.
        dense: a Tensor of the same dtype and of two dimensions.

    Examples:
        >>> import torchspore as ms
        >>> indices, values = ms.Tensor([[0, 1], [1, 2]]), ms.Tensor([1.0, 2.0])
        >>> print(ms.nn.SparseTensorDenseMatmul()(indices, values, (2, 3), ms.Tensor([[1.0], [2.0], [3.0]])))
        [[2.]
         [6.]]
    """

    def __init__(self, adjoint_st: bool = False, adjoint_dt: bool = False) -> None:
        super().__init__()
        self.adjoint_st = adjoint_st
        self.adjoint_dt = adjoint_dt
        self.sparse_dense_matmul = ops.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(self, indices: Tensor, values: Tensor, sparse_shape: Any, dense: Tensor) -> Tensor:
        """Return the product."""
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)
