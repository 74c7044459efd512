"""How much rectangles at any angle overlap."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from torchspore.engine.op import op

__all__ = ["rotated_iou"]

# How far outside, as a part of a box's size, rounding may put what is on its border.
_ROUNDING = 1e-6
_SIDES = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))


def _cross(a: Tensor, b: Tensor) -> Tensor:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _turned(points: Tensor, angle: Tensor) -> Tensor:
    """Return points, of shape (..., 4, 2), turned around the origin by angles of shape (...)."""
    cos, sin = angle.cos()[..., None], angle.sin()[..., None]
    x, y = points.unbind(-1)
    return torch.stack((x * cos - y * sin, x * sin + y * cos), -1)


def _corners_inside(corners: Tensor, centre: Tensor, size: Tensor, angle: Tensor, slack: float) -> Tensor:
    """Tell which of four corners are in a rectangle."""
    seen = _turned(corners - centre.unsqueeze(-2), -angle).abs()
    room = (size / 2 + _ROUNDING * size.amax(-1, True) + slack).unsqueeze(-2)
    return (seen <= room).all(-1)


def _crossings(a: Tensor, b: Tensor, slack: float) -> tuple[Tensor, Tensor]:
    """Return where each side of one rectangle crosses each of another, (..., 16, 2), and whether it does."""
    start, other = a.unsqueeze(-2), b.unsqueeze(-3)
    along, beside = a.roll(-1, -2).unsqueeze(-2) - start, b.roll(-1, -2).unsqueeze(-3) - other
    turn, between = _cross(along, beside), other - start
    parallel = turn.abs() <= 1e-7 * along.norm(dim=-1) * beside.norm(dim=-1)
    turn = turn.masked_fill(parallel, 1)
    at, there = _cross(between, beside) / turn, _cross(between, along) / turn
    slack += _ROUNDING
    meet = ~parallel & (at >= -slack) & (at <= 1 + slack) & (there >= -slack) & (there <= 1 + slack)
    return (start + at.unsqueeze(-1) * along).flatten(-3, -2), meet.flatten(-2)


def _hull_area(points: Tensor, valid: Tensor) -> Tensor:
    """Return the area of the convex polygon whose corners are the valid points, in any order."""
    count = valid.sum(-1, keepdim=True).clamp(min=1).unsqueeze(-1)
    points = torch.where(valid.unsqueeze(-1), points, 0)
    outward = (points - points.sum(-2, keepdim=True) / count).detach()
    order = torch.atan2(outward[..., 1], outward[..., 0]).masked_fill(~valid, math.inf).argsort(-1)
    points = points.gather(-2, order.unsqueeze(-1).expand_as(points))
    points = torch.where(valid.gather(-1, order).unsqueeze(-1), points, points[..., :1, :])
    return _cross(points, points.roll(-1, -2)).sum(-1).abs() / 2


def _taken_apart(boxes: Tensor, by_corners: bool) -> tuple[Tensor, Tensor, Tensor]:
    """Return the centres, the sizes and the angles, in radians."""
    first, second, angle = boxes[..., :2], boxes[..., 2:4], torch.deg2rad(boxes[..., 4])
    return ((first + second) / 2, second - first, angle) if by_corners else (first, second, angle)


@op
def rotated_iou(
    boxes: Tensor,
    query_boxes: Tensor,
    trans: bool = False,
    mode: int = 0,
    is_cross: bool = True,
    v_threshold: float = 0.0,
    e_threshold: float = 0.0,
) -> Tensor:
    """The area that rectangles at any angle share, over the area that they cover together.

    Args:
        boxes: rectangles, a Tensor of floats of shape (B, N, 5): the centre (x, y), width, height, and the angle in
            degrees.
        query_boxes: others, of shape (B, K, 5).
        trans: whether the rectangles are given by two opposite corners (x, y, x, y) before they are turned around their
            centre, and the angle. Default: False.
        mode: 1 divides by the area of the one in `boxes` instead. Default: 0.
        is_cross: True: each of the N is compared with each of the K. Default: True.
        v_threshold: how far outside a rectangle a corner may be to count as inside. Default: 0.0.
        e_threshold: how far, as a part of its length, a side is prolonged when sides are cut. Default: 0.0.

    Returns:
        A Tensor of shape (B, N, K).

    Raises:
        ValueError: the shapes do not fit.
        NotImplementedError: `is_cross` is False.

    Examples:
        >>> import torchspore as ms
        >>> box, turned = ms.Tensor([[[0.0, 0.0, 2.0, 2.0, 0.0]]]), ms.Tensor([[[0.0, 0.0, 2.0, 2.0, 90.0]]])
        >>> print(ms.ops.rotated_iou(box, turned))
        [[[1.]]]
    """
    if boxes.dim() != 3 or query_boxes.dim() != 3 or boxes.shape[2] != 5 or query_boxes.shape[2] != 5:
        raise ValueError("the boxes must be of shape (B, N, 5) and (B, K, 5)")
    if boxes.shape[0] != query_boxes.shape[0]:
        raise ValueError("both must have the same first size")
    if not is_cross:
        raise NotImplementedError(
            "For 'rotated_iou', 'is_cross' must be True. Take the diagonal of the result for one by one."
        )
    wide = torch.promote_types(boxes.dtype, torch.float32)
    ours = _taken_apart(boxes.to(wide).unsqueeze(2), trans)
    theirs = _taken_apart(query_boxes.to(wide).unsqueeze(1), trans)
    sides = torch.tensor(_SIDES, dtype=wide, device=boxes.device)
    # From here on, the centre of the query is the origin.
    offset = ours[0] - theirs[0]
    a = _turned(sides * ours[1].unsqueeze(-2), ours[2]) + offset.unsqueeze(-2)
    b = _turned(sides * theirs[1].unsqueeze(-2), theirs[2]).expand_as(a)
    points, meet = _crossings(a, b, e_threshold)
    valid = torch.cat(
        (
            meet,
            _corners_inside(a, torch.zeros_like(offset), theirs[1], theirs[2], v_threshold),
            _corners_inside(b, offset, ours[1], ours[2], v_threshold),
        ),
        -1,
    )
    shared = _hull_area(torch.cat((points, a, b), -2), valid)
    area = ours[1].prod(-1)
    whole = area.expand_as(shared) if mode == 1 else area + theirs[1].prod(-1) - shared
    return (shared / whole.clamp(min=torch.finfo(wide).tiny)).to(boxes.dtype)
