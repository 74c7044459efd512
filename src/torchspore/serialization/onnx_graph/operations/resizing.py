"""Resize and Upsample, an axis at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["TABLE"]

_INTERPOLATIONS = {1: "linear", 2: "bilinear", 3: "trilinear"}


class _Axis:
    """How one axis is resized.

    Attributes:
        size: the number of elements before.
        new_size: the number of elements after.
        scale: the factor.
        start, end: the region of interest, as fractions.
    """

    def __init__(self, size: int, new_size: int, scale: float, region: tuple[float, float] = (0.0, 1.0)) -> None:
        self.size = size
        self.new_size = new_size
        self.scale = scale
        self.start, self.end = region

    def coordinates(self, mode: str, device: torch.device) -> Tensor:
        """Return where the new elements are between the old ones."""
        place = torch.arange(self.new_size, dtype=torch.float32, device=device)
        if mode == "asymmetric":
            return place / self.scale
        if mode == "half_pixel" or (mode == "pytorch_half_pixel" and self.new_size > 1):
            return (place + 0.5) / self.scale - 0.5
        if mode == "pytorch_half_pixel":
            return torch.zeros_like(place)
        if mode == "align_corners":
            return torch.zeros_like(place) if self.new_size == 1 else place * (self.size - 1) / (self.new_size - 1)
        if mode == "half_pixel_symmetric":
            adjustment = self.new_size / (self.scale * self.size)
            center = self.size / 2
            return center * (1 - adjustment) + (place + 0.5) / self.scale - 0.5
        if mode == "tf_half_pixel_for_nn":
            return (place + 0.5) / self.scale
        if mode != "tf_crop_and_resize":
            raise ValueError(f"the coordinates '{mode}' are not known")
        if self.new_size == 1:
            return torch.full_like(place, 0.5 * (self.start + self.end) * (self.size - 1))
        step = (self.end - self.start) * (self.size - 1) / (self.new_size - 1)
        return self.start * (self.size - 1) + place * step


_ROUNDINGS = {
    "round_prefer_floor": lambda place: torch.ceil(place - 0.5),
    "round_prefer_ceil": lambda place: torch.floor(place + 0.5),
    "floor": torch.floor,
    "ceil": torch.ceil,
}


def _kernel(mode: str, distance: Tensor, coefficient: float) -> Tensor:
    """Return the weights of elements at a distance."""
    d = distance.abs()
    if mode == "linear":
        return (1 - d).clamp(min=0)
    a = coefficient
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return torch.where(d <= 1, near, torch.where(d < 2, far, torch.zeros_like(d)))


def _resize_axis(
    x: Tensor, dim: int, axis: _Axis, place: Tensor, mode: str, coefficient: float, exclude: bool, antialias: bool
) -> Tensor:
    """Return a tensor with one axis resized, by weights of the elements around each place."""
    stretch = max(1 / axis.scale, 1.0) if antialias else 1.0
    reach = 1 if mode == "linear" else 2
    count = 2 * math.ceil(reach * stretch)
    first = torch.floor(place).unsqueeze(1) - (count // 2 - 1)
    index = first + torch.arange(count, dtype=place.dtype, device=place.device)
    weights = _kernel(mode, (index - place.unsqueeze(1)) / stretch, coefficient)
    if exclude or antialias:
        inside = (index >= 0) & (index < axis.size)
        weights = torch.where(inside, weights, 0) if exclude else weights
        weights = weights / weights.sum(1, keepdim=True)
    index = index.clamp(0, axis.size - 1).to(torch.int64)
    shape = [-1 if i == dim else 1 for i in range(x.ndim)]
    parts = [x.index_select(dim, index[:, i]) * weights[:, i].to(x.dtype).reshape(shape) for i in range(count)]
    return sum(parts[1:], parts[0])


def _resize(
    x: Tensor,
    roi: Sequence[float] | None = None,
    scales: Sequence[float] | None = None,
    sizes: Sequence[int] | None = None,
    *,
    antialias: int = 0,
    axes: Sequence[int] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Tensor:
    dims = list(range(x.ndim)) if axes is None else [axis % x.ndim for axis in axes]
    is_crop = coordinate_transformation_mode == "tf_crop_and_resize"
    regions = list(roi or ()) if is_crop else []
    if is_crop and len(regions) != 2 * len(dims):
        raise ValueError(f"a region of {len(regions)} numbers for {len(dims)} axes")
    changed: dict[int, _Axis] = {}
    for number, axis in enumerate(_axes(x, dims, scales or None, sizes or None, keep_aspect_ratio_policy)):
        if is_crop:
            axis.start, axis.end = regions[number], regions[number + len(dims)]
        if axis.new_size != axis.size or axis.scale != 1 or (axis.start, axis.end) != (0, 1):
            changed[dims[number]] = axis
    dtype, is_floating = x.dtype, x.is_floating_point()
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    if mode not in ("nearest", "linear", "cubic"):
        raise ValueError(f"the mode '{mode}' is not known")
    found = _by_kernel(x, changed, mode, coordinate_transformation_mode) if not antialias else None
    if found is not None:
        return found
    value = x if is_floating or mode == "nearest" else x.float()
    outside = None
    for dim, axis in changed.items():
        place = axis.coordinates(coordinate_transformation_mode, x.device)
        if is_crop:
            shape = [-1 if i == dim else 1 for i in range(x.ndim)]
            beyond = ((place < 0) | (place > axis.size - 1)).reshape(shape)
            outside = beyond if outside is None else outside | beyond
        if mode == "nearest":
            index = _ROUNDINGS[nearest_mode](place).clamp(0, axis.size - 1).to(torch.int64)
            value = value.index_select(dim, index)
        else:
            value = _resize_axis(value, dim, axis, place, mode, cubic_coeff_a, bool(exclude_outside), bool(antialias))
    if outside is not None:
        value = torch.where(outside, extrapolation_value, value)
    if not is_floating and mode != "nearest":
        value = value.round() if dtype is not torch.bool else value
        limits = torch.iinfo(dtype)
        value = value.clamp(limits.min, limits.max)
    return value.to(dtype)


def _axes(
    x: Tensor, dims: list[int], scales: Sequence[float] | None, sizes: Sequence[int] | None, policy: str
) -> list[_Axis]:
    old = [x.shape[dim] for dim in dims]
    given = sizes if sizes is not None else scales
    if given is None or len(given) != len(dims) or min(given) < 0:
        raise ValueError(f"the sizes {sizes} and scales {scales} are not for {len(dims)} axes")
    if sizes is None:
        return [_Axis(size, _scaled(size, scale), scale) for size, scale in zip(old, given)]
    if policy == "stretch":
        return [_Axis(size, int(new), new / max(size, 1)) for size, new in zip(old, given)]
    choose = min if policy == "not_larger" else max
    scale = choose(new / max(size, 1) for size, new in zip(old, given))
    return [_Axis(size, math.floor(size * scale + 0.5), scale) for size in old]


def _scaled(size: int, scale: float) -> int:
    """Return a new size, with the rounding of float32, in which scales are given."""
    return int(np.floor(np.float32(size) * np.float32(scale))) if scale != 1 else int(size)


def _by_kernel(x: Tensor, changed: dict[int, _Axis], mode: str, coordinates: str) -> Tensor | None:
    """Return the image resized by torch's kernel, where that does the same; None elsewhere."""
    rank = x.ndim - 2
    is_aligned = coordinates == "align_corners"
    is_usual = is_aligned or coordinates in ("half_pixel", "pytorch_half_pixel")
    if mode != "linear" or rank not in _INTERPOLATIONS or not x.is_floating_point() or not is_usual or not changed:
        return None
    sizes = list(x.shape[2:])
    for dim, axis in changed.items():
        exact = abs(axis.scale * axis.size - axis.new_size) < 1e-4 * axis.scale
        if dim < 2 or axis.new_size < 2 or not (exact or is_aligned):
            return None
        sizes[dim - 2] = axis.new_size
    return F.interpolate(x, sizes, mode=_INTERPOLATIONS[rank], align_corners=is_aligned)


def _resize_10(x: Tensor, scales: Sequence[float], *, mode: str = "nearest") -> Tensor:
    return _resize(x, None, scales, mode=mode, coordinate_transformation_mode="asymmetric", nearest_mode="floor")


TABLE: Table = {
    "Resize": {10: Operation(_resize_10, (1,)), 11: Operation(_resize, (1, 2, 3))},
    "Upsample": Operation(_resize_10, (1,)),
}
