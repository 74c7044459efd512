"""Decompositions of matrices, and linear equations; the names are from `mindspore.scipy.linalg`.

Matrices of int32 and int64 become float64. The arguments `overwrite_a`, `overwrite_b` and `check_finite` are SciPy's
and, as in MindSpore, without effect: nothing is overwritten and nothing checked for nan.

All functions raise a TypeError if a matrix is not a Tensor or its data type is not int32, int64, float32, float64,
complex64 or complex128, and a ValueError if an argument has the wrong shape or none of the documented values.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.op import op
from torchspore.engine.parameters import Dimensions, take_as
from torchspore.numpy.arrays import array, floating, promoted
from torchspore.ops.linalg.decompositions import hermitian
from torchspore.ops.linalg.matrix_functions import inverse_or_nan

__all__ = [
    "block_diag", "cho_factor", "cho_solve", "cholesky", "det", "eigh", "inv", "lstsq", "lu", "lu_factor", "lu_solve",
    "solve_triangular",
]  # fmt: skip

_TYPES = (torch.float32, torch.float64, torch.complex64, torch.complex128)


def _wide(a: Tensor, name: str) -> Tensor:
    if a.dtype in (torch.int32, torch.int64):
        return a.double()
    if a.dtype not in _TYPES:
        raise TypeError(f"'{name}' must be of dtype int32, int64, float32, float64, complex64 or complex128")
    return a


def _triangle(a: Tensor, lower: bool) -> Tensor:
    """Return one triangle: torch also computes gradients of the other one, which its functions do not read."""
    return a.tril() if lower else a.triu()


def _matrix(a: Tensor, square: bool = True) -> Tensor:
    if a.dim() != 2 or (square and a.shape[0] != a.shape[1]):
        raise ValueError(f"'a' must be a {'square ' if square else ''}matrix, but has the shape {tuple(a.shape)}")
    return _wide(a, "a")


@op
def block_diag(*arrs: Any) -> Tensor:
    """Put matrices on the diagonal of a matrix of zeros.

    Args:
        arrs: arrays of at most two dimensions; vectors are rows.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.linalg import block_diag
        >>> print(block_diag(ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0])))
        [[1. 2. 0.]
         [0. 0. 3.]]
    """
    found = promoted(*arrs) if arrs else []
    if any(matrix.dim() > 2 for matrix in found):
        raise ValueError("arrays must have at most two dimensions")
    return torch.block_diag(*found)


@op
def inv(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Inverse of a square matrix; nan if it is singular.

    Args:
        a: a Tensor of shape (M, M).
        overwrite_a, check_finite: without effect.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.linalg import inv
        >>> print(inv(ms.Tensor([[1.0, 2.0], [0.0, 4.0]])))
        [[ 1.   -0.5 ]
         [ 0.    0.25]]
    """
    return inverse_or_nan(_matrix(a))


