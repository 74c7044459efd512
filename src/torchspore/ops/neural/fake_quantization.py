"""Quantization in training, which MindSpore keeps private: numbers rounded to a grid, and gradients that pass it.

B. Jacob et al., Quantization and training of neural networks, 2018. The grid is moved so that it has 0. Every step
rounds: `quant_delay` must be 0.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import torch
from torch import Tensor

from torchspore.engine.parameters import Only
from torchspore.engine.primitive import as_primitive

__all__ = [
    "BatchNormFold2", "CorrectionMul", "FakeLearnedScaleQuantPerChannel", "FakeLearnedScaleQuantPerLayer",
    "FakeQuantPerChannel", "FakeQuantPerChannelGrad", "FakeQuantPerLayer", "FakeQuantPerLayerGrad",
    "FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsGradient", "FakeQuantWithMinMaxVarsPerChannel",
    "FakeQuantWithMinMaxVarsPerChannelGradient", "MinMaxUpdatePerChannel", "MinMaxUpdatePerLayer",
]  # fmt: skip


_Delay: TypeAlias = Annotated[int, Only(0, advice="Start to quantize when it is over.")]


def _grid(low: Tensor, high: Tensor, bits: int, symmetric: bool, narrow: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return the step of the grid, and its first and last point."""
    low, high = low.clamp(max=0), high.clamp(min=0)
    if symmetric:
        high = torch.maximum(-low, high)
        low = -high
    first, last = float(narrow), float(2**bits - 1)
    step = (high - low) / (last - first)
    step = torch.where(step == 0, 1, step)
    zero = (first - low / step).clamp(first, last).round()
    return step, (first - zero) * step, (last - zero) * step


