"""Functions of matrices: norms, determinants, inverses, powers, exponentials, logarithms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common.conversion import converted
from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.gradients.integer_gradients import reduced
from torchspore.engine.op import Type, op
from torchspore.engine.parameters import Dimensions
from torchspore.engine.primitive import as_primitive, primitive

__all__ = [
    "Cholesky", "LogMatrixDeterminant", "MatrixDeterminant", "MatrixExp", "MatrixInverse", "MatrixLogarithm",
    "MatrixPower", "NuclearNorm", "Trace", "cholesky", "cond", "det", "inverse", "log_matrix_determinant", "logdet",
    "matrix_determinant", "matrix_exp", "matrix_norm", "matrix_power", "norm", "pinv", "slogdet", "trace",
    "vector_norm",
]  # fmt: skip

_MATRIX_ORDERS = (None, "fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)


def _check_matrix_order(order: Any) -> None:
    if order not in _MATRIX_ORDERS:
        raise ValueError(f"'ord' must be one of {_MATRIX_ORDERS} for matrices")


def _of_vectors(x: Tensor, order: Any, axis: Any, keepdims: bool, dtype: torch.dtype | None) -> Tensor:
    """Return norms of vectors; as in MindSpore, vectors of integers have integer norms where no root is needed."""
    x = converted(reduced(x, dtype), dtype)
    if order in (0, math.inf, -math.inf) and not (x.is_floating_point() or x.is_complex()):
        axis = tuple(range(x.dim())) if axis is None else axis
        if order == 0:
            return (x != 0).sum(axis, keepdims)
        return (torch.amax if order > 0 else torch.amin)(torch.abs(x), axis, keepdims)
    return torch.linalg.vector_norm(_inexact(x), 2 if order is None else order, axis, keepdims)


def _of_matrices(x: Tensor, order: Any, axis: Any, keepdims: bool, dtype: torch.dtype | None) -> Tensor:
    """Return norms of matrices; as in MindSpore, singular values are of at least float32, sums of integers integers."""
    x = converted(reduced(x, dtype), dtype)
    if order in ("nuc", 2, -2):
        x = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    elif order in (1, -1, math.inf, -math.inf) and not (x.is_floating_point() or x.is_complex()):
        return _largest_sum(x, order, axis, keepdims)
    return torch.linalg.matrix_norm(_inexact(x), order, axis, keepdims)


def _largest_sum(x: Tensor, order: float, axis: tuple[int, int], keepdims: bool) -> Tensor:
    """Return the largest or smallest sum of the magnitudes of a column (1, -1) or a row (inf, -inf) of integers."""
    summed, kept = axis if abs(order) == 1 else axis[::-1]
    sums = torch.abs(x).sum(summed, keepdim=True, dtype=torch.int64 if abs(order) == 1 else x.dtype)
    found = (torch.amax if order > 0 else torch.amin)(sums, kept, keepdim=True)
    return found if keepdims else found.sum(axis, dtype=found.dtype)


def _inexact(x: Tensor) -> Tensor:
    return x if x.is_floating_point() or x.is_complex() else x.float()


@op(method="norm")
def norm(
    A: Tensor,
    ord: Any = None,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """Norm of a vector or a matrix.

    Args:
        A: a Tensor; integers are computed in float32.
        ord: the order of the norm. For vectors a number p; 0 is the number of elements that are not zero, inf and -inf
            are the maximum and minimum magnitude. For matrices "fro", "nuc", 1, -1, 2, -2, inf or -inf. Default: None:
            the root of the sum of squares.
        dim: the dimension of vectors, or the two of matrices. Default: None: all; with `ord`, `A` must be a vector or
            a matrix.
        keepdim: whether to keep the dimensions, with size 1. Default: False.
        dtype: the type to which `A` is converted first. Default: None, its own.

    Raises:
        TypeError: `ord` is a string for vectors.
        ValueError: there are more than two dimensions, of `A` or in `dim`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.norm(ms.Tensor([3.0, 4.0])))
        5.0
    """
    ord = number_in(ord)
    if isinstance(dim, tuple) and len(dim) not in (1, 2):
        raise ValueError("'dim' must be an int or a tuple of length 1 or 2")
    if dim is None and ord is not None and A.dim() > 2:
        raise ValueError(f"'A' must be 1D or 2D with 'ord', but got shape {tuple(A.shape)}. Give 'dim'.")
    of_matrices = len(dim) == 2 if isinstance(dim, tuple) else dim is None and ord is not None and A.dim() == 2
    if of_matrices:
        _check_matrix_order(ord)
    elif isinstance(ord, str):
        raise TypeError(f"'ord' must be a number for vectors, but got {ord!r}. Name two dimensions as 'dim'.")
    if of_matrices and ord is not None:
        return _of_matrices(A, ord, (0, 1) if dim is None else dim, keepdim, dtype)
    return _of_vectors(A, ord, dim, keepdim, dtype)


@op
def vector_norm(
    x: Tensor,
    ord: Any = 2,
    axis: int | tuple[int, ...] | None = None,
    keepdims: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """Norm of vectors along `axis`, of the flattened tensor by default; the number `ord` as for `norm`."""
    if not isinstance(ord, (int, float)):
        raise ValueError("'ord' must be a number")
    return _of_vectors(x, ord, axis, keepdims, dtype)


@op
def matrix_norm(
    A: Tensor,
    ord: Any = "fro",
    axis: int | tuple[int, ...] = (-2, -1),
    keepdims: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """Norm of the matrices in the two dimensions `axis`, the last two by default; `ord` as for `norm`."""
    ord = number_in(ord)
    _check_matrix_order(ord)
    return _of_matrices(A, ord, axis, keepdims, dtype)


@op
def trace(input: Annotated[Tensor, Dimensions(2)]) -> Tensor:
    """Trace of a matrix, in its dtype."""
    return torch.diagonal(input).sum(dtype=input.dtype)


@op(method="trace")
def _trace(self: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Type | None = None) -> Tensor:
    """Sum of the diagonal, `offset` above the main one, of the matrices in the dimensions `axis1` and `axis2`."""
    return sum_of_diagonal(torch.diagonal(self, offset, axis1, axis2), dtype)


def sum_of_diagonal(elements: Tensor, dtype: torch.dtype | None) -> Tensor:
    """Return the sums of the last dimension; as in MindSpore, sums of bools and uint64 keep their data type."""
    total = elements.sum(-1, dtype=dtype)
    return total.to(elements.dtype) if dtype is None and elements.dtype in (torch.bool, torch.uint64) else total


Trace = primitive("Trace", trace)


def of_square(function: Callable[..., Any], x: Tensor, api: str, *args: Any, **kwargs: Any) -> Any:
    """Call a torch function of square matrices after checking that they are square."""
    if x.dim() < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError("the tensor must hold square matrices")
    try:
        return function(x, *args, **kwargs)
    except torch.linalg.LinAlgError as error:  # type: ignore[attr-defined]
        raise RuntimeError(f"For '{api}', {error}") from None


@op(method=("det", "matrix_determinant"))
def det(input: Tensor) -> Tensor:
    """Determinant of the square matrices in the last two dimensions."""
    return of_square(torch.linalg.det, input, "det")


@op(method=("slogdet", "log_matrix_determinant"))
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """Sign of the determinant, and the logarithm of its magnitude."""
    sign, logarithm = of_square(torch.linalg.slogdet, input, "slogdet")
    return sign, logarithm


matrix_determinant = det
log_matrix_determinant = slogdet


@op(method="logdet")
def logdet(input: Tensor) -> Tensor:
    """The logarithm of the determinant of square matrices; nan where it is negative."""
    return of_square(torch.logdet, input, "logdet")


@op
def cond(A: Tensor, p: Any = None) -> Tensor:
    """The condition number of matrices: the norm of the matrix times the norm of its inverse.

    Args:
        A: a Tensor of shape (..., n, n), or for the 2-norm (..., m, n).
        p: the norm, as for `norm` of matrices. Default: None: 2.
    """
    p = number_in(p)
    _check_matrix_order(p)
    if p in (None, 2, -2):
        return torch.linalg.cond(_inexact(A), p)
    A = _inexact(A)  # torch has no gradient for these norms
    return torch.linalg.matrix_norm(A, p) * torch.linalg.matrix_norm(of_square(torch.linalg.inv, A, "cond"), p)


@op(method="inverse")
def inverse(input: Tensor) -> Tensor:
    """Inverse of the square matrices in the last two dimensions; nan for a singular matrix."""
    return of_square(inverse_or_nan, input, "inverse")


def inverse_or_nan(matrices: Tensor) -> Tensor:
    """Return inverses; nan for singular matrices."""
    result, failed = torch.linalg.inv_ex(matrices)
    return torch.where((failed == 0)[..., None, None], result, torch.nan)


@op
def pinv(x: Tensor, *, atol: float | None = None, rtol: float | None = None, hermitian: bool = False) -> Tensor:
    """The Moore-Penrose pseudo-inverse.

    Args:
        x: a Tensor of shape (..., n, m).
        atol: the absolute tolerance below which singular values are zero. Default: None: 0.
        rtol: the tolerance relative to the largest one. Default: None: by the precision and the size of the matrix.
        hermitian: whether the matrices are Hermitian. Default: False.
    """
    return torch.linalg.pinv(x, atol=atol, rtol=rtol, hermitian=hermitian)


@op(method="cholesky")
def cholesky(input_x: Tensor, upper: bool = False) -> Tensor:
    """The lower (or upper) triangular factor of positive definite matrices: `L @ L.T` is `input_x`.

    Raises:
        RuntimeError: a matrix is not positive definite.
    """
    return of_square(torch.linalg.cholesky, input_x, "cholesky", upper=upper)


@op(method="matrix_power")
def matrix_power(input: Tensor, n: int) -> Tensor:
    """Powers of square matrices with the int exponent `n`; negative ones are powers of the inverse."""
    return of_square(torch.linalg.matrix_power, input, "matrix_power", n)


@op
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential of square matrices; of float16 and bfloat16, it is computed in float32."""
    wide = input.float() if input.dtype in (torch.float16, torch.bfloat16) else input  # else it overflows to NaN
    return of_square(torch.linalg.matrix_exp, wide, "matrix_exp").to(input.dtype)


