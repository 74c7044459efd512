"""Geometric image kernels on arrays: rotations, affine and perspective maps.

They follow OpenCV: positions are integer 32nds of a pixel. Only after a bicubic map, 5 of 1,000 pixels of uint8 can
differ, by one level.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchspore.dataset.rows import opencv
from torchspore.dataset.transforms.base import Array
from torchspore.dataset.vision.enums import Border, Inter
from torchspore.dataset.vision.kernels import padded, rounded
from torchspore.dataset.vision.parameters import Pixel

__all__ = ["affine_matrix", "inverse", "mapped", "perspective_matrix", "projected", "rotated"]

Tap = tuple[int, Array]  # the offset of a neighbor, and its weight


def affine_matrix(
    center: Sequence[float], degrees: float, translate: Sequence[float], scale: float, shear: Sequence[float]
) -> Array:
    """Return the matrix (2, 3) that rotates, shears and scales around a center and then shifts, all in pixels."""
    angle, shear_x, shear_y = math.radians(degrees), math.radians(shear[0]), math.radians(shear[1])
    rotation = angle - shear_y
    cos, sin = math.cos(rotation) / math.cos(shear_y), math.sin(rotation) / math.cos(shear_y)
    slope = math.tan(shear_x)
    linear = scale * np.array(
        [[cos, -cos * slope - math.sin(angle)], [sin, -sin * slope + math.cos(angle)]],
    )
    shift = np.array(center) - linear @ np.array(center) + np.array(translate)
    return np.column_stack([linear, shift])


def inverse(matrix: Array) -> Array:
    """Return the matrix (2, 3) of the inverse map."""
    linear = np.linalg.inv(matrix[:, :2])
    return np.column_stack([linear, -linear @ matrix[:, 2]])


def perspective_matrix(start: Any, end: Any) -> Array:
    """Return the matrix (3, 3) of the perspective that maps four points to four others."""
    rows, results = [], []
    for (x, y), (to_x, to_y) in zip(start, end):
        rows += [[x, y, 1, 0, 0, 0, -x * to_x, -y * to_x], [0, 0, 0, x, y, 1, -x * to_y, -y * to_y]]
        results += [to_x, to_y]
    solution = np.linalg.lstsq(np.array(rows, float), np.array(results, float), rcond=None)[0]
    return np.append(solution, 1).reshape(3, 3)


def rotated(image: Array, degrees: float, inter: Inter, expand: bool, center: Any, fill: Pixel) -> Array:
    """Return an image rotated counterclockwise."""
    height, width = image.shape[:2]
    center_xy = ((width - 1) / 2, (height - 1) / 2) if center is None else center
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    shift_x, shift_y = center_xy
    size = height, width
    if expand:
        exact_width = height * abs(sin) + width * abs(cos)
        exact_height = width * abs(sin) + height * abs(cos)
        size = round(exact_height), round(exact_width)
        shift_x += exact_width / 2 - width / 2
        shift_y += exact_height / 2 - height / 2
    source = np.array(
        [
            [cos, -sin, center_xy[0] - cos * shift_x + sin * shift_y],
            [sin, cos, center_xy[1] - sin * shift_x - cos * shift_y],
        ]
    )
    return mapped(image, source, size, inter, fill)


def mapped(image: Array, source: Array, size: tuple[int, int], inter: Inter, fill: Pixel) -> Array:
    """Return an image whose pixel (x, y) comes from the position `source` @ (x, y, 1)."""
    x, y = np.arange(size[1])[None, :], np.arange(size[0])[:, None]
    half = 512 if inter is Inter.NEAREST else 16
    positions = [
        np.rint(row[0] * x * 1024).astype(np.int64) + np.rint((row[1] * y + row[2]) * 1024 + half).astype(np.int64)
        for row in source
    ]
    if inter is Inter.NEAREST:
        return _nearest(image, positions[1] >> 10, positions[0] >> 10, fill)
    return _sampled(image, positions[1] >> 5, positions[0] >> 5, inter, fill)


def projected(image: Array, matrix: Array, inter: Inter, fill: Pixel) -> Array:
    """Return an image after the perspective with this matrix (3, 3)."""
    try:
        source = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        source = np.zeros((3, 3))
    height, width = image.shape[:2]
    x, y = np.arange(width)[None, :], np.arange(height)[:, None]
    x_source, y_source, depth = [row[0] * x + row[1] * y + row[2] for row in source]
    unit = 1 if inter is Inter.NEAREST else 32
    scale = np.divide(unit, depth, out=np.zeros_like(depth), where=depth != 0)
    limits = -(2**31), 2**31 - 1
    columns, rows = [np.rint(np.clip(each * scale, *limits)).astype(np.int64) for each in (x_source, y_source)]
    if inter is Inter.NEAREST:
        return _nearest(image, rows, columns, fill)
    return _sampled(image, rows, columns, inter, fill)


def _nearest(image: Array, rows: Array, columns: Array, fill: Pixel) -> Array:
    """Return the pixels at positions."""
    cv2 = opencv.installed_for(image)
    if cv2 is not None:
        return _remapped(cv2, image, rows, columns, None, Inter.NEAREST, fill)
    if _fits_lanes(image):
        return _unpacked(_Pixels(_packed(image), _packed_fill(image, fill)).at(rows, columns), 0, image)
    return _Pixels(image, fill).at(rows, columns)


def _sampled(image: Array, rows: Array, columns: Array, inter: Inter, fill: Pixel) -> Array:
    """Return the interpolated pixels at positions in 32nds of a pixel."""
    parts = rows & 31, columns & 31
    rows, columns = rows >> 5, columns >> 5
    cv2 = opencv.installed_for(image)
    if cv2 is not None:
        return _remapped(cv2, image, rows, columns, (parts[0] << 5 | parts[1]).astype(np.uint16), inter, fill)
    if _fits_lanes(image) and inter is not Inter.BICUBIC:
        pixels = _Pixels(_packed(image), _packed_fill(image, fill))
        weights = [[(offset, weight.astype(np.uint64)) for offset, weight in _linear_taps(part, 32)] for part in parts]
        half = sum(512 << shift for shift in _LANES)
        return _unpacked(pixels.mixed(rows, columns, *weights) + np.uint64(half), 10, image)
    taps = _cubic_taps if inter is Inter.BICUBIC else _linear_taps
    row_taps, column_taps = [taps(part / 32) for part in parts]
    trailing = (...,) + (None,) * (image.ndim - 2)
    result = _Pixels(image, fill).mixed(rows, columns, row_taps, column_taps, trailing)
    return rounded(np.floor(result + 0.5) if image.dtype == np.uint8 else result, image.dtype)


_OPENCV_MODES = {Inter.NEAREST: "INTER_NEAREST", Inter.BICUBIC: "INTER_CUBIC"}


def _remapped(
    cv2: Any, image: Array, rows: Array, columns: Array, parts: Array | None, inter: Inter, fill: Pixel
) -> Array:
    """Return the pixels at positions; `parts` are 32nds of a pixel for OpenCV: of the rows, then the columns."""
    limits = np.iinfo(np.int16)
    positions = np.empty((*rows.shape, 2), np.int16)
    for axis, each in enumerate((columns, rows)):
        np.clip(each, limits.min, limits.max, out=positions[..., axis], casting="unsafe")
    first = fill if isinstance(fill, int) else fill[0]
    border = fill if first is not fill and image.ndim == 3 and image.shape[2] == 3 else (first,) * 4
    mode = getattr(cv2, _OPENCV_MODES.get(inter, "INTER_LINEAR"))
    result = cv2.remap(image, positions, parts, mode, borderMode=cv2.BORDER_CONSTANT, borderValue=border)
    return opencv.like(image, result)


class _Pixels:
    """The pixels of an image, and the fill value outside."""

    def __init__(self, image: Array, fill: Pixel) -> None:
        self._height, self._width = image.shape[:2]
        bordered = padded(image, 1, 1, 1, 1, fill, Border.CONSTANT)
        self._pixels = bordered.reshape(-1, *bordered.shape[2:])

    def at(self, rows: Array, columns: Array) -> Array:
        """Return the pixels at positions."""
        return self._pixels.take(self._row(rows) + self._column(columns), 0)

    def mixed(
        self, rows: Array, columns: Array, row_taps: list[Tap], column_taps: list[Tap], trailing: Any = ...
    ) -> Array:
        """Return weighted sums of the pixels around positions, with products of row and column weights."""
        total: Any = 0
        taps = [(self._column(columns + offset), weight) for offset, weight in column_taps]
        for offset, row_weight in row_taps:
            row = self._row(rows + offset)
            for column, weight in taps:
                total = total + self._pixels.take(row + column, 0) * (row_weight * weight)[trailing]
        return np.asarray(total)

    def _row(self, rows: Array) -> Array:
        return (rows.clip(-1, self._height) + 1) * (self._width + 2)

    def _column(self, columns: Array) -> Array:
        return columns.clip(-1, self._width) + 1


# Up to three channels of uint8 packed into one number for each pixel: sums with weights of up to 1024 fit in 21 bits.
_LANES = (0, 21, 42)


def _fits_lanes(image: Array) -> bool:
    return image.dtype == np.uint8 and (image.ndim == 2 or image.shape[2] in (1, 3))


def _packed(image: Array) -> Array:
    planes = [image] if image.ndim == 2 else [image[:, :, channel] for channel in range(image.shape[2])]
    wide = [plane.astype(np.uint64) << np.uint64(shift) for plane, shift in zip(planes, _LANES)]
    return wide[0] if len(wide) == 1 else wide[0] | wide[1] | wide[2]


def _packed_fill(image: Array, fill: Pixel) -> int:
    return int(_packed(padded(image[:1, :1], 1, 0, 0, 0, fill, Border.CONSTANT))[0, 0])


def _unpacked(numbers: Array, bits: int, image: Array) -> Array:
    """Return an image like another from packed numbers with `bits` more bits in each lane."""
    channels = 1 if image.ndim == 2 else image.shape[2]
    planes = [(numbers >> np.uint64(shift + bits)).astype(np.uint8) for shift in _LANES[:channels]]
    return planes[0] if image.ndim == 2 else np.stack(planes, 2)


def _linear_taps(part: Array, whole: int = 1) -> list[Tap]:
    return [(0, whole - part), (1, part)]


def _cubic_taps(part: Array) -> list[Tap]:
    slope = -0.75

    def near(t: Array) -> Array:
        return ((slope + 2) * t - (slope + 3)) * t * t + 1

    def far(t: Array) -> Array:
        return ((slope * t - 5 * slope) * t + 8 * slope) * t - 4 * slope

    return [(-1, far(part + 1)), (0, near(part)), (1, near(1 - part)), (2, far(2 - part))]
