"""Matrix decompositions: QR, singular values, eigenvalues, Householder reflections, LU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.linalg.matrix_functions import of_square

__all__ = [
    "Eig", "Geqrf", "LuUnpack", "Orgqr", "Ormqr", "Qr", "Svd", "eig", "eigvals", "geqrf", "lu_unpack", "orgqr", "ormqr",
    "qr", "svd",
]  # fmt: skip


def _at_least_float(x: Tensor, function: Callable[[Tensor], Any]) -> Any:
    """Apply a function that has no kernels in half precision."""
    if x.dtype not in (torch.float16, torch.bfloat16):
        return function(x)
    return tuple([part.to(x.dtype) for part in function(x.float())])


def hermitian(a: Tensor, lower: bool) -> Tensor:
    """Return Hermitian matrices from one triangle: torch's `eigh` has gradients of the other one, too."""
    return a.tril() + a.tril(-1).mH if lower else a.triu() + a.triu(1).mH


@op
def qr(input: Tensor, mode: Annotated[Literal["reduced", "complete"], TypeError] = "reduced") -> tuple[Tensor, Tensor]:
    """The orthogonal and the upper triangular factor of matrices: `Q @ R` is `input`.

    Args:
        input: a Tensor of shape (..., m, n).
        mode: "reduced", with Q of shape (..., m, p) and R of (..., p, n), p = min(m, n), or "complete", with Q of shape
            (..., m, m) and R of (..., m, n). Default: "reduced".

    Returns:
        Q and R.

    Examples:
        >>> import torchspore as ms
        >>> q, r = ms.ops.qr(ms.Tensor([[0.0, 2.0], [1.0, 3.0]]))
        >>> print(q @ r)
        [[0. 2.]
         [1. 3.]]
    """
    return _at_least_float(input, lambda x: tuple(torch.linalg.qr(x, mode)))


@op(method="qr")
def _qr(self: Tensor, some: bool = True) -> tuple[Tensor, Tensor]:
    """The orthogonal and the upper triangular factor, reduced if `some`, else complete; see `ops.qr`."""
    return qr.body(self, "reduced" if some else "complete")


@op(method="svd")
def svd(input: Tensor, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """The singular value decomposition of matrices: `U @ diag(S) @ V.mT` is `input` (for complex ones, `V.mH`).

    Args:
        input: a Tensor of shape (..., m, n).
        full_matrices: whether U and V are square; else they have p = min(m, n) columns. Default: False.
        compute_uv: whether to return U and V. Default: True.

    Returns:
        S, of shape (..., p), or with `compute_uv` a tuple of S, U and V.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.svd(ms.Tensor([[3.0, 0.0], [0.0, 2.0]]), compute_uv=False))
        [3. 2.]
    """
    if not compute_uv:
        return torch.linalg.svdvals(input)
    u, s, vh = torch.linalg.svd(input, full_matrices)
    return s, u, vh.mH


@op
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenvalues of square matrices, and the normalized eigenvectors as columns; both complex."""
    return tuple(of_square(torch.linalg.eig, A, "eig"))


@op
def eigvals(A: Tensor) -> Tensor:
    """The complex eigenvalues of square matrices, in no particular order."""
    return of_square(torch.linalg.eigvals, A, "eigvals")


@op(method="eigvals")
def _eigvals(self: Tensor) -> Tensor:
    """The complex eigenvalues of square matrices; see `ops.eigvals`."""
    return eigvals.body(self)


@op(method="geqrf")
def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """The QR decomposition in LAPACK's format: R in the upper triangle, and the Householder reflections of Q below.

    Args:
        input: a Tensor of shape (..., m, n).

    Returns:
        A Tensor of the shape of `input` and the factors of the reflections, of shape (..., min(m, n)), for `orgqr` and
        `ormqr`.
    """
    reflections, factors = torch.geqrf(input)
    return reflections, factors


@op(method="orgqr")
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """The first columns of Q, from the results of `geqrf`.

    Args:
        input: a Tensor of shape (..., m, n), m >= n, with the reflections below its diagonal.
        input2: a Tensor of shape (..., k), k <= n, with the factors.

    Returns:
        A Tensor of shape (..., m, n).
    """
    return torch.linalg.householder_product(input, input2)


@op
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """`Q @ other`, with Q given by the results of `geqrf`.

    Args:
        input: the reflections, a Tensor of shape (..., m, k), or (..., n, k) if not `left`.
        tau: the factors, a Tensor of shape (..., min(m, k)).
        other: a Tensor of shape (..., m, n).
        left: whether to multiply from the left; else the result is `other @ Q`. Default: True.
        transpose: whether to take the conjugate transpose of Q. Default: False.
    """
    return torch.ormqr(input, tau, other, left, transpose)


@op(method="ormqr")
def _ormqr(self: Tensor, input2: Tensor, input3: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """The product of Q and `input3`; see `ops.ormqr`."""
    return torch.ormqr(self, input2, input3, left, transpose)


@op
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """Unpack an LU decomposition: `P @ L @ U` is the matrix.

    Args:
        LU_data: a Tensor of shape (..., m, n): U on and above the diagonal, L below.
        LU_pivots: the pivots, an int32 Tensor of shape (..., min(m, n)), counted from 1.
        unpack_data: whether to return L and U, else None. Default: True.
        unpack_pivots: whether to return P, else None. Default: True.

    Returns:
        P, L and U.
    """
    p, lower, upper = torch.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
    return p if unpack_pivots else None, lower if unpack_data else None, upper if unpack_data else None


@as_primitive
def Eig(x: Tensor, *, compute_v: bool = False) -> tuple[Tensor, Tensor]:
    """The eigenvalues of square matrices, and the eigenvectors or an empty Tensor."""
    if compute_v:
        return eig.body(x)
    values = eigvals.body(x)
    return values, values.new_empty((0,))


@as_primitive
def Qr(x: Tensor, *, full_matrices: bool = False) -> tuple[Tensor, Tensor]:
    """The orthogonal and the upper triangular factor; see `qr`."""
    return qr.body(x, "complete" if full_matrices else "reduced")


@as_primitive
def Svd(input: Tensor, *, full_matrices: bool = False, compute_uv: bool = True) -> tuple[Tensor, Tensor, Tensor]:
    """Singular values and vectors; see `svd`. Without `compute_uv`, U and V are a zero."""
    if compute_uv:
        return svd.body(input, full_matrices)
    s = torch.linalg.svdvals(input)
    return s, input.new_zeros(1), input.new_zeros(1)


Geqrf = primitive("Geqrf", geqrf)
LuUnpack = primitive("LuUnpack", lu_unpack, unpack_data=True, unpack_pivots=True)
Orgqr = primitive("Orgqr", orgqr)
Ormqr = primitive("Ormqr", ormqr, left=True, transpose=False)
