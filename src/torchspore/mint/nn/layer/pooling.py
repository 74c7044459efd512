"""Pooling layers, with torch's arguments."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.mint.nn import functional as F
from torchspore.nn import AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool2d
from torchspore.nn import AvgPool1dExt as AvgPool1d
from torchspore.nn import AvgPool2dExt as AvgPool2d
from torchspore.nn import AvgPool3dExt as AvgPool3d
from torchspore.nn import MaxPool2dExt as MaxPool2d
from torchspore.nn.cell import Cell

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool2d", "MaxUnpool2d",
]  # fmt: skip


class MaxUnpool2d(Cell):
    """Put maxima back to their positions, `mint.nn.functional.max_unpool2d`.

    Args:
        kernel_size, stride, padding: the arguments of the pooling, as for `MaxPool2d`.

    Inputs:
        - input: the maxima, a Tensor of shape (N, C, H, W) or (C, H, W).
        - indices: their indices.
        - output_size: the size of the result. Default: None, the smallest that fits.
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding

    def construct(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return F.max_unpool2d(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class AdaptiveAvgPool1d(Cell):
    """The averages over `output_size` windows of sequences, `mint.nn.functional.adaptive_avg_pool1d`.

    Args:
        output_size: the number of windows.

    Inputs: a Tensor of shape (N, C, L) or (C, L).
    """

    _shown = ("output_size",)

    def __init__(self, output_size: int) -> None:
        super().__init__()
        self.output_size = output_size

    def construct(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveMaxPool1d(Cell):
    """The maxima over `output_size` windows of sequences, `mint.nn.functional.adaptive_max_pool1d`.

    Args:
        output_size: the number of windows.
        return_indices: whether to return the indices of the maxima too. Default: False.

    Inputs: a Tensor of shape (N, C, L) or (C, L).
    """

    _shown = ("output_size", "return_indices")

    def __init__(self, output_size: int, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def construct(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)
