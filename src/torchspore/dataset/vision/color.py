"""Image transforms that change colors."""

from __future__ import annotations

import importlib
from typing import Annotated, Any

import numpy as np

from torchspore.dataset.parameters import NotNegativeFloat32
from torchspore.dataset.transforms.base import Array, TensorOperation, given_array
from torchspore.dataset.vision import kernels
from torchspore.dataset.vision.base import COLORED, WITHOUT_HALF, ImageOperation, pil_image, pillow
from torchspore.dataset.vision.enums import ConvertMode
from torchspore.engine.parameters import Limits, Where

__all__ = [
    "AdjustBrightness", "AdjustContrast", "AdjustHue", "AdjustSaturation", "ConvertColor", "Grayscale", "HsvToRgb",
    "Invert", "RgbToHsv",
]  # fmt: skip


def enhanced(name: str, image: Any, factor: float) -> Any:
    """Return a PIL image after one of Pillow's enhancers."""
    return getattr(importlib.import_module("PIL.ImageEnhance"), name)(image).enhance(factor)


class Invert(ImageOperation):
    """Inverts an image: each pixel becomes 255 minus its value.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Invert()(np.array([[[0, 100, 255]]], np.uint8))
        array([[[255, 155,   0]]], dtype=uint8)
    """

    _types = WITHOUT_HALF
    _channels = (3,)

    def _array(self, image: Array, *drawn: Any) -> Array:
        return kernels.inverted(image)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        if image.mode == "1":
            return pillow().fromarray(~np.asarray(image))
        return pillow().fromarray(kernels.inverted(np.asarray(image)))


class _Adjust(ImageOperation):
    """Blends an image with another that is computed from it."""

    _enhancer: str  # Pillow's, for PIL images
    _factor: float  # the weight of the image; 1 changes nothing

    def _array(self, image: Array, *drawn: Any) -> Array:
        return kernels.blended(image, self._reference(image), self._factor)

    def _reference(self, image: Array) -> Any:
        raise NotImplementedError

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return enhanced(self._enhancer, image, self._factor)


class AdjustBrightness(_Adjust):
    """Adjusts the brightness.

    Args:
        brightness_factor: the factor, >= 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.AdjustBrightness(2.0)(np.full((1, 1, 3), 50, np.uint8))
        array([[[100, 100, 100]]], dtype=uint8)
    """

    _channels = (1, 3)
    _enhancer = "Brightness"

    def __init__(self, brightness_factor: NotNegativeFloat32) -> None:
        self._factor = brightness_factor

    def _reference(self, image: Array) -> Any:
        return 0


class AdjustContrast(_Adjust):
    """Adjusts the contrast: the distance from the mean brightness.

    Args:
        contrast_factor: the factor, >= 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.AdjustContrast(0.0)(np.array([[[0, 0, 0], [100, 100, 100]]], np.uint8))
        array([[[50, 50, 50],
                [50, 50, 50]]], dtype=uint8)
    """

    _types = COLORED
    _channels = (3,)
    _enhancer = "Contrast"

    def __init__(self, contrast_factor: NotNegativeFloat32) -> None:
        self._factor = contrast_factor

    def _reference(self, image: Array) -> Any:
        mean = kernels.gray(image).mean()
        return mean if image.dtype.kind == "f" else int(mean + 0.5)


class AdjustSaturation(_Adjust):
    """Adjusts the saturation: the distance from gray.

    Args:
        saturation_factor: the factor, >= 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.AdjustSaturation(0.0)(np.array([[[200, 100, 50]]], np.uint8))
        array([[[124, 124, 124]]], dtype=uint8)
    """

    _types = COLORED
    _channels = (3,)
    _enhancer = "Color"

    def __init__(self, saturation_factor: NotNegativeFloat32) -> None:
        self._factor = saturation_factor

    def _reference(self, image: Array) -> Any:
        return kernels.gray(image)[:, :, None]


class AdjustHue(ImageOperation):
    """Adjusts the hue.

    Hues and saturations of uint8 have 8 bits, as in MindSpore.

    Args:
        hue_factor: the shift of the hue, as a fraction of the color wheel, in [-0.5, 0.5].

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.AdjustHue(0.5)(np.array([[[255, 0, 0]]], np.uint8))
        array([[[  0, 255, 252]]], dtype=uint8)
    """

    _types = "Bf"
    _channels = (3,)

    def __init__(self, hue_factor: Annotated[float, Limits(-0.5, 0.5)]) -> None:
        self._factor = hue_factor

    def _array(self, image: Array, *drawn: Any) -> Array:
        return kernels.hue_shifted(image, self._factor)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        if image.mode in ("1", "F", "I", "L"):  # without colors
            return image
        hue, saturation, value = image.convert("HSV").split()
        shifted = np.asarray(hue) + np.array(int(self._factor * 255)).astype(np.uint8)
        return pillow().merge("HSV", (pillow().fromarray(shifted), saturation, value)).convert(image.mode)


