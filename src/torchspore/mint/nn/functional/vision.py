"""Padding, patches and resizing, with torch's signatures."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import Operand, Size, op
from torchspore.mint.shape import flatten
from torchspore.ops.array.padding import pad as _pad
from torchspore.ops.image.resizing import resized

__all__ = ["flatten", "fold", "grid_sample", "interpolate", "pad", "pixel_shuffle", "unfold", "upsample"]


@op
def pad(input: Tensor, pad: Size, mode: str = "constant", value: Operand | None = None) -> Tensor:
    """`ops.pad`, for example `pad(x, (1, 2))`: the numbers of elements before and after the last dimension.

    The other modes than "constant" also accept a `value` of 0, which has no effect.
    """
    return _pad.body(input, pad, mode, value if value or mode == "constant" else None)


@op
def unfold(
    input: Tensor,
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> Tensor:
    """The patches of images as columns.

    Args:
        input: a Tensor of shape (N, C, H, W) or (C, H, W).
        kernel_size: the size of a patch, an int or (height, width).
        dilation: the distance between the elements of a patch. Default: 1.
        padding: the zeros on both ends. Default: 0.
        stride: the stride of the patches. Default: 1.

    Returns:
        A Tensor of shape (N, C * height * width, patches), or without N.
    """
    return F.unfold(input, kernel_size, dilation, padding, stride)


@op
def fold(
    input: Tensor,
    output_size: int | tuple[int, ...],
    kernel_size: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = 1,
    padding: int | tuple[int, ...] = 0,
    stride: int | tuple[int, ...] = 1,
) -> Tensor:
    """Images from their patches, which are added where they overlap: the transpose of `unfold`.

    Args:
        input: a Tensor of shape (N, C * height * width, patches), or without N.
        output_size: the size of the images, an int or (H, W).
        kernel_size, dilation, padding, stride: as for `unfold`.
    """
    return F.fold(input, output_size, kernel_size, dilation, padding, stride)


@op
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Rearrange channels into larger images: (*, C * r * r, H, W) becomes (*, C, H * r, W * r).

    Raises:
        ValueError: the number of channels is not a multiple of `upscale_factor` squared.
    """
    return torch.pixel_shuffle(input, upscale_factor)


@op
def interpolate(
    input: Tensor,
    size: int | tuple[int, ...] | None = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Resize sequences, images or volumes; arguments as for `ops.interpolate`."""
    return resized(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


@op
def upsample(
    input: Tensor,
    size: int | tuple[int, ...] | None = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """Resize sequences, images or volumes; arguments as for `interpolate`."""
    return resized(input, size, scale_factor, mode, align_corners)


@op
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Sample images or volumes at given positions, interpolating; arguments as for `ops.grid_sample`."""
    return F.grid_sample(input, grid, mode, padding_mode, bool(align_corners))
