"""Operations that MindSpore fuses from others for Ascend cards, here made of these others."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.engine.errors import describe
from torchspore.engine.op import op
from torchspore.ops.neural.normalization import rms_norm

__all__ = ["add_layer_norm", "add_rms_norm", "rotary_position_embedding"]


@op
def add_rms_norm(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float = 1e-6) -> tuple[Tensor, Tensor, Tensor]:
    """`rms_norm` of a sum.

    Args:
        x1: a Tensor of a floating point type.
        x2: a Tensor of the same shape and dtype.
        gamma: the scale, of the shape of the last dimensions.
        epsilon: what is added to the mean square. Default: 1e-6.

    Returns:
        The result, the reciprocal of the root mean square, and the sum.
    """
    total = x1 + x2
    y, rstd = rms_norm.body(total, gamma, epsilon)
    return y, rstd, total


@op
def add_layer_norm(
    x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, additional_output: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Layer normalization of a sum over its last dimension.

    Args:
        x1: a Tensor of a floating point type.
        x2: a Tensor of the same shape and dtype.
        gamma: the scale, of the size of the last dimension.
        beta: the shift, likewise.
        epsilon: what is added to the variance. Default: 1e-05.
        additional_output: without effect: the sum is returned in either case. Default: False.

    Returns:
        The result, the mean, the reciprocal of the standard deviation, and the sum.
    """
    total = x1 + x2
    variance, mean = torch.var_mean(total.float(), -1, correction=0, keepdim=True)
    rstd = torch.rsqrt(variance + epsilon)
    y = ((total - mean) * rstd * gamma + beta).to(x1.dtype)
    return y, mean, rstd, total


@op
def rotary_position_embedding(x: Tensor, cos: Tensor, sin: Tensor, mode: int = 0) -> Tensor:
    """Turn pairs of elements of the last dimension by angles.

    Args:
        x: a Tensor with an even size of the last dimension.
        cos: the cosines of the angles, which are broadcast to `x`.
        sin: their sines, likewise.
        mode: which elements are pairs: 0: the first half with the second; 1: neighbours. Default: 0.

    Returns:
        A Tensor of the shape of `x`.

    Raises:
        ValueError: another mode, or an odd size.
    """
    if mode not in (0, 1) or x.shape[-1] % 2:
        raise ValueError(
            f"For 'rotary_position_embedding', 'mode' must be 0 or 1 and the last size even, but got {mode} and "
            f"{describe(x)}."
        )
    if mode == 0:
        first, second = x.chunk(2, -1)
        turned = torch.cat([-second, first], -1)
    else:
        turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * cos + turned * sin
