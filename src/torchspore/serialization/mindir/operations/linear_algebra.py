"""Operations of matrices and Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, NoForm, Value
from torchspore.serialization.mindir.operations.expansions import expansion
from torchspore.serialization.mindir.operations.forms import form

aten, prims = torch.ops.aten, torch.ops.prims


def _succeeded(b: Builder, x: Value) -> Value:
    return b.constant(torch.zeros(x.shape[:-2], dtype=torch.int32))


@form(aten._linalg_det.default)
def _det(b: Builder, x: Value) -> tuple[Value | None, ...]:
    return b.call("MatrixDeterminant", x), None, None


@form(aten._linalg_slogdet.default)
def _slogdet(b: Builder, x: Value) -> tuple[Value | None, ...]:
    found = b.call("LogMatrixDeterminant", x)
    return b.item(found, 0), b.item(found, 1), None, None


@form(aten.linalg_inv_ex.default)
def _inverse(b: Builder, x: Value, check_errors: bool = False) -> tuple[Value, Value]:
    return b.call("MatrixInverse", x, adjoint=False), _succeeded(b, x)


@form(aten.linalg_cholesky_ex.default)
def _cholesky(b: Builder, x: Value, upper: bool = False, check_errors: bool = False) -> tuple[Value, Value]:
    return b.call("Cholesky", x, upper=upper), _succeeded(b, x)


@form(aten._linalg_check_errors.default)
def _unchecked(b: Builder, info: Value, api_name: str, *, is_matrix: bool) -> None:
    """Write nothing: MindSpore's primitives check their matrices."""


@form(aten._conj_physical.default)
def _conj(b: Builder, x: Value) -> Value:
    return b.call("Conj", x)


@expansion(aten._linalg_solve_ex.default)
def _solve(
    matrix: torch.Tensor, right: torch.Tensor, *, left: bool = True, check_errors: bool = False
) -> tuple[torch.Tensor | None, ...]:
    inverse = aten.linalg_inv_ex(matrix)[0]
    if right.ndim == matrix.ndim - 1:
        return (inverse @ right.unsqueeze(-1)).squeeze(-1), None, None, None
    return (inverse @ right if left else right @ inverse), None, None, None


@form(aten.linalg_solve_triangular.default)
def _solve_triangular(
    b: Builder, matrix: Value, right: Value, upper: bool = False, left: bool = True, unitriangular: bool = False
) -> Value:
    if not left or unitriangular:
        raise NoForm("it solves from the right, or for a unit diagonal")
    return b.call("MatrixTriangularSolve", matrix, right, lower=not upper, adjoint=False)


@expansion(aten.cholesky_solve.default)
def _cholesky_solve(right: torch.Tensor, factor: torch.Tensor, upper: bool = False) -> torch.Tensor:
    lower = factor.mT if upper else factor
    half = aten.linalg_solve_triangular(lower.contiguous(), right, upper=False)
    return aten.linalg_solve_triangular(lower.mT.contiguous(), half, upper=True)


@form(aten.linalg_qr.default)
def _qr(b: Builder, x: Value, mode: str = "reduced") -> tuple[Value, Value]:
    found = b.call("Qr", x, full_matrices=mode == "complete")
    return b.item(found, 0), b.item(found, 1)


@form(aten._linalg_svd.default)
def _svd(
    b: Builder, x: Value, full_matrices: bool = False, compute_uv: bool = True, driver: Any = None
) -> tuple[Value | None, ...]:
    found = b.call("Svd", x, full_matrices=full_matrices, compute_uv=compute_uv)
    if not compute_uv:
        return None, b.item(found, 0), None
    order = (*range(x.rank - 2), x.rank - 1, x.rank - 2)
    return b.item(found, 1), b.item(found, 0), b.call("Transpose", b.item(found, 2), order)


@form(aten.geqrf.default)
def _geqrf(b: Builder, x: Value) -> tuple[Value, Value]:
    found = b.call("Geqrf", x)
    return b.item(found, 0), b.item(found, 1)


