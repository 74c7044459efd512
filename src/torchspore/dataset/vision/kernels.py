"""Image kernels on arrays: resizing, borders, colors.

MindSpore computes with OpenCV in integers. These kernels round like it for bilinear resizing and for blends; elsewhere
a pixel of uint8 can differ by one level, and after a change of hue by a few.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import torch

from torchspore.dataset.rows import opencv
from torchspore.dataset.transforms.base import Array
from torchspore.dataset.vision.base import pillow
from torchspore.dataset.vision.enums import Border, Inter
from torchspore.dataset.vision.parameters import Pixel

__all__ = [
    "blended", "flipped", "gray", "hue_shifted", "inverted", "padded", "planes", "replaced", "resized", "rounded",
    "to_hsv", "to_rgb", "weighted",
]  # fmt: skip

_FLOAT32 = np.dtype(np.float32)
_BYTES = np.dtype(np.uint8)
# OpenCV's names, and the data types for which it returns what MindSpore returns.
_OPENCV_MODES = {
    Inter.NEAREST: ("INTER_NEAREST", (_BYTES, _FLOAT32)),
    Inter.AREA: ("INTER_AREA", (_BYTES, _FLOAT32)),
    Inter.BILINEAR: ("INTER_LINEAR", (_BYTES,)),
    Inter.BICUBIC: ("INTER_CUBIC", (_BYTES,)),
}
_TORCH_MODES = {Inter.NEAREST: "nearest", Inter.BILINEAR: "bilinear", Inter.BICUBIC: "bicubic"}
_LEVELS = np.arange(256)
_LUMINANCE = np.array([0.299, 0.587, 0.114])


def rounded(values: Any, dtype: np.dtype[Any]) -> Array:
    """Return floats in another type, rounded and clamped to its range if it is an integer type."""
    if dtype.kind not in "iu":
        return np.asarray(values).astype(dtype)
    limits, whole = np.iinfo(dtype), np.rint(values)
    return np.clip(whole, limits.min, limits.max, out=whole).astype(dtype)


def inverted(image: Array) -> Array:
    """Return 255 minus each pixel, clamped to the range of the type if it is an integer type."""
    if image.dtype == np.uint8 or image.dtype.kind not in "iu":
        return (255 - image).astype(image.dtype)
    limits = np.iinfo(image.dtype)
    return (255 - image.astype(np.int64)).clip(limits.min, limits.max).astype(image.dtype)


def resized(image: Array, height: int, width: int, inter: Inter) -> Array:
    """Return an image resized."""
    if image.shape[:2] == (height, width):
        return image.copy()
    if inter is Inter.PILCUBIC:
        return np.asarray(pillow().fromarray(image).resize((width, height), pillow().Resampling.BICUBIC))
    mode, types = _OPENCV_MODES[inter]
    cv2 = opencv.installed_for(image, types)
    if cv2 is not None:
        return opencv.like(image, cv2.resize(image, (width, height), interpolation=getattr(cv2, mode)))
    if inter is Inter.AREA:
        by_rows = _area_weights(image.shape[0], height, image.shape[1] > width)
        by_columns = _area_weights(image.shape[1], width, image.shape[0] > height)
        flat = image.reshape(*image.shape[:2], -1).astype(np.float64)
        mixed = np.einsum("yi,xj,ijc->yxc", by_rows, by_columns, flat, optimize=True)
        return rounded(mixed.reshape(height, width, *image.shape[2:]), image.dtype)
    if inter is Inter.BILINEAR and image.dtype == np.uint8:
        return _bilinear_in_integers(image, height, width)
    if inter is Inter.NEAREST and image.dtype.kind in "biu" and image.dtype != np.uint8:  # which torch lacks
        rows, columns = [(np.arange(new) * (old / new)).astype(int) for old, new in zip(image.shape, (height, width))]
        return image[rows][:, columns]
    planes = torch.tensor(np.ascontiguousarray(image)).reshape(*image.shape[:2], -1).permute(2, 0, 1)[None]
    exact = inter is Inter.NEAREST
    floats = planes if exact or planes.is_floating_point() else planes.float()
    align = None if exact else False
    values = torch.nn.functional.interpolate(floats, (height, width), mode=_TORCH_MODES[inter], align_corners=align)
    result = values[0].permute(1, 2, 0).reshape(height, width, *image.shape[2:]).numpy()
    return np.ascontiguousarray(result if exact else rounded(result, image.dtype))


def _bilinear_in_integers(image: Array, height: int, width: int) -> Array:
    """Return an image of uint8 resized as by OpenCV: with weights in 2048ths, and truncated bits."""
    old_height, old_width = image.shape[:2]
    channels = math.prod(image.shape[2:])
    rows = np.ascontiguousarray(image).reshape(old_height, -1)
    top, bottom, top_weights, bottom_weights = _two_taps(old_height, height)
    if old_height > 2 * height:  # no new pixel uses some of the rows
        used, indexes = np.unique(np.concatenate([top, bottom]), return_inverse=True)
        rows, top, bottom = rows[used], indexes[:height], indexes[height:]
    left, right, left_weights, right_weights = _two_taps(old_width, width)
    horizontal = rows.take(_by_channel(left, channels), 1) * np.repeat(left_weights, channels)
    horizontal += rows.take(_by_channel(right, channels), 1) * np.repeat(right_weights, channels)
    horizontal >>= 4
    upper = horizontal.take(top, 0)
    upper *= top_weights[:, None]
    upper >>= 16
    lower = horizontal.take(bottom, 0)
    lower *= bottom_weights[:, None]
    lower >>= 16
    upper += lower
    upper += 2
    upper >>= 2
    return upper.astype(np.uint8).reshape(height, width, *image.shape[2:])


@functools.lru_cache(maxsize=64)
def _two_taps(old: int, new: int) -> tuple[Array, Array, Array, Array]:
    """Return the indexes of the two old pixels next to each new one, and their weights."""
    positions = ((np.arange(new) + 0.5) * (old / new) - 0.5).astype(np.float32)
    first = np.floor(positions).astype(np.int64)
    part = positions - first.astype(np.float32)
    part[(first < 0) | (first >= old - 1)] = 0
    first = first.clip(0, old - 1)
    weights = [np.rint(each * np.float32(2048)).astype(np.int32) for each in (1 - part, part)]
    return first, np.minimum(first + 1, old - 1), weights[0], weights[1]


def _by_channel(columns: Array, channels: int) -> Array:
    return (columns[:, None] * channels + np.arange(channels)).reshape(-1)


def _area_weights(old: int, new: int, other_shrinks: bool) -> Array:
    """Return the weight of each old pixel for each new one: its part of the area, or of a blend if the image grows."""
    scale = old / new
    weights = np.zeros((new, old))
    for place in range(new):
        start, end = place * scale, (place + 1) * scale
        if scale >= 1 and (other_shrinks or scale > 1):
            for pixel in range(int(start), min(math.ceil(end), old)):
                weights[place, pixel] = (min(end, pixel + 1) - max(start, pixel)) / scale
        else:
            first = math.floor(start)
            part = (place + 1) - (first + 1) / scale
            part = 0.0 if part <= 0 else part - math.floor(part)
            weights[place, first] += 1 - part
            weights[place, min(first + 1, old - 1)] += part
    return weights


def planes(image: Array) -> Any:
    """Return the channels of an image (height, width, channels)."""
    cv2 = opencv.installed_for(image)
    return np.ascontiguousarray(image.transpose(2, 0, 1)) if cv2 is None else cv2.split(image)


def flipped(image: Array) -> Array:
    """Return an image flipped horizontally."""
    cv2 = opencv.installed_for(image, (_BYTES, _FLOAT32))
    return np.ascontiguousarray(image[:, ::-1]) if cv2 is None else opencv.like(image, cv2.flip(image, 1))


def padded(image: Array, left: int, top: int, right: int, bottom: int, fill: Pixel, mode: Border) -> Array:
    """Return an image with borders."""
    widths = [(top, bottom), (left, right), (0, 0)][: image.ndim]
    if mode is not Border.CONSTANT:
        return np.pad(image, widths, mode.value)
    height, width = image.shape[:2]
    result = np.empty((height + top + bottom, width + left + right, *image.shape[2:]), image.dtype)
    result[...] = pixel(image, fill)
    result[top : top + height, left : left + width] = image
    return result


def pixel(image: Array, fill: Pixel) -> Any:
    """Return a fill value for an image's channels."""
    if isinstance(fill, int):
        return fill
    return np.array(fill if image.ndim == 3 and image.shape[2] == 3 else fill[0]).astype(image.dtype)


