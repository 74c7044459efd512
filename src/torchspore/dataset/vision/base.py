"""The base of image transforms, and their checks."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchspore.common.error_classes import WrongType, also
from torchspore.dataset.transforms.base import Array, TensorOperation, check_array, is_pil
from torchspore.dataset.value_checks import INT_OR_FLOAT, MAX_FLOAT, check_int, check_kind, check_number, wrong_type
from torchspore.dataset.vision.enums import Inter
from torchspore.engine.failures.errors import describe

__all__ = [
    "ANY_TYPE", "COLORED", "FILTERED", "TYPES", "WITHOUT_HALF", "ImageOperation", "Pixel", "as_pil", "check_angles",
    "check_fill", "check_image", "check_inter", "check_length", "check_pil", "check_positive", "check_range",
    "check_size", "check_types", "is_pil", "pillow", "types_for",
]  # fmt: skip

Pixel = int | tuple[int, int, int]

# Characters of the NumPy types of images that MindSpore's kernels take: OpenCV's, kernels of filters, of colors.
TYPES, WITHOUT_HALF, FILTERED, COLORED = "?bBhHiefd", "?bBhHifd", "?BhHfd", "BHf"
ANY_TYPE = f"{TYPES}lLqQI"  # also those that only NumPy computes with


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

    _takes_batches = False  # whether it takes arrays (..., height, width, channels) too, which are one image each
    _draws_each = False  # whether it draws other random numbers for each image of a batch
    _bools_are_bytes = False  # whether the result of an array of bools is of uint8
    _channels: tuple[int, ...] = ()  # the numbers of channels of arrays that it takes, if not any
    _types = TYPES  # the types of the arrays that it takes
    _only_arrays = False  # whether PIL images become arrays, as in MindSpore where only its C++ kernel does something

    def _taken(self, value: Any) -> Any:
        if is_pil(value):
            if not self._only_arrays:
                return value
            return np.array(value.convert("L") if self._bools_are_bytes and value.mode == "1" else value)
        array = check_array(type(self).__name__, value, "NumPy or PIL image")
        return array.astype(np.uint8) if self._bools_are_bytes and array.dtype == bool else array

    def _transform(self, values: list[Any]) -> Any:
        height, width = self._height_and_width(values[0])
        if not is_pil(values[0]):
            self._check_channels(values[0])
        drawn = self._draw_pil(height, width) if is_pil(values[0]) else self._draw(height, width)
        results = [self._of_one(value, height, width, drawn) for value in values]
        return results[0] if len(results) == 1 else tuple(results)

    def _of_one(self, value: Any, height: int, width: int, drawn: tuple[Any, ...]) -> Any:
        if is_pil(value):
            return self._pil(value, *drawn)
        if value.ndim <= 3 or not self._takes_batches:
            return self._array(value, *drawn)
        images = value.reshape(-1, *value.shape[-3:])
        draws = [self._draw(height, width) for _ in images] if self._draws_each else [drawn] * len(images)
        results = np.stack([self._array(image, *each) for image, each in zip(images, draws)])
        return results.reshape(*value.shape[:-3], *results.shape[1:])

    def _height_and_width(self, value: Any) -> tuple[int, int]:
        if is_pil(value):
            return value.height, value.width
        check_types(type(self).__name__, value, self._types)
        if not value.size:
            raise ValueError(f"For '{type(self).__name__}', an image must have pixels, but got {value.shape}.")
        if self._takes_batches and value.ndim > 3:
            return value.shape[-3], value.shape[-2]
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

    def _check_channels(self, image: Array) -> None:
        """Check the number of channels; an image of two dimensions has one."""
        if self._channels and (image.shape[-1] if image.ndim > 2 else 1) not in self._channels:
            raise ValueError(
                f"For '{type(self).__name__}', an image must have {' or '.join(map(str, self._channels))} channels, "
                f"(height, width, channels), but got the shape {image.shape}."
            )

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return ()

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        """Return the random numbers for a PIL image, from Python's generator as in MindSpore."""
        return self._draw(height, width)

    def _array(self, image: Array, *drawn: Any) -> Any:
        raise NotImplementedError

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return as_pil(self._array(np.asarray(image), *drawn), image)


def check_types(api: str, image: Array, types: str) -> Array:
    """Return an image, which must be of one of some types, given as characters."""
    if np.dtype(image.dtype.type) not in [*types]:  # by size: the characters differ between systems
        names = ", ".join([np.dtype(each).name for each in types])
        raise TypeError(f"For '{api}', the image must be of {names}, but got {image.dtype}.")
    return image


def types_for(inter: Any, nearest: str = WITHOUT_HALF) -> str:
    """Return the types of images that an interpolation takes, given the types for the nearest pixel."""
    return nearest if inter is Inter.NEAREST else FILTERED


def as_pil(array: Array, like: Any) -> Any:
    """Return a PIL image of some pixels, with the palette of the image that they come from."""
    image = pillow().fromarray(array)
    if like.mode == "P" and image.mode == "L":
        image.putpalette(like.getpalette())
    return image