@form(aten.linalg_householder_product.default)
def _householder_product(b: Builder, x: Value, tau: Value) -> Value:
    return b.call("Orgqr", x, tau)


@expansion(aten.addbmm.default)
def _addbmm(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor, *, beta: float = 1, alpha: float = 1) -> torch.Tensor:
    return x * beta + (y @ z).sum(0) * alpha


@expansion(aten._cdist_forward.default)
def _cdist(x: torch.Tensor, y: torch.Tensor, p: float, compute_mode: int | None = None) -> torch.Tensor:
    apart = (x.unsqueeze(-2) - y.unsqueeze(-3)).abs()
    if p == 0:
        return (apart != 0).to(x.dtype).sum(-1)
    if p == 1:
        return apart.sum(-1)
    if p == 2:
        return (apart * apart).sum(-1).sqrt()
    return apart.amax(-1) if p == float("inf") else (apart**p).sum(-1) ** (1 / p)


# Fourier transforms


def _transformed(b: Builder, x: Value, dims: Sequence[int], **attributes: Any) -> Value:
    """Transform along dimensions without a factor."""
    dims = [dim % x.rank for dim in dims]
    order = [*(dim for dim in range(x.rank) if dim not in dims), *dims]
    back = tuple([order.index(dim) for dim in range(x.rank)])
    moved = x if order == list(range(x.rank)) else b.call("Transpose", x, tuple(order))
    norm = "forward" if attributes["inverse"] else "backward"
    found = b.call("FFTWithSize", moved, signal_ndim=len(dims), norm=norm, **attributes)
    return found if moved is x else b.call("Transpose", found, back)


@form(prims.fft_r2c.default)
def _fft_r2c(b: Builder, x: Value, *, dim: Sequence[int], onesided: bool) -> Value:
    return _transformed(b, x, dim, inverse=False, real=True, onesided=onesided, signal_sizes=())


@form(prims.fft_c2c.default)
def _fft_c2c(b: Builder, x: Value, *, dim: Sequence[int], forward: bool) -> Value:
    return _transformed(b, x, dim, inverse=not forward, real=False, onesided=False, signal_sizes=())


@form(prims.fft_c2r.default)
def _fft_c2r(b: Builder, x: Value, *, dim: Sequence[int], last_dim_size: int) -> Value:
    sizes = (*[x.shape[each] for each in dim[:-1]], last_dim_size)
    return _transformed(b, x, dim, inverse=True, real=True, onesided=True, signal_sizes=sizes)


_FACTORS = {0: lambda n: 1.0, 1: lambda n: n**-0.5, 2: lambda n: 1 / n}


def _scaled(x: torch.Tensor, norm: int, count: int) -> torch.Tensor:
    return x * _FACTORS[norm](count) if norm else x


def _count(sizes: Sequence[int], dims: Sequence[int]) -> int:
    product = 1
    for dim in dims:
        product *= sizes[dim]
    return product


@expansion(aten._fft_r2c.default)
def _scaled_r2c(x: torch.Tensor, dim: Sequence[int], norm: int, onesided: bool) -> torch.Tensor:
    return _scaled(prims.fft_r2c(x, dim=dim, onesided=onesided), norm, _count(x.shape, dim))


@expansion(aten._fft_c2c.default)
def _scaled_c2c(x: torch.Tensor, dim: Sequence[int], norm: int, forward: bool) -> torch.Tensor:
    return _scaled(prims.fft_c2c(x, dim=dim, forward=forward), norm, _count(x.shape, dim))


@expansion(aten._fft_c2r.default)
def _scaled_c2r(x: torch.Tensor, dim: Sequence[int], norm: int, last_dim_size: int) -> torch.Tensor:
    found = prims.fft_c2r(x, dim=dim, last_dim_size=last_dim_size)
    return _scaled(found, norm, _count(found.shape, dim))
