"""Image transforms that combine each pixel with its neighbors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.parameters import TWO, NotNegativeFloat32
from torchspore.dataset.rows import opencv
from torchspore.dataset.transforms.base import Array
from torchspore.dataset.vision import kernels
from torchspore.dataset.vision.base import FILTERED, ImageOperation
from torchspore.dataset.vision.geometry import both
from torchspore.dataset.vision.parameters import Side
from torchspore.engine.parameters import Where

__all__ = ["AdjustSharpness", "GaussianBlur"]


class AdjustSharpness(ImageOperation):
    """Adjusts the sharpness, by blending an image with a smoothed one.

    Args:
        sharpness_factor: the weight of the image, >= 0: 0 smooths, 1 changes nothing, 2 sharpens.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = np.zeros((3, 3), np.uint8)
        >>> image[1, 1] = 26
        >>> vision.AdjustSharpness(0.0)(image)
        array([[ 0,  0,  0],
               [ 0, 10,  0],
               [ 0,  0,  0]], dtype=uint8)
    """

    _types = FILTERED
    _bools_are_bytes = True
    _only_arrays = True

    def __init__(self, sharpness_factor: NotNegativeFloat32) -> None:
        self.factor = sharpness_factor

    def _array(self, image: Array, *drawn: Any) -> Array:
        part = np.float32(self.factor)
        return kernels.weighted(_smooth(image), 1 - part, image, part)


def _smooth(image: Array) -> Array:
    """Return the means of pixels and their eight neighbors, where the pixel has the weight 5; borders are unchanged."""
    height, width = image.shape[:2]
    result = image.copy()
    cv2 = opencv.installed_for(image)
    if cv2 is not None:
        whole_image = opencv.like(image, cv2.filter2D(image, -1, _AROUND))
        result[1:-1, 1:-1] = whole_image[1:-1, 1:-1]
    elif height > 2 and width > 2:
        whole = image.dtype == np.uint8
        values: Array = image.astype(np.uint16 if whole else np.float64)
        rows = values[:-2] + values[1:-1] + values[2:]
        total = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:] + 4 * values[1:-1, 1:-1]
        result[1:-1, 1:-1] = _THIRTEENTHS[total] if whole else kernels.rounded(total / 13, image.dtype)
    return result


_AROUND = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / 13
_THIRTEENTHS = np.rint(np.arange(13 * 255 + 1) / 13).astype(np.uint8)


_Odd: TypeAlias = Annotated[Side, Where("odd", lambda size: size % 2)]


class GaussianBlur(ImageOperation):
    """Blurs an image with a Gaussian kernel; at the borders the image is reflected.

    Args:
        kernel_size: (width, height) of the kernel, odd numbers, or one for both.
        sigma: the standard deviations (horizontal, vertical), or one for both; 0 and None mean
            `((size - 1) * 0.5 - 1) * 0.3 + 0.8` with the width as the size, and for 0 in a pair with the size in its
            direction. Default: None.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.GaussianBlur(3)(np.array([[0, 0, 255, 0, 0]], np.uint8))
        array([[  0,  61, 133,  61,   0]], dtype=uint8)
    """

    _types = FILTERED
    _bools_are_bytes = True
    _only_arrays = True

    def __init__(
        self, kernel_size: _Odd | Annotated[Sequence[_Odd], TWO],
        sigma: NotNegativeFloat32 | Annotated[Sequence[NotNegativeFloat32], TWO] | None = None,
    ) -> None:  # fmt: skip
        self.kernel_size = both(kernel_size)
        horizontal, vertical = sigma if isinstance(sigma, (list, tuple)) else (sigma or 0, sigma or 0)
        of_width, of_height = [((size - 1) * 0.5 - 1) * 0.3 + 0.8 for size in self.kernel_size]
        vertical = vertical or (of_height if isinstance(sigma, (list, tuple)) else horizontal or of_width)
        self.sigma = horizontal or of_width, vertical

    def _array(self, image: Array, *drawn: Any) -> Array:
        cv2 = opencv.installed_for(image)
        if cv2 is not None:
            return opencv.like(image, cv2.GaussianBlur(image, self.kernel_size, self.sigma[0], sigmaY=self.sigma[1]))
        horizontal, vertical = [_gaussian(*each) for each in zip(self.kernel_size, self.sigma)]
        if image.dtype != np.uint8:
            return kernels.rounded(_convolved(image, horizontal, vertical, np.float64, np.float64), image.dtype)
        total = _convolved(image, _in_256ths(horizontal), _in_256ths(vertical), np.uint16, np.uint32)
        return ((total + np.uint32(1 << 15)) >> np.uint32(16)).astype(np.uint8)


def _gaussian(size: int, sigma: float) -> Array:
    places = np.arange(size) - (size - 1) / 2
    weights = np.exp(-(places**2) / (2 * sigma * sigma))
    return weights / weights.sum()


def _in_256ths(weights: Array) -> Array:
    """Return weights as integer 256ths that sum to 1: rounding errors carry over from the ends to the middle."""
    half = len(weights) // 2
    exact = np.cumsum(weights[:half] * 256)
    outer = np.diff(np.rint(exact), prepend=0).astype(np.int64)
    return np.concatenate([outer, [256 - 2 * outer.sum()], outer[::-1]])


def _convolved(image: Array, horizontal: Array, vertical: Array, row_type: Any, type_: Any) -> Array:
    """Return a separable convolution; the types are for the rows after the first pass, and for the result."""
    height, width = image.shape[:2]
    borders = [(len(vertical) // 2,) * 2, (len(horizontal) // 2,) * 2, (0, 0)]
    full = np.pad(image.astype(row_type), borders[: image.ndim], "reflect")
    rows = _summed([full[:, place : place + width] for place in range(len(horizontal))], horizontal.astype(row_type))
    wide = rows.astype(type_)
    return _summed([wide[place : place + height] for place in range(len(vertical))], vertical.astype(type_))


def _summed(parts: list[Array], weights: Array) -> Array:
    total = parts[0] * weights[0]
    for part, weight in zip(parts[1:], weights[1:]):
        total += part * weight
    return total
