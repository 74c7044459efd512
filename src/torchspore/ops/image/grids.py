"""Sampling of images and volumes at given positions, and grids of affine maps."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.arguments.conversions import as_ints
from torchspore.engine.op import op
from torchspore.engine.parameters import Dimensions, TypeOf
from torchspore.engine.primitive import as_primitive, primitive

__all__ = ["AffineGrid", "GridSampler2D", "GridSampler3D", "affine_grid", "grid_sample"]

_Mode: TypeAlias = Literal["bilinear", "nearest", "bicubic"]
_Padding: TypeAlias = Literal["zeros", "border", "reflection"]


@op
def grid_sample(
    input: Tensor,
    grid: Annotated[Tensor, TypeOf("input")],
    mode: _Mode = "bilinear",
    padding_mode: _Padding = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Sample images or volumes at given positions, with interpolation.

    Args:
        input: a Tensor of shape (N, C, H, W) or (N, C, D, H, W), of float32 or float64.
        grid: the positions, of shape (N, H', W', 2) or (N, D', H', W', 3) and the same dtype: coordinates (x, y) or
            (x, y, z), where [-1, 1] spans the input.
        mode: "bilinear" (of volumes trilinear), "nearest", or for images "bicubic". Default: "bilinear".
        padding_mode: the value outside: "zeros", "border" (the nearest element) or "reflection". Default: "zeros".
        align_corners: whether -1 and 1 are the centres of the corner elements, else their outer edges. Default: None,
            False.

    Returns a Tensor of shape (N, C, H', W') or (N, C, D', H', W').
    Raises TypeError if the dtypes differ, ValueError if the shapes do not fit, or for another mode.

    Examples:
        >>> import torchspore as ms
        >>> image, middle = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), ms.Tensor([[[[0.0, 0.0]]]])
        >>> print(ms.ops.grid_sample(image, middle))
        [[[[2.5]]]]
    """
    return F.grid_sample(input, grid, mode, padding_mode, bool(align_corners))


@as_primitive
def GridSampler2D(
    input_x: Annotated[Tensor, Dimensions(4)], grid: Annotated[Tensor, TypeOf("input_x")], *,
    interpolation_mode: _Mode = "bilinear", padding_mode: _Padding = "zeros", align_corners: bool = False,
) -> Tensor:  # fmt: skip
    """`grid_sample` for images `input_x`, `interpolation_mode` being its `mode`."""
    return grid_sample.body(input_x, grid, interpolation_mode, padding_mode, align_corners)


@as_primitive
def GridSampler3D(
    input_x: Annotated[Tensor, Dimensions(5)], grid: Annotated[Tensor, TypeOf("input_x")], *,
    interpolation_mode: _Mode = "bilinear", padding_mode: _Padding = "zeros", align_corners: bool = False,
) -> Tensor:  # fmt: skip
    """`grid_sample` for volumes `input_x`, `interpolation_mode` being its `mode`."""
    return grid_sample.body(input_x, grid, interpolation_mode, padding_mode, align_corners)


@op
def affine_grid(theta: Tensor, size: Any, align_corners: bool = False) -> Tensor:
    """Return the grid with which `grid_sample` applies affine maps to images or volumes.

    Args:
        theta: the maps, a floating-point Tensor of shape (N, 2, 3) or (N, 3, 4).
        size: the shape of the result of `grid_sample`, (N, C, H, W) or (N, C, D, H, W), a tuple of ints.
        align_corners: whether -1 and 1 are the centres of the corner elements, else their outer edges. Default: False.
    """
    if not isinstance(size, (tuple, list)):
        raise TypeError("'size' must be a tuple of ints")
    size = as_ints(size, "affine_grid", "size")
    if len(size) not in (4, 5) or tuple(theta.shape) != (size[0], len(size) - 2, len(size) - 1):
        raise ValueError(
            "'theta' must be of shape (N, 2, 3) and 'size' (N, C, H, W), or 'theta' of shape (N, 3, 4) and 'size' (N, "
            "C, D, H, W)"
        )
    return F.affine_grid(theta, list(size), align_corners)


AffineGrid = primitive("AffineGrid", affine_grid, align_corners=False)
