"""The steps of batch normalization over several processes, and convolution over sequences of time steps."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.engine.op import op

__all__ = ["batch_norm_elemt", "batch_norm_gather_stats_with_counts", "batch_norm_stats", "conv_tbc"]


def _per_channel(statistics: Tensor, input: Tensor) -> Tensor:
    return statistics.reshape(-1, *[1] * (input.dim() - 2))


@op
def batch_norm_stats(input: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """Mean and 1 / sqrt(variance + `eps`) of every channel of an input of shape (N, C, *)."""
    dims = [dim for dim in range(input.dim()) if dim != 1]
    variance, mean = torch.var_mean(input, dims, correction=0)
    return mean, torch.rsqrt(variance + eps)


@op
def batch_norm_elemt(
    input: Tensor,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    mean: Tensor | None = None,
    invstd: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize with given statistics: `(input - mean) * invstd * weight + bias`, for every channel.

    Args:
        input: a Tensor of shape (N, C, *).
        weight: the factor, of shape (C,). Default: None, 1.
        bias: the shift, of shape (C,). Default: None, 0.
        mean: the mean, of shape (C,).
        invstd: one over the standard deviation, of shape (C,).
        eps: has no effect: it is part of `invstd` already. Default: 1e-5.

    Raises:
        TypeError: `mean` or `invstd` is missing.
    """
    if mean is None or invstd is None:
        raise TypeError("pass 'mean' and 'invstd', as 'batch_norm_stats' returns them")
    scale = invstd if weight is None else invstd * weight
    result = (input - _per_channel(mean, input)) * _per_channel(scale, input)
    return result if bias is None else result + _per_channel(bias, input)


@op
def batch_norm_gather_stats_with_counts(
    input: Tensor,
    mean: Tensor,
    invstd: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    momentum: float = 0.1,
    eps: float = 1e-5,
    counts: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Combine the statistics of several processes, and update the running ones in place.

    Args:
        input: a Tensor of shape (N, C, *), whose number of elements is used if `counts` is None.
        mean: the means, of shape (processes, C).
        invstd: one over the standard deviations, likewise.
        running_mean: the running mean, of shape (C,). Default: None.
        running_var: the running variance, of shape (C,). Default: None.
        momentum: the weight of the new statistics. Default: 0.1.
        eps: what is added to the variance. Default: 1e-5.
        counts: the number of elements per channel of each process. Default: None, the number in `input`.

    Returns:
        The mean and 1 / sqrt(variance + `eps`) over all processes.
    """
    if counts is None:
        counts = torch.full((mean.shape[0],), input.numel() / input.shape[1], dtype=mean.dtype, device=mean.device)
    shares = counts.to(mean.dtype).reshape(-1, 1)
    count = shares.sum()
    total_mean = (shares * mean).sum(0) / count
    variance = (shares * (invstd.pow(-2) - eps + (mean - total_mean).square())).sum(0) / count
    if running_mean is not None:
        running_mean.detach().lerp_(total_mean.detach().to(running_mean.dtype), momentum)
    if running_var is not None:
        unbiased = variance * count / (count - 1)
        running_var.detach().lerp_(unbiased.detach().to(running_var.dtype), momentum)
    return total_mean, torch.rsqrt(variance + eps)


@op
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolve sequences of shape (time, batch, channels) with a weight of shape (kernel, channels, outputs).

    Args:
        input: a Tensor of floats.
        weight: a Tensor of floats.
        bias: a Tensor of shape (outputs,).
        pad: the zeros before and after the time steps. Default: 0.
    """
    return torch.conv_tbc(input, weight, bias, pad)
