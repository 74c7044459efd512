"""Random numbers, losses and transforms of signals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.serialization.onnx_graph.operations.movement import Numbers, listed
from torchspore.serialization.onnx_graph.table import Operation, Table
from torchspore.serialization.onnx_graph.tensor_values import dtype_of

__all__ = ["TABLE"]

# Random numbers come from torch's generator, whatever seed a file has.


def _normal(
    *, dtype: int = 1, mean: float = 0.0, scale: float = 1.0, seed: float | None = None, shape: Sequence[int],
    device: torch.device,
) -> Tensor:  # fmt: skip
    return torch.randn(tuple(shape), dtype=dtype_of(dtype), device=device) * scale + mean


def _uniform(
    *, dtype: int = 1, high: float = 1.0, low: float = 0.0, seed: float | None = None, shape: Sequence[int],
    device: torch.device,
) -> Tensor:  # fmt: skip
    return torch.rand(tuple(shape), dtype=dtype_of(dtype), device=device) * (high - low) + low


def _normal_like(
    x: Tensor, *, dtype: int | None = None, mean: float = 0.0, scale: float = 1.0, seed: float | None = None
) -> Tensor:
    kind = x.dtype if dtype is None else dtype_of(dtype)
    return torch.randn(x.shape, dtype=kind, device=x.device) * scale + mean


def _uniform_like(
    x: Tensor, *, dtype: int | None = None, high: float = 1.0, low: float = 0.0, seed: float | None = None
) -> Tensor:
    kind = x.dtype if dtype is None else dtype_of(dtype)
    return torch.rand(x.shape, dtype=kind, device=x.device) * (high - low) + low


def _bernoulli(x: Tensor, *, dtype: int | None = None, seed: float | None = None) -> Tensor:
    drawn = torch.rand(x.shape, dtype=torch.float32, device=x.device) < x
    return drawn.to(x.dtype if dtype is None else dtype_of(dtype))


def _multinomial(x: Tensor, *, dtype: int = 6, sample_size: int = 1, seed: float | None = None) -> Tensor:
    return torch.multinomial(torch.softmax(x, -1), sample_size, replacement=True).to(dtype_of(dtype))


def _dropout(
    x: Tensor, ratio: float | None = 0.5, training_mode: bool | None = None, *, seed: int | None = None, outputs: int
) -> Any:
    if not training_mode or not ratio:
        return x if outputs == 1 else (x, torch.ones_like(x, dtype=torch.bool))
    kept = torch.rand_like(x) >= ratio
    return x * kept / (1 - ratio), kept


def _negative_log_likelihood(
    x: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    ignored = -(2**31) if ignore_index is None else ignore_index
    return F.nll_loss(x, target.to(torch.int64), weight, ignore_index=ignored, reduction=reduction)


def _cross_entropy(
    x: Tensor, target: Tensor, weight: Tensor | None = None, *, ignore_index: int | None = None,
    reduction: str = "mean", outputs: int,
) -> Any:  # fmt: skip
    logarithms = torch.log_softmax(x, 1)
    loss = _negative_log_likelihood(logarithms, target, weight, ignore_index=ignore_index, reduction=reduction)
    return loss if outputs == 1 else (loss, logarithms)


def _window(terms: Sequence[float], size: Numbers, output_datatype: int, periodic: int, device: torch.device) -> Tensor:
    count = listed(size)[0]
    angle = torch.arange(count, device=device, dtype=torch.float64) * (2 * math.pi / (count - (not periodic) or 1))
    values = sum((term * torch.cos(i * angle) for i, term in enumerate(terms[1:], 1)), terms[0] + 0 * angle)
    return values.to(dtype_of(output_datatype))


def _hann(size: Numbers, *, output_datatype: int = 1, periodic: int = 1, device: torch.device) -> Tensor:
    return _window((0.5, -0.5), size, output_datatype, periodic, device)


def _hamming(size: Numbers, *, output_datatype: int = 1, periodic: int = 1, device: torch.device) -> Tensor:
    return _window((25 / 46, -21 / 46), size, output_datatype, periodic, device)


def _blackman(size: Numbers, *, output_datatype: int = 1, periodic: int = 1, device: torch.device) -> Tensor:
    return _window((0.42, -0.5, 0.08), size, output_datatype, periodic, device)


def _dft(
    x: Tensor, dft_length: Numbers | None = None, axis: Numbers = -2, *, inverse: int = 0, onesided: int = 0
) -> Tensor:
    axis = int(listed(axis)[0]) % x.ndim
    length = x.shape[axis] if dft_length is None else listed(dft_length)[0]
    if x.shape[-1] not in (1, 2) or axis == x.ndim - 1:
        raise ValueError(f"the last axis of {tuple(x.shape)} must have real and imaginary parts")
    if inverse and onesided:
        value = torch.complex(x[..., 0].contiguous(), x[..., -1].contiguous())
        length = 2 * (length - 1) if dft_length is None else length
        return torch.fft.irfft(value, length, axis).unsqueeze(-1)
    if onesided:
        result = torch.fft.rfft(x[..., 0], length, axis)
    else:
        imaginary = x[..., 1].contiguous() if x.shape[-1] == 2 else torch.zeros_like(x[..., 0])
        transform = torch.fft.ifft if inverse else torch.fft.fft
        result = transform(torch.complex(x[..., 0].contiguous(), imaginary), length, axis)
    return torch.view_as_real(result.resolve_conj())


def _dft_17(
    x: Tensor, dft_length: Numbers | None = None, *, axis: int = 1, inverse: int = 0, onesided: int = 0
) -> Tensor:
    return _dft(x, dft_length, axis, inverse=inverse, onesided=onesided)


def _stft(
    x: Tensor,
    frame_step: Numbers,
    window: Tensor | None = None,
    frame_length: Numbers | None = None,
    *,
    onesided: int = 1,
) -> Tensor:
    step = listed(frame_step)[0]
    if frame_length is not None:
        length = listed(frame_length)[0]
    elif window is not None:
        length = len(window)
    else:
        raise ValueError("neither a window nor the length of frames is given")
    if step < 1:
        raise ValueError(f"the step {step} between frames")
    frames = x.unfold(1, length, step)  # (batch, parts, frames, length)
    frames = frames.movedim(-2, -1) if x.ndim == 3 else frames.unsqueeze(-1)
    if window is not None:
        frames = frames * window.unsqueeze(-1)
    return _dft(frames, None, -2, onesided=onesided)


def _mel_matrix(*given: Numbers, output_datatype: int = 1, device: torch.device) -> Tensor:
    bins, length, rate, lower, upper = [listed(value)[0] for value in given]
    spectrum = length // 2 + 1
    low, high = [2595 * math.log10(1 + edge / 700) for edge in (lower, upper)]
    step = (high - low) / (bins + 2)
    mels = low + step * torch.arange(bins + 2, device=device, dtype=torch.float64)
    edges = (700 * (10 ** (mels / 2595) - 1) * (length + 1)).div(rate, rounding_mode="floor")
    first, center, last = edges[:-2], edges[1:-1], edges[2:]
    line = torch.arange(spectrum, device=device).unsqueeze(1)
    rising, falling = (line - first) / (center - first), (last - line) / (last - center)
    inside = (line >= first) & (line < last)
    values = torch.where(line == center, 1, torch.where(inside, torch.where(line < center, rising, falling), 0))
    return values.to(dtype_of(output_datatype))


TABLE: Table = {
    "Bernoulli": Operation(_bernoulli),
    "BlackmanWindow": Operation(_blackman, (0,), given=("device",)),
    "DFT": {17: Operation(_dft_17, (1,)), 20: Operation(_dft, (1, 2))},
    "Dropout": Operation(_dropout, (1, 2), given=("outputs",)),
    "HammingWindow": Operation(_hamming, (0,), given=("device",)),
    "HannWindow": Operation(_hann, (0,), given=("device",)),
    "MelWeightMatrix": Operation(_mel_matrix, (0, 1, 2, 3, 4), given=("device",)),
    "Multinomial": Operation(_multinomial),
    "NegativeLogLikelihoodLoss": Operation(_negative_log_likelihood),
    "RandomNormal": Operation(_normal, given=("device",)),
    "RandomNormalLike": Operation(_normal_like),
    "RandomUniform": Operation(_uniform, given=("device",)),
    "RandomUniformLike": Operation(_uniform_like),
    "STFT": Operation(_stft, (1, 3)),
    "SoftmaxCrossEntropyLoss": Operation(_cross_entropy, given=("outputs",)),
}
