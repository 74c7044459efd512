"""Bounding boxes: encoded relative to anchors, validated, and filtered by non-maximum suppression."""

from __future__ import annotations

import math
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common.scopes.scope import scope
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Operand, op
from torchspore.engine.parameters import Floats
from torchspore.engine.primitive import as_primitive, primitive

__all__ = [
    "BoundingBoxDecode", "BoundingBoxEncode", "CheckValid", "CombinedNonMaxSuppression", "NMSWithMask",
    "NonMaxSuppressionV3", "NonMaxSuppressionWithOverlaps", "bounding_box_decode", "bounding_box_encode",
    "check_valid",
]  # fmt: skip


def _fours(like: Tensor, **values: Any) -> list[Tensor]:
    results = []
    for name, value in values.items():
        if not isinstance(value, (tuple, list)):
            raise TypeError(f"'{name}' must be a tuple of 4 floats, but got {value!r}")
        if len(value) != 4:
            raise ValueError(f"'{name}' must hold 4 floats, but got {value}")
        results.append(torch.tensor(value, dtype=like.dtype, device=like.device))
    return results


def _centres(boxes: Tensor) -> tuple[Tensor, Tensor]:
    """Return the centres and sizes of boxes that include their last row and column."""
    corners = boxes.unflatten(1, (2, 2))
    return corners.mean(1), corners[:, 1] - corners[:, 0] + 1


@op
def bounding_box_encode(
    anchor_box: Annotated[Tensor, "N 4"],
    groundtruth_box: Annotated[Tensor, "N 4"],
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
) -> Tensor:
    """Encode boxes as differences from anchors.

    Args:
        anchor_box: a floating-point Tensor of shape (N, 4): left, top, right, bottom.
        groundtruth_box: the boxes, of the same shape.
        means, stds: the means and standard deviations to normalize the differences.
            Default: (0.0, 0.0, 0.0, 0.0) and (1.0, 1.0, 1.0, 1.0).

    Returns:
        A Tensor of shape (N, 4): the shifts of the centre right and down, over the anchor's size, and the logarithms of
        the ratios of width and height.
    """
    mean, std = _fours(anchor_box, means=means, stds=stds)
    (middle, size), (target, extent) = _centres(anchor_box), _centres(groundtruth_box)
    return (torch.cat(((target - middle) / size, torch.log(extent / size)), 1) - mean) / std


@op
def bounding_box_decode(
    anchor_box: Annotated[Tensor, "N 4"],
    deltas: Annotated[Tensor, "N 4"],
    max_shape: Any,
    means: Any = (0.0, 0.0, 0.0, 0.0),
    stds: Any = (1.0, 1.0, 1.0, 1.0),
    wh_ratio_clip: float = 0.016,
) -> Tensor:
    """Decode boxes that `bounding_box_encode` has encoded.

    Args:
        anchor_box, means, stds: as for `bounding_box_encode`.
        deltas: the differences, of the shape of `anchor_box`.
        max_shape: (height, width) of the image, to which the boxes are clipped.
        wh_ratio_clip: the bound of the ratio of sizes of box and anchor. Default: 0.016.
    """
    mean, std = _fours(anchor_box, means=means, stds=stds)
    if not isinstance(max_shape, (tuple, list)) or len(max_shape) != 2:
        raise TypeError("'max_shape' must be (height, width)")
    shift, ratio = (deltas * std + mean).split(2, 1)
    limit = abs(math.log(wh_ratio_clip))
    middle, size = _centres(anchor_box)
    middle, half = middle + size * shift, size * ratio.clamp(-limit, limit).exp() / 2 - 0.5
    maximum = torch.tensor([max_shape[1], max_shape[0]], dtype=anchor_box.dtype, device=anchor_box.device)
    corners = torch.stack((middle - half, middle + half), 1)
    return torch.minimum(corners.clamp(min=0), maximum).flatten(1)


@op
def check_valid(bboxes: Annotated[Tensor, "N 4"], img_metas: Annotated[Tensor, "3"]) -> Tensor:
    """Return whether boxes lie inside an image, a Tensor of bool of shape (N,).

    Args:
        bboxes: a floating-point Tensor of shape (N, 4): left, top, right, bottom.
        img_metas: (height, width, ratio) of the image, a Tensor of floats; height and width are multiplied by ratio.
    """
    height, width, ratio = img_metas.unbind()
    left, top, right, bottom = bboxes.unbind(1)
    return (left >= 0) & (top >= 0) & (right <= width * ratio - 1) & (bottom <= height * ratio - 1)


_UNNORMALIZED: dict[str, Any] = {"means": (0.0, 0.0, 0.0, 0.0), "stds": (1.0, 1.0, 1.0, 1.0)}
BoundingBoxEncode = primitive("BoundingBoxEncode", bounding_box_encode, **_UNNORMALIZED)
BoundingBoxDecode = primitive(
    "BoundingBoxDecode", bounding_box_decode, "max_shape", **_UNNORMALIZED, wh_ratio_clip=0.016
)
CheckValid = primitive("CheckValid", check_valid)


