"""Systems of linear equations, and least squares."""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from torchspore.engine.op import Operand, op
from torchspore.engine.parameters import Dimensions
from torchspore.engine.primitive import as_primitive, primitive

__all__ = [
    "CholeskyInverse", "CholeskySolve", "Lstsq", "LuSolve", "MatrixSolve", "MatrixSolveLs", "MatrixTriangularSolve",
    "cholesky_inverse", "cholesky_solve", "lstsq", "lu_solve", "matrix_solve",
]  # fmt: skip


@op(method="cholesky_inverse")
def cholesky_inverse(input_x: Annotated[Tensor, "N N"], upper: bool = False) -> Tensor:
    """The inverse of a positive-definite matrix, from its Cholesky factor.

    Args:
        input_x: the triangular factor, a Tensor of shape (n, n).
        upper: whether it is upper triangular. Default: False.
    """
    inverse = torch.linalg.inv(input_x)  # MindSpore takes the whole matrix, and inverts its product with itself
    return inverse @ inverse.mT if upper else inverse.mT @ inverse


@op(method="cholesky_solve")
def cholesky_solve(input: Tensor, input2: Tensor, upper: bool = False) -> Tensor:
    """Solve `A @ X = input` for X, from the Cholesky factor of the positive-definite A.

    Args:
        input: a Tensor of shape (..., n, m).
        input2: the triangular factor, a Tensor of shape (..., n, n).
        upper: whether it is upper triangular. Default: False.

    Returns:
        A Tensor of shape (..., n, m).
    """
    return torch.cholesky_solve(input, input2, upper)


@op(method="lu_solve")
def lu_solve(b: Annotated[Tensor, "... M K"], LU_data: Annotated[Tensor, "... M N"], LU_pivots: Tensor) -> Tensor:
    """Solve `A @ X = b` for X, from the packed LU decomposition of A.

    Args:
        b: a Tensor of shape (..., m, k).
        LU_data: the decomposition, a Tensor of shape (..., m, m).
        LU_pivots: the pivots, an int32 Tensor of shape (..., m), counted from 1.

    Returns:
        A Tensor of shape (..., m, k).
    """
    return torch.linalg.lu_solve(LU_data, LU_pivots, b)


@op
def matrix_solve(
    matrix: Annotated[Tensor, "... M N"], rhs: Annotated[Tensor, "... M K"], adjoint: bool = False
) -> Tensor:
    """Solve `matrix @ X = rhs` for X.

    Args:
        matrix: a Tensor of shape (..., m, m).
        rhs: a Tensor of shape (..., m, k).
        adjoint: whether to take the conjugate transpose of `matrix`. Default: False.

    Returns:
        A Tensor of shape (..., m, k).

    Raises:
        ValueError: a matrix is singular.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.matrix_solve(ms.Tensor([[2.0, 0.0], [0.0, 4.0]]), ms.Tensor([[2.0], [2.0]])))
        [[1. ]
         [0.5]]
    """
    try:
        return torch.linalg.solve(matrix.mH if adjoint else matrix, rhs)
    except torch.linalg.LinAlgError as error:  # type: ignore[attr-defined]
        raise ValueError(f"{error}") from None


def _regularized(x: Tensor, a: Tensor, weight: Operand) -> Tensor:
    gram = x.mH @ x + weight * torch.eye(x.shape[-1], dtype=x.dtype, device=x.device)
    return torch.linalg.solve(gram, x.mH @ a)


def _least_squares(x: Tensor, a: Tensor) -> Tensor:
    """Solve for an `x` of full rank by its QR decomposition; of several solutions, return the one with minimum norm."""
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    sides = a.to(wide.dtype)
    if x.shape[-2] >= x.shape[-1]:
        q, r = torch.linalg.qr(wide)
        return torch.linalg.solve_triangular(r, q.mH @ sides, upper=True).to(x.dtype)
    q, r = torch.linalg.qr(wide.mH)
    return (q @ torch.linalg.solve_triangular(r.mH, sides, upper=False)).to(x.dtype)


@op(method="lstsq")
def lstsq(input: Annotated[Tensor, "... M N"], A: Annotated[Tensor, Dimensions(1, 2), "M ..."]) -> Tensor:
    """The least-squares solution X of `input @ X = A`; of several, the one with minimum norm.

    Args:
        input: a matrix of full rank, of shape (m, n).
        A: a Tensor of shape (m, k), or (m,).

    Returns:
        A Tensor of shape (n, k), or (n, 1).
    """
    sides = A if A.dim() == 2 else A.unsqueeze(-1)
    return _least_squares(input, sides)


@as_primitive
def Lstsq(
    x: Annotated[Tensor, "... M N"],
    a: Annotated[Tensor, Dimensions(1, 2), "M ..."],
    *,
    fast: bool = True,
    l2_regularizer: float = 0.0,
) -> Tensor:
    """Least squares with an L2 regularizer; see `lstsq`. `fast` is without effect."""
    if l2_regularizer == 0:
        return lstsq.body(x, a)
    return _regularized(x, a if a.dim() == 2 else a.unsqueeze(-1), l2_regularizer)


@as_primitive
def MatrixSolveLs(
    matrix: Annotated[Tensor, "... M N"],
    rhs: Annotated[Tensor, "... M K"],
    l2_regularizer: Tensor,
    *,
    fast: bool = True,
) -> Tensor:
    """Least squares for batches; if `fast`, with an L2 regularizer."""
    if fast:
        return _regularized(matrix, rhs, l2_regularizer.to(matrix.dtype))
    return _least_squares(matrix, rhs)


@as_primitive
def MatrixTriangularSolve(
    matrix: Annotated[Tensor, "... M N"],
    rhs: Annotated[Tensor, "... M K"],
    *,
    lower: bool = True,
    adjoint: bool = False,
) -> Tensor:
    """Solve `matrix @ X = rhs` for X, with the lower or upper triangle of `matrix` or its conjugate transpose."""
    if adjoint:
        return torch.linalg.solve_triangular(matrix.mH, rhs, upper=lower)
    return torch.linalg.solve_triangular(matrix, rhs, upper=not lower)


@op(method="triangular_solve")
def _triangular_solve(
    self: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Solve `A @ X = self` for X with a triangular A.

    Args:
        A: a Tensor of shape (..., m, m).
        upper: whether to use the upper triangle, else the lower one. Default: True.
        transpose: whether to take the transpose of A. Default: False.
        unitriangular: whether to take the diagonal as ones. Default: False.

    Returns:
        X, and a copy of `A`.
    """
    matrix = A.mT if transpose else A
    upper = upper != transpose
    return torch.linalg.solve_triangular(matrix, self, upper=upper, unitriangular=unitriangular), A.clone()


CholeskyInverse = primitive("CholeskyInverse", cholesky_inverse, upper=False)
CholeskySolve = primitive("CholeskySolve", cholesky_solve, upper=False)
LuSolve = primitive("LuSolve", lu_solve)
MatrixSolve = primitive("MatrixSolve", matrix_solve, adjoint=False)