@as_primitive
def MatrixInverse(x: Tensor, *, adjoint: bool = False) -> Tensor:
    """Inverse of square matrices, or of their conjugate transposes."""
    return inverse.body(x.mH if adjoint else x)


@as_primitive
def MatrixLogarithm(x: Tensor) -> Tensor:
    """The matrix logarithm of complex diagonalizable matrices, by their eigenvalues."""
    values, vectors = of_square(torch.linalg.eig, x, "MatrixLogarithm")
    return (vectors * torch.log(values).unsqueeze(-2)) @ torch.linalg.inv(vectors)


@as_primitive
def NuclearNorm(x: Tensor, *, dim: int | tuple[int, ...] | None = None, keepdim: bool = False) -> Tensor:
    """The sum of the singular values of the matrices in the two dimensions `dim`, or of a matrix."""
    if dim is None and x.dim() != 2:
        raise ValueError(f"'dim' must name two dimensions of a tensor of shape {tuple(x.shape)}")
    return torch.linalg.matrix_norm(x, "nuc", (0, 1) if dim is None else dim, keepdim)


Cholesky = primitive("Cholesky", cholesky, upper=False)
MatrixDeterminant = primitive("MatrixDeterminant", det)
LogMatrixDeterminant = primitive("LogMatrixDeterminant", slogdet)
MatrixExp = primitive("MatrixExp", matrix_exp)
MatrixPower = primitive("MatrixPower", matrix_power, "n")