# Suppression


def _overlaps(boxes: Tensor) -> Tensor:
    """Return intersection over union of all pairs of boxes, of shape (*, N, N), for (*, N, 4); 0 for empty boxes."""
    low, high = torch.minimum(boxes[..., :2], boxes[..., 2:]), torch.maximum(boxes[..., :2], boxes[..., 2:])
    low_a, low_b = low[..., :, None, :], low[..., None, :, :]
    high_a, high_b = high[..., :, None, :], high[..., None, :, :]
    common = (torch.minimum(high_a, high_b) - torch.maximum(low_a, low_b)).clamp(min=0).prod(-1)
    area = (high - low).prod(-1)
    union = area[..., :, None] + area[..., None, :] - common
    return torch.where(union > 0, common / torch.where(union > 0, union, 1), 0)


def _greedy(conflicts: Tensor) -> Tensor:
    """Keep elements without conflicts with those kept before; `conflicts` is of shape (*, N, N), the result (*, N).

    Every round settles at least one more element, usually most of them.
    """
    count = conflicts.shape[-1]
    conflicts = conflicts & torch.ones(count, count, dtype=torch.bool, device=conflicts.device).triu(1)
    kept = torch.ones(conflicts.shape[:-1], dtype=torch.bool, device=conflicts.device)
    if scope.tracing is not None and scope.tracing.is_for_file:
        loop = torch.ops.higher_order.while_loop
        result: Tensor = loop(_goes_on, _round, (kept, kept.new_ones(())), (conflicts,))[0]
        return result
    while True:
        found = ~(conflicts & kept.unsqueeze(-1)).any(-2)
        if torch.equal(found, kept):
            return kept
        kept = found


def _goes_on(kept: Tensor, goes_on: Tensor, conflicts: Tensor) -> Tensor:
    return goes_on.clone()


def _round(kept: Tensor, goes_on: Tensor, conflicts: Tensor) -> tuple[Tensor, Tensor]:
    found = ~(conflicts & kept.unsqueeze(-1)).any(-2)
    return found, (found != kept).any()


@as_primitive
def NMSWithMask(bboxes: Annotated[Floats, "N 5"], *, iou_threshold: float = 0.5) -> Any:
    """Sort boxes by their scores and mark those that do not overlap a better one too much.

    Args:
        bboxes: a floating-point Tensor of shape (N, 5): left, top, right, bottom, score.
        iou_threshold: the maximum intersection over union of two boxes. Default: 0.5.

    Returns:
        (boxes, indices, mask): the boxes sorted by score, the numbers 0, 1, ... in int32, and the mask of the boxes to
        keep, in bool.

    Examples:
        >>> import torchspore as ms
        >>> boxes = ms.Tensor([[0.0, 0.0, 4.0, 4.0, 0.6], [0.0, 0.0, 4.0, 5.0, 0.9], [8.0, 8.0, 9.0, 9.0, 0.1]])
        >>> print(ms.ops.NMSWithMask(0.5)(boxes)[2])
        [ True False  True]
    """
    boxes = bboxes[bboxes[:, 4].argsort(descending=True, stable=True)]
    kept = _greedy(_overlaps(boxes[:, :4]) > iou_threshold)
    return boxes, torch.arange(boxes.shape[0], dtype=torch.int32, device=boxes.device), kept


def _best(
    overlaps: Tensor, scores: Tensor, maximum: Operand, overlap_threshold: Operand, score_threshold: Operand
) -> Tensor:
    if int(maximum) < 0:
        raise ValueError("'max_output_size' must be >= 0")
    order = scores.argsort(descending=True, stable=True)
    order = order[scores[order] > score_threshold]
    kept = _greedy(overlaps[order][:, order] > overlap_threshold)
    return order[kept][: int(maximum)].to(torch.int32)


@as_primitive
def NonMaxSuppressionV3(
    boxes: Annotated[Tensor, "N 4"],
    scores: Annotated[Tensor, "N"],
    max_output_size: Operand,
    iou_threshold: Operand,
    score_threshold: Operand,
) -> Tensor:
    """Return the indices of the best boxes that do not overlap a better one too much, sorted by score, in int32.

    Args:
        boxes: a floating-point Tensor of shape (N, 4): any two opposite corners, (y, x, y, x).
        scores: a floating-point Tensor of shape (N,).
        max_output_size: the maximum number of boxes, an int or a Tensor of one.
        iou_threshold: the maximum intersection over union of two boxes.
        score_threshold: boxes with this score or less are left out.

    Raises ValueError if the shapes do not fit, or `max_output_size` is negative.

    Examples:
        >>> import torchspore as ms
        >>> boxes = ms.Tensor([[0.0, 0.0, 4.0, 4.0], [0.0, 0.0, 4.0, 5.0], [8.0, 8.0, 9.0, 9.0]])
        >>> print(ms.ops.NonMaxSuppressionV3()(boxes, ms.Tensor([0.6, 0.9, 0.1]), 3, 0.5, 0.0))
        [1 2]
    """
    return _best(_overlaps(boxes), scores, max_output_size, iou_threshold, score_threshold)


