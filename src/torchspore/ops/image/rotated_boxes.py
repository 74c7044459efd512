"""The overlap of rotated rectangles."""

from __future__ import annotations

import math
from typing import Annotated

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import Only

__all__ = ["rotated_iou"]

# The tolerance for points on the border, relative to a box's size.
_ROUNDING = 1e-6
_SIDES = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))


def _cross(a: Tensor, b: Tensor) -> Tensor:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _rotated(points: Tensor, angle: Tensor) -> Tensor:
    """Return points, of shape (..., 4, 2), rotated around the origin by angles of shape (...)."""
    cos, sin = angle.cos()[..., None], angle.sin()[..., None]
    x, y = points.unbind(-1)
    return torch.stack((x * cos - y * sin, x * sin + y * cos), -1)


def _corners_inside(corners: Tensor, centre: Tensor, size: Tensor, angle: Tensor, slack: float) -> Tensor:
    """Return which of four corners are in a rectangle."""
    distance = _rotated(corners - centre.unsqueeze(-2), -angle).abs()
    limit = (size / 2 + _ROUNDING * size.amax(-1, True) + slack).unsqueeze(-2)
    return (distance <= limit).all(-1)


def _crossings(a: Tensor, b: Tensor, slack: float) -> tuple[Tensor, Tensor]:
    """Return the points where the sides of two rectangles cross, (..., 16, 2), and whether they do."""
    start_a, start_b = a.unsqueeze(-2), b.unsqueeze(-3)
    side_a, side_b = a.roll(-1, -2).unsqueeze(-2) - start_a, b.roll(-1, -2).unsqueeze(-3) - start_b
    cross, between = _cross(side_a, side_b), start_b - start_a
    parallel = cross.abs() <= 1e-7 * side_a.norm(dim=-1) * side_b.norm(dim=-1)
    cross = cross.masked_fill(parallel, 1)
    at_a, at_b = _cross(between, side_b) / cross, _cross(between, side_a) / cross
    slack += _ROUNDING
    meet = ~parallel & (at_a >= -slack) & (at_a <= 1 + slack) & (at_b >= -slack) & (at_b <= 1 + slack)
    return (start_a + at_a.unsqueeze(-1) * side_a).flatten(-3, -2), meet.flatten(-2)


def _hull_area(points: Tensor, valid: Tensor) -> Tensor:
    """Return the area of the convex polygon whose corners are the valid points, in any order."""
    count = valid.sum(-1, keepdim=True).clamp(min=1).unsqueeze(-1)
    points = torch.where(valid.unsqueeze(-1), points, 0)
    outward = (points - points.sum(-2, keepdim=True) / count).detach()
    order = torch.atan2(outward[..., 1], outward[..., 0]).masked_fill(~valid, math.inf).argsort(-1)
    points = points.gather(-2, order.unsqueeze(-1).expand_as(points))
    points = torch.where(valid.gather(-1, order).unsqueeze(-1), points, points[..., :1, :])
    return _cross(points, points.roll(-1, -2)).sum(-1).abs() / 2


def _unpacked(boxes: Tensor, by_corners: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return the centres, the sizes and the angles in radians."""
    first, second, angle = boxes[..., :2], boxes[..., 2:4], torch.deg2rad(boxes[..., 4])
    return ((first + second) / 2, second - first, angle) if by_corners else (first, second, angle)


@op
def rotated_iou(
    boxes: Annotated[Tensor, "B N 5"],
    query_boxes: Annotated[Tensor, "B K 5"],
    trans: bool = False,
    mode: int = 0,
    is_cross: Annotated[bool, Only(True, advice="For pairs, take the diagonal of the result.")] = True,
    v_threshold: float = 0.0,
    e_threshold: float = 0.0,
) -> Tensor:
    """The intersection over union of rotated rectangles.

    Args:
        boxes: a floating-point Tensor of shape (B, N, 5): centre (x, y), width, height, and the angle in degrees.
        query_boxes: rectangles to compare with, of shape (B, K, 5).
        trans: whether the rectangles are given by two opposite corners (x, y, x, y) before the rotation around their
            centre, and the angle. Default: False.
        mode: 1 divides by the area of the rectangle in `boxes` instead of the union. Default: 0.
        is_cross: True: each of the N is compared with each of the K. Default: True.
        v_threshold: how far outside a rectangle a corner still counts as inside. Default: 0.0.
        e_threshold: by how much, relative to their length, sides are prolonged to find crossings. Default: 0.0.

    Returns a Tensor of shape (B, N, K).

    Raises:
        NotImplementedError: `is_cross` is False.

    Examples:
        >>> import torchspore as ms
        >>> box, rotated = ms.Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]]), ms.Tensor([[[0.0, 0.0, 2.0, 2.0, 90.0]]])
        >>> print(ms.ops.rotated_iou(box, rotated))
        [[[1.]]]
    """
    wide = torch.promote_types(boxes.dtype, torch.float32)
    ours = _unpacked(boxes.to(wide).unsqueeze(2), trans)
    theirs = _unpacked(query_boxes.to(wide).unsqueeze(1), trans)
    sides = torch.tensor(_SIDES, dtype=wide, device=boxes.device)
    # From here on, the centre of the query is the origin.
    offset = ours[0] - theirs[0]
    a = _rotated(sides * ours[1].unsqueeze(-2), ours[2]) + offset.unsqueeze(-2)
    b = _rotated(sides * theirs[1].unsqueeze(-2), theirs[2]).expand_as(a)
    points, meet = _crossings(a, b, e_threshold)
    a_inside = _corners_inside(a, torch.zeros_like(offset), theirs[1], theirs[2], v_threshold)
    b_inside = _corners_inside(b, offset, ours[1], ours[2], v_threshold)
    valid = torch.cat((meet, a_inside, b_inside), -1)
    shared = _hull_area(torch.cat((points, a, b), -2), valid)
    area = ours[1].prod(-1)
    whole = area.expand_as(shared) if mode == 1 else area + theirs[1].prod(-1) - shared
    return (shared / whole.clamp(min=torch.finfo(wide).tiny)).to(boxes.dtype)
