"""Iterative solvers of linear equations, which MindSpore 1 had in `scipy.sparse.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore import ops
from torchspore.common.dtype import int32
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe

__all__ = ["bicgstab", "cg", "gmres"]

_Map = Callable[[Tensor], Tensor]


def _as_map(matrix: Any, name: str, api: str) -> _Map:
    """Return the function that multiplies by a matrix: a Tensor, a CSRTensor, a function, or None for 1."""
    if matrix is None:
        return lambda x: x
    if callable(matrix):
        return matrix
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"For '{api}', '{name}' must be a square matrix, but got {describe(matrix)}.")
    if isinstance(matrix, Tensor):
        return lambda x: matrix.matmul(x)
    return lambda x: matrix.mv(x.reshape(-1, 1)).reshape(-1)


def _limit(b: Tensor, tol: float, atol: float) -> float:
    return max(tol * float(ops.norm(b)), atol)


def _begin(b: Tensor, x0: Tensor | None) -> Tensor:
    begun: Tensor = ops.zeros_like(b) if x0 is None else x0
    return begun


def _info(residual: Tensor, limit: float, steps: int) -> Tensor:
    return Tensor(0 if float(ops.norm(residual)) <= limit else steps, int32)


def cg(
    A: Any,
    b: Tensor,
    x0: Tensor | None = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
) -> tuple[Tensor, Tensor]:
    """Solve `A x = b` by conjugate gradients, for a symmetric positive definite matrix.

    Args:
        A: the matrix, a Tensor or a CSRTensor of shape (N, N), or a function that multiplies by it.
        b: a Tensor of shape (N,).
        x0: where to begin. Default: None, zeros.
        tol, atol: the norm of the residual at the end, relative to the norm of `b`, and absolute. Default: 1e-5 and 0.
        maxiter: the largest number of steps. Default: None, ten times N.
        M: about the inverse of `A`, in the same forms. Default: None, 1.
        callback: has no effect.

    Returns:
        The solution, and 0, or the number of steps if they were not enough.

    Raises:
        ValueError: `A` or `M` is not a square matrix.

    Source: MindSpore 1.10, `scipy.sparse.linalg.cg`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.sparse_solvers import cg
        >>> x, info = cg(ms.Tensor([[2.0, 1.0], [1.0, 3.0]]), ms.Tensor([3.0, 4.0]))
        >>> print(x.round(), info)
        [1. 1.] 0
    """
    multiply, precondition = _as_map(A, "A", "cg"), _as_map(M, "M", "cg")
    x, limit, steps = _begin(b, x0), _limit(b, tol, atol), 0
    residual = b - multiply(x)
    direction = changed = precondition(residual)
    product = residual.dot(changed)
    while float(ops.norm(residual)) > limit and steps < (maxiter or 10 * b.shape[0]):
        image = multiply(direction)
        length = product / direction.dot(image)
        x, residual = x + length * direction, residual - length * image
        changed, before = precondition(residual), product
        product = residual.dot(changed)
        direction = changed + product / before * direction
        steps += 1
    return x, _info(residual, limit, steps)


def bicgstab(
    A: Any,
    b: Tensor,
    x0: Tensor | None = None,
    *,
    tol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: Any = None,
) -> tuple[Tensor, Tensor]:
    """Solve `A x = b` by stabilized biconjugate gradients.

    Args:
        A, b, x0, tol, atol, maxiter, M: as for `cg`, but `A` is any invertible matrix.

    Returns:
        The solution, and 0, or the number of steps if they were not enough.

    Raises:
        ValueError: `A` or `M` is not a square matrix.

    Source: MindSpore 1.10, `scipy.sparse.linalg.bicgstab`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.sparse_solvers import bicgstab
        >>> x, info = bicgstab(ms.Tensor([[1.0, 2.0], [2.0, 1.0]]), ms.Tensor([1.0, -1.0]))
        >>> print(x.round(), info)
        [-1.  1.] 0
    """
    multiply, precondition = _as_map(A, "A", "bicgstab"), _as_map(M, "M", "bicgstab")
    x, limit, steps = _begin(b, x0), _limit(b, tol, atol), 0
    residual = shadow = b - multiply(x)
    direction, product = residual, shadow.dot(residual)
    while float(ops.norm(residual)) > limit and steps < (maxiter or 10 * b.shape[0]):
        ahead = precondition(direction)
        image = multiply(ahead)
        length = product / shadow.dot(image)
        x, residual = x + length * ahead, residual - length * image
        steps += 1
        if float(ops.norm(residual)) <= limit:
            break
        correction = precondition(residual)
        corrected = multiply(correction)
        share = corrected.dot(residual) / corrected.dot(corrected)
        x, residual = x + share * correction, residual - share * corrected
        product, before = shadow.dot(residual), product
        direction = residual + product / before * length / share * (direction - share * image)
    return x, _info(residual, limit, steps)


def gmres(
    A: Any,
    b: Tensor,
    x0: Tensor | None = None,
    *,
    tol: float = 1e-5,
    restart: int = 20,
    maxiter: int | None = None,
    M: Any = None,
    callback: Any = None,
    restrt: int | None = None,
    atol: float = 0.0,
    callback_type: Any = None,
    solve_method: str = "batched",
) -> tuple[Tensor, Tensor]:
    """Solve `A x = b` by minimal residuals.

    Args:
        A, b, x0, tol, atol, M: as for `cg`, but `A` is any invertible matrix.
        restart, restrt: the number of vectors after which it begins anew. Default: 20.
        maxiter: how often it begins. Default: None, ten times N.
        callback, callback_type, solve_method: have no effect.

    Returns:
        The solution, and 0, or how often it began if that was not enough.

    Raises:
        ValueError: `A` or `M` is not a square matrix.

    Source: MindSpore 1.10, `scipy.sparse.linalg.gmres`.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.earlier.sparse_solvers import gmres
        >>> x, info = gmres(ms.Tensor([[1.0, 2.0], [2.0, 1.0]]), ms.Tensor([1.0, -1.0]))
        >>> print(x.round(), info)
        [-1.  1.] 0
    """
    multiply, precondition = _as_map(A, "A", "gmres"), _as_map(M, "M", "gmres")
    x, limit, begun = _begin(b, x0), _limit(precondition(b), tol, atol), 0
    count = min(restrt or restart, b.shape[0])
    residual = precondition(b - multiply(x))
    while float(ops.norm(residual)) > limit and begun < (maxiter or 10 * b.shape[0]):
        basis, images = [residual / ops.norm(residual)], []
        for _ in range(count):
            images.append(precondition(multiply(basis[-1])))
            rest = images[-1]
            for vector in basis:
                rest = rest - vector.dot(rest) * vector
            if float(ops.norm(rest)) <= 1e-6 * float(ops.norm(images[-1])):
                break
            basis.append(rest / ops.norm(rest))
        columns = ops.stack(images, 1)
        weights = ops.pinv(columns).matmul(residual)
        x = x + ops.stack(basis[: len(images)], 1).matmul(weights)
        residual = precondition(b - multiply(x))
        begun += 1
    return x, _info(residual, limit, begun)
