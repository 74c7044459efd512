"""The base of image transforms, and what they take."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from torchspore.common.error_classes import also
from torchspore.dataset.transforms.base import Array, TensorOperation, given_array, is_pil
from torchspore.dataset.vision.enums import Inter

__all__ = [
    "ANY_TYPE", "COLORED", "FILTERED", "TYPES", "WITHOUT_HALF", "ImageOperation", "as_image", "as_pil", "is_pil",
    "of_types", "pil_image", "pillow", "types_for",
]  # fmt: skip

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
        array = given_array(type(self).__name__, value, "NumPy or PIL image")
        return array.astype(np.uint8) if self._bools_are_bytes and array.dtype == bool else array

    def _transform(self, values: list[Any]) -> Any:
        height, width = self._height_and_width(values[0])
        if self._channels and not is_pil(values[0]) and _channels_of(values[0]) not in self._channels:
            raise ValueError(
                f"For '{type(self).__name__}', an image must have {' or '.join(map(str, self._channels))} channels, "
                f"(height, width, channels), but got the shape {values[0].shape}."
            )
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
        of_types(type(self).__name__, value, self._types)
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

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return ()

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        """Return the random numbers for a PIL image, from Python's generator as in MindSpore."""
        return self._draw(height, width)

    def _array(self, image: Array, *drawn: Any) -> Any:
        raise NotImplementedError

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return as_pil(self._array(np.asarray(image), *drawn), image)


def _channels_of(image: Array) -> int:
    return image.shape[-1] if image.ndim > 2 else 1


def of_types(api: str, image: Array, types: str) -> Array:
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


def as_image(api: str, value: Any) -> Array:
    """Return an image to transform, an array or a PIL image, as an array."""
    return np.asarray(value) if is_pil(value) else given_array(api, value, "NumPy or PIL image")


_NOT_PIL = also(TypeError, AttributeError)  # MindSpore looks for an attribute of the image first


def pil_image(api: str, value: Any) -> Any:
    """Return a value to transform, which must be a PIL image."""
    if not is_pil(value):
        raise _NOT_PIL(
            f"For '{api}', the value must be a PIL image, but got {type(value).__name__}: put 'ToPIL()' before, or "
            f"decode files by 'Decode(to_pil=True)'."
        )
    return value
