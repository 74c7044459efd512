"""Inverses, decompositions and norms: `mint.linalg`."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor

from torchspore.engine.arguments.argument_forms import number_in
from torchspore.engine.op import Size, Type, op, publish
from torchspore.engine.widening import in_floats
from torchspore.ops import inverse as inv
from torchspore.ops import norm

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]


@op
def vector_norm(
    x: Tensor,
    ord: float = 2,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: Type | None = None,
) -> Tensor:
    """The norm of vectors: the `ord`-th root of the sum of the absolute values to the power of `ord`.

    Args:
        x: a floating-point or complex Tensor.
        ord: the power; inf: the maximum absolute value; 0: the number of elements that are not 0. Default: 2.
        dim: the dimensions; None: all. Default: None.
        keepdim: whether they stay, with size 1. Default: False.
        dtype: the dtype to convert `x` to first. Default: None, its own.
    """
    return torch.linalg.vector_norm(x, ord, dim, keepdim, dtype=dtype)


@op
def matrix_norm(
    A: Tensor, ord: Any = "fro", dim: Size = (-2, -1), keepdim: bool = False, *, dtype: Type | None = None
) -> Tensor:
    """The norm of matrices.

    Args:
        A: a floating-point or complex Tensor with at least two dimensions.
        ord: "fro" (Frobenius), "nuc" (the sum of the singular values), inf or -inf (the maximum or minimum sum
            of a row), 1 or -1 (of a column), 2 or -2 (the largest or smallest singular value). Default: "fro".
        dim: the two dimensions of the matrices. Default: (-2, -1).
        keepdim, dtype: as for `vector_norm`.
    """
    ord = number_in(ord)
    if ord not in ("fro", "nuc", 1, -1, 2, -2, torch.inf, -torch.inf):
        raise ValueError("'ord' must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf")
    return in_floats(torch.linalg.matrix_norm)(A, ord, dim, keepdim, dtype=dtype)


@op
def qr(A: Tensor, mode: Literal["reduced", "complete", "r"] = "reduced") -> tuple[Tensor, Tensor]:
    """Decompose matrices into Q, whose columns are orthonormal, and R, an upper triangle: `A = Q @ R`.

    Args:
        A: a Tensor of shape (..., m, n).
        mode: "reduced": Q has min(m, n) columns; "complete": m columns; "r": only R is computed and Q is empty.
            Default: "reduced".

    Examples:
        >>> import torchspore as ms
        >>> q, r = ms.mint.linalg.qr(ms.Tensor([[3.0, 0.0], [4.0, 5.0]]))
        >>> print(ms.mint.allclose(q @ r, ms.Tensor([[3.0, 0.0], [4.0, 5.0]]), atol=1e-5))
        True
    """
    q, r = torch.linalg.qr(A, mode)
    return q, r


publish(globals())