@op
def det(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Determinant of a square matrix; arguments as for `inv`."""
    return torch.linalg.det(_matrix(a))


@op
def cholesky(a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """Cholesky decomposition of a positive definite matrix: `a = L @ L.H`, or `a = U.H @ U`.

    Args:
        a: a Hermitian Tensor of shape (M, M).
        lower: whether to return L, the lower triangle, instead of U. Default: False.
        overwrite_a, check_finite: without effect.

    Raises:
        RuntimeError: `a` is not positive definite.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.linalg import cholesky
        >>> print(cholesky(ms.Tensor([[4.0, 2.0], [2.0, 5.0]]), lower=True))
        [[2. 0.]
         [1. 2.]]
    """
    return torch.linalg.cholesky(_matrix(a), upper=not lower)


@op
def cho_factor(
    a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Tensor, bool]:
    """Cholesky decomposition, for `cho_solve`: (the triangle, `lower`); arguments as for `cholesky`."""
    return torch.linalg.cholesky(_matrix(a), upper=not lower), lower


@op
def cho_solve(c_and_lower: Any, b: Tensor, overwrite_b: bool = False, check_finite: bool = True) -> Tensor:
    """Solve `a @ x = b`, given the Cholesky decomposition of `a`.

    Args:
        c_and_lower: what `cho_factor` returned.
        b: a Tensor of shape (M,) or (M, N).
        overwrite_b, check_finite: without effect.
    """
    c, lower = c_and_lower
    triangle, right = _triangle(_matrix(array(c)), lower), _wide(b, "b")
    columns = right.unsqueeze(-1) if right.dim() == 1 else right
    return torch.cholesky_solve(columns, triangle, upper=not lower).reshape(right.shape)


@op
def eigh(
    a: Tensor,
    b: Tensor | None = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: Any = None,
    type: int = 1,
    check_finite: bool = True,
) -> Any:
    """Eigenvalues, in ascending order, and eigenvectors of a Hermitian matrix.

    Args:
        a: a Tensor of shape (M, M).
        b: None; only the standard problem is solved. Default: None.
        lower: whether to use the lower triangle of `a` instead of the upper one. Default: True.
        eigvals_only: whether to return only the eigenvalues. Default: False.
        eigvals: None, all eigenvalues. Default: None.
        type: 1, 2 or 3, the generalized problem; without effect as there is no `b`. Default: 1.
        overwrite_a, overwrite_b, turbo, check_finite: without effect.

    Returns:
        (eigenvalues, matrix with the eigenvectors as columns), or the eigenvalues.
    """
    if b is not None or eigvals is not None:
        raise ValueError("'b' and 'eigvals' must be None: only the standard problem with all eigenvalues is solved")
    take_as(Literal[1, 2, 3], type, "type", "eigh")
    values, vectors = torch.linalg.eigh(hermitian(_matrix(a), lower))
    values = values.to(vectors.dtype)
    return values if eigvals_only else (values, vectors)


@op
def lu_factor(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Tensor, Tensor]:
    """LU decomposition of a square matrix with row exchanges, for `lu_solve`.

    Args:
        a: a Tensor of shape (M, M).
        overwrite_a, check_finite: without effect.

    Returns:
        (U in the upper and L in the lower triangle, without L's diagonal of ones; the row that each was exchanged with,
        in int32).
    """
    factors, pivots = torch.linalg.lu_factor(_matrix(a))
    return factors, pivots - 1


@op
def lu_solve(
    lu_and_piv: Any, b: Tensor, trans: Literal[0, 1, 2] = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Tensor:
    """Solve `a @ x = b`, given what `lu_factor` returned; `trans` 1: `a.T @ x = b`, 2: `a.H @ x = b`."""
    factors, pivots = array(lu_and_piv[0]), array(lu_and_piv[1])
    right = _wide(b, "b")
    columns = right.unsqueeze(-1) if right.dim() == 1 else right
    if trans == 1:  # a.T @ x = b is a.H @ conj(x) = conj(b)
        columns = torch.conj(columns)
    solution = torch.linalg.lu_solve(factors, pivots + 1, columns, adjoint=trans > 0)
    return (torch.conj(solution) if trans == 1 else solution).reshape(right.shape)


@op
def lu(a: Tensor, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    """LU decomposition of a matrix: `a = P @ L @ U`.

    Args:
        a: a Tensor of shape (M, N).
        permute_l: whether to return (P @ L, U). Default: False.
        overwrite_a, check_finite: without effect.

    Returns:
        (P, L, U): a permutation in int32, a lower triangle with ones on the diagonal, and an upper triangle.
    """
    permutation, lower, upper = torch.linalg.lu(_matrix(a, square=False))
    return (permutation @ lower, upper) if permute_l else (permutation.real.to(torch.int32), lower, upper)


_TRANSPOSED = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}


@op
def solve_triangular(
    a: Tensor,
    b: Tensor,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: Any = None,
    check_finite: bool = True,
) -> Tensor:
    """Solve `a @ x = b` for a triangular matrix.

    Args:
        a: a Tensor of shape (*, M, M).
        b: a Tensor of shape (*, M) or (*, M, N).
        trans: 0 or "N" for `a`, 1 or "T" for its transpose, 2 or "C" for the conjugate of that. Default: 0.
        lower: whether to use the lower triangle of `a` instead of the upper one. Default: False.
        unit_diagonal: whether the diagonal is taken as ones. Default: False.
        overwrite_b, check_finite, debug: without effect; `debug` is a bool or None.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.linalg import solve_triangular
        >>> print(solve_triangular(ms.Tensor([[2.0, 1.0], [0.0, 4.0]]), ms.Tensor([4.0, 8.0])))
        [1. 2.]
    """
    trans = number_in(trans)
    if trans not in _TRANSPOSED:
        raise ValueError(f"'trans' must be 0, 1, 2, 'N', 'T' or 'C', but got {trans!r}")
    if debug is not None:
        take_as(bool, debug, "debug", "solve_triangular")
    a, b = [x.double() if x.dtype is torch.int64 else floating(x) for x in promoted(a, b)]
    if a.dim() < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(f"'a' must hold square matrices, but has the shape {tuple(a.shape)}")
    form = _TRANSPOSED[trans]
    if form != "N":
        a, lower = (a.mT if form == "T" else a.mH), not lower
    vectors = b.dim() == a.dim() - 1
    columns = b.unsqueeze(-1) if vectors else b
    solution = torch.linalg.solve_triangular(a, columns, upper=not lower, unitriangular=unit_diagonal)
    return solution.squeeze(-1) if vectors else solution


_DRIVERS = (None, "gels", "gelsy", "gelss", "gelsd")


@op
def lstsq(
    A: Annotated[Tensor, Dimensions(2, math.inf)], B: Tensor, rcond: float | None = None, driver: str | None = None
) -> Any:
    """Solve `A @ X = B` in the least-squares sense.

    Args:
        A: a Tensor of shape (*, M, N).
        B: a Tensor of shape (*, M, K), or (*, M).
        rcond: singular values below this fraction of the largest become 0. Default: None, the precision of the type.
        driver: LAPACK's algorithm: "gels", "gelsy", "gelss" or "gelsd"; a GPU only has "gels". Default: None, "gelsy",
            or "gels" on a GPU.

    Returns:
        (solution, residuals, rank, singular values); values that the algorithm does not compute are empty.

    Raises:
        TypeError: the types of `A` and `B` differ.
    """
    if driver not in _DRIVERS:
        raise ValueError(f"'driver' must be one of {_DRIVERS}, but got {driver!r}")
    if A.dtype is not B.dtype:
        raise TypeError("'A' and 'B' must be of the same dtype")
    vectors = B.dim() == A.dim() - 1
    found = torch.linalg.lstsq(A, B.unsqueeze(-1) if vectors else B, rcond=rcond, driver=driver)
    return found.solution.squeeze(-1) if vectors else found.solution, found.residuals, found.rank, found.singular_values


_suggest_names(globals())
