"""Operations of images that MindSpore keeps private: resizing with all settings as inputs, and pooling of regions."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import interpolate

from torchspore.engine.op import Size
from torchspore.engine.primitive import as_primitive

__all__ = ["PSROIPooling", "ResizeV2"]

_MODES = ("align_corners", "half_pixel")


def resized(api: str, x: Tensor, size: tuple[int, ...], mode: str, coordinates: str) -> Tensor:
    """Resize images to the last two sizes; see `ResizeV2`."""
    if coordinates not in _MODES or mode not in ("nearest", "linear", "cubic"):
        raise ValueError(
            f"For '{api}', 'coordinate_transformation_mode' must be one of {_MODES} and 'mode' 'nearest', 'linear' or "
            f"'cubic', but got {coordinates!r} and {mode!r}."
        )
    corners = coordinates == "align_corners"
    if mode == "nearest" and corners:
        raise ValueError(f"For '{api}', 'coordinate_transformation_mode' must be 'half_pixel' if 'mode' is 'nearest'.")
    if mode != "cubic" and size[-2] != 1:
        raise ValueError(f"For '{api}', the third size must be 1 if 'mode' is '{mode}', but got the sizes {size}.")
    if mode == "cubic":
        return interpolate(x, size[-2:], mode="bicubic", align_corners=corners)
    if mode == "nearest":
        return interpolate(x, size[-2:], mode="nearest")
    return interpolate(x.squeeze(2), size[-1:], mode="linear", align_corners=corners).unsqueeze(2)


@as_primitive
def ResizeV2(
    x: Tensor, roi: Tensor, scales: Tensor, sizes: Size, *,
    coordinate_transformation_mode: str = "half_pixel", mode: str = "nearest",
) -> Tensor:  # fmt: skip
    """Resize images to the last two `sizes`; `roi` and `scales` are not used, as in MindSpore."""
    return resized("ResizeV2", x, sizes, mode, coordinate_transformation_mode)


def _cells(low: Tensor, high: Tensor, cells: int, size: int) -> Tensor:
    """Return which of `size` pixels belong to each of the cells of regions, of shape (regions, cells, size)."""
    width = (high - low).clamp(min=0.1).unsqueeze(1) / cells
    steps, pixels = torch.arange(cells, device=low.device), torch.arange(size, device=low.device)
    first = (low.unsqueeze(1) + steps * width).floor()
    last = (low.unsqueeze(1) + (steps + 1) * width).ceil()
    return (pixels >= first.unsqueeze(-1)) & (pixels < last.unsqueeze(-1))


def pooled(features: Tensor, rois: Tensor, scale: float, group: int, outputs: int) -> Tensor:
    """Average each group of channels in its own cell of each region."""
    flat = rois.reshape(-1, 5)  # as MindSpore's kernel reads it, although the regions are the last dimension
    image, (left, top, right, bottom) = flat[:, 0].long(), (flat[:, 1:] * scale).round().unbind(1)
    exists = (image >= 0) & (image < len(features))
    height, width = features.shape[-2:]
    rows = _cells(top, bottom, group, height).to(features.dtype) * exists[:, None, None]
    columns = _cells(left, right, group, width).to(features.dtype)
    maps = features[torch.where(exists, image, 0)].reshape(-1, outputs, group, group, height, width)
    sums = torch.einsum("rcpqhw,rph,rqw->rcpq", maps, rows, columns)
    count = torch.einsum("rph,rqw->rpq", rows, columns).unsqueeze(1)
    return torch.where(count > 0, sums / count.clamp(min=1), 0)


@as_primitive
def PSROIPooling(features: Tensor, rois: Tensor, *, spatial_scale: float, group_size: int, output_dim: int) -> Tensor:
    """Average position-sensitive features in the cells of regions; J. Dai et al., R-FCN, 2016.

    Args:
        features: a Tensor of shape (N, output_dim * group_size * group_size, H, W).
        rois: the regions, of shape (N, 5, regions): image number, left, top, right, bottom.
        spatial_scale: the factor of the regions' coordinates.
        group_size: the number of cells in each direction.
        output_dim: the number of channels of the result.

    Returns a Tensor of shape (N * regions, output_dim, group_size, group_size).
    """
    return pooled(features, rois, spatial_scale, group_size, output_dim)
