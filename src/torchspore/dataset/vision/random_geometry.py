"""Random image transforms: crops, flips, rotations, colors, erasing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np

from torchspore.dataset.parameters import MAX_FLOAT, TWO, NotNegativeFloat32
from torchspore.dataset.transforms.base import Array, Random
from torchspore.dataset.vision.base import (
    TYPES,
    ImageOperation,
    as_pil,
    is_pil,
    pil_image,
    types_for,
)
from torchspore.dataset.vision.color import AdjustBrightness, AdjustContrast, AdjustHue, AdjustSaturation, Grayscale
from torchspore.dataset.vision.conversion import Decode
from torchspore.dataset.vision.enums import Border, Inter
from torchspore.dataset.vision.geometry import (
    HorizontalFlip,
    Pad,
    Resize,
    Rotate,
    VerticalFlip,
    borders,
    both,
    cropped,
    pil_color,
    pil_filter,
    resize,
)
from torchspore.dataset.vision.parameters import (
    ASCENDING,
    Byte,
    Center,
    Degrees,
    Fill,
    MovingInter,
    Padding,
    PositiveRange,
    PositiveScale,
    Probability,
    Side,
    Size,
    StrengthRange,
)
from torchspore.engine.parameters import Length, Limits, Where

__all__ = [
    "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomErasing", "RandomGrayscale",
    "RandomHorizontalFlip", "RandomResize", "RandomResizedCrop", "RandomRotation", "RandomVerticalFlip",
]  # fmt: skip


class RandomlyApplied(Random, ImageOperation):
    """Applies another transform, `_operation`, with a probability.

    Args:
        prob: the probability, in [0, 1]. Default: 0.5.
    """

    _operation: ImageOperation

    def __init__(self, prob: Probability = 0.5) -> None:
        self.prob = prob

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return (self._random().happens(self.prob),)

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        return (random.random() < self.prob,)

    def _array(self, image: Any, *drawn: Any) -> Any:
        return self._operation(image) if drawn[0] else image

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return as_pil(np.asarray(self._operation(image)), image) if drawn[0] else image


class RandomHorizontalFlip(RandomlyApplied):
    """Flips an image horizontally with a probability.

    Args:
        prob: the probability, in [0, 1]. Default: 0.5.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomHorizontalFlip(1.0)(np.array([[1, 2, 3]], np.uint8))
        array([[3, 2, 1]], dtype=uint8)
    """

    _takes_batches = True
    _several = True
    _operation = HorizontalFlip()


class RandomVerticalFlip(RandomlyApplied):
    """Flips an image vertically with a probability.

    Args:
        prob: the probability, in [0, 1]. Default: 0.5.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomVerticalFlip(1.0)(np.array([[1], [2]], np.uint8))
        array([[2],
               [1]], dtype=uint8)
    """

    _takes_batches = True
    _several = True
    _operation = VerticalFlip()


class RandomGrayscale(RandomlyApplied):
    """Converts a PIL image to grayscale with a probability, without changing the number of channels.

    Args:
        prob: the probability, in [0, 1]. Default: 0.1.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = vision.ToPIL()(np.array([[[200, 100, 50]]], np.uint8))
        >>> np.array(vision.RandomGrayscale(1.0)(image))
        array([[[124, 124, 124]]], dtype=uint8)
    """

    on_objects = True

    _several = True
    _operation = Grayscale(3)

    def __init__(self, prob: Probability = 0.1) -> None:
        super().__init__(prob)

    def _taken(self, value: Any) -> Any:
        return pil_image("RandomGrayscale", value)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return image if image.mode == "L" else super()._pil(image, *drawn)


class RandomCrop(Random, ImageOperation):
    """Crops an image at a random position.

    Args:
        size: (height, width) of the crop, or one int for both.
        padding: borders to add first, as for `Pad`. Default: None.
        pad_if_needed: add borders if the image is smaller than the crop. Default: False.
        fill_value, padding_mode: as for `Pad`.

    Raises:
        ValueError: the image is smaller than the crop (when called).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomCrop(4, padding=1)(np.zeros((4, 4, 3), np.uint8)).shape
        (4, 4, 3)
    """

    _channels = (1, 3)
    _bools_are_bytes = True
    _takes_batches = True
    _draws_each = True
    _several = True

    def __init__(
        self, size: Size, padding: Padding | None = None, pad_if_needed: bool = False, fill_value: Fill = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:  # fmt: skip
        self.size = both(size)
        self.padding = borders(0 if padding is None else padding)
        self.pad_if_needed = pad_if_needed
        self._fill = Pad(0, fill_value, padding_mode)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        added, spare = self._spare(height, width)
        if spare == (0, 0):
            return added, 0, 0
        draws = self._random()
        left = draws.below(spare[1] + 1)
        return added, draws.below(spare[0] + 1), left

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        added, spare = self._spare(height, width)
        if spare == (0, 0):
            return added, 0, 0
        return added, random.randint(0, spare[0]), random.randint(0, spare[1])

    def _spare(self, height: int, width: int) -> tuple[tuple[int, int, int, int], tuple[int, int]]:
        """Return the borders to add, and how much higher and wider than the crop the image is then."""
        left, top, right, bottom = self.padding
        missing = [0, 0]
        if self.pad_if_needed:
            full = height + top + bottom, width + left + right
            missing = [max(0, wanted - given) for wanted, given in zip(self.size, full)]
        added = left + missing[1], top + missing[0], right + missing[1], bottom + missing[0]
        spare = height + added[1] + added[3] - self.size[0], width + added[0] + added[2] - self.size[1]
        if min(spare) < 0:
            raise ValueError(
                f"For '{type(self).__name__}', the image must be at least {self.size} with its borders, but is "
                f"{(height, width)} with borders (left, top, right, bottom) of {self.padding}. Use 'pad_if_needed'."
            )
        return added, spare

    def _array(self, image: Any, *drawn: Any) -> Any:
        added, top, left = drawn
        if any(added):
            image = Pad(added, self._fill.fill_value, self._fill.padding_mode)(image)
        return cropped(image, top, left, *self.size)

    _pil = _array


class RandomResizedCrop(Random, ImageOperation):
    """Crops an image at a random position with a random size and aspect ratio, and resizes the crop.

    Args:
        size: (height, width) of the result, or one int for both.
        scale: the range of the area of the crop, as a fraction of the image, not negative. Default: (0.08, 1.0).
        ratio: the range of its width by its height, positive. Default: (3/4, 4/3).
        interpolation: the interpolation. Default: Inter.BILINEAR.
        max_attempts: the number of attempts to draw a crop that fits, before the center is used. Default: 10.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomResizedCrop((4, 5))(np.zeros((8, 8, 3), np.uint8)).shape
        (4, 5, 3)
    """

    _takes_batches = True
    _several = True

    def __init__(
        self, size: Size, scale: PositiveScale = (0.08, 1.0), ratio: PositiveRange = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR, max_attempts: Side = 10,
    ) -> None:  # fmt: skip
        self.size = both(size)
        self.scale = tuple(scale)
        self.ratio = tuple(ratio)
        self.interpolation = interpolation
        self._types = types_for(interpolation, TYPES)
        self.max_attempts = max_attempts

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        draws = self._random()
        found = self._fitting(height, width, draws.uniform32)
        if found is None:
            found = self._center(height, width)
            return (height - found[0] + 1) // 2, (width - found[1] + 1) // 2, *found
        left = draws.below(width - found[1] + 1)
        return draws.below(height - found[0] + 1), left, *found

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        found = self._fitting(height, width, random.uniform)
        if found is None:
            found = self._center(height, width)
            return round((height - found[0]) / 2), round((width - found[1]) / 2), *found
        top = random.randint(0, height - found[0])
        return top, random.randint(0, width - found[1]), *found

    def _fitting(self, height: int, width: int, uniform: Callable[[float, float], float]) -> tuple[int, int] | None:
        """Return the height and width of a random crop, or None if there was none that fits."""
        shapes = math.log(self.ratio[0]), math.log(self.ratio[1])
        for _ in range(self.max_attempts):
            area, shape = height * width * uniform(*self.scale), math.exp(uniform(*shapes))
            part_width = int(math.sqrt(area * shape) + 0.5)
            part_height = int(part_width / shape + 0.5)
            if 0 < part_width <= width and 0 < part_height <= height:
                return part_height, part_width
        return None

    def _center(self, height: int, width: int) -> tuple[int, int]:
        part_width = min(width, max(1, int(height * self.ratio[1] + 0.5)))
        return min(height, max(1, int(width / self.ratio[0] + 0.5))), part_width

    def _array(self, image: Any, *drawn: Any) -> Any:
        top, left, height, width = drawn
        part = cropped(image, *drawn) if is_pil(image) else image[top : top + height, left : left + width]
        return resize(type(self).__name__, part, *self.size, self.interpolation)

    _pil = _array


class RandomCropDecodeResize(RandomResizedCrop):
    """Decodes the bytes of an image file, and crops and resizes it; arguments as for `RandomResizedCrop`.

    Raises:
        ValueError: the bytes are not an image.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> content = vision.encode_png(np.zeros((8, 8, 3), np.uint8))
        >>> vision.RandomCropDecodeResize(4)(content).shape
        (4, 4, 3)
    """

    def _taken(self, value: Any) -> Any:
        return Decode()(value)


class RandomResize(Random, ImageOperation):
    """Resizes an image with a random interpolation: NEAREST, BILINEAR, BICUBIC or AREA.

    Args:
        size: (height, width); or the length of the shorter side, which keeps the aspect ratio.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomResize((4, 5))(np.zeros((8, 8, 3), np.uint8)).shape
        (4, 5, 3)
    """

    _takes_batches = True
    _only_arrays = True
    _several = True

    def __init__(self, size: Size) -> None:
        self.size = size

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return ([Inter.BILINEAR, Inter.NEAREST, Inter.BICUBIC, Inter.AREA][self._random().below(4)],)

    def _array(self, image: Any, *drawn: Any) -> Any:
        return Resize(self.size, *drawn)(image)


def around(
    value: float | Sequence[float], center: float = 0.0, low: float = -math.inf, high: float = math.inf
) -> tuple[float, float]:
    """Return a range, given as that or as the distance of its ends, within limits, from its center."""
    if isinstance(value, float):
        return max(low, center - value), min(high, center + value)
    first, last = value
    return first, last


class RandomRotation(Random, Rotate):
    """Rotates an image by a random angle.

    Args:
        degrees: the range (from, to), or one number for (-degrees, degrees).
        resample, expand, center, fill_value: as for `Rotate`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomRotation((90, 90))(np.array([[1, 2], [3, 4]], np.uint8))
        array([[2, 4],
               [1, 3]], dtype=uint8)
    """

    _only_arrays = False

    _several = True

    def __init__(
        self, degrees: Degrees, resample: MovingInter = Inter.NEAREST, expand: bool = False,
        center: Center | None = None, fill_value: Fill = 0,
    ) -> None:  # fmt: skip
        super().__init__(0, resample, expand, center, fill_value)
        self._range = around(degrees)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return (self._random().uniform32(*self._range) % 360,)

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        return (random.uniform(*self._range),)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        how = pil_filter("RandomRotation", self.resample)
        return image.rotate(*drawn, how, self.expand, self.center, fillcolor=pil_color(image, self.fill_value))


_Factors: TypeAlias = NotNegativeFloat32 | StrengthRange
_Hue: TypeAlias = Annotated[float, Limits(-0.5, 0.5)]
_Distance: TypeAlias = Annotated[_Hue, Where("not negative", lambda hue: hue >= 0)]
_Hues: TypeAlias = _Distance | Annotated[Sequence[_Hue], TWO, ASCENDING]


class RandomColorAdjust(Random, ImageOperation):
    """Adjusts brightness, contrast, saturation and hue at random, in random order.

    Args:
        brightness: the range of the factor, or one number b for (max(0, 1 - b), 1 + b). Default: (1, 1).
        contrast: likewise. Default: (1, 1).
        saturation: likewise. Default: (1, 1).
        hue: the range of the shift, within [-0.5, 0.5], or one number h for (-h, h). Default: (0, 0).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomColorAdjust(brightness=(2, 2))(np.full((1, 1, 3), 50, np.uint8))
        array([[[100, 100, 100]]], dtype=uint8)
    """

    _channels = (3,)
    _several = True

    def __init__(
        self, brightness: _Factors = (1, 1), contrast: _Factors = (1, 1), saturation: _Factors = (1, 1),
        hue: _Hues = (0, 0),
    ) -> None:  # fmt: skip
        factors = (AdjustBrightness, brightness), (AdjustContrast, contrast), (AdjustSaturation, saturation)
        self._ranges: list[tuple[Any, tuple[float, float], tuple[float, float]]] = [
            (kind, around(value, 1.0, 0, MAX_FLOAT), (1, 1)) for kind, value in factors
        ]
        self._ranges.append((AdjustHue, around(hue), (0, 0)))

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        draws, order = self._random(), self._ranges.copy()
        draws.shuffle(order)
        return tuple([kind(draws.uniform32(*limits)) for kind, limits, neutral in order if limits != neutral])

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        adjustments = [kind(random.uniform(*limits)) for kind, limits, _ in self._ranges]
        random.shuffle(adjustments)  # each rounds colors, even if it changes nothing
        return tuple(adjustments)

    def _array(self, image: Any, *drawn: Any) -> Any:
        for adjust in drawn:
            image = adjust(image)
        return image

    _pil = _array


class RandomErasing(ImageOperation):
    """Erases a rectangle of an image (channels, height, width) with a probability.

    Args:
        prob: the probability, in [0, 1]. Default: 0.5.
        scale: the range of its area, as a fraction of the image. Default: (0.02, 0.33).
        ratio: the range of its width by its height. Default: (0.3, 3.3).
        value: its new content: an int, three of them, or "random" for normally distributed numbers. Default: 0.
        inplace: write into the input array. Default: False.
        max_attempts: the number of attempts to draw a rectangle that fits. Default: 10.

    Raises:
        TypeError: an argument, or the image, has another type.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = vision.RandomErasing(1.0)(np.ones((3, 10, 10), np.float32))
        >>> bool((image == 0).any())
        True
    """

    on_objects = True

    def __init__(
        self, prob: Probability = 0.5, scale: PositiveScale = (0.02, 0.33), ratio: PositiveRange = (0.3, 3.3),
        value: Byte | Annotated[Sequence[Byte], Length(3, 3)] | Literal["random"] = 0, inplace: bool = False,
        max_attempts: Side = 10,
    ) -> None:  # fmt: skip
        self.prob = prob
        self.scale = tuple(scale)
        self.ratio = tuple(ratio)
        self.value = tuple(value) if isinstance(value, list) else value
        self.inplace = inplace
        self.max_attempts = max_attempts

    def _taken(self, value: Any) -> Any:
        return value

    def _transform(self, values: list[Any]) -> Any:
        return values[0] if random.random() >= self.prob else super()._transform(values)

    def _height_and_width(self, value: Any) -> tuple[int, int]:
        if not isinstance(value, np.ndarray) or value.ndim < 3:
            raise TypeError(
                "For 'RandomErasing', the image must be an array (channels, height, width): put 'ToTensor()' before."
            )
        return value.shape[-2], value.shape[-1]

    def _array(self, image: Array, *drawn: Any) -> Array:
        rectangle = self.rectangle(image)
        if rectangle is None:
            return image
        top, left, height, width = rectangle
        result = image if self.inplace else image.copy()
        result[..., top : top + height, left : left + width] = self.values((*image.shape[:-2], height, width))
        return result

    def rectangle(self, image: Array) -> tuple[int, int, int, int] | None:
        """Return (top, left, height, width) of a random rectangle, or None if there was none that fits."""
        height, width = image.shape[-2:]
        for _ in range(self.max_attempts):
            area = height * width * random.uniform(*self.scale)
            shape = random.uniform(*self.ratio)
            part_width = round(math.sqrt(area * shape))
            part_height = round(part_width / shape)
            if part_height < height and part_width < width:
                top = random.randint(0, height - part_height)
                return top, random.randint(0, width - part_width), part_height, part_width
        return None

    def values(self, shape: tuple[int, ...]) -> Any:
        """Return the new content of a rectangle: an array of this shape, or one value for each channel or for all."""
        if self.value == "random":
            return np.random.normal(size=shape)
        return np.array(self.value, float)[:, None, None] if isinstance(self.value, tuple) else self.value
