"""Layers for patches and resizing: functions of `mint.nn.functional` as cells."""

from __future__ import annotations

from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.mint.nn import functional as F
from torchspore.nn import PixelShuffle
from torchspore.nn.cell import Cell

__all__ = ["Fold", "PixelShuffle", "Unfold", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Unfold(Cell):
    """The patches of images as columns: `mint.nn.functional.unfold` with its arguments.

    Examples:
        >>> import torchspore as ms
        >>> ms.mint.nn.Unfold(3)(ms.mint.ones((1, 2, 5, 5))).shape
        (1, 18, 9)
    """

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        dilation: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        stride: int | tuple[int, ...] = 1,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def construct(self, input: Tensor) -> Tensor:
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(Unfold):
    """Images from their patches, which are added where they overlap: `mint.nn.functional.fold` with its arguments."""

    def __init__(
        self,
        output_size: int | tuple[int, ...],
        kernel_size: int | tuple[int, ...],
        dilation: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        stride: int | tuple[int, ...] = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def construct(self, input: Tensor) -> Tensor:
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


class Upsample(Cell):
    """Resize sequences, images or volumes: `mint.nn.functional.interpolate` with its arguments.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.mint.nn.Upsample(scale_factor=2.0)(ms.Tensor([[[1.0, 2.0]]])))
        [[[1. 1. 2. 2.]]]
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, input: Tensor) -> Tensor:
        target = (self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)
        return F.interpolate(input, *target)


class UpsamplingNearest2d(Upsample):
    """Resize images, taking the nearest element.

    Args:
        size: the size of the result, an int or (height, width); either this or `scale_factor`. Default: None.
        scale_factor: the factor of the sizes. Default: None.
    """

    def __init__(self, size: int | tuple[int, ...] | None = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """Resize images by bilinear interpolation, corners aligned; see `UpsamplingNearest2d`."""

    def __init__(self, size: int | tuple[int, ...] | None = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, "bilinear", True)
