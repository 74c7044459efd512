"""Kernels of MindSpore's earlier versions."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.engine.primitive import as_primitive

__all__ = ["FFT3D", "IFFT3D", "ReLUV2"]


@as_primitive
def ReLUV2(input_x: Tensor) -> tuple[Tensor, Tensor]:
    """The positive part of a Tensor, and where it is positive, as uint8 numbers.

    Source: MindSpore 2.0, `ops.ReLUV2`.
    """
    return input_x.relu(), (input_x > 0).to(torch.uint8)


@as_primitive
def FFT3D(input_tensor: Tensor) -> Tensor:
    """The Fourier transform of a real Tensor of three dimensions, half of it in the last one.

    Source: MindSpore 1.10, `ops.FFT3D`.
    """
    return torch.fft.rfftn(input_tensor)


@as_primitive
def IFFT3D(input_tensor: Tensor) -> Tensor:
    """The inverse of `FFT3D`, times the number of elements; the last dimension is even.

    Source: MindSpore 1.10, `ops.IFFT3D`.
    """
    return torch.fft.irfftn(input_tensor, norm="forward")
