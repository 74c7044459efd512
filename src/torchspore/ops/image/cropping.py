"""Crops of images: resized, pooled, drawn at random."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import torch
from torch import Tensor

from torchspore.common.random import op_generator
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import op
from torchspore.engine.parameters import Floats, Ints, Length, Limits, Positive
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.random.distributions import joined

__all__ = ["CropAndResize", "ExtractGlimpse", "ROIAlign", "SampleDistortedBoundingBoxV2", "crop_and_resize"]


def _read(image: Tensor, index: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """Read images (N, H, W, C) at integer positions of shape (R, H'), (R, W'): the result is (R, H', W', C)."""
    return image[index[:, None, None], y[:, :, None], x[:, None, :]]


def _between(image: Tensor, index: Tensor, y: Any, x: Any) -> Tensor:
    """Interpolate images linearly; `y` and `x` are (lower position, upper position, weight of the upper one)."""
    (top, bottom, down), (left, right, along) = y, x
    down, along = down[:, :, None, None], along[:, None, :, None]
    above = torch.lerp(_read(image, index, top, left), _read(image, index, top, right), along)
    below = torch.lerp(_read(image, index, bottom, left), _read(image, index, bottom, right), along)
    return torch.lerp(above, below, down)


@op
def crop_and_resize(
    image: Annotated[Tensor, "N H W C"],
    boxes: Annotated[Floats, "M 4"],
    box_indices: Annotated[Ints, "M"],
    crop_size: Annotated[tuple[int, ...], Length(2, 2), Limits(above=0)],
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Tensor:
    """Crop boxes out of images and resize them to one size.

    Args:
        image: a Tensor of shape (N, H, W, C).
        boxes: a Tensor of float32 of shape (boxes, 4): y and x of two opposite corners, [0, 1] spanning the image; the
            crop is mirrored where the second number is less than the first.
        box_indices: the image of each box, a Tensor of int32 of shape (boxes,).
        crop_size: (height, width) of the results.
        method: "bilinear", "nearest", or "bilinear_v2", which crops whole pixels and then resizes them.
            Default: "bilinear".
        extrapolation_value: the value outside the image; not for "bilinear_v2". Default: 0.0.

    Returns a Tensor of float32 of shape (boxes, *crop_size, C).
    Raises ValueError if the shapes do not fit, or for another method.

    Examples:
        >>> import torchspore as ms
        >>> image = ms.Tensor([[[[1.0], [2.0], [3.0]]]])
        >>> print(ms.ops.crop_and_resize(image, ms.Tensor([[0.0, 1.0, 1.0, 0.0]]), ms.Tensor([0], ms.int32), (1, 3)))
        [[[[3.]
           [2.]
           [1.]]]]
    """
    image, index = image.float(), box_indices.long()
    if method == "bilinear_v2":
        spans = [_whole(boxes[:, i], boxes[:, i + 2], image.shape[i + 1], new) for i, new in enumerate(crop_size)]
        return _between(image, index, *spans)
    if method not in ("bilinear", "nearest"):
        raise ValueError("'method' must be 'bilinear', 'nearest' or 'bilinear_v2'")
    sizes = image.shape[1:3]
    y, x = [_spread(boxes[:, i], boxes[:, i + 2], sizes[i], new) for i, new in enumerate(crop_size)]
    inside = [(position >= 0) & (position <= limit - 1) for position, limit in zip((y, x), sizes)]
    if method == "nearest":
        nearest = [(position + 0.5).floor().clamp(0, limit - 1).long() for position, limit in zip((y, x), sizes)]
        found = _read(image, index, *nearest)
    else:
        found = _between(image, index, *[_neighbours(position, limit) for position, limit in zip((y, x), sizes)])
    return torch.where(_both(*inside), found, extrapolation_value)


def _both(rows: Tensor, columns: Tensor) -> Tensor:
    """Return which elements are in the given rows (R, H') and columns (R, W'), of shape (R, H', W', 1)."""
    return (rows[:, :, None] & columns[:, None, :]).unsqueeze(-1)


def _spread(first: Tensor, last: Tensor, size: int, new: int) -> Tensor:
    """Return `new` positions from the first to the last corner, or the middle."""
    if new == 1:
        return ((first + last) * (0.5 * (size - 1))).unsqueeze(1)
    step = (last - first) * (size - 1) / (new - 1)
    return (first * (size - 1)).unsqueeze(1) + torch.arange(new, device=first.device) * step.unsqueeze(1)


def _neighbours(position: Tensor, size: int) -> tuple[Tensor, Tensor, Tensor]:
    position = position.clamp(0, size - 1)
    lower = position.floor()
    return lower.long(), position.ceil().long(), position - lower


def _whole(first: Tensor, last: Tensor, size: int, new: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the neighbours of `new` positions among the whole pixels from the first to the last corner."""
    begin, end = (first * size).trunc(), (last * size).trunc()
    count = (end - begin + 1).clamp(min=1).unsqueeze(1)
    position = (torch.arange(new, device=first.device) + 0.5) * count / new - 0.5
    zero = torch.zeros_like(count)
    lower, upper = [torch.minimum(torch.maximum(x, zero), count - 1) for x in (position.floor(), position.ceil())]
    begin = begin.unsqueeze(1)
    whole = [(begin + edge).clamp(0, size - 1).long() for edge in (lower, upper)]
    return whole[0], whole[1], position - lower