def gray(image: Array) -> Array:
    """Return the luminance of an RGB image in its type, rounded."""
    if image.dtype != np.uint8:
        return rounded(image @ _LUMINANCE, image.dtype)
    cv2 = None if image.ndim != 3 or image.shape[2] != 3 else opencv.installed_for(image)
    if cv2 is not None:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_RGB2GRAY))
    total = image.astype(np.int64) @ np.array([9798, 19235, 3735])  # in 32768ths, as in OpenCV
    return ((total + (1 << 14)) >> 15).astype(np.uint8)


def blended(image: Array, other: Any, factor: float) -> Array:
    """Return an image with the weight `factor` plus another with the rest, in the type of the first."""
    part = np.float32(factor)
    return weighted(image, part, other, 1 - part)


def weighted(image: Array, part: Any, other: Any, rest: Any) -> Array:
    """Return the weighted sum of two images, in the type of the first.

    It is rounded as by OpenCV: first the first product to float32, and then the sum.
    """
    if image.dtype == np.uint8 and np.ndim(other) == 0:
        return replaced(image, rounded(_weighted_sum(_LEVELS, part, other, rest), _BYTES))
    cv2 = opencv.installed_for(image)
    if cv2 is None:
        return rounded(_weighted_sum(image, part, other, rest), image.dtype)
    if image.ndim == other.ndim == 3:
        image, other = [_repeated(cv2, each, max(image.shape[2], other.shape[2])) for each in (image, other)]
    return opencv.like(image, cv2.add(_weighted_sum(image, part, other, rest), 0, dtype=cv2.CV_8U))


