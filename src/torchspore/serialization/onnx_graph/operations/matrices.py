"""Products of matrices."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["MICROSOFT", "TABLE", "exact_product"]


def _gemm(
    a: Tensor, b: Tensor, c: Tensor | None = None, *, alpha: float = 1.0, beta: float = 1.0, transA: int = 0,
    transB: int = 0,
) -> Tensor:  # fmt: skip
    a, b = a.T if transA else a, b.T if transB else b
    if c is None:
        return a @ b if alpha == 1 else alpha * (a @ b)
    if not a.is_floating_point():
        return (a @ b * alpha + c * beta).to(a.dtype)
    return torch.addmm(c, a, b, alpha=alpha, beta=beta)


def _einsum(*operands: Tensor, equation: str) -> Tensor:
    return torch.einsum(equation, operands)


def exact_product(a: Tensor, b: Tensor) -> Tensor:
    """Return the product of integers, which float64 has without rounding, as floating-point numbers."""
    return torch.matmul(a.double(), b.double())


def _matmul_integer(
    a: Tensor, b: Tensor, a_zero_point: Tensor | None = None, b_zero_point: Tensor | None = None
) -> Tensor:
    a, b = a.double(), b.double()
    if a_zero_point is not None:  # one of each row
        a = a - (a_zero_point.unsqueeze(-1) if a_zero_point.ndim == 1 else a_zero_point)
    if b_zero_point is not None:
        b = b - b_zero_point
    return torch.matmul(a, b).to(torch.int32)


def _fused_matmul(
    a: Tensor, b: Tensor, *, alpha: float = 1.0, transA: int = 0, transB: int = 0, transBatchA: int = 0,
    transBatchB: int = 0,
) -> Tensor:  # fmt: skip
    if transBatchA or transBatchB:
        raise ValueError("transBatchA and transBatchB have no counterpart")
    return alpha * torch.matmul(a.mT if transA else a, b.mT if transB else b)


def _matmul(a: Tensor, b: Tensor) -> Tensor:
    return torch.matmul(a, b)


TABLE: Table = {
    "Det": Operation(torch.linalg.det),
    "Einsum": Operation(_einsum),
    "Gemm": Operation(_gemm),
    "MatMul": Operation(_matmul),
    "MatMulInteger": Operation(_matmul_integer),
}
MICROSOFT: dict[str, Operation] = {"FusedMatMul": Operation(_fused_matmul)}
