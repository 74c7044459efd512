"""Pooling layers, with torch's arguments."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.mint.nn import functional as F
from torchspore.nn import AdaptiveAvgPool2d, AdaptiveAvgPool3d, AdaptiveMaxPool2d
from torchspore.nn.cell import Cell

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AvgPool1d", "AvgPool2d", "AvgPool3d", "MaxPool2d", "MaxUnpool2d",
]  # fmt: skip


class AvgPool1d(Cell):
    """The averages over sliding windows of sequences, `mint.nn.functional.avg_pool1d`.

    Args:
        kernel_size: the size of the window.
        stride: the steps of the window. Default: None, its size.
        padding: the zeros on both ends, at most half of the window. Default: 0.
        ceil_mode: whether the last window may reach over the end. Default: False.
        count_include_pad: whether the padding counts as elements. Default: True.

    Inputs:
        A Tensor of shape (N, C, L) or (C, L).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.nn.AvgPool1d(2)(ms.Tensor([[1.0, 3.0, 4.0, 6.0]])))
        [[2. 5.]]

    MindSpore: `mindspore.mint.nn.AvgPool1d`.
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def construct(self, input: Tensor) -> Tensor:
        window = (self.kernel_size, self.stride, self.padding)
        return F.avg_pool1d(input, *window, self.ceil_mode, self.count_include_pad)


class AvgPool2d(AvgPool1d):
    """The averages over sliding windows of images, `mint.nn.functional.avg_pool2d`.

    Args:
        kernel_size: the size of the window, an int or (height, width).
        stride: the steps of the window, likewise. Default: None, its size.
        padding: the zeros on both ends, at most half of the window. Default: 0.
        ceil_mode: whether the last window may reach over the end. Default: False.
        count_include_pad: whether the padding counts as elements. Default: True.
        divisor_override: what the sum is divided by. Default: None, the number of elements.

    Inputs:
        A Tensor of shape (N, C, H, W) or (C, H, W).

    MindSpore: `mindspore.mint.nn.AvgPool2d`.
    """

    _function = staticmethod(F.avg_pool2d)

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def construct(self, input: Tensor) -> Tensor:
        window = (self.kernel_size, self.stride, self.padding)
        return self._function(input, *window, self.ceil_mode, self.count_include_pad, self.divisor_override)


class AvgPool3d(AvgPool2d):
    """The averages over sliding windows of volumes, shape (N, C, D, H, W) or (C, D, H, W); see `AvgPool2d`.

    MindSpore: `mindspore.mint.nn.AvgPool3d`.
    """

    _function = staticmethod(F.avg_pool3d)


class MaxPool2d(Cell):
    """The maxima over sliding windows of images, `mint.nn.functional.max_pool2d`.

    Args:
        kernel_size: the size of the window, an int or (height, width). Default: 1.
        stride: the steps of the window, likewise. Default: None, its size.
        padding: the elements, taken as -inf, on both ends, at most half of the window. Default: 0.
        dilation: the distance between the elements of the window. Default: 1.
        return_indices: whether to return the places of the maxima too. Default: False.
        ceil_mode: whether the last window may reach over the end. Default: False.

    Inputs:
        A Tensor of shape (N, C, H, W) or (C, H, W).

    MindSpore: `mindspore.mint.nn.MaxPool2d`.
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...] = 1,
        stride: int | tuple[int, ...] | None = None,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def construct(self, input: Tensor) -> Any:
        window = (self.kernel_size, self.stride, self.padding, self.dilation)
        return F.max_pool2d(input, *window, self.ceil_mode, self.return_indices)


class MaxUnpool2d(Cell):
    """Put maxima back to where they were, `mint.nn.functional.max_unpool2d`.

    Args:
        kernel_size: the size of the window, an int or (height, width).
        stride: the steps of the window, likewise. Default: None, its size.
        padding: the padding of the pooling. Default: 0.

    Inputs:
        - input: the maxima, a Tensor of shape (N, C, H, W) or (C, H, W).
        - indices: their places.
        - output_size: the size of the result. Default: None, the least that fits.

    MindSpore: `mindspore.mint.nn.MaxUnpool2d`.
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
    """The averages over as many windows as the output is to have, `mint.nn.functional.adaptive_avg_pool1d`.

    Args:
        output_size: the number of windows.

    Inputs:
        A Tensor of shape (N, C, L) or (C, L).

    MindSpore: `mindspore.mint.nn.AdaptiveAvgPool1d`.
    """

    def __init__(self, output_size: int) -> None:
        super().__init__()
        self.output_size = output_size

    def construct(self, input: Tensor) -> Tensor:
        return F.adaptive_avg_pool1d(input, self.output_size)

    def extend_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(Cell):
    """The maxima over as many windows as the output is to have, `mint.nn.functional.adaptive_max_pool1d`.

    Args:
        output_size: the number of windows.
        return_indices: whether to return the places of the maxima too. Default: False.

    Inputs:
        A Tensor of shape (N, C, L) or (C, L).

    MindSpore: `mindspore.mint.nn.AdaptiveMaxPool1d`.
    """

    def __init__(self, output_size: int, return_indices: bool = False) -> None:
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def construct(self, input: Tensor) -> Any:
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)

    def extend_repr(self) -> str:
        return f"output_size={self.output_size}, return_indices={self.return_indices}"
