"""The base of image transforms, and their checks."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from torchspore.dataset.transforms.base import Array, TensorOperation, check_array, is_pil
from torchspore.engine.checks import check_int, check_number
from torchspore.engine.errors import describe

__all__ = [
    "ImageOperation",
    "Pixel",
    "check_fill",
    "check_inter",
    "check_length",
    "check_range",
    "check_size",
    "is_pil",
    "pillow",
]

Pixel = int | tuple[int, int, int]


def pillow() -> Any:
    """Return Pillow's module `Image`.

    Raises:
        ImportError: Pillow is not installed.
    """
    try:
        return importlib.import_module("PIL.Image")
    except ImportError as error:
        raise ImportError(
            "Image files and PIL images need Pillow: pip install pillow, or pip install 'torchspore[vision]'."
        ) from error


class ImageOperation(TensorOperation):
    """The base of image transforms: of arrays (height, width, channels) or (height, width), and of PIL images.

    Random numbers are drawn once for all inputs of a call.
    """

    _only_arrays = False  # whether PIL images become arrays, as in MindSpore where only its C++ kernel does something

    def _taken(self, value: Any) -> Any:
        if is_pil(value):
            return np.array(value) if self._only_arrays else value
        return check_array(type(self).__name__, value)

    def _transform(self, values: list[Any]) -> Any:
        height, width = self._height_and_width(values[0])
        drawn = self._draw(height, width)
        results = [self._pil(value, *drawn) if is_pil(value) else self._array(value, *drawn) for value in values]
        return results[0] if len(results) == 1 else tuple(results)

    def _height_and_width(self, value: Any) -> tuple[int, int]:
        if is_pil(value):
            return value.height, value.width
        if value.ndim not in (2, 3):
            raise ValueError(
                f"For '{type(self).__name__}', an image must have 2 or 3 dimensions, (height, width) or "
                f"(height, width, channels), but got the shape {value.shape}."
                + (
                    " Decode the bytes of a file first: vision.Decode(), or decode=True in the dataset."
                    * (value.ndim == 1)
                )
            )
        return value.shape[0], value.shape[1]

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return ()

    def _array(self, image: Array, *drawn: Any) -> Any:
        raise NotImplementedError

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return pillow().fromarray(self._array(np.asarray(image), *drawn))


def check_length(api: str, name: str, value: Any, lengths: Sequence[int], wanted: str) -> Sequence[Any]:
    """Return `value`, which must be a list or a tuple of one of some lengths; `wanted` describes it in the error."""
    if not isinstance(value, (list, tuple)) or len(value) not in lengths:
        raise TypeError(f"For '{api}', '{name}' must be {wanted}, but got {describe(value)}.")
    return value


def check_size(api: str, size: Any) -> tuple[int, int]:
    """Return (height, width), given as that or as one int for both."""
    pair = (size, size) if isinstance(size, (int, np.integer)) else size
    height, width = check_length(api, "size", pair, [2], "an int, or (height, width)")
    return check_int(height, "size", api), check_int(width, "size", api)


def check_range(api: str, name: str, value: Any, low: float, high: float) -> tuple[float, float]:
    """Return a range (from, to) within [low, high]."""
    pair = check_length(api, name, value, [2], "(from, to)")
    first, last = (check_number(each, name, api, Real, minimum=low, maximum=high) for each in pair)
    if first > last:
        raise ValueError(f"For '{api}', '{name}' must be (from, to) with from <= to, but got {value!r}.")
    return first, last


def check_fill(api: str, value: Any) -> Pixel:
    """Return the value of a border pixel: one int, or one for each of three channels."""
    if isinstance(value, (int, np.integer)):
        return check_int(value, "fill_value", api, minimum=0, maximum=255)
    colors = check_length(api, "fill_value", value, [3], "an int or a tuple of 3")
    red, green, blue = (check_int(each, "fill_value", api, minimum=0, maximum=255) for each in colors)
    return red, green, blue


def check_inter(api: str, value: Any, allowed: Sequence[Any]) -> Any:
    """Return an interpolation, which must be one of those allowed."""
    kind = type(allowed[0])
    if not isinstance(value, kind):
        raise TypeError(f"For '{api}', the interpolation must be an Inter, but got {value!r}.")
    if value not in allowed:
        names = [each.name for each in allowed]
        raise ValueError(f"For '{api}', the interpolation must be one of {names}, but got {value.name}.")
    return value
