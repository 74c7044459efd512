"""Batch normalization of large channels-last images on the CPU, with exact statistics.

torch's kernel adds a channel's values in sequence in float32. Of 400,000 values, as in the first layers of a network
for images, the variance is then wrong by 1e-4 (relative), 1,000 times as much as with channels first. Here the kernel
sees neighbouring pixels as separate channels: it computes many statistics of few values in the same time, and their
means are the statistics of the channel.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common.private_torch import functorch_level
from torchspore.engine.capture.compiling.decomposition import in_simple_operations

__all__ = ["loses_precision", "normalized"]

_FEW = 2048  # values of one channel, of which the sum is exact enough
_SUMS = 2048  # statistics that stay in the processor's cache
_PIXELS = 16  # seen as channels at least, if they fit

_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define(
    "batch_norm_of_images(Tensor x, Tensor weight, Tensor bias, float eps) "
    "-> (Tensor y, Tensor mean, Tensor invstd, Tensor unbiased_variance)"
)
_forward = torch.ops.torchspore.batch_norm_of_images.default


def loses_precision(x: Tensor, *parameters: Tensor) -> bool:
    """Return whether torch's kernel computes inexact statistics of an input, and the parameters fit to it."""
    if x.dim() != 4 or x.dtype is not torch.float32 or not x.is_cpu or functorch_level() is not None:
        return False
    images, channels, height, width = x.shape
    if images * height * width <= _FEW or channels == 1 or not x.is_contiguous(memory_format=torch.channels_last):
        return False
    return all(each.shape == (channels,) and each.dtype is x.dtype for each in parameters)


def normalized(
    x: Tensor, running_mean: Tensor, running_var: Tensor, weight: Tensor, bias: Tensor, momentum: float, eps: float
) -> Tensor:
    """Return what `torch.batch_norm` returns in training, and update the running statistics."""
    y, mean, _, variance = _forward(x, weight, bias, eps)
    running_mean.lerp_(mean.detach(), momentum)
    running_var.lerp_(variance.detach(), momentum)
    return y


def _run(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> tuple[Tensor, ...]:
    images, channels, height, width = x.shape
    pixels = height * width
    most = max(_SUMS // channels, _PIXELS)
    together = next(number for number in range(min(most, pixels), 0, -1) if pixels % number == 0)
    wide = together * channels
    parts = x.as_strided((images, wide, pixels // together, 1), (pixels * channels, 1, wide, wide))
    means, variances = torch.ops.aten.batch_norm_update_stats(parts, None, None, 0.0)
    of_means, mean = torch.var_mean(means.view(together, channels), 0, correction=0)
    variance = variances.view(together, channels).mean(0) + of_means
    y = torch.native_batch_norm(x, weight, bias, mean, variance, False, 0.0, eps)[0]
    return y, mean, (variance + eps).rsqrt_(), _unbiased(variance, x)


def _unbiased(variance: Tensor, x: Tensor) -> Tensor:
    number = x.numel() // x.shape[1]
    return variance * (number / (number - 1))


def _in_simple_operations(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> tuple[Tensor, ...]:
    y, mean, invstd = torch.ops.aten.native_batch_norm.default(x, weight, bias, None, None, True, 0.0, eps)
    return y, mean, invstd, _unbiased(invstd**-2 - eps, x)


def _empty_results(x: Tensor, weight: Tensor, bias: Tensor, eps: float) -> tuple[Tensor, ...]:
    return torch.empty_like(x), *[torch.empty_like(weight) for _ in range(3)]


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    x, weight, _, ctx.eps = inputs
    ctx.set_materialize_grads(False)
    ctx.mark_non_differentiable(*output[1:])
    ctx.save_for_backward(x, weight, *output[1:3])


def _differentiate(ctx: Any, of_y: Any, *of_statistics: Any) -> tuple[Any, ...]:
    x, weight, mean, invstd = ctx.saved_tensors
    needed = list(ctx.needs_input_grad[:3])
    backward = torch.ops.aten.native_batch_norm_backward
    return *backward(of_y, x, weight, None, None, mean, invstd, True, ctx.eps, needed), None


_library.impl("batch_norm_of_images", _run, "CPU")
_library.impl("batch_norm_of_images", _empty_results, "Meta")
torch.library.register_autograd(_forward, _differentiate, setup_context=_keep, lib=_library)
in_simple_operations[_forward] = _in_simple_operations
