"""Image transforms that move pixels: resizing, crops, flips, borders, rotations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from torchspore.dataset.parameters import Float32, Natural, Whole
from torchspore.dataset.transforms.base import Array, TensorOperation
from torchspore.dataset.vision import kernels, warp_kernels
from torchspore.dataset.vision.base import (
    TYPES,
    ImageOperation,
    as_pil,
    is_pil,
    of_types,
    pil_image,
    pillow,
    types_for,
)
from torchspore.dataset.vision.enums import Border, Inter
from torchspore.dataset.vision.parameters import (
    Center,
    Fill,
    LargeSize,
    MovingInter,
    Padding,
    Pixel,
    Position,
    ResizedTo,
    Size,
)
from torchspore.engine.parameters import Where

__all__ = [
    "CenterCrop", "Crop", "FiveCrop", "HorizontalFlip", "Pad", "PadToSize", "Resize", "ResizedCrop", "Rotate",
    "TenCrop", "VerticalFlip",
]  # fmt: skip

_PIL_NAMES = {
    Inter.NEAREST: "NEAREST",
    Inter.ANTIALIAS: "LANCZOS",
    Inter.BILINEAR: "BILINEAR",
    Inter.BICUBIC: "BICUBIC",
}


def pil_filter(api: str, inter: Inter) -> Any:
    """Return Pillow's name of an interpolation.

    Raises:
        TypeError: it has no such interpolation.
    """
    if inter not in _PIL_NAMES:
        raise TypeError(f"For '{api}', a PIL image cannot be interpolated by {inter.name}.")
    return getattr(pillow().Resampling, _PIL_NAMES[inter])


def pil_color(image: Any, color: Pixel) -> Any:
    """Return a color of one or three numbers as Pillow has it for an image."""
    return color if not isinstance(color, int) or len(image.getbands()) == 1 else (color,) * 3


def resize(api: str, image: Any, height: int, width: int, inter: Inter) -> Any:
    """Return an image resized; PIL images and arrays have different interpolations."""
    if is_pil(image):
        return image.resize((width, height), pil_filter(api, inter))
    if inter is Inter.ANTIALIAS:
        raise ValueError(f"For '{api}', ANTIALIAS needs a PIL image: put 'Decode(to_pil=True)' or 'ToPIL()' before.")
    if inter is Inter.PILCUBIC and (image.ndim < 3 or image.shape[-1] != 3):
        raise ValueError(f"For '{api}', an image must have 3 channels for Inter.PILCUBIC, but got {image.shape}.")
    return kernels.resized(of_types(api, image, "B") if inter is Inter.PILCUBIC else image, height, width, inter)


def cropped(image: Any, top: int, left: int, height: int, width: int) -> Any:
    """Return a part of an image."""
    if is_pil(image):
        return image.crop((left, top, left + width, top + height))
    return np.ascontiguousarray(image[top : top + height, left : left + width])


def both(size: int | Sequence[int]) -> tuple[int, int]:
    """Return (height, width), given as that or as one int for both."""
    height, width = (size, size) if isinstance(size, int) else size
    return height, width


def borders(padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    """Return the borders (left, top, right, bottom), given as 4, as 2 (horizontal, vertical) or as one int for all."""
    given = [padding] if isinstance(padding, int) else [*padding]
    left, top, right, bottom = given * (4 // len(given))
    return left, top, right, bottom


class Resize(ImageOperation):
    """Resizes an image.

    Results for arrays of uint8 equal MindSpore's (OpenCV), except for one level in some pixels: bilinear in at
    most 3 of 100, and only where the image grows, bicubic in 5, AREA in 10. PIL images are resized by Pillow, as in
    MindSpore.

    Args:
        size: (height, width); or the length of the shorter side, which keeps the aspect ratio.
        interpolation: the interpolation. Default: Inter.BILINEAR.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Resize((5, 6))(np.zeros((10, 20, 3), np.uint8)).shape
        (5, 6, 3)
        >>> vision.Resize(5)(np.zeros((10, 20, 3), np.uint8)).shape
        (5, 10, 3)
    """

    _takes_batches = True

    def __init__(self, size: ResizedTo, interpolation: Inter = Inter.BILINEAR) -> None:
        self.size = size
        self.interpolation = interpolation
        self._types = types_for(interpolation, TYPES)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        if not isinstance(self.size, int):
            return tuple(self.size)
        side = self.size
        return (side, int(side * width / height)) if height <= width else (int(side * height / width), side)

    def _array(self, image: Any, *drawn: Any) -> Any:
        height, width = drawn
        return resize(type(self).__name__, image, height, width, self.interpolation)

    _pil = _array


class Crop(ImageOperation):
    """Crops an image at a position.

    Args:
        coordinates: (top, left) of the crop.
        size: (height, width) of the crop, or one int for both.

    Raises:
        ValueError: the crop is not inside the image.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Crop((1, 1), (1, 2))(np.array([[1, 2, 3], [4, 5, 6]], np.uint8))
        array([[5, 6]], dtype=uint8)
    """

    _only_arrays = True

    def __init__(self, coordinates: Position, size: Size) -> None:
        self.coordinates = tuple(coordinates)
        self.size = both(size)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        top, left = self.coordinates
        if top + self.size[0] > height or left + self.size[1] > width:
            raise ValueError(
                f"For 'Crop', the crop of {self.size} at {self.coordinates} must be inside the image of "
                f"{(height, width)}."
            )
        return (top, left, *self.size)

    def _array(self, image: Any, *drawn: Any) -> Any:
        return cropped(image, *drawn)

    _pil = _array


class CenterCrop(ImageOperation):
    """Crops the center; a smaller image is padded with zeros.

    Args:
        size: (height, width), or one int for both.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.CenterCrop((1, 2))(np.arange(12, dtype=np.uint8).reshape(3, 4))
        array([[5, 6]], dtype=uint8)
    """

    _takes_batches = True

    def __init__(self, size: Size) -> None:
        self.size = both(size)

    def _array(self, image: Array, *drawn: Any) -> Array:
        return self._center(image, -1e-9)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return as_pil(self._center(np.asarray(image), 0), image)

    def _center(self, image: Array, bias: float) -> Array:
        """Return the center; where it is between two pixels, arrays and PIL images differ, as in MindSpore."""
        height, width = image.shape[:2]
        missing = [max(0, self.size[0] - height), max(0, self.size[1] - width)]
        before = [round(each / 2 - bias) for each in missing]
        full = kernels.padded(
            image, before[1], before[0], missing[1] - before[1], missing[0] - before[0], 0, Border.CONSTANT
        )
        top, left = [round((given - wanted) / 2 + bias) for given, wanted in zip(full.shape, self.size)]
        return np.ascontiguousarray(full[top : top + self.size[0], left : left + self.size[1]])


class HorizontalFlip(ImageOperation):
    """Flips an image horizontally.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.HorizontalFlip()(np.array([[1, 2, 3]], np.uint8))
        array([[3, 2, 1]], dtype=uint8)
    """

    _takes_batches = True
    _only_arrays = True
    _several = True

    def _array(self, image: Array, *drawn: Any) -> Array:
        return kernels.flipped(image)


class VerticalFlip(ImageOperation):
    """Flips an image vertically.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.VerticalFlip()(np.array([[1], [2]], np.uint8))
        array([[2],
               [1]], dtype=uint8)
    """

    _takes_batches = True
    _only_arrays = True
    _several = True

    def _array(self, image: Array, *drawn: Any) -> Array:
        return np.ascontiguousarray(image[::-1])


class Pad(ImageOperation):
    """Adds borders to an image.

    Args:
        padding: (left, top, right, bottom); (left and right, top and bottom); or one int for all.
        fill_value: the pixels of a constant border, one int or one for each of three channels. Default: 0.
        padding_mode: how the border is filled. Default: Border.CONSTANT.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Pad((1, 0, 2, 0), fill_value=9)(np.array([[1, 2]], np.uint8))
        array([[9, 1, 2, 9, 9]], dtype=uint8)
    """

    _channels = (1, 3)
    _bools_are_bytes = True

    def __init__(self, padding: Padding, fill_value: Fill = 0, padding_mode: Border = Border.CONSTANT) -> None:
        self.padding = borders(padding)
        self.fill_value = fill_value
        self.padding_mode = padding_mode

    def _array(self, image: Array, *drawn: Any) -> Array:
        return kernels.padded(image, *self.padding, self.fill_value, self.padding_mode)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        if self.padding_mode is not Border.CONSTANT or image.mode != "RGBA":
            return super()._pil(image, *drawn)
        left, top, right, bottom = self.padding
        size = image.width + left + right, image.height + top + bottom
        result = pillow().new(image.mode, size, pil_color(image, self.fill_value))  # its border is opaque
        result.paste(image, (left, top))
        return result


_CORNER = Where("an int or (top, left)", lambda corner: len(corner) in (0, 2))


class PadToSize(ImageOperation):
    """Adds borders to an image up to a size.

    Args:
        size: (height, width), or one int for both.
        offset: (top, left) of the image in the result. Default: None, centered.
        fill_value: as for `Pad`. Default: 0.
        padding_mode: as for `Pad`. Default: Border.CONSTANT.

    Raises:
        ValueError: the image does not fit.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.PadToSize((1, 4))(np.array([[1, 2]], np.uint8))
        array([[0, 1, 2, 0]], dtype=uint8)
    """

    _channels = (1, 3)
    _bools_are_bytes = True
    _only_arrays = True

    def __init__(
        self, size: LargeSize, offset: Whole | Annotated[Sequence[Whole], _CORNER] | None = None, fill_value: Fill = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:  # fmt: skip
        self.size = both(size)
        self.offset = None if offset is None or offset in ([], ()) else both(offset)
        self._pad = Pad(0, fill_value, padding_mode)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        spare = self.size[0] - height, self.size[1] - width
        top, left = self.offset or (spare[0] // 2, spare[1] // 2)
        borders = left, top, spare[1] - left, spare[0] - top
        if min(borders) < 0:
            raise ValueError(
                f"For 'PadToSize', the image of {(height, width)} does not fit into {self.size} at {(top, left)}."
            )
        return borders

    def _array(self, image: Array, *drawn: Any) -> Array:
        left, top, right, bottom = drawn
        return kernels.padded(image, left, top, right, bottom, self._pad.fill_value, self._pad.padding_mode)


class ResizedCrop(ImageOperation):
    """Crops an image at a position, and resizes the crop.

    Args:
        top: the first row of the crop.
        left: its first column.
        height: its height.
        width: its width.
        size: (height, width) of the result, or the length of its shorter side.
        interpolation: the interpolation. Default: Inter.BILINEAR.

    Raises:
        ValueError: the crop is not inside the image.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.ResizedCrop(1, 1, 4, 4, (2, 2))(np.zeros((8, 8, 3), np.uint8)).shape
        (2, 2, 3)
    """

    _only_arrays = True

    def __init__(
        self, top: Whole, left: Whole, height: Natural, width: Natural, size: Size,
        interpolation: Inter = Inter.BILINEAR,
    ) -> None:  # fmt: skip
        self._crop = Crop((top, left), (height, width))
        self._resize = Resize(both(size), interpolation)

    def _array(self, image: Any, *drawn: Any) -> Any:
        return self._resize(self._crop(image))


class Rotate(ImageOperation):
    """Rotates an image counterclockwise.

    Args:
        degrees: the angle.
        resample: NEAREST, BILINEAR, BICUBIC or AREA. Default: Inter.NEAREST.
        expand: enlarge the result so that it contains the whole rotated image. Default: False.
        center: (x, y) of the center of rotation. Default: None, the center of the image.
        fill_value: the pixels outside the image. Default: 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Rotate(90)(np.array([[1, 2], [3, 4]], np.uint8))
        array([[2, 4],
               [1, 3]], dtype=uint8)
    """

    _takes_batches = True

    _only_arrays = True

    def __init__(
        self, degrees: Float32, resample: MovingInter = Inter.NEAREST, expand: bool = False,
        center: Center | None = None, fill_value: Fill = 0,
    ) -> None:  # fmt: skip
        self.degrees = degrees % 360
        self.resample = resample
        self._types = types_for(resample)
        self.expand = expand
        self.center = center
        self.fill_value = fill_value

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return (self.degrees,)

    def _array(self, image: Array, *drawn: Any) -> Array:
        (degrees,) = drawn
        return warp_kernels.rotated(image, degrees, self.resample, self.expand, self.center, self.fill_value)


class FiveCrop(TensorOperation):
    """Crops a PIL image at its corners (top left, top right, bottom left, bottom right) and its center.

    Args:
        size: (height, width), or one int for both.

    Raises:
        TypeError: the value is not a PIL image.
        ValueError: the image is smaller.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = vision.ToPIL()(np.zeros((8, 8, 3), np.uint8))
        >>> [crop.size for crop in vision.FiveCrop(4)(image)]
        [(4, 4), (4, 4), (4, 4), (4, 4), (4, 4)]
    """

    on_objects = True

    def __init__(self, size: Size) -> None:
        self.size = both(size)

    def _taken(self, value: Any) -> Any:
        return pil_image(type(self).__name__, value)

    def _apply(self, value: Any) -> tuple[Any, ...]:
        height, width = self.size
        bottom, right = value.height - height, value.width - width
        if min(bottom, right) < 0:
            raise ValueError(
                f"For '{type(self).__name__}', the image must be at least {self.size}, but is "
                f"{(value.height, value.width)}."
            )
        corners = [(0, 0), (0, right), (bottom, 0), (bottom, right), (round(bottom / 2), round(right / 2))]
        return tuple([cropped(value, *corner, height, width) for corner in corners])


class TenCrop(FiveCrop):
    """Crops a PIL image and its mirror image at the corners and the center.

    Args:
        size: (height, width), or one int for both.
        use_vertical_flip: flip vertically instead of horizontally. Default: False.

    Raises:
        TypeError: an argument, or the value, has another type.
        ValueError: the image is smaller.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = vision.ToPIL()(np.zeros((8, 8, 3), np.uint8))
        >>> len(vision.TenCrop(4)(image))
        10
    """

    def __init__(self, size: Size, use_vertical_flip: bool = False) -> None:
        super().__init__(size)
        self._flip: ImageOperation = VerticalFlip() if use_vertical_flip else HorizontalFlip()

    def _apply(self, value: Any) -> tuple[Any, ...]:
        flipped = self._flip(value)  # an array
        return super()._apply(value) + super()._apply(as_pil(flipped, value))