class Grayscale(ImageOperation):
    """Converts a PIL image to grayscale.

    Args:
        num_output_channels: 1, or 3 equal ones. Default: 1.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = vision.ToPIL()(np.array([[[200, 100, 50]]], np.uint8))
        >>> np.array(vision.Grayscale()(image))
        array([[124]], dtype=uint8)
    """

    on_objects = True

    def __init__(self, num_output_channels: Annotated[int, Where("1 or 3", (1, 3).__contains__)] = 1) -> None:
        self.num_output_channels = num_output_channels

    def _taken(self, value: Any) -> Any:
        return pil_image(type(self).__name__, value)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        shade = image.convert("L")
        return shade if self.num_output_channels == 1 else pillow().merge("RGB", (shade, shade, shade))


_OPAQUE = -1  # a new channel, of the highest value, or the fourth
_REVERSED = [2, 1, 0]
_COLORED = (3, 4)
# For each mode the channels to select, or None for the luminance, and the allowed numbers of channels.
_MODES: dict[ConvertMode, tuple[list[int] | None, tuple[int, ...]]] = {
    ConvertMode.COLOR_RGB2RGBA: ([0, 1, 2, _OPAQUE], _COLORED),
    ConvertMode.COLOR_RGBA2RGB: ([0, 1, 2], _COLORED),
    ConvertMode.COLOR_RGB2BGRA: ([*_REVERSED, _OPAQUE], _COLORED),
    ConvertMode.COLOR_RGBA2BGR: (_REVERSED, _COLORED),
    ConvertMode.COLOR_RGB2BGR: (_REVERSED, _COLORED),
    ConvertMode.COLOR_RGBA2BGRA: ([*_REVERSED, 3], (4,)),
    ConvertMode.COLOR_BGR2GRAY: (None, _COLORED),
    ConvertMode.COLOR_RGB2GRAY: (None, _COLORED),
    ConvertMode.COLOR_GRAY2RGB: ([0, 0, 0], (1,)),
    ConvertMode.COLOR_GRAY2RGBA: ([0, 0, 0, _OPAQUE], (1,)),
    ConvertMode.COLOR_BGRA2GRAY: (None, _COLORED),
    ConvertMode.COLOR_RGBA2GRAY: (None, _COLORED),
}


class ConvertColor(ImageOperation):
    """Reorders, adds or drops channels, or converts an image to grayscale.

    Args:
        convert_mode: the source and target channels. A new opacity channel is 255, or 1 for floats.

    Raises:
        ValueError: the image does not have the channels that the mode needs.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGRA)(np.array([[[1, 2, 3]]], np.uint8))
        array([[[  3,   2,   1, 255]]], dtype=uint8)
    """

    _types = f"?{COLORED}"
    _only_arrays = True

    def __init__(self, convert_mode: ConvertMode) -> None:
        self.convert_mode = convert_mode

    def _array(self, image: Array, *drawn: Any) -> Array:
        selected, allowed = _MODES[self.convert_mode]
        planes = image[:, :, None] if image.ndim == 2 else image
        if planes.shape[2] not in allowed:
            raise ValueError(
                f"For 'ConvertColor', an image must have {' or '.join(map(str, allowed))} channels for "
                f"{self.convert_mode.name}, but got the shape {image.shape}."
            )
        if selected is None:
            blue_first = self.convert_mode in (ConvertMode.COLOR_BGR2GRAY, ConvertMode.COLOR_BGRA2GRAY)
            return kernels.gray(planes[:, :, _REVERSED if blue_first else [0, 1, 2]])
        if selected[-1] == _OPAQUE and planes.shape[2] < 4:
            highest = 1 if image.dtype.kind == "f" else np.iinfo(image.dtype).max
            planes = np.concatenate([planes, np.full_like(planes[:, :, :1], highest)], 2)
        return np.ascontiguousarray(planes[:, :, selected])


class _Converted(TensorOperation):
    """Converts between color spaces, along the dimension of the channels."""

    on_objects = True

    def __init__(self, is_hwc: bool = False) -> None:
        self.is_hwc = is_hwc

    def _taken(self, value: Any) -> Any:
        return given_array(type(self).__name__, value)

    def _axis(self, image: Array) -> int:
        axis = -1 if self.is_hwc else -3
        if image.ndim not in (3, 4) or image.shape[axis] != 3:
            raise ValueError(
                f"For '{type(self).__name__}', an image must have 3 or 4 dimensions and 3 colors in the "
                f"{'last' if self.is_hwc else 'third last'}, but got the shape {image.shape}."
            )
        return axis


class RgbToHsv(_Converted):
    """Converts red, green and blue to hue, saturation and value, all in [0, 1].

    Args:
        is_hwc: whether the channels are the last dimension; otherwise they are the third last. Default: False.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RgbToHsv(is_hwc=True)(np.array([[[0.0, 1.0, 1.0]]]))
        array([[[0.5, 1. , 1. ]]])
    """

    def _apply(self, value: Array) -> Array:
        return kernels.to_hsv(value, self._axis(value))


class HsvToRgb(_Converted):
    """Converts hue, saturation and value to red, green and blue, all in [0, 1].

    Args:
        is_hwc: whether the channels are the last dimension; otherwise they are the third last. Default: False.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.HsvToRgb(is_hwc=True)(np.array([[[0.5, 1.0, 1.0]]]))
        array([[[0., 1., 1.]]])
    """

    def _apply(self, value: Array) -> Array:
        return kernels.to_rgb(value, self._axis(value))