@as_primitive
def NonMaxSuppressionWithOverlaps(
    overlaps: Annotated[Tensor, "N N"],
    scores: Annotated[Tensor, "N"],
    max_output_size: Operand,
    overlap_threshold: Operand,
    score_threshold: Operand,
) -> Tensor:
    """`NonMaxSuppressionV3` with given overlaps.

    Args:
        overlaps: the overlaps of all pairs, a floating-point Tensor of shape (N, N).
        overlap_threshold: the maximum overlap of a pair.
        scores, max_output_size, score_threshold: as for `NonMaxSuppressionV3`.
    """
    return _best(overlaps, scores, max_output_size, overlap_threshold, score_threshold)


@as_primitive
def CombinedNonMaxSuppression(
    boxes: Tensor, scores: Tensor, max_output_size_per_class: Operand, max_total_size: Operand, iou_threshold: Operand,
    score_threshold: Operand, *, pad_per_class: bool = False, clip_boxes: bool = True,
) -> Any:  # fmt: skip
    """Return the best boxes of several classes that do not overlap a better one of their class too much.

    Args:
        boxes: a Tensor of float32 of shape (N, boxes, classes, 4), or (N, boxes, 1, 4) for the same in all classes.
        scores: a Tensor of float32 of shape (N, boxes, classes).
        max_output_size_per_class, max_total_size: the maximum numbers of boxes of a class and of a sample, ints or
            Tensors of one.
        iou_threshold, score_threshold: as for `NonMaxSuppressionV3`.
        pad_per_class: whether the results are no longer than all classes can fill. Default: False.
        clip_boxes: whether to clip the boxes to [0, 1]. Default: True.

    Returns:
        (boxes, scores, classes, counts): of shapes (N, M, 4), (N, M), (N, M) and (N,), sorted by score and padded with
        zeros; the classes in float32, the counts in int32.

    Raises ValueError if the shapes do not fit, or a size is negative.
    """
    classes = scores.shape[-1]
    fits = boxes.dim() == 4 and scores.dim() == 3 and boxes.shape[:2] == scores.shape[:2]
    if not fits or boxes.shape[2] not in (1, classes):
        raise ValueError(
            "the boxes must be of shape (N, boxes, classes or 1, 4) and the scores of shape (N, boxes, classes)"
        )
    per_class, total = int(max_output_size_per_class), int(max_total_size)
    if per_class < 0 or total < 0:
        raise ValueError(f"the sizes must be >= 0, but got {per_class} and {total}")
    length = min(total, per_class * classes) if pad_per_class else total
    found = [_of_sample(*pair, per_class, length, iou_threshold, score_threshold) for pair in zip(boxes, scores)]
    corners, best, kinds, counts = [torch.stack(part) for part in zip(*found)]
    return corners.clamp(0, 1) if clip_boxes else corners, best, kinds, counts


def _of_sample(boxes: Tensor, scores: Tensor, per_class: int, length: int, overlap: Operand, minimum: Operand) -> Any:
    """Return boxes, scores and classes of one sample, padded to `length`, and their number."""
    ordered, order = scores.T.sort(dim=-1, descending=True, stable=True)
    by_class = boxes.transpose(0, 1).expand(scores.shape[1], -1, -1)
    by_class = by_class.gather(1, order.unsqueeze(-1).expand(-1, -1, 4))
    counts = ordered > minimum
    kept = _greedy((_overlaps(by_class) > overlap) & counts.unsqueeze(-1)) & counts
    kept = kept & (kept.cumsum(-1) <= per_class)
    ranked = torch.where(kept, ordered, -torch.inf).flatten()
    ranked = torch.nn.functional.pad(ranked, (0, max(length - ranked.shape[0], 0)), value=-torch.inf)
    best, index = [part[:length] for part in ranked.sort(dim=0, descending=True, stable=True)]
    real = best > -torch.inf
    index = torch.where(real, index, 0)
    corners = torch.where(real.unsqueeze(-1), by_class.flatten(0, 1)[index], 0)
    kinds = torch.where(real, index // scores.shape[0], 0)
    return corners, torch.where(real, best, 0), kinds.to(boxes.dtype), real.sum().to(torch.int32)


rules.cut_by(rules.named("boxes _", "boxes _"), BoundingBoxDecode, BoundingBoxEncode)
