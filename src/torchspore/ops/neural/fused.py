"""Operations that MindSpore fuses for Ascend cards, composed of their parts."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.ops.neural.normalization import rms_norm

__all__ = ["add_layer_norm", "add_rms_norm", "rotary_position_embedding"]


@op
def add_rms_norm(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float = 1e-6) -> tuple[Tensor, Tensor, Tensor]:
    """`rms_norm` of the sum of two floating-point Tensors of the same shape and dtype.

    Returns the result, the reciprocal of the root mean square, and the sum.
    """
    total = x1 + x2
    y, rstd = rms_norm.body(total, gamma, epsilon)
    return y, rstd, total


@op
def add_layer_norm(
    x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, additional_output: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Layer normalization, over the last dimension, of the sum of two floating-point Tensors of one shape and dtype.

    Args:
        x1, x2: the tensors.
        gamma, beta: the scale and the shift, of the size of the last dimension.
        epsilon: what is added to the variance. Default: 1e-05.
        additional_output: without effect: the sum is always returned. Default: False.

    Returns the result, the mean, the reciprocal of the standard deviation, and the sum.
    """
    total = x1 + x2
    variance, mean = torch.var_mean(total.float(), -1, correction=0, keepdim=True)
    rstd = torch.rsqrt(variance + epsilon)
    y = ((total - mean) * rstd * gamma + beta).to(x1.dtype)
    return y, mean, rstd, total


@op
def rotary_position_embedding(x: Tensor, cos: Tensor, sin: Tensor, mode: int = 0) -> Tensor:
    """Rotate pairs of elements of the last dimension.

    Args:
        x: a Tensor with an even size of the last dimension.
        cos, sin: the cosines and sines of the angles, which broadcast to `x`.
        mode: 0 pairs the first half with the second, 1 neighbours. Default: 0.

    Raises ValueError for another mode, or an odd size.
    """
    if mode not in (0, 1) or x.shape[-1] % 2:
        raise ValueError(f"'mode' must be 0 or 1 and the last size even, but got {mode} and {describe(x)}")
    if mode == 0:
        first, second = x.chunk(2, -1)
        rotated = torch.cat([-second, first], -1)
    else:
        rotated = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * cos + rotated * sin