CropAndResize = primitive("CropAndResize", crop_and_resize, method="bilinear", extrapolation_value=0.0)


@as_primitive
def ROIAlign(
    features: Annotated[Tensor, "N C H W"], rois: Annotated[Tensor, "R 5"], *, pooled_height: Positive,
    pooled_width: Positive, spatial_scale: float, sample_num: Positive = 2,
    roi_end_mode: Literal[0, 1] = 1,
) -> Tensor:  # fmt: skip
    """Average the features in the cells of regions; K. He et al., Mask R-CNN, 2017.

    Args:
        features: a floating-point Tensor of shape (N, C, H, W).
        rois: the regions, of shape (regions, 5): image number, left, top, right, bottom.
        pooled_height, pooled_width: the numbers of cells.
        spatial_scale: the factor of the regions' coordinates.
        sample_num: the number of sampling points of a cell in each direction, >= 1. Default: 2.
        roi_end_mode: 1 if the last row and column belong to a region, else 0. Default: 1.

    Returns a Tensor of shape (regions, C, pooled_height, pooled_width).
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> features, rois = ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), ms.Tensor([[0.0, 0.0, 0.0, 1.0, 1.0]])
        >>> print(ms.ops.ROIAlign(1, 1, 1.0, 2, 0)(features, rois))
        [[[[2.5]]]]
    """
    wide = torch.promote_types(features.dtype, torch.float32)  # float16 is too coarse for the positions
    rois = rois.to(wide)
    spans, reached = [], []
    for begin, end, cells, size in (
        (rois[:, 2], rois[:, 4], pooled_height, features.shape[2]),
        (rois[:, 1], rois[:, 3], pooled_width, features.shape[3]),
    ):
        begin, end = begin * spatial_scale, (end + roi_end_mode) * spatial_scale
        extent = end - begin
        if roi_end_mode == 0:
            extent = extent.clamp(min=1)
        offsets = (torch.arange(cells * sample_num, device=rois.device) + 0.5) / (cells * sample_num)
        position = begin.unsqueeze(1) + extent.unsqueeze(1) * offsets
        reached.append((position >= -1) & (position <= size))
        spans.append(_neighbours(position, size))
    found = _between(features.to(wide).permute(0, 2, 3, 1), rois[:, 0].long(), *spans)
    points = torch.where(_both(*reached), found, 0).permute(0, 3, 1, 2)
    return torch.nn.functional.avg_pool2d(points, sample_num).to(features.dtype)


@as_primitive
def ExtractGlimpse(
    x: Annotated[Tensor, "N H W C"], size: Annotated[tuple[int, ...], Length(2, 2), Limits(above=0)],
    offsets: Annotated[Tensor, "N 2"], *, centered: bool = True, normalized: bool = True,
    uniform_noise: bool = True, noise: str = "uniform",
) -> Tensor:  # fmt: skip
    """Crop a window out of every image; outside the image it is noise.

    Args:
        x: a Tensor of float32 of shape (N, H, W, C).
        size: (height, width) of the window, a Tensor of ints or a tuple.
        offsets: y and x of the windows' centres, a Tensor of float32 of shape (N, 2).
        centered: whether the offsets are from the image's centre, else from its upper left corner. Default: True.
        normalized: whether they are relative to the image's size (half of it if `centered`), else in pixels.
            Default: True.
        uniform_noise: without effect where `noise` is "uniform"; must be False otherwise. Default: True.
        noise: "uniform" (over the range of the images), "gaussian" (with their mean and variance) or "zero".
            Default: "uniform".

    Returns a Tensor of float32 of shape (N, *size, C).
    Raises ValueError if the shapes do not fit, or for another noise.
    """
    if noise not in ("uniform", "gaussian", "zero") or (uniform_noise and noise != "uniform"):
        raise ValueError("'noise' must be 'uniform', 'gaussian' or 'zero', 'uniform_noise' False for the last two")
    spans, inside = [], []
    for i, new in enumerate(size):
        old = x.shape[i + 1]
        middle = offsets[:, i] * old if normalized else offsets[:, i]
        middle = middle / 2 + old / 2 if centered else middle
        position = (middle - new / 2).trunc().long().unsqueeze(1) + torch.arange(new, device=x.device)
        inside.append((position >= 0) & (position < old))
        spans.append(position.clamp(0, old - 1))
    found = _read(x, torch.arange(x.shape[0], device=x.device), *spans)
    if noise == "uniform":
        outside = torch.rand_like(found) * (x.amax() - x.amin()) + x.amin()
    elif noise == "gaussian":
        outside = torch.randn_like(found) * x.std() + x.mean()
    else:
        outside = torch.zeros_like(found)
    return torch.where(_both(*inside), found, outside)