def _repeated(cv2: Any, image: Array, channels: int) -> Array:
    """Return an image with this number of channels, which are equal if it has one: for NumPy, broadcasting is slow."""
    return cv2.merge([image] * channels) if image.shape[2] == 1 < channels else image


def _weighted_sum(image: Array, part: Any, other: Any, rest: Any) -> Array:
    total = np.multiply(other, np.float64(rest)) + np.multiply(image, np.float32(part), dtype=np.float32)
    return np.asarray(total).astype(np.float32)


def replaced(image: Array, table: Array) -> Array:
    """Return an image of uint8 whose levels are replaced according to a table of uint8."""
    cv2 = opencv.installed_for(image)
    if cv2 is not None:
        return opencv.like(image, cv2.LUT(image, table))
    return np.frombuffer(bytearray(image.tobytes()).translate(table.tobytes()), np.uint8).reshape(image.shape)


def to_hsv(image: Array, axis: int) -> Array:
    """Convert RGB to hue, saturation and value, all in [0, 1]."""
    red, green, blue = np.moveaxis(image.astype(np.float64), axis, 0)
    high, low = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    spread = high - low
    safe = np.where(spread == 0, 1, spread)
    hue = np.where(
        high == red,
        (green - blue) / safe,
        np.where(high == green, 2 + (blue - red) / safe, 4 + (red - green) / safe),
    )
    hue = np.where(spread == 0, 0, hue / 6 % 1)
    saturation = np.where(high == 0, 0, spread / np.where(high == 0, 1, high))
    return np.stack([hue, saturation, high], axis)


def to_rgb(image: Array, axis: int) -> Array:
    """Convert hue, saturation and value to RGB, all in [0, 1]."""
    hue, saturation, value = np.moveaxis(image.astype(np.float64), axis, 0)
    sector = np.floor(hue * 6)
    part = hue * 6 - sector
    low = value * (1 - saturation)
    falling, rising = value * (1 - saturation * part), value * (1 - saturation * (1 - part))
    number = sector.astype(int) % 6
    red = np.choose(number, [value, falling, low, low, rising, value])
    green = np.choose(number, [rising, value, value, falling, low, low])
    blue = np.choose(number, [low, low, rising, value, value, falling])
    return np.stack([red, green, blue], axis)


def hue_shifted(image: Array, factor: float) -> Array:
    """Return an image with its hue shifted by a fraction of the color wheel."""
    if image.dtype == np.uint8:
        return _shifted_in_bytes(image, int(factor * 255))
    hsv = to_hsv(image, -1)
    hsv[..., 0] = (hsv[..., 0] + factor) % 1
    return rounded(to_rgb(hsv, -1), image.dtype)


def _reciprocals(unit: float) -> Array:
    """Return `unit / number` in 4096ths for each byte, 0 for 0."""
    return np.rint(unit * 4096 / np.maximum(_LEVELS, 1)).astype(np.int32) * (_LEVELS > 0)


_PER_VALUE, _PER_SPREAD = _reciprocals(255), _reciprocals(256 / 6)
# For each sixth of the color wheel, which of (value, low, falling, rising) red, green and blue are.
_OF_SECTOR = np.array([[0, 3, 1], [2, 0, 1], [1, 0, 3], [1, 2, 0], [3, 1, 0], [0, 1, 2]])


def _shifted_in_bytes(image: Array, shift: int) -> Array:
    """Return an image of uint8 with its hue, a byte, shifted, computed as by OpenCV's vector instructions.

    These divide the hue by 256 steps on the way there and by 255 on the way back, and truncate the colors of 32 pixels
    at once; colors of the pixels that remain in a row are rounded.
    """
    red, green, blue = image.astype(np.int32).transpose(2, 0, 1)
    high = np.maximum(np.maximum(red, green), blue)
    spread = high - np.minimum(np.minimum(red, green), blue)
    turned = np.where(
        high == red,
        green - blue,
        np.where(high == green, blue - red + 2 * spread, red - green + 4 * spread),
    )
    hue = ((turned * _PER_SPREAD[spread] + 2048 >> 12) + shift & 255).astype(np.float32) * np.float32(6 / 255)
    saturation = (spread * _PER_VALUE[high] + 2048 >> 12).astype(np.float32) * np.float32(1 / 255)
    value = high.astype(np.float32) * np.float32(1 / 255)
    sector = hue.astype(np.int32)
    part, one = hue - sector, np.float32(1)
    low, falling = value * (one - saturation), value * (one - saturation * part)
    shades = np.stack([value, low, falling, value * (one - saturation * (one - part))], 2)
    colors = np.take_along_axis(shades, _OF_SECTOR[sector % 6], 2)
    colors *= np.float32(255)
    colors[:, image.shape[1] // 32 * 32 :] += np.float32(0.5)
    return colors.astype(np.uint8)
