"""Image transforms that change the type, the scale or the order of dimensions, and decode image files."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from torchspore.dataset.parameters import Float32, ruled
from torchspore.dataset.transforms.base import Array, TensorOperation, given_array
from torchspore.dataset.transforms.combined import batch_form, joins
from torchspore.dataset.transforms.operations import TypeCast, numpy_type
from torchspore.dataset.vision import kernels
from torchspore.dataset.vision.base import (
    ANY_TYPE,
    TYPES,
    WITHOUT_HALF,
    ImageOperation,
    as_image,
    is_pil,
    of_types,
    pillow,
)
from torchspore.dataset.vision.jpeg import fast_pixels
from torchspore.engine.parameters import Limits, Rule

__all__ = [
    "HWC2CHW", "Decode", "LinearTransformation", "Normalize", "NormalizePad", "Rescale", "ToNumpy", "ToPIL", "ToTensor",
    "ToType",
]  # fmt: skip


# The formats of MindSpore's own decoder, and those it reads by Pillow, without formats that start other programs.
_OWN_FORMATS = ("JPEG", "PNG", "BMP", "DIB", "TIFF", "PPM")
_PILLOW_FORMATS = ("AVIF", "DDS", "GIF", "ICNS", "ICO", "IM", "JPEG2000", "MSP", "PCX", "SGI", "TGA", "WEBP", "XBM")


def decoded(api: str, content: Any, convert: Callable[[Any], Any], *, to_pil: bool = False) -> Any:
    """Convert the PIL image in the bytes of a file.

    Args:
        api: the name in messages.
        content: the bytes.
        convert: a function of the image, whose pixels may not have been decoded yet.
        to_pil: whether all of Pillow's pixel formats are read, or only MindSpore's. Default: False.

    Raises:
        ValueError: the bytes are not an image.
    """
    module = pillow()
    wanted = (*_OWN_FORMATS, *_PILLOW_FORMATS) if to_pil else _OWN_FORMATS
    module.init()
    try:
        return convert(module.open(io.BytesIO(content), formats=[each for each in wanted if each in module.OPEN]))
    except Exception as error:  # of any type: Pillow's readers raise many for malformed bytes
        reason = "it needs too much memory" if isinstance(error, MemoryError) else str(error) or type(error).__name__
        raise ValueError(
            f"For '{api}', the bytes must be a whole image, JPEG, PNG, BMP, TIFF or PPM: {reason[:200]}"
        ) from error


def decoded_in_color(api: str, content: bytes) -> Array:
    """Return the pixels of an image file in RGB; arguments and errors as for `decoded`."""
    pixels = fast_pixels(content)
    return np.asarray(decoded(api, content, in_color)) if pixels is None else pixels


def in_color(image: Any) -> Array:
    """Return the pixels of a PIL image in RGB, of 16 bits the higher byte."""
    if image.mode.startswith("I;16"):
        return np.repeat((np.asarray(image) >> 8).astype(np.uint8)[:, :, None], 3, 2)
    return np.array(image if image.mode == "RGB" else image.convert("RGB"))


def _loaded(image: Any) -> Any:
    return image.convert("RGB")


class Decode(TensorOperation):
    """Decodes the bytes of an image file, in RGB.

    Args:
        to_pil: return a PIL image instead of an array of uint8 (height, width, 3). Default: False.

    Raises:
        TypeError: the value is not an array of bytes.
        ValueError: the bytes are not an image.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> content = vision.encode_png(np.zeros((3, 4, 3), np.uint8))
        >>> vision.Decode()(content).shape
        (3, 4, 3)
    """

    def __init__(self, to_pil: bool = False) -> None:
        self.to_pil = to_pil
        self.on_objects = self.to_pil

    def _apply(self, value: Array) -> Any:
        if value.dtype.kind == "S" or (value.dtype == np.uint8 and value.ndim == 1):
            content = value.tobytes()
        else:
            raise TypeError(
                f"For 'Decode', the value must be the bytes of an image file, an array of uint8 of one dimension, but "
                f"got {value.dtype} of the shape {value.shape}."
            )
        return decoded("Decode", content, _loaded, to_pil=True) if self.to_pil else decoded_in_color("Decode", content)


class ToPIL(TensorOperation):
    """Converts an array (height, width, channels) or (height, width) to a PIL image.

    Raises:
        TypeError: Pillow does not support such arrays.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.ToPIL()(np.zeros((2, 3, 3), np.uint8)).size
        (3, 2)
    """

    on_objects = True

    def _taken(self, value: Any) -> Any:
        return value if is_pil(value) else given_array("ToPIL", value, "NumPy or PIL image")

    def _apply(self, value: Any) -> Any:
        if is_pil(value):
            return value
        if value.ndim not in (2, 3):
            raise ValueError(f"For 'ToPIL', an image must have 2 or 3 dimensions, but got the shape {value.shape}.")
        squeezed = value[:, :, 0] if value.ndim == 3 and value.shape[2] == 1 else value
        try:
            return pillow().fromarray(squeezed)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"For 'ToPIL', the value must be an image, preferably of uint8, but got {value.dtype} of the shape "
                f"{value.shape}."
            ) from error


class ToNumpy(TensorOperation):
    """Converts a PIL image to an array.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = vision.ToPIL()(np.zeros((2, 3, 3), np.uint8))
        >>> vision.ToNumpy()(image).shape
        (2, 3, 3)
    """

    def _taken(self, value: Any) -> Any:
        return np.array(value) if is_pil(value) else super()._taken(value)

    def _apply(self, value: Any) -> Any:
        return value


class ToTensor(TensorOperation):
    """Converts an image to an array (channels, height, width) of floats, and divides the pixels by 255.

    Args:
        output_type: the data type. Default: np.float32.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = vision.ToTensor()(np.full((2, 3, 3), 255, np.uint8))
        >>> image.shape, image.dtype, float(image.max())
        ((3, 2, 3), dtype('float32'), 1.0)
    """

    def __init__(self, output_type: Any = np.float32) -> None:
        self.output_type = numpy_type("ToTensor", output_type, "output_type")

    def _taken(self, value: Any) -> Any:
        return of_types("ToTensor", as_image("ToTensor", value), TYPES)

    def _apply(self, value: Array) -> Array:
        image = _channels_first("ToTensor", value[:, :, None] if value.ndim == 2 else value)
        scaled = np.multiply(image, np.float32(1 / 255), dtype=np.float32)
        return scaled.astype(self.output_type, copy=False)


def _channels_first(api: str, image: Array) -> Array:
    if image.ndim != 3:
        raise ValueError(f"For '{api}', an image must have 2 or 3 dimensions, but got the shape {image.shape}.")
    return np.ascontiguousarray(image.transpose(2, 0, 1))


class ToType(TypeCast):
    """Converts to a data type.

    Args:
        data_type: MindSpore's or NumPy's data type.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.ToType(np.float32)(np.zeros((2, 2), np.uint8)).dtype
        dtype('float32')
    """


class HWC2CHW(TensorOperation):
    """Moves the channels first: (height, width, channels) becomes (channels, height, width).

    Raises:
        ValueError: the value has neither 2 nor 3 dimensions.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.HWC2CHW()(np.zeros((4, 5, 3))).shape
        (3, 4, 5)
    """

    _several = True

    def _taken(self, value: Any) -> Any:
        return of_types("HWC2CHW", as_image("HWC2CHW", value), WITHOUT_HALF)

    def _transform(self, values: list[Any]) -> Any:
        results = [value if value.ndim == 2 else _channels_first("HWC2CHW", value) for value in values]
        return results[0] if len(results) == 1 else tuple(results)


class Rescale(TensorOperation):
    """Multiplies and shifts: `value * rescale + shift`, in float32.

    Args:
        rescale: the factor.
        shift: the summand.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Rescale(0.5, -1)(np.array([[2, 4]], np.uint8))
        array([[0., 1.]], dtype=float32)
    """

    def __init__(self, rescale: Float32, shift: Float32) -> None:
        self.rescale = np.float32(rescale)
        self.shift = np.float32(shift)

    def _taken(self, value: Any) -> Any:
        return of_types("Rescale", as_image("Rescale", value), TYPES)

    def _apply(self, value: Array) -> Array:
        result = np.multiply(value, self.rescale, dtype=np.float32)
        result += self.shift
        return result


_Mean: TypeAlias = Annotated[float, Limits(0, 255)]
_Deviation: TypeAlias = Annotated[float, Limits(above=0, maximum=255)]


class Normalize(ImageOperation):
    """Subtracts a mean from each channel and divides by a standard deviation, in float32.

    Args:
        mean: a mean for each channel, or one for all.
        std: a standard deviation for each channel, or one for all.
        is_hwc: whether the channels are the last dimension; otherwise they are the first. Default: True.

    Raises:
        ValueError: `mean` and `std` do not have a value for each channel.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Normalize(mean=[100.0], std=[50.0])(np.array([[100, 200]], np.uint8))
        array([[0., 2.]], dtype=float32)
    """

    _types = ANY_TYPE
    _takes_batches = True

    @ruled(Rule("'mean' and 'std' must have the same length", lambda mean, std: len(mean) == len(std)))
    def __init__(self, mean: Sequence[_Mean], std: Sequence[_Deviation], is_hwc: bool = True) -> None:
        self.mean = np.array(mean, np.float32)
        self.std = np.array(std, np.float32)
        self.is_hwc = is_hwc

    def _hint(self, image: Array) -> str:
        if self.is_hwc and len(image) == len(self.mean):
            return (
                " Pass is_hwc=False for images of shape (channels, height, width), which ToTensor and HWC2CHW return."
            )
        return ""

    def _pil(self, image: Any, *drawn: Any) -> Array:
        return self._array(np.asarray(image))

    def _array(self, image: Array, *drawn: Any) -> Array:
        channels = 1 if image.ndim == 2 else image.shape[2 if self.is_hwc else 0]
        if len(self.mean) not in (1, channels):
            raise ValueError(
                f"For '{type(self).__name__}', 'mean' and 'std' must have a value for each of {channels} channels, but "
                f"got {len(self.mean)}.{self._hint(image)}"
            )
        if self.is_hwc or image.ndim == 2:  # a few long rows are faster than many pixels
            rows = image.reshape(len(image), -1)
            repeats = rows.shape[1] // len(self.mean)
            result = np.subtract(rows, np.tile(self.mean, repeats), dtype=np.float32)
            result /= np.tile(self.std, repeats)
            return result.reshape(image.shape)
        result = np.subtract(image, self.mean[:, None, None], dtype=np.float32)
        result /= self.std[:, None, None]
        return result


@joins(Normalize, HWC2CHW)
def _normalized_planes(normalize: Normalize, _: HWC2CHW, image: Array) -> Array:
    """Normalize an image and move its channels first, in one pass."""
    if not normalize.is_hwc or image.ndim != 3 or len(normalize.mean) not in (1, image.shape[2]):
        raise ValueError
    planes = kernels.planes(image)
    result = np.empty((len(planes), *image.shape[:2]), np.float32)
    means, stds = [np.broadcast_to(each, len(planes)) for each in (normalize.mean, normalize.std)]
    for plane, mean, std, normal in zip(planes, means, stds, result):
        np.subtract(plane, mean, out=normal, dtype=np.float32)
        normal /= std
    return result


@batch_form(Rescale)
def _rescaled(rescale: Rescale, values: Array) -> Array:
    return rescale._apply(values)


@batch_form(ToType)
@batch_form(TypeCast)
def _cast(cast: TypeCast, values: Array) -> Array:
    return cast._apply(values)


@batch_form(HWC2CHW)
def _all_channels_first(_: HWC2CHW, values: Array) -> Array:
    if values.ndim == 3:
        return values
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2))


@batch_form(Normalize)
def _all_normalized(normalize: Normalize, values: Array) -> Array:
    if values.ndim == 3 or (values.ndim == 4 and normalize.is_hwc):
        below = values.reshape(-1, *values.shape[2:])  # one image below the other
        return normalize._array(below).reshape(values.shape)
    raise ValueError


@batch_form(ToTensor)
def _all_to_tensors(transform: ToTensor, values: Array) -> Array:
    images = values[:, None] if values.ndim == 3 else values.transpose(0, 3, 1, 2)
    scaled = np.multiply(images, np.float32(1 / 255), dtype=np.float32, order="C")
    return scaled.astype(transform.output_type, copy=False)


class NormalizePad(Normalize):
    """Normalizes the three channels, and appends a channel of zeros.

    Args:
        mean: a mean for each channel.
        std: a standard deviation for each channel.
        dtype: "float32" or "float16". Default: "float32".
        is_hwc: whether the channels are the last dimension; otherwise they are the first. Default: True.

    Raises:
        ValueError: as for `Normalize`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.NormalizePad([0.0] * 3, [1.0] * 3)(np.zeros((2, 2, 3), np.uint8)).shape
        (2, 2, 4)
    """

    def __init__(
        self, mean: Sequence[_Mean], std: Sequence[_Deviation], dtype: Literal["float32", "float16"] = "float32",
        is_hwc: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(mean, std, is_hwc)
        self.dtype = dtype

    def _array(self, image: Array, *drawn: Any) -> Array:
        normal = super()._array(image[:, :, None] if image.ndim == 2 and self.is_hwc else image)
        axis = 2 if self.is_hwc else 0
        return np.concatenate([normal, np.zeros_like(normal.take([0], axis))], axis).astype(self.dtype)


class LinearTransformation(TensorOperation):
    """Flattens an image, subtracts a vector, multiplies by a matrix, and restores the shape.

    Args:
        transformation_matrix: an array (D, D), where D is the number of values of the image.
        mean_vector: an array (D,).

    Raises:
        TypeError: an argument, or the image, is not an array.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> swap = np.array([[0.0, 1.0], [1.0, 0.0]])
        >>> vision.LinearTransformation(swap, np.ones(2))(np.array([[[3.0], [5.0]]])).tolist()
        [[[4.0], [2.0]]]
    """

    on_objects = True

    @ruled(
        Rule(
            "'transformation_matrix' must be square, and 'mean_vector' must have a value for each row",
            lambda transformation_matrix, mean_vector: (
                transformation_matrix.shape == (mean_vector.size,) * 2 and mean_vector.ndim == 1
            ),
        )
    )
    def __init__(self, transformation_matrix: Array, mean_vector: Array) -> None:
        self.transformation_matrix = transformation_matrix
        self.mean_vector = mean_vector

    def _taken(self, value: Any) -> Any:
        if is_pil(value):
            raise TypeError("For 'LinearTransformation', the image must be an array: put 'ToTensor()' before.")
        return super()._taken(value)

    def _apply(self, value: Array) -> Array:
        if value.size != len(self.transformation_matrix):
            raise ValueError(
                f"For 'LinearTransformation', the image must have {len(self.transformation_matrix)} values, one for "
                f"each row of the matrix, but got the shape {value.shape}."
            )
        flat = value.reshape(1, -1) - self.mean_vector
        return (flat @ self.transformation_matrix).reshape(value.shape)
