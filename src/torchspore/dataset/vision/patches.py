"""Image transforms that erase parts of images, or cut images into parts."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.parameters import Natural, Whole
from torchspore.dataset.transforms.base import Array, Random
from torchspore.dataset.vision import kernels
from torchspore.dataset.vision.base import ANY_TYPE, ImageOperation
from torchspore.dataset.vision.enums import Border, SliceMode
from torchspore.dataset.vision.parameters import THREE, Byte, Side
from torchspore.engine.parameters import Limits

__all__ = ["CutOut", "Erase", "SlicePatches"]


_Level: TypeAlias = Annotated[float, Limits(0, 255)]


class Erase(ImageOperation):
    """Erases a rectangle of an image.

    Args:
        top: its first row.
        left: its first column.
        height: its height.
        width: its width.
        value: its new content, one number or one for each of three channels, in [0, 255]. Default: 0.0.
        inplace: write into the input array. Default: False.

    Raises:
        ValueError: the rectangle is outside the image, or the image does not have three channels.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Erase(0, 1, 1, 1)(np.full((2, 2, 3), 9, np.uint8))[:, :, 0]
        array([[9, 0],
               [9, 9]], dtype=uint8)
    """

    _channels = (3,)
    _only_arrays = True

    def __init__(
        self, top: Whole, left: Whole, height: Natural, width: Natural,
        value: _Level | Annotated[tuple[_Level, ...], THREE] = 0.0, inplace: bool = False,
    ) -> None:  # fmt: skip
        self.top, self.left = top, left
        self.height, self.width = height, width
        self.value = [value] * 3 if isinstance(value, float) else list(value)
        self.inplace = inplace

    def _array(self, image: Array, *drawn: Any) -> Array:
        bottom, right = self.top + self.height, self.left + self.width
        height, width = image.shape[:2]
        if self.height > height or self.width > width or self.top > height or self.left > width:
            raise ValueError(
                f"For 'Erase', the rectangle of {(self.height, self.width)} at {(self.top, self.left)} must not be "
                f"larger than the image of {(height, width)} or begin outside it."
            )
        result = image if self.inplace else image.copy()
        result[self.top : bottom, self.left : right] = kernels.rounded(self.value, image.dtype)
        return result


class CutOut(Random, ImageOperation):
    """Sets squares at random positions to zero; they can be partly or wholly outside the image.

    Args:
        length: the side of each square.
        num_patches: the number of squares. Default: 1.
        is_hwc: whether the channels are the last dimension; otherwise they are the first. Default: True.

    Raises:
        ValueError: the image does not have three dimensions, or is smaller than a square.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.CutOut(3)(np.ones((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    _types = ANY_TYPE
    _only_arrays = True

    def __init__(self, length: Side, num_patches: Side = 1, is_hwc: bool = True) -> None:
        self.length = length
        self.num_patches = num_patches
        self.is_hwc = is_hwc

    def _array(self, image: Array, *drawn: Any) -> Array:
        if image.ndim != 3 or min(self._plane(image).shape[:2]) < self.length:
            raise ValueError(
                f"For 'CutOut', an image must have three dimensions and be at least {self.length} high and wide, but "
                f"got the shape {image.shape}."
            )
        result = image.copy()
        plane, draws = self._plane(result), self._random()
        for _ in range(self.num_patches):
            top, left = [draws.below(size + self.length + 1) - self.length for size in plane.shape[:2]]
            plane[max(top, 0) : top + self.length, max(left, 0) : left + self.length] = 0
        return result

    def _plane(self, image: Array) -> Array:
        return image if self.is_hwc else image.transpose(1, 2, 0)


class SlicePatches(ImageOperation):
    """Cuts an image into equal parts, row by row.

    Args:
        num_height: the number of rows of parts. Default: 1.
        num_width: the number of columns of parts. Default: 1.
        slice_mode: whether an image that cannot be cut equally is padded or cropped, at the bottom and right.
            Default: SliceMode.PAD.
        fill_value: the value of the padding, in [0, 255]. Default: 0.

    Raises:
        ValueError: there are more parts than pixels.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> left, right = vision.SlicePatches(1, 2)(np.array([[1, 2, 3]], np.uint8))
        >>> left.tolist(), right.tolist()
        ([[1, 2]], [[3, 0]])
    """

    _bools_are_bytes = True

    def __init__(
        self, num_height: Natural = 1, num_width: Natural = 1, slice_mode: SliceMode = SliceMode.PAD,
        fill_value: Byte = 0,
    ) -> None:  # fmt: skip
        self.num_height = num_height
        self.num_width = num_width
        self.slice_mode = slice_mode
        self.fill_value = fill_value

    def _array(self, image: Array, *drawn: Any) -> Any:
        height, width = image.shape[:2]
        if self.num_height > height or self.num_width > width:
            raise ValueError(
                f"For 'SlicePatches', there must not be more parts than pixels, but got {self.num_height} rows and "
                f"{self.num_width} columns of parts of the shape {image.shape}."
            )
        part_height, part_width = height // self.num_height, width // self.num_width
        if self.slice_mode is SliceMode.PAD:
            part_height, part_width = -(-height // self.num_height), -(-width // self.num_width)
            bottom, right = part_height * self.num_height - height, part_width * self.num_width - width
            image = kernels.padded(image, 0, 0, right, bottom, self.fill_value, Border.CONSTANT)
        parts = [
            np.ascontiguousarray(image[row * part_height :, column * part_width :][:part_height, :part_width])
            for row in range(self.num_height)
            for column in range(self.num_width)
        ]
        return parts[0] if len(parts) == 1 else tuple(parts)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return self._array(np.asarray(image))
