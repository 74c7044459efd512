"""Products of matrices and vectors, sums of such products, and systems of equations, with torch's signatures."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.failures.naming import named
from torchspore.engine.op import Operand, op
from torchspore.engine.parameters import NotNegativeFloat
from torchspore.ops.array.assignment import update
from torchspore.ops.linalg import products as ops

__all__ = ["addr_", "baddbmm", "bmm", "cdist", "dot", "mv", "trace", "triangular_solve", "vdot"]


@op
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """Products of the matrices of two batches, shapes (b, n, k) and (b, k, m)."""
    return torch.bmm(input, mat2)


@op
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """Product of a matrix of shape (n, k) and a vector of shape (k,)."""
    return torch.mv(input, vec)


@op
def dot(input: Tensor, other: Tensor) -> Tensor:
    """Sum of the products of the elements of two vectors."""
    return torch.dot(input, other)


@op
def vdot(input: Tensor, other: Tensor) -> Tensor:
    """Sum of the products of the elements of two vectors, `input` being conjugated."""
    return torch.vdot(input, other)


@op
def trace(input: Tensor) -> Tensor:
    """Sum of the diagonal of a matrix; int64 for integers and bools."""
    return torch.trace(input)


@op
def baddbmm(input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: Operand = 1, alpha: Operand = 1) -> Tensor:
    """`beta * input + alpha * (batch1 @ batch2)`, for each matrix of a batch; `input` is broadcast to the product."""
    return ops.baddbmm.body(input, batch1, batch2, beta, alpha)


@named
def addr_(input: _Tensor, vec1: _Tensor, vec2: _Tensor, beta: Any = 1, alpha: Any = 1) -> _Tensor:
    """Replace a matrix by `beta * input + alpha * outer(vec1, vec2)`, and return it."""
    return update(input, "addr_", vec1, vec2, beta=beta, alpha=alpha)


_CDIST_MODES = (
    "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist", "use_mm_for_euclid_dist_if_necessary",
)  # fmt: skip


@op
def cdist(
    x1: Tensor, x2: Tensor, p: NotNegativeFloat = 2.0, compute_mode: Any = "use_mm_for_euclid_dist_if_necessary"
) -> Tensor:
    """Distances by the `p`-norm between every row of `x1` and every row of `x2`, for each sample of a batch.

    Args:
        x1: a Tensor of shape (..., n, d).
        x2: a Tensor of shape (..., m, d).
        p: the norm, >= 0. Default: 2.0.
        compute_mode: whether Euclidean distances may be computed by a product of matrices, which is faster but less
            exact: "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist", or, for more than 25 rows,
            "use_mm_for_euclid_dist_if_necessary". Default: the last.

    Returns:
        A Tensor of shape (..., n, m).
    """
    if compute_mode not in _CDIST_MODES:
        warn_user(f"For 'cdist', 'compute_mode' is not one of {_CDIST_MODES}: the last is used, as in MindSpore.")
        compute_mode = _CDIST_MODES[-1]
    return torch.cdist(x1, x2, p, compute_mode)


@op
def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Solve `A @ X = b`, where `A` is triangular.

    Args:
        b: the right-hand sides, a Tensor of shape (..., m, k).
        A: a Tensor of shape (..., m, m).
        upper: whether the upper triangle of `A` counts, else the lower. Default: True.
        transpose: whether to solve `A.T @ X = b` instead. Default: False.
        unitriangular: whether the diagonal counts as ones. Default: False.

    Returns:
        X, and `A`.
    """
    if transpose:
        solution = torch.linalg.solve_triangular(A.mT, b, upper=not upper, unitriangular=unitriangular)
    else:
        solution = torch.linalg.solve_triangular(A, b, upper=upper, unitriangular=unitriangular)
    return solution, A
