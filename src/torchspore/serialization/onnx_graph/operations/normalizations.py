"""Normalizations."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["MICROSOFT", "TABLE"]


def _check_channels(x: Tensor, *vectors: Tensor) -> None:
    """Check what torch's kernels do not."""
    channels = x.shape[1:2] if x.ndim > 1 else torch.Size([1])
    for vector in vectors:
        if vector.shape != channels:
            raise ValueError(f"a vector of shape {tuple(vector.shape)} is not for the channels of {tuple(x.shape)}")


def _by_channel(vector: Tensor, x: Tensor) -> Tensor:
    return vector.reshape(-1, *[1] * (x.ndim - 2))


def _batch_norm(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    var: Tensor,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    spatial: int = 1,
    training_mode: int = 0,
) -> Any:
    if not spatial:
        return (x - mean) / torch.sqrt(var + epsilon) * scale + bias
    _check_channels(x, scale, bias, mean, var)
    if not training_mode:
        if {x.dtype} != {scale.dtype, bias.dtype, mean.dtype, var.dtype} or x.ndim < 2:
            factor = scale / torch.sqrt(var + epsilon)
            return (x * _by_channel(factor, x) + _by_channel(bias - mean * factor, x)).to(x.dtype)
        mean, var = [value.detach() if value.requires_grad else value for value in (mean, var)]
        return F.batch_norm(x, mean, var, scale, bias, False, 0.0, epsilon)
    axes = tuple([axis for axis in range(x.ndim) if axis != 1])
    here = x.to(mean.dtype)
    batch_var, batch_mean = torch.var_mean(here, axes, correction=0)
    centered = (here - _by_channel(batch_mean, x)) / torch.sqrt(_by_channel(batch_var, x) + epsilon)
    y = (centered * _by_channel(scale, x) + _by_channel(bias, x)).to(x.dtype)
    new_mean = mean * momentum + batch_mean * (1 - momentum)
    return y, new_mean, var * momentum + batch_var * (1 - momentum)


def _normalized(x: Tensor, axes: tuple[int, ...], epsilon: float) -> Tensor:
    var, mean = torch.var_mean(x, axes, correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(var + epsilon)


def _instance_norm(x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float = 1e-5) -> Tensor:
    _check_channels(x, scale, bias)
    if x.ndim < 3 or math.prod(x.shape[2:]) == 1:  # torch refuses
        return _normalized(x, tuple(range(2, x.ndim)), epsilon) * _by_channel(scale, x) + _by_channel(bias, x)
    return F.instance_norm(x, None, None, scale, bias, True, 0.0, epsilon)


def _layer_norm(
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
    outputs: int = 1,
) -> Any:
    shape = x.shape[axis:]
    if outputs == 1 and scale.shape == shape and (bias is None or bias.shape == shape) and x.dtype is scale.dtype:
        return F.layer_norm(x, shape, scale, bias, epsilon)
    axes = tuple(range(axis % x.ndim, x.ndim))
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    var, mean = torch.var_mean(wide, axes, correction=0, keepdim=True)
    deviation = torch.rsqrt(var + epsilon)
    y = ((wide - mean) * deviation).to(x.dtype) * scale
    return y if bias is None and outputs == 1 else (y if bias is None else y + bias, mean, deviation)


def _group_norm(
    x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float = 1e-5, num_groups: int, stash_type: int = 1
) -> Tensor:
    _check_channels(x, scale, bias)
    return F.group_norm(x, num_groups, scale, bias, epsilon)


def _group_norm_of_groups(
    x: Tensor, scale: Tensor, bias: Tensor, *, epsilon: float = 1e-5, num_groups: int, stash_type: int = 1
) -> Tensor:
    """Return the version before opset 21, with a factor for each group."""
    repeats = x.shape[1] // num_groups
    scale, bias = scale.repeat_interleave(repeats), bias.repeat_interleave(repeats)
    return _group_norm(x, scale, bias, epsilon=epsilon, num_groups=num_groups)


def _rms_norm(x: Tensor, scale: Tensor, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1) -> Tensor:
    axes = tuple(range(axis % x.ndim, x.ndim))
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    factor = torch.rsqrt((wide * wide).mean(axes, keepdim=True) + epsilon)
    return (wide * factor).to(x.dtype) * scale


def _local_response(x: Tensor, *, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0) -> Tensor:
    if size < 1:
        raise ValueError(f"a sum over {size} channels")
    squares = (x * x).transpose(1, -1)
    squares = F.pad(squares, [(size - 1) // 2, size - 1 - (size - 1) // 2])
    sums = squares.unfold(-1, size, 1).sum(-1).transpose(1, -1)
    return x / (bias + alpha / size * sums) ** beta


def _skip_layer_norm(
    x: Tensor,
    skip: Tensor,
    gamma: Tensor,
    beta: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    epsilon: float = 1e-12,
) -> Tensor:
    total = x + skip if bias is None else x + skip + bias
    result: Tensor = _layer_norm(total, gamma, beta, epsilon=epsilon)
    return result


TABLE: Table = {
    "BatchNormalization": Operation(_batch_norm, statistics=(3, 4)),
    "GroupNormalization": {18: Operation(_group_norm_of_groups), 21: Operation(_group_norm)},
    "InstanceNormalization": Operation(_instance_norm),
    "LRN": Operation(_local_response),
    "LayerNormalization": Operation(_layer_norm, given=("outputs",)),
    "RMSNormalization": Operation(_rms_norm),
}
MICROSOFT: dict[str, Operation] = {"SkipLayerNormalization": Operation(_skip_layer_norm)}
