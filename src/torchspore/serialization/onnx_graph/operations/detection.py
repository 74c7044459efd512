"""Boxes, regions and sampling."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common.tensor import wrap
from torchspore.serialization.onnx_graph.operations.movement import listed
from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["TABLE"]

_SAMPLINGS = {"bilinear": "bilinear", "linear": "bilinear", "nearest": "nearest", "bicubic": "bicubic",
              "cubic": "bicubic"}  # fmt: skip

_MAX_CELLS = 2**16  # of a region, which are computed one by one


def _corners(boxes: Tensor, is_centered: int) -> Tensor:
    """Return boxes as their smaller and larger corners."""
    a, b = boxes[..., :2], boxes[..., 2:]
    if is_centered:
        return torch.cat([a - b / 2, a + b / 2], -1)
    return torch.cat([torch.minimum(a, b), torch.maximum(a, b)], -1)


def _suppressed(boxes: Tensor, scores: Tensor, limit: int, overlap: float) -> Tensor:
    """Return the indices of the boxes that remain of one class, the best ones first; boxes are ordered by scores."""
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    remaining = torch.arange(len(boxes), device=boxes.device)
    kept: list[Tensor] = []
    while len(remaining) and len(kept) < limit:
        best, remaining = remaining[0], remaining[1:]
        kept.append(best)
        others = boxes[remaining]
        sides = torch.minimum(others[:, 2:], boxes[best, 2:]) - torch.maximum(others[:, :2], boxes[best, :2])
        common = sides.clamp(min=0).prod(1)
        union = areas[remaining] + areas[best] - common
        is_over = (common > overlap * union) & (union > 0)
        remaining = remaining[~is_over]
    return torch.stack(kept) if kept else remaining[:0]


def _suppression(
    boxes: Tensor,
    scores: Tensor,
    max_output_boxes_per_class: Sequence[int] | int | None = None,
    iou_threshold: Sequence[float] | float | None = None,
    score_threshold: Sequence[float] | float | None = None,
    *,
    center_point_box: int = 0,
) -> Tensor:
    limit = listed(max_output_boxes_per_class or 0)[0]
    overlap = listed(iou_threshold or 0.0)[0]
    if boxes.ndim != 3 or boxes.shape[2] != 4 or scores.ndim != 3 or scores.shape[2] != boxes.shape[1]:
        raise ValueError(f"boxes of shape {tuple(boxes.shape)} with scores of shape {tuple(scores.shape)}")
    found = []
    for batch in range(scores.shape[0]):
        corners = _corners(boxes[batch], center_point_box)
        for number in range(scores.shape[1] if limit > 0 else 0):
            own = scores[batch, number]
            order = torch.argsort(own, descending=True, stable=True)
            if score_threshold is not None:
                order = order[own[order] > listed(score_threshold)[0]]
            kept = order[_suppressed(corners[order], own[order], limit, overlap)]
            place = torch.tensor([[batch, number]], device=boxes.device).expand(len(kept), 2)
            found.append(torch.cat([place, kept.unsqueeze(1)], 1))
    return torch.cat(found) if found else torch.zeros((0, 3), dtype=torch.int64, device=boxes.device)


def _align(
    x: Tensor,
    rois: Tensor,
    batch_indices: Tensor,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Tensor:
    """Return samples of regions; regions for which the grids have other sizes are computed one by one."""
    shift = 0.5 if coordinate_transformation_mode == "half_pixel" else 0.0
    results = []
    for number, roi in enumerate((rois * spatial_scale - shift).unbind(0)):
        left, top, right, bottom = roi
        width, height = right - left, bottom - top
        if not shift:
            width, height = width.clamp(min=1), height.clamp(min=1)
        counts = [sampling_ratio, sampling_ratio]
        if sampling_ratio <= 0:
            sides = wrap(torch.stack([height / output_height, width / output_width])).asnumpy().tolist()
            counts = [max(math.ceil(side), 1) for side in sides]
        ys = _samples(top, height, output_height, counts[0])
        xs = _samples(left, width, output_width, counts[1])
        sampled = _bilinear(x[batch_indices[number].to(torch.int64)], ys, xs, mode == "max")
        channels = x.shape[1]
        sampled = sampled.reshape(channels, output_height, counts[0], output_width, counts[1], -1)
        results.append(sampled.amax((2, 4, 5)) if mode == "max" else sampled.sum(5).mean((2, 4)))
    return torch.stack(results) if results else x.new_zeros((0, x.shape[1], output_height, output_width))


def _samples(start: Tensor, length: Tensor, bins: int, count: int) -> Tensor:
    """Return the coordinates of samples along one axis."""
    steps = torch.arange(bins * count, device=start.device, dtype=start.dtype)
    return start + (steps + 0.5) * (length / (bins * count))


def _bilinear(x: Tensor, ys: Tensor, xs: Tensor, apart: bool) -> Tensor:
    """Return samples of an image (C, H, W) at a grid as (C, ys, xs, 4), the weighted neighbors."""
    height, width = x.shape[1:]
    outside = ((ys < -1) | (ys > height)).unsqueeze(1) | ((xs < -1) | (xs > width))
    ys, xs = ys.clamp(0, height - 1), xs.clamp(0, width - 1)
    y0, x0 = ys.floor().to(torch.int64), xs.floor().to(torch.int64)
    y1, x1 = (y0 + 1).clamp(max=height - 1), (x0 + 1).clamp(max=width - 1)
    dy, dx = (ys - y0).unsqueeze(1), xs - x0
    parts = []
    for rows, factor_y in ((y0, 1 - dy), (y1, dy)):
        for columns, factor_x in ((x0, 1 - dx), (x1, dx)):
            parts.append(x[:, rows.unsqueeze(1), columns] * (factor_y * factor_x))
    return torch.where(outside.unsqueeze(-1), 0, torch.stack(parts, -1))


def _max_roi(x: Tensor, rois: Tensor, *, pooled_shape: Sequence[int], spatial_scale: float = 1.0) -> Tensor:
    height, width = x.shape[2:]
    if len(pooled_shape) != 2 or math.prod(pooled_shape) > _MAX_CELLS:
        raise ValueError(f"regions of the shape {tuple(pooled_shape)} are not supported")
    results = []
    for roi in wrap(rois).asnumpy().tolist():
        batch = int(roi[0])
        left, top, right, bottom = [math.floor(side * spatial_scale + 0.5) for side in roi[1:]]
        ranges = []
        for start, end, count, size in ((top, bottom, pooled_shape[0], height), (left, right, pooled_shape[1], width)):
            step = max(end - start + 1, 1) / count
            bounds = [(start + math.floor(i * step), start + math.ceil((i + 1) * step)) for i in range(count)]
            ranges.append([(min(max(low, 0), size), min(max(high, 0), size)) for low, high in bounds])
        cells = [
            x[batch, :, y0:y1, x0:x1].amax((1, 2)) if y1 > y0 and x1 > x0 else x.new_zeros(x.shape[1])
            for y0, y1 in ranges[0]
            for x0, x1 in ranges[1]
        ]
        results.append(torch.stack(cells, 1).reshape(x.shape[1], *pooled_shape))
    return torch.stack(results) if results else x.new_zeros((0, x.shape[1], *pooled_shape))


def _grid_sample(
    x: Tensor, grid: Tensor, *, align_corners: int = 0, mode: str = "linear", padding_mode: str = "zeros"
) -> Tensor:
    if mode not in _SAMPLINGS or padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(f"the mode '{mode}' with the padding '{padding_mode}'")
    return F.grid_sample(x, grid.to(x.dtype), _SAMPLINGS[mode], padding_mode, bool(align_corners))


def _affine_grid(theta: Tensor, size: Sequence[int], *, align_corners: int = 0) -> Tensor:
    return F.affine_grid(theta, list(size), bool(align_corners))


TABLE: Table = {
    "AffineGrid": Operation(_affine_grid, (1,)),
    "GridSample": Operation(_grid_sample),
    "MaxRoiPool": Operation(_max_roi),
    "NonMaxSuppression": Operation(_suppression, (2, 3, 4)),
    "RoiAlign": Operation(_align),
}