@as_primitive
def SampleDistortedBoundingBoxV2(
    image_size: Annotated[Tensor, "3"], bounding_boxes: Annotated[Tensor, "B N 4"], min_object_covered: Tensor, *,
    seed: int = 0, seed2: int = 0,
    aspect_ratio_range: Any = (0.75, 1.33), area_range: Any = (0.05, 1.0), max_attempts: int = 100,
    use_image_if_no_bounding_boxes: bool = False,
) -> Any:  # fmt: skip
    """Draw a random crop of an image that covers enough of an object.

    Args:
        image_size: (height, width, channels), a Tensor of ints.
        bounding_boxes: the objects, a Tensor of float32 of shape (batch, N, 4): top, left, bottom, right, [0, 1]
            spanning the image.
        min_object_covered: the minimum share of an object that the crop covers, a Tensor of one float in [0, 1].
        seed, seed2: the seeds, >= 0; both 0 follow `set_seed`. Default: 0.
        aspect_ratio_range: the minimum and maximum of width over height. Default: (0.75, 1.33).
        area_range: the minimum and maximum area relative to the image's. Default: (0.05, 1.0).
        max_attempts: the number of attempts before the whole image is taken. Default: 100.
        use_image_if_no_bounding_boxes: whether to take the image as the object if there are none, instead of raising.
            Default: False.

    Returns:
        (begin, size, box): (top, left, 0) and (height, width, -1) of the crop in the dtype of `image_size`, and the
        crop as a box of shape (1, 1, 4).

    Raises ValueError if the shapes do not fit, a range is empty, or there are no objects.

    Examples:
        >>> import torchspore as ms
        >>> draw = ms.ops.SampleDistortedBoundingBoxV2(1, area_range=(0.5, 1.0))
        >>> begin, size, box = draw(ms.Tensor([64, 48, 3]), ms.Tensor([[[0.2, 0.2, 0.8, 0.8]]]), ms.Tensor([0.1]))
        >>> bool(size[0] * size[1] >= 64 * 48 // 2)
        True
    """
    api = "SampleDistortedBoundingBoxV2"
    for name, limits in (("aspect_ratio_range", aspect_ratio_range), ("area_range", area_range)):
        if len(limits) != 2 or not 0 < limits[0] <= limits[1]:
            raise ValueError(f"'{name}' must be two numbers > 0, the lesser first, but got {limits}")
    objects = bounding_boxes.reshape(-1, 4)
    if objects.shape[0] == 0:
        if not use_image_if_no_bounding_boxes:
            raise ValueError("there are no bounding boxes. Pass some, or set 'use_image_if_no_bounding_boxes'.")
        objects = objects.new_tensor([[0.0, 0.0, 1.0, 1.0]])
    sides = image_size[:2].to(torch.float64)
    source = op_generator(api, joined(seed, seed2))

    def draw() -> Tensor:
        return torch.rand(max_attempts, generator=source, dtype=torch.float64, device=image_size.device)

    ratio = draw() * (aspect_ratio_range[1] - aspect_ratio_range[0]) + aspect_ratio_range[0]
    area = (draw() * (area_range[1] - area_range[0]) + area_range[0]) * sides.prod()
    extent = torch.stack(((area / ratio).sqrt().round(), (area * ratio).sqrt().round()), 1)
    begin = (torch.stack((draw(), draw()), 1) * (sides - extent + 1)).floor()
    part = extent.prod(1) / sides.prod()
    fits = (extent <= sides).all(1) & (extent >= 1).all(1) & (part >= area_range[0]) & (part <= area_range[1])
    box = torch.cat((begin, begin + extent), 1)
    wanted = (objects.to(torch.float64) * sides.repeat(2)).round()
    common = torch.minimum(box[:, None, 2:], wanted[:, 2:]) - torch.maximum(box[:, None, :2], wanted[:, :2])
    size_of = (wanted[:, 2:] - wanted[:, :2]).prod(1)
    covers = (common.clamp(min=0).prod(2) >= min_object_covered.reshape(()) * size_of) & (size_of >= 1)
    good = torch.cat((fits & covers.any(1), fits.new_ones(1)))
    first = good.long().argmax()
    box = torch.cat((box, torch.cat((sides * 0, sides)).unsqueeze(0)))[first]
    zero, rest = image_size.new_zeros(1), image_size.new_full((1,), 255 if image_size.dtype is torch.uint8 else -1)
    begins = torch.cat((box[:2].to(image_size.dtype), zero))
    sizes = torch.cat(((box[2:] - box[:2]).to(image_size.dtype), rest))
    return begins, sizes, (box / sides.repeat(2)).to(bounding_boxes.dtype).reshape(1, 1, 4)


rules.cut_by(rules.named("batch _ _ channels", "boxes _", "boxes"), CropAndResize)
rules.cut_by(rules.named("batch channels _ _", "boxes _"), ROIAlign)
