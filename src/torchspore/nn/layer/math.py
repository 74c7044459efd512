"""Layers of mathematical functions: products and diagonals of matrices, statistics, gamma functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.parameters import StrictFloat, checked
from torchspore.nn.cell import Cell
from torchspore.nn.layer.checks import FLOATS, SAME_TYPE, rank
from torchspore.ops.array.diagonals import matrix_diag, matrix_diag_part, matrix_set_diag
from torchspore.ops.linalg.distances import cosine_similarity
from torchspore.ops.linalg.matrix_functions import cholesky
from torchspore.ops.linalg.products import matmul
from torchspore.ops.linalg.solvers import cholesky_inverse
from torchspore.ops.math.reduction import logsumexp
from torchspore.ops.math.special_functions import digamma, igamma, lgamma

__all__ = [
    "DiGamma", "IGamma", "LBeta", "LGamma", "MatDet", "MatInverse", "MatMul", "MatrixDiag", "MatrixDiagPart",
    "MatrixSetDiag", "Moments", "Range", "ReduceLogSumExp",
]  # fmt: skip


class Range(Cell):
    """The numbers from `start` to `limit`, excluded, in steps of `delta`.

    Args:
        start: the first number, or a Tensor of it; if `limit` is None, the limit of a range from 0.
        limit: where the range ends. Default: None.
        delta: the step, not 0. Default: 1.

    Outputs: a Tensor of one dimension, of int32 if all arguments are ints, else of float32.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.Range(1, 8, 2)())
        [1 3 5 7]
    """

    def __init__(self, start: Any, limit: Any = None, delta: Any = 1) -> None:
        super().__init__()
        given = [start, limit, delta]
        start, limit, delta = [number_in(x) for x in given]
        numbers = [start, delta] if limit is None else [start, limit, delta]
        if not all(isinstance(number, (int, float)) for number in numbers):
            raise TypeError("all arguments must be numbers")
        if delta == 0:
            raise ValueError("'delta' must not be 0")
        first, end = (0, start) if limit is None else (start, limit)
        array = np.arange(first, end, delta)
        self.result_tensor = Tensor(array, mstype.int32 if array.dtype.kind == "i" else mstype.float32)

    def construct(self) -> Tensor:
        return self.result_tensor


class Moments(Cell):
    """The mean and the variance along axes.

    Args:
        axis: an int or a tuple. Default: None, all.
        keep_dims: whether the axes stay, with size 1. Default: None, False.

    Inputs: a floating-point Tensor.
    Outputs: (mean, variance), Tensors of the input's dtype.

    Examples:
        >>> import torchspore as ms
        >>> mean, variance = ms.nn.Moments(axis=1)(ms.Tensor([[1.0, 3.0], [2.0, 2.0]]))
        >>> print(mean, variance)
        [2. 2.] [1. 0.]
    """

    @checked
    def __init__(self, axis: int | tuple[int, ...] | None = None, keep_dims: bool | None = None) -> None:
        super().__init__()
        self.axis = axis
        self.keep_dims = False if keep_dims is None else keep_dims

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        FLOATS.take(x, "x", "Moments")
        wide = x.astype(mstype.float32) if x.dtype == mstype.float16 else x
        mean = wide.mean(self.axis, keep_dims=self.keep_dims)
        variance = wide.var(self.axis, keepdims=self.keep_dims)
        return mean.astype(x.dtype), variance.astype(x.dtype)


class ReduceLogSumExp(Cell):
    """The logarithm of the sum of the exponentials along axes, safe from overflow; `ops.logsumexp`.

    Args:
        axis: an int, or a tuple or list of ints; empty for all axes.
        keep_dims: whether the axes stay, with size 1. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.ReduceLogSumExp(0)(ms.Tensor([1000.0, 0.0])))
        1000.0
    """

    @checked
    def __init__(self, axis: int | tuple[int, ...] | list[int], keep_dims: bool = False) -> None:
        super().__init__()
        self.axis = tuple(axis) if isinstance(axis, list) else axis
        self.keep_dims = keep_dims

    def construct(self, x: Tensor) -> Tensor:
        return logsumexp(FLOATS.take(x, "x", "ReduceLogSumExp"), self.axis, self.keep_dims)


class MatMul(Cell):
    """The product of matrices, of batches of them, or of vectors; `ops.matmul`.

    Args:
        transpose_x1: whether the last two dimensions of the first factor are swapped; vectors stay. Default: False.
        transpose_x2: the same for the second factor. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> print(ms.nn.MatMul(transpose_x2=True)(x, x))
        [[ 5. 11.]
         [11. 25.]]
    """

    @checked
    def __init__(self, transpose_x1: bool = False, transpose_x2: bool = False) -> None:
        super().__init__()
        self.transpose_x1 = transpose_x1
        self.transpose_x2 = transpose_x2

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        if self.transpose_x1 and rank(x1, "MatMul") > 1:
            x1 = x1.swapaxes(-2, -1)
        if self.transpose_x2 and rank(x2, "MatMul") > 1:
            x2 = x2.swapaxes(-2, -1)
        return matmul(x1, x2)


def _factor(api: str, matrix: Tensor) -> Tensor:
    """Return the lower Cholesky factor, in float32 at least."""
    FLOATS.take(matrix, "x", api)
    return cholesky(matrix.astype(mstype.float32) if matrix.dtype == mstype.float16 else matrix)


class MatInverse(Cell):
    """The inverse of a symmetric, positive definite matrix, by its Cholesky decomposition.

    Inputs: a Tensor of shape (n, n), of a floating-point type.

    Raises:
        RuntimeError: it is not positive definite.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MatInverse()(ms.Tensor([[4.0]])))
        [[0.25]]
    """

    def construct(self, a: Tensor) -> Tensor:
        return cholesky_inverse(_factor("MatInverse", a)).astype(a.dtype)


class MatDet(Cell):
    """The determinant of symmetric, positive definite matrices, by their Cholesky decomposition.

    Inputs: a Tensor of shape (..., n, n), of a floating-point type.

    Raises:
        RuntimeError: a matrix is not positive definite.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MatDet()(ms.Tensor([[4.0, 0.0], [0.0, 2.25]])))
        9.0
    """

    def construct(self, a: Tensor) -> Tensor:
        return _factor("MatDet", a).diagonal(0, -2, -1).prod(-1).square().astype(a.dtype)


class MatrixDiag(Cell):
    """Make diagonal matrices.

    Inputs and outputs: a Tensor of shape (..., n) becomes (..., n, n), 0 outside the diagonals.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MatrixDiag()(ms.Tensor([1.0, 2.0])))
        [[1. 0.]
         [0. 2.]]
    """

    def construct(self, input_x: Tensor) -> Tensor:
        return matrix_diag(input_x)


class MatrixDiagPart(Cell):
    """Return the main diagonals of matrices.

    Inputs and outputs: a Tensor of shape (..., rows, columns) becomes (..., min(rows, columns)).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MatrixDiagPart()(ms.Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])))
        [1. 5.]
    """

    def construct(self, input_x: Tensor) -> Tensor:
        return matrix_diag_part(input_x, 0, 0)


class MatrixSetDiag(Cell):
    """Replace the main diagonals of matrices.

    Inputs:
        - input_x: a Tensor of shape (..., rows, columns).
        - diagonal: a Tensor of the same dtype, of shape (..., min(rows, columns)).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.MatrixSetDiag()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([8.0, 9.0])))
        [[8. 2.]
         [3. 9.]]
    """

    def construct(self, input_x: Tensor, diagonal: Tensor) -> Tensor:
        if input_x.dtype != diagonal.dtype:
            raise TypeError("both inputs must be of one dtype")
        return matrix_set_diag(input_x, diagonal)


class LGamma(Cell):
    """The logarithm of the magnitude of the gamma function; `ops.lgamma` of floats."""

    def construct(self, x: Tensor) -> Tensor:
        return lgamma(FLOATS.take(x, "x", "LGamma"))


class DiGamma(Cell):
    """The derivative of the logarithm of the gamma function; `ops.digamma` of floats."""

    def construct(self, x: Tensor) -> Tensor:
        return digamma(x)


class IGamma(Cell):
    """The regularized lower incomplete gamma function P(a, x); `ops.igamma` of floats.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.IGamma()(ms.Tensor([1.0]), ms.Tensor([0.5, 1.0])).shape
        (2,)
    """

    def construct(self, a: Tensor, x: Tensor) -> Tensor:
        return igamma(FLOATS.take(a, "a", "IGamma"), FLOATS.take(x, "x", "IGamma"))


class CosineSimilarity(Cell):
    """The cosines of the angles between vectors, `ops.cosine_similarity`; `nn.CosineSimilarity` is the metric.

    Args:
        dim: the dimension of the vectors. Default: 1.
        eps: the minimum of the product of the two norms. Default: 1e-08.

    Inputs: two Tensors of one shape.
    Outputs: a Tensor without the dimension `dim`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.layer.CosineSimilarity()(ms.Tensor([[3.0, 4.0]]), ms.Tensor([[4.0, 3.0]])))
        [0.96]
    """

    @checked
    def __init__(self, dim: int = 1, eps: StrictFloat = 1e-08) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def construct(self, x1: Tensor, x2: Tensor) -> Tensor:
        return cosine_similarity(x1, x2, self.dim, self.eps)


class LBeta(Cell):
    """The logarithm of the beta function of positive numbers: `lgamma(x) + lgamma(y) - lgamma(x + y)`.

    It is computed in float64, because the three terms nearly cancel for large numbers.

    Inputs: two Tensors of one floating-point type, of shapes that broadcast.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.LBeta()(ms.Tensor([1.0]), ms.Tensor([4.0])))
        [-1.3862944]
    """

    def construct(self, x: Tensor, y: Tensor) -> Tensor:
        SAME_TYPE.check({"x": FLOATS.take(x, "x", "LBeta"), "y": FLOATS.take(y, "y", "LBeta")}, "LBeta")
        a, b = x.astype(mstype.float64), y.astype(mstype.float64)
        return (lgamma(a) + lgamma(b) - lgamma(a + b)).astype(x.dtype)
