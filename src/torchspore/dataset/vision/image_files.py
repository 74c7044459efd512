"""Functions that read, write and encode image files, and return the size of images."""

from __future__ import annotations

import importlib
import io
from numbers import Number
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.common.error_classes import WrongType, WrongValue
from torchspore.dataset.parameters import checked
from torchspore.dataset.transforms.base import Array, as_array
from torchspore.dataset.vision.base import is_pil, pillow
from torchspore.dataset.vision.conversion import decoded, in_color
from torchspore.dataset.vision.enums import ImageReadMode
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Where
from torchspore.engine.storage.reading import check_regular
from torchspore.engine.storage.writing import replacing

__all__ = [
    "encode_jpeg", "encode_png", "get_image_num_channels", "get_image_size", "parse_padding", "read_file",
    "read_image", "write_file", "write_jpeg", "write_png",
]  # fmt: skip


_Quality: TypeAlias = Annotated[int, Where("in [1, 100]", range(1, 101).__contains__, WrongValue)]
_Level: TypeAlias = Annotated[int, Where("in [0, 9]", range(10).__contains__, WrongValue)]


def get_image_size(image: Any) -> list[int]:
    """Return [height, width] of an image.

    Args:
        image: an array (..., height, width, channels) or (height, width), or a PIL image.

    Raises:
        ValueError: the array has fewer than two dimensions.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.get_image_size(np.zeros((4, 5, 3)))
        [4, 5]
    """
    shape = _shape("get_image_size", image)
    return list(shape if len(shape) == 2 else shape[-3:-1])


def get_image_num_channels(image: Any) -> int:
    """Return the number of channels of an image, 1 for an array (height, width).

    Args:
        image: an array (..., height, width, channels) or (height, width), or a PIL image.

    Raises:
        ValueError: the array has fewer than two dimensions.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.get_image_num_channels(np.zeros((4, 5, 3)))
        3
    """
    shape = _shape("get_image_num_channels", image)
    return 1 if len(shape) == 2 else shape[-1]


def _shape(api: str, image: Any) -> tuple[int, ...]:
    if is_pil(image):
        return image.height, image.width, len(image.getbands())
    if not isinstance(image, np.ndarray):
        raise TypeError(f"For '{api}', 'image' must be a NumPy array or a PIL image, but got {describe(image)}.")
    if image.ndim < 2:
        raise WrongValue(f"For '{api}', 'image' must have two dimensions or more, but got the shape {image.shape}.")
    return image.shape


@checked
def encode_jpeg(image: Any, quality: _Quality = 75) -> Array:
    """Return the bytes of a JPEG file of an image, as an array of uint8.

    Args:
        image: an array or Tensor of uint8, (height, width), (height, width, 1) or (height, width, 3).
        quality: the quality, in [1, 100]. Default: 75.

    Raises:
        ValueError: the image has another shape.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> content = vision.encode_jpeg(np.zeros((4, 5, 3), np.uint8))
        >>> vision.Decode()(content).shape
        (4, 5, 3)
    """
    return _encoded("encode_jpeg", image, "jpeg", quality=quality)


@checked
def encode_png(image: Any, compression_level: _Level = 6) -> Array:
    """Return the bytes of a PNG file of an image, as an array of uint8.

    Args:
        image: an array or Tensor of uint8, (height, width), (height, width, 1) or (height, width, 3).
        compression_level: the strength of compression, in [0, 9]. Default: 6.

    Raises:
        ValueError: the image has another shape.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> content = vision.encode_png(np.full((4, 5, 3), 7, np.uint8))
        >>> bool((vision.Decode()(content) == 7).all())
        True
    """
    return _encoded("encode_png", image, "png", compress_level=compression_level)


def _pixels(api: str, name: str, value: Any) -> Array:
    if is_pil(value):
        raise TypeError(f"For '{api}', '{name}' must be an array or a Tensor, but got a PIL image. Use np.asarray.")
    return as_array(api, value)


def _encoded(api: str, image: Any, kind: str, **options: int) -> Array:
    pixels = _pixels(api, "image", image)
    if pixels.dtype != np.uint8:
        raise WrongType(f"For '{api}', 'image' must be of uint8, but got {pixels.dtype}.")
    if not pixels.size or pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in (1, 3)):
        raise WrongValue(
            f"For '{api}', 'image' must have the shape (height, width), (height, width, 1) or (height, width, 3), but "
            f"got {pixels.shape}."
        )
    file = io.BytesIO()
    pillow().fromarray(pixels[:, :, 0] if pixels.shape[2:] == (1,) else pixels).save(file, kind, **options)
    return np.frombuffer(file.getvalue(), np.uint8).copy()


@checked
def read_file(filename: str) -> Array:
    """Return the bytes of a file, as an array of uint8.

    Args:
        filename: the path of the file.

    Raises:
        ValueError: there is no such file.

    Examples:
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = str(pathlib.Path(folder, "three"))
        ...     vision.write_file(path, np.array([1, 2, 3], np.uint8))
        ...     vision.read_file(path)
        array([1, 2, 3], dtype=uint8)
    """
    return _read("read_file", filename)


