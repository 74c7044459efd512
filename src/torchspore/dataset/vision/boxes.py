"""Transforms of an image together with its bounding boxes: rows (left, top, width, height, ...) of float32.

They take and return two values, the image and the boxes. They raise TypeError without boxes, and ValueError if a box is
outside the image.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.dataset.transforms.base import Array, Random, TensorOperation, as_array
from torchspore.dataset.vision import kernels
from torchspore.dataset.vision.base import ImageOperation, is_pil
from torchspore.dataset.vision.enums import Inter
from torchspore.dataset.vision.geometry import Resize
from torchspore.dataset.vision.parameters import Probability
from torchspore.dataset.vision.random_geometry import (
    RandomCrop,
    RandomHorizontalFlip,
    RandomResize,
    RandomResizedCrop,
    RandomVerticalFlip,
)

__all__ = [
    "BoundingBoxAugment", "RandomCropWithBBox", "RandomHorizontalFlipWithBBox", "RandomResizeWithBBox",
    "RandomResizedCropWithBBox", "RandomVerticalFlipWithBBox", "ResizeWithBBox",
]  # fmt: skip


class _WithBoxes(ImageOperation):
    """Transforms an image, and then its boxes."""

    _several = True

    def _transform(self, values: list[Any]) -> Any:
        api = type(self).__name__
        if len(values) != 2:
            raise TypeError(
                f"For '{api}', there must be an image and its bounding boxes, but got {len(values)} values. Use a "
                f"'map' with two columns."
            )
        image = np.array(values[0]) if is_pil(values[0]) else values[0]
        height, width = self._height_and_width(image)
        boxes = _boxes(api, values[1], height, width)
        drawn = self._draw(height, width)
        result = self._array(image, *drawn)
        return result, self._moved(boxes, image, result, *drawn)

    def _moved(self, boxes: Array, image: Array, result: Array, *drawn: Any) -> Array:
        raise NotImplementedError


def _boxes(api: str, value: Any, height: int, width: int) -> Array:
    boxes = as_array(api, value)
    if boxes.dtype != np.float32 or boxes.ndim != 2 or boxes.shape[1] < 4 or not len(boxes):
        raise ValueError(
            f"For '{api}', the bounding boxes must be rows of four numbers of float32 or more, (left, top, width, "
            f"height, ...), but got {boxes.dtype} of the shape {boxes.shape}."
        )
    corner, size = boxes[:, :2], boxes[:, 2:4]
    if (corner < 0).any() or (corner + size > (width, height)).any():
        raise ValueError(
            f"For '{api}', the bounding boxes must lie inside the image of {(height, width)}, but got "
            f"{boxes[:, :4].tolist()}."
        )
    return boxes.copy()


def _clipped(boxes: Array, top: float, left: float, height: float, width: float) -> Array:
    """Return the boxes clipped to a crop, relative to its corner, without those outside."""
    low, high = boxes[:, :2], boxes[:, :2] + boxes[:, 2:4]
    first, last = np.array([left, top]), np.array([left + width, top + height])
    kept = ((high >= first) & (low <= last)).all(1)
    result = boxes[kept]
    start = np.maximum(low[kept], first)
    result[:, :2] = start - first
    result[:, 2:4] = np.minimum(high[kept], last) - start
    return result


def _scaled(boxes: Array, old: Array, new: Array) -> Array:
    """Return the boxes of a resized image."""
    result = boxes.copy()
    result[:, [0, 2]] *= np.float32(new.shape[1] / old.shape[1])
    result[:, [1, 3]] *= np.float32(new.shape[0] / old.shape[0])
    return result


class _FlippedBoxes(_WithBoxes):
    """Flips the boxes if the image is flipped."""

    _axis: int  # of the image's (width, height)

    def _moved(self, boxes: Array, image: Array, result: Array, *drawn: Any) -> Array:
        if drawn[0]:
            axis = self._axis
            boxes[:, axis] = image.shape[1 - axis] - boxes[:, axis] - boxes[:, axis + 2]
        return boxes


class _ScaledBoxes(_WithBoxes):
    """Resizes the boxes with the image."""

    def _moved(self, boxes: Array, image: Array, result: Array, *drawn: Any) -> Array:
        return _scaled(boxes, image, result)


class RandomHorizontalFlipWithBBox(_FlippedBoxes, RandomHorizontalFlip):
    """Flips an image and its boxes horizontally with a probability; the argument as for `RandomHorizontalFlip`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> flip = vision.RandomHorizontalFlipWithBBox(1.0)
        >>> image, boxes = flip(np.zeros((8, 10, 3), np.uint8), np.array([[1, 2, 3, 4]], np.float32))
        >>> boxes
        array([[6., 2., 3., 4.]], dtype=float32)
    """

    _axis = 0


class RandomVerticalFlipWithBBox(_FlippedBoxes, RandomVerticalFlip):
    """Flips an image and its boxes vertically with a probability; the argument as for `RandomVerticalFlip`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> flip = vision.RandomVerticalFlipWithBBox(1.0)
        >>> image, boxes = flip(np.zeros((8, 10, 3), np.uint8), np.array([[1, 0, 3, 4]], np.float32))
        >>> boxes
        array([[1., 4., 3., 4.]], dtype=float32)
    """

    _axis = 1


class ResizeWithBBox(_ScaledBoxes, Resize):
    """Resizes an image and its boxes; arguments as for `Resize`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> half = vision.ResizeWithBBox((4, 5))
        >>> image, boxes = half(np.zeros((8, 10, 3), np.uint8), np.array([[1, 2, 3, 4]], np.float32))
        >>> boxes
        array([[0.5, 1. , 1.5, 2. ]], dtype=float32)
    """


class RandomResizeWithBBox(_ScaledBoxes, RandomResize):
    """Resizes an image, with a random interpolation, and its boxes; the argument as for `RandomResize`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> half = vision.RandomResizeWithBBox((4, 5))
        >>> image, boxes = half(np.zeros((8, 10, 3), np.uint8), np.array([[1, 2, 3, 4]], np.float32))
        >>> boxes
        array([[0.5, 1. , 1.5, 2. ]], dtype=float32)
    """


class RandomCropWithBBox(_WithBoxes, RandomCrop):
    """Crops an image at a random position and clips its boxes; arguments as for `RandomCrop`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> crop = vision.RandomCropWithBBox((12, 14), padding=2)
        >>> image, boxes = crop(np.zeros((8, 10, 3), np.uint8), np.array([[1, 2, 3, 4]], np.float32))
        >>> boxes
        array([[3., 4., 3., 4.]], dtype=float32)
    """

    def _moved(self, boxes: Array, image: Array, result: Array, *drawn: Any) -> Array:
        added, top, left = drawn
        return _clipped(boxes, top - added[1], left - added[0], *self.size)


class RandomResizedCropWithBBox(_WithBoxes, RandomResizedCrop):
    """Crops and resizes an image at random, and clips its boxes; arguments as for `RandomResizedCrop`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> crop = vision.RandomResizedCropWithBBox((4, 5), (1.0, 1.0), (1.25, 1.25))
        >>> image, boxes = crop(np.zeros((8, 10, 3), np.uint8), np.array([[1, 2, 3, 4]], np.float32))
        >>> boxes
        array([[0.5, 1. , 1.5, 2. ]], dtype=float32)
    """

    def _moved(self, boxes: Array, image: Array, result: Array, *drawn: Any) -> Array:
        top, left, height, width = drawn
        return _scaled(_clipped(boxes, *drawn), image[top : top + height, left : left + width], result)


class BoundingBoxAugment(Random, _WithBoxes):
    """Applies a transform inside some of the boxes.

    Args:
        transform: the transform of images; its result is resized to the box if necessary.
        ratio: the probability for each box, in [0, 1]. Default: 0.3.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> flip = vision.BoundingBoxAugment(vision.HorizontalFlip(), 1.0)
        >>> image, boxes = flip(np.array([[1, 2, 3]], np.uint8), np.array([[1, 0, 2, 1]], np.float32))
        >>> image
        array([[1, 3, 2]], dtype=uint8)
    """

    def __init__(self, transform: TensorOperation, ratio: Probability = 0.3) -> None:
        self.transform = transform
        self.ratio = ratio

    @property
    def parts(self) -> list[Any]:  # type: ignore[override]
        """The transform."""
        return [self.transform]

    @property
    def long_and_safe(self) -> bool:  # type: ignore[override]
        """Whether the transform may run on threads."""
        return bool(getattr(self.transform, "long_and_safe", False))

    def _array(self, image: Array, *drawn: Any) -> Array:
        return image.copy()

    def _moved(self, boxes: Array, image: Array, result: Array, *drawn: Any) -> Array:
        draws = self._random()
        for box in [box for box in boxes if draws.fraction32() < self.ratio]:
            left, top, width, height = box[:4].astype(np.int64)
            part = result[top : top + height, left : left + width]
            if part.size:
                new = np.asarray(self.transform(part.copy()))
                part[...] = new if new.shape == part.shape else kernels.resized(new, height, width, Inter.BILINEAR)
        return boxes