def check_image(api: str, value: Any) -> Array:
    """Return an image to transform, an array or a PIL image, as an array."""
    return np.asarray(value) if is_pil(value) else check_array(api, value, "NumPy or PIL image")


_NOT_PIL = also(TypeError, AttributeError)  # MindSpore looks for an attribute of the image first


def check_pil(api: str, value: Any) -> Any:
    """Return a value to transform, which must be a PIL image."""
    if not is_pil(value):
        raise _NOT_PIL(
            f"For '{api}', the value must be a PIL image, but got {type(value).__name__}: put 'ToPIL()' before, or "
            f"decode files by 'Decode(to_pil=True)'."
        )
    return value


def check_length(
    api: str, name: str, value: Any, lengths: Sequence[int], says: str, *, kinds: tuple[type, ...] = (list, tuple),
    error: type[Exception] = TypeError,
) -> Sequence[Any]:  # fmt: skip
    """Return `value`, which must be a list or a tuple of one of some lengths.

    Args:
        api, name, value: what was called, the argument and its value.
        lengths: the lengths.
        says: how the error about the length begins.
        kinds: all types that the argument accepts.
        error: the class of the error about the length.
    """
    if not isinstance(value, (list, tuple)):
        raise wrong_type(value, kinds, name, api)
    if len(value) not in lengths:
        raise (WrongType if error is TypeError else error)(f"For '{api}', {says}, but got {describe(value)}.")
    return value


def check_size(api: str, size: Any, *, limit: int = MAX_FLOAT, whole_limit: int = MAX_FLOAT) -> tuple[int, int]:
    """Return (height, width), given as that or as one int for both.

    Args:
        api, size: what was called, and the argument.
        limit: the largest height and width.
        whole_limit: the largest int for both.
    """
    if not isinstance(size, (list, tuple)):
        side = check_int(size, "size", api, maximum=whole_limit, kinds=(int, list, tuple))
        return side, side
    pair = check_length(api, "size", size, [2], "'size' must be an int, or (height, width)")
    sides = [check_int(each, f"size[{at}]", api, maximum=limit) for at, each in enumerate(pair)]
    return sides[0], sides[1]


def check_range(
    api: str, name: str, value: Any, low: float = -MAX_FLOAT, high: float = MAX_FLOAT, *, above: float | None = None,
    kinds: tuple[type, ...] = (list, tuple), numbers: tuple[type, ...] = (float, int),
) -> tuple[float, float]:  # fmt: skip
    """Return a range (from, to) within [low, high].

    Args:
        api, name, value: what was called, the argument and its value.
        low, high: the interval.
        above: a limit below, which does not belong to the interval. Default: None.
        kinds, numbers: the types that errors list, for the argument and for its elements.
    """
    pair = check_length(api, name, value, [2], f"'{name}' must be (from, to)", kinds=kinds)
    limits: dict[str, Any] = {"above": above, "minimum": low, "maximum": high}
    for at, each in enumerate(pair):
        check_number(each, f"{name}[{at}]", api, kinds=numbers, minimum=-math.inf, maximum=math.inf)
    if pair[0] > pair[1]:
        raise ValueError(f"For '{api}', '{name}' must be (from, to) with from <= to, but got {value!r}.")
    first, last = [check_number(each, f"{name}[{at}]", api, kinds=numbers, **limits) for at, each in enumerate(pair)]
    return first, last


def check_angles(api: str, degrees: Any) -> tuple[float, float]:
    """Return a range of angles, given as that or as one number for (-degrees, degrees)."""
    kinds = (int, float, list, tuple)
    if not isinstance(degrees, (list, tuple)):
        limit = check_number(degrees, "degrees", api, kinds=kinds, minimum=0)
        return -limit, limit
    return check_range(api, "degrees", degrees, kinds=kinds, numbers=INT_OR_FLOAT)


def check_positive(value: Any, name: str, api: str) -> float:
    """Return a number above 0."""
    return check_number(value, name, api, kinds=INT_OR_FLOAT, above=0, maximum=math.inf)


def check_fill(api: str, value: Any) -> Pixel:
    """Return the value of a border pixel: one int, or one for each of three channels."""
    if isinstance(value, (int, np.integer)):
        return check_int(value, "fill_value", api, minimum=0, maximum=255)
    if not isinstance(value, tuple) or len(value) != 3:
        raise also(TypeError, ValueError)(
            f"For '{api}', 'fill_value' must be an int or a tuple of 3, but got {describe(value)}."
        )
    red, green, blue = [check_int(each, "fill_value", api, minimum=0, maximum=255) for each in value]
    return red, green, blue


def check_inter(api: str, value: Any, allowed: Sequence[Any], name: str = "interpolation") -> Any:
    """Return an interpolation, which must be one of those allowed."""
    check_kind(value, type(allowed[0]), name, api)
    if value not in allowed:
        names = [each.name for each in allowed]
        raise also(ValueError, RuntimeError)(f"For '{api}', '{name}' must be one of {names}, but got {value.name}.")
    return value
