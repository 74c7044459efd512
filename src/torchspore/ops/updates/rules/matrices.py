"""Steps of parameters that are matrices."""

from __future__ import annotations

import torch

from torchspore.ops.updates.rules.arithmetic import descend
from torchspore.ops.updates.tensor_lists import Scalar, Tensors

__all__ = ["muon", "orthogonalized"]


def muon(
    parameters: Tensors,
    gradients: Tensors,
    moments: Tensors,
    *,
    rate: Scalar,
    momentum: float,
    nesterov: bool,
    coefficients: tuple[float, float, float],
    iterations: int,
    eps: float,
    scales: list[float],
) -> None:
    """Muon: momentum whose matrices are made orthogonal, and multiplied by `scales`."""
    torch._foreach_lerp_(moments, gradients, 1 - momentum)
    ahead = torch._foreach_lerp(gradients, moments, momentum) if nesterov else moments
    updates = [orthogonalized(value, coefficients, iterations, eps).to(value.dtype) for value in ahead]
    descend(parameters, list(torch._foreach_mul(updates, scales)), rate)


def orthogonalized(
    matrix: torch.Tensor, coefficients: tuple[float, float, float], iterations: int, eps: float
) -> torch.Tensor:
    """Return `U @ V.T` of the singular value decomposition `U @ S @ V.T`, in bfloat16, by Newton-Schulz iterations.

    The polynomial's coefficients make the singular values about 1, not exactly: few iterations and bfloat16 suffice.
    """
    a, b, c = coefficients
    tall = matrix.shape[0] > matrix.shape[1]
    value = matrix.bfloat16()
    value = value.T if tall else value
    value = value / value.norm().clamp(min=eps)  # no singular value is above 1
    for _ in range(iterations):
        gram = value @ value.T
        value = torch.addmm(value, torch.addmm(gram, gram, gram, beta=b, alpha=c), value, beta=a)
    return value.T if tall else value