def _rounded(x: Tensor, step: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Return the nearest points of the grid; the gradient passes where the numbers lie on it."""
    clamped = torch.minimum(torch.maximum(x, low), high)
    return clamped + (((clamped - low) / step + 0.5).floor() * step + low - clamped).detach()


def _channels(values: Tensor, x: Tensor, axis: int) -> Tensor:
    shape = [1] * x.dim()
    shape[axis] = -1
    return values.view(shape)


@as_primitive
def FakeQuantPerLayer(
    x: Tensor, min: Tensor, max: Tensor, *, num_bits: int = 8, ema: bool = False, ema_decay: float = 0.999,
    quant_delay: _Delay = 0, symmetric: bool = False, narrow_range: bool = False, training: bool = True,
) -> Tensor:  # fmt: skip
    """Numbers rounded to a grid of `num_bits` between `min` and `max`."""
    return _rounded(x, *_grid(min.detach(), max.detach(), num_bits, symmetric, narrow_range))


@as_primitive
def FakeQuantPerLayerGrad(
    dout: Tensor, x: Tensor, min: Tensor, max: Tensor, *, num_bits: int = 8, quant_delay: _Delay = 0,
    symmetric: bool = False, narrow_range: bool = False,
) -> Tensor:  # fmt: skip
    """The gradient of `FakeQuantPerLayer`: the gradient of the result where the numbers lie on the grid."""
    _, low, high = _grid(min, max, num_bits, symmetric, narrow_range)
    return dout * ((x >= low) & (x <= high))


@as_primitive
def FakeQuantPerChannel(
    x: Tensor, min: Tensor, max: Tensor, *, num_bits: int = 8, ema: bool = False, ema_decay: float = 0.999,
    quant_delay: _Delay = 0, symmetric: bool = False, narrow_range: bool = False, training: bool = True,
    channel_axis: int = 1,
) -> Tensor:  # fmt: skip
    """`FakeQuantPerLayer` with a grid for each channel."""
    parts = _grid(min.detach(), max.detach(), num_bits, symmetric, narrow_range)
    return _rounded(x, *(_channels(part, x, channel_axis) for part in parts))


@as_primitive
def FakeQuantPerChannelGrad(
    dout: Tensor, x: Tensor, min: Tensor, max: Tensor, *, num_bits: int = 8, quant_delay: _Delay = 0,
    symmetric: bool = False, narrow_range: bool = False, channel_axis: int = 1,
) -> Tensor:  # fmt: skip
    """The gradient of `FakeQuantPerChannel`."""
    _, low, high = (_channels(part, x, channel_axis) for part in _grid(min, max, num_bits, symmetric, narrow_range))
    return dout * ((x >= low) & (x <= high))


@as_primitive
def FakeQuantWithMinMaxVars(
    x: Tensor, min: Tensor, max: Tensor, *, num_bits: int = 8, narrow_range: bool = False
) -> Tensor:
    """`FakeQuantPerLayer`, without symmetry."""
    return _rounded(x, *_grid(min.detach(), max.detach(), num_bits, False, narrow_range))


@as_primitive
def FakeQuantWithMinMaxVarsPerChannel(
    x: Tensor, min: Tensor, max: Tensor, *, num_bits: int = 8, narrow_range: bool = False
) -> Tensor:
    """`FakeQuantWithMinMaxVars` with a grid for each element of the last axis."""
    return _rounded(x, *_grid(min.detach(), max.detach(), num_bits, False, narrow_range))


def _of_limits(
    gradients: Tensor, x: Tensor, min: Tensor, max: Tensor, bits: int, narrow: bool
) -> tuple[Tensor, Tensor, Tensor]:
    _, low, high = _grid(min, max, bits, False, narrow)
    below, above = x < low, x > high
    return (
        gradients * ~(below | above),
        (gradients * below).sum_to_size(min.shape),
        (gradients * above).sum_to_size(max.shape),
    )


@as_primitive
def FakeQuantWithMinMaxVarsGradient(
    gradients: Tensor, x: Tensor, min: Tensor, max: Tensor, *, num_bits: int = 8, narrow_range: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the numbers and of both limits of `FakeQuantWithMinMaxVars`."""
    return _of_limits(gradients, x, min, max, num_bits, narrow_range)


@as_primitive
def FakeQuantWithMinMaxVarsPerChannelGradient(
    gradients: Tensor, x: Tensor, min: Tensor, max: Tensor, *, num_bits: int = 8, narrow_range: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of the numbers and of both limits of `FakeQuantWithMinMaxVarsPerChannel`."""
    return _of_limits(gradients, x, min, max, num_bits, narrow_range)


def _moved(old: Tensor, new: Tensor, ema: bool, decay: float) -> Tensor:
    return old * decay + new * (1 - decay) if ema else new


@as_primitive
def MinMaxUpdatePerLayer(
    x: Tensor, min: Tensor, max: Tensor, *, ema: bool = False, ema_decay: float = 0.999
) -> tuple[Tensor, Tensor]:
    """The limits of all numbers, at most and at least 0, or moving averages of these."""
    low, high = x.amin().clamp(max=0).view(min.shape), x.amax().clamp(min=0).view(max.shape)
    return _moved(min, low, ema, ema_decay), _moved(max, high, ema, ema_decay)


@as_primitive
def MinMaxUpdatePerChannel(
    x: Tensor, min: Tensor, max: Tensor, *, ema: bool = False, ema_decay: float = 0.999, channel_axis: int = 1
) -> tuple[Tensor, Tensor]:
    """`MinMaxUpdatePerLayer` for each channel."""
    over = [dim for dim in range(x.dim()) if dim != channel_axis % x.dim()]
    low, high = x.amin(over).clamp(max=0), x.amax(over).clamp(min=0)
    return _moved(min, low, ema, ema_decay), _moved(max, high, ema, ema_decay)


# Learned scales; S. Esser et al., Learned step size quantization, 2020


def _learned(x: Tensor, alpha: Tensor, quant_max: Tensor, neg_trunc: bool) -> Tensor:
    scaled = (x / alpha).clamp(0.0 if neg_trunc else -1.0, 1.0)
    levels = scaled * quant_max
    return alpha * (scaled + ((levels.abs() + 0.5).floor() * levels.sign() / quant_max - scaled).detach())


@as_primitive
def FakeLearnedScaleQuantPerLayer(
    input_x: Tensor, alpha: Tensor, quant_max: Tensor, *, quant_delay: _Delay = 0, neg_trunc: bool = False,
    training: bool = True,
) -> Tensor:  # fmt: skip
    """Numbers rounded to a grid of `quant_max` steps up to `alpha`."""
    return _learned(input_x, alpha, quant_max, neg_trunc)


@as_primitive
def FakeLearnedScaleQuantPerChannel(
    input_x: Tensor, alpha: Tensor, quant_max: Tensor, *, quant_delay: _Delay = 0, neg_trunc: bool = False,
    training: bool = True, channel_axis: int = 1,
) -> Tensor:  # fmt: skip
    """`FakeLearnedScaleQuantPerLayer` with a scale for each channel."""
    return _learned(input_x, _channels(alpha, input_x, channel_axis), quant_max, neg_trunc)


# Batch normalization folded into weights


@as_primitive
def CorrectionMul(x: Tensor, batch_std: Tensor, running_std: Tensor, *, channel_axis: int = 0) -> Tensor:
    """A weight times the quotient of the deviations of the batch and of all batches."""
    return x * _channels(batch_std / running_std, x, channel_axis)


@as_primitive
def BatchNormFold2(
    x: Tensor, beta: Tensor, gamma: Tensor, batch_std: Tensor, batch_mean: Tensor, running_std: Tensor,
    running_mean: Tensor, global_step: Any, *, freeze_bn: int = 0,
) -> Tensor:  # fmt: skip
    """The output of a convolution with folded weights, scaled and shifted to the statistics of the batch."""
    if freeze_bn and int(global_step) >= freeze_bn:
        return x + _channels(beta - gamma * running_mean / running_std, x, 1)
    factor, shift = running_std / batch_std, beta - gamma * batch_mean / batch_std
    return x * _channels(factor, x, 1) + _channels(shift, x, 1)