def _read(api: str, filename: str) -> Array:
    try:
        check_regular(filename)
        return np.fromfile(filename, np.uint8)
    except OSError as error:
        raise WrongValue(
            f"For '{api}', 'filename' must be a file that can be read, but got {filename!r}: {error}"
        ) from error


@checked
def write_file(filename: str, data: Any) -> None:
    """Write bytes into a file.

    Args:
        filename: the path of the file.
        data: an array or Tensor of uint8 of one dimension.

    Raises:
        ValueError: `data` does not have one dimension, or the file cannot be written.

    Examples:
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "three")
        ...     vision.write_file(str(path), np.array([1, 2, 3], np.uint8))
        ...     path.read_bytes()
        b'\\x01\\x02\\x03'
    """
    content = _pixels("write_file", "data", data)
    if content.dtype != np.uint8:
        raise WrongType(f"For 'write_file', 'data' must be of uint8, but got {content.dtype}.")
    if content.ndim != 1:
        raise WrongValue(f"For 'write_file', 'data' must have one dimension, but got the shape {content.shape}.")
    _write("write_file", filename, content)


def _write(api: str, filename: str, content: Array) -> None:
    try:
        with replacing(filename, durable=False) as file:
            file.write(content.tobytes())
    except OSError as error:
        raise WrongValue(
            f"For '{api}', 'filename' must be a file that can be written, but got {filename!r}: {error}"
        ) from error


@checked
def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> Array:
    """Return the image in a file, as an array of uint8 (height, width, channels).

    Args:
        filename: the path of the file.
        mode: the color space; the image is turned as the file says. Default: ImageReadMode.UNCHANGED, grayscale if the
            file is, and else RGB, as its pixels are stored; pixels of 16 bits as uint16.

    Raises:
        ValueError: there is no such file, or it is not an image.

    Examples:
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = str(pathlib.Path(folder, "image.png"))
        ...     vision.write_png(path, np.zeros((4, 5, 3), np.uint8))
        ...     vision.read_image(path, vision.ImageReadMode.GRAYSCALE).shape
        (4, 5, 1)
    """
    content = _read("read_image", filename).tobytes()

    def convert(image: Any) -> Array:
        if mode is ImageReadMode.GRAYSCALE:
            return _gray(image)[:, :, None]
        if mode is ImageReadMode.COLOR:
            return in_color(_turned(image))
        if image.mode.startswith("I;16"):
            return np.array(image)[:, :, None]
        return np.array(image.convert("L"))[:, :, None] if image.mode in ("1", "L") else in_color(image)

    try:
        return decoded("read_image", content, convert)
    except ValueError as error:
        raise WrongValue(f"{error} (the file {filename!r})") from error


def _turned(image: Any) -> Any:
    return importlib.import_module("PIL.ImageOps").exif_transpose(image)


def _gray(image: Any) -> Array:
    """Return an image in grayscale as OpenCV reads it: the luma of a JPEG, a PNG with the weights of libpng."""
    is_png = image.format == "PNG"
    image.draft("L", image.size)
    turned = _turned(image)
    if turned.mode in ("1", "L"):
        return np.array(turned.convert("L"))
    weights, rounding, bits = ([9797, 19234, 3737], 0, 15) if is_png else ([4899, 9617, 1868], 8192, 14)
    return ((in_color(turned).astype(np.int32) @ weights + rounding) >> bits).astype(np.uint8)


def parse_padding(padding: Any) -> tuple[int, ...]:
    """Return the borders of one number for all, two (horizontal, vertical) or four, as a tuple."""
    if isinstance(padding, Number):
        return (padding,) * 4  # type: ignore[return-value]
    return tuple(padding) * 2 if len(padding) == 2 else tuple(padding)


@checked
def write_jpeg(filename: str, image: Any, quality: _Quality = 75) -> None:
    """Write an image into a JPEG file; `image` and `quality` as for `encode_jpeg`.

    Raises:
        ValueError: the image has another shape, or the file cannot be written.

    Examples:
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = str(pathlib.Path(folder, "image.jpg"))
        ...     vision.write_jpeg(path, np.zeros((4, 5, 3), np.uint8))
        ...     vision.read_image(path).shape
        (4, 5, 3)
    """
    _write("write_jpeg", filename, _encoded("write_jpeg", image, "jpeg", quality=quality))


@checked
def write_png(filename: str, image: Any, compression_level: _Level = 6) -> None:
    """Write an image into a PNG file; `image` and `compression_level` as for `encode_png`.

    Raises:
        ValueError: the image has another shape, or the file cannot be written.

    Examples:
        >>> import pathlib, tempfile
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = str(pathlib.Path(folder, "image.png"))
        ...     vision.write_png(path, np.full((4, 5), 9, np.uint8))
        ...     int(vision.read_image(path).max())
        9
    """
    _write("write_png", filename, _encoded("write_png", image, "png", compress_level=compression_level))
