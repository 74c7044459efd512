"""Random image transforms: crops, flips, rotations, colors, erasing."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from numbers import Number, Real
from typing import Annotated, Any

import numpy as np

from torchspore.dataset.transforms.base import Array, Random
from torchspore.dataset.value_checks import MAX_FLOAT, check_int, check_number
from torchspore.dataset.vision.base import (
    TYPES,
    ImageOperation,
    Pixel,
    as_pil,
    check_angles,
    check_inter,
    check_pil,
    check_positive,
    check_range,
    check_size,
    is_pil,
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
    check_padding,
    cropped,
    pil_color,
    pil_filter,
    resize,
)
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Limits

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

    def __init__(self, prob: Annotated[float, Limits(0.0, 1.0)] = 0.5) -> None:
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

    def __init__(self, prob: float = 0.1) -> None:
        super().__init__(prob)

    def _taken(self, value: Any) -> Any:
        return check_pil("RandomGrayscale", value)

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
        self, size: int | Sequence[int], padding: int | Sequence[int] | None = None, pad_if_needed: bool = False,
        fill_value: Pixel = 0, padding_mode: Border = Border.CONSTANT,
    ) -> None:  # fmt: skip
        api = type(self).__name__
        self.size = check_size(api, size)
        self.padding = (0, 0, 0, 0) if padding is None else check_padding(api, padding)
        self.pad_if_needed = pad_if_needed
        self._fill = Pad(0, fill_value, padding_mode)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        borders, spare = self._spare(height, width)
        if spare == (0, 0):
            return borders, 0, 0
        draws = self._random()
        left = draws.below(spare[1] + 1)
        return borders, draws.below(spare[0] + 1), left

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        borders, spare = self._spare(height, width)
        if spare == (0, 0):
            return borders, 0, 0
        return borders, random.randint(0, spare[0]), random.randint(0, spare[1])

    def _spare(self, height: int, width: int) -> tuple[tuple[int, int, int, int], tuple[int, int]]:
        """Return the borders to add, and how much higher and wider than the crop the image is then."""
        left, top, right, bottom = self.padding
        missing = [0, 0]
        if self.pad_if_needed:
            full = height + top + bottom, width + left + right
            missing = [max(0, wanted - given) for wanted, given in zip(self.size, full)]
        borders = left + missing[1], top + missing[0], right + missing[1], bottom + missing[0]
        spare = height + borders[1] + borders[3] - self.size[0], width + borders[0] + borders[2] - self.size[1]
        if min(spare) < 0:
            raise ValueError(
                f"For '{type(self).__name__}', the image must be at least {self.size} with its borders, but is "
                f"{(height, width)} with borders (left, top, right, bottom) of {self.padding}. Use 'pad_if_needed'."
            )
        return borders, spare

    def _array(self, image: Any, *drawn: Any) -> Any:
        borders, top, left = drawn
        if any(borders):
            image = Pad(borders, self._fill.fill_value, self._fill.padding_mode)(image)
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
        self, size: int | Sequence[int], scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3.0 / 4.0, 4.0 / 3.0), interpolation: Inter = Inter.BILINEAR,
        max_attempts: Annotated[int, Limits(1, MAX_FLOAT)] = 10,
    ) -> None:  # fmt: skip
        api = type(self).__name__
        self.size = check_size(api, size)
        self.scale = check_range(api, "scale", scale, 0, kinds=(tuple, list))
        self.ratio = check_range(api, "ratio", ratio, above=0, kinds=(tuple, list))
        if not self.scale[1]:
            raise ValueError(f"For '{api}', 'scale' must end above 0, but got {scale!r}.")
        self.interpolation: Inter = check_inter(api, interpolation, list(Inter))
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

    def __init__(self, size: int | Sequence[int]) -> None:
        check_size(type(self).__name__, size)
        self.size = size

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return ([Inter.BILINEAR, Inter.NEAREST, Inter.BICUBIC, Inter.AREA][self._random().below(4)],)

    def _array(self, image: Any, *drawn: Any) -> Any:
        return Resize(self.size, *drawn)(image)


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
        self, degrees: float | Sequence[float], resample: Inter = Inter.NEAREST, expand: bool = False,
        center: Sequence[float] | None = None, fill_value: Pixel = 0,
    ) -> None:  # fmt: skip
        super().__init__(0, resample, expand, center, fill_value)
        self._range = check_angles("RandomRotation", degrees)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return (self._random().uniform32(*self._range) % 360,)

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        return (random.uniform(*self._range),)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        how = pil_filter("RandomRotation", self.resample)
        return image.rotate(*drawn, how, self.expand, self.center, fillcolor=pil_color(image, self.fill_value))


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
        self, brightness: float | Sequence[float] = (1, 1), contrast: float | Sequence[float] = (1, 1),
        saturation: float | Sequence[float] = (1, 1), hue: float | Sequence[float] = (0, 0),
    ) -> None:  # fmt: skip
        self._ranges: list[tuple[Any, tuple[float, float], tuple[float, float]]] = [
            (kind, _range_around(name, value, 1.0, 0, MAX_FLOAT), (1, 1))
            for kind, name, value in (
                (AdjustBrightness, "brightness", brightness),
                (AdjustContrast, "contrast", contrast),
                (AdjustSaturation, "saturation", saturation),
            )
        ]
        self._ranges.append((AdjustHue, _range_around("hue", hue, 0.0, -0.5, 0.5), (0, 0)))

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


def _range_around(name: str, value: Any, center: float, low: float, high: float) -> tuple[float, float]:
    api = "RandomColorAdjust"
    if isinstance(value, Real):
        spread = float(value)
        if spread < 0:
            raise ValueError(f"For '{api}', '{name}' must not be negative, but got {value}.")
        check_number(spread, name, api, minimum=low, maximum=high)
        return max(low, center - spread), min(high, center + spread)
    return check_range(api, name, value, low, high, kinds=(Number, list, tuple))


def _check_content(value: Any) -> Any:
    """Return the new content of a rectangle: an int, three of them, or "random"."""
    api, kinds = "RandomErasing", (int, list, tuple, str)
    if not isinstance(value, (list, tuple, str)):
        return check_int(value, "value", api, minimum=0, maximum=255, kinds=kinds)
    if value == "random":
        return value
    if isinstance(value, str) or len(value) != 3:
        raise ValueError(f"For '{api}', 'value' must be an int, three of them or 'random', but got {describe(value)}.")
    return tuple([check_int(each, "value", api, minimum=0, maximum=255) for each in value])


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
        self, prob: Annotated[float, Limits(0.0, 1.0)] = 0.5, scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3), value: int | str | Sequence[int] = 0, inplace: bool = False,
        max_attempts: Annotated[int, Limits(1, MAX_FLOAT)] = 10,
    ) -> None:  # fmt: skip
        self.prob = prob
        self.scale = check_range("RandomErasing", "scale", scale, 0)
        check_positive(self.scale[1], "scale[1]", "RandomErasing")
        self.ratio = check_range("RandomErasing", "ratio", ratio, above=0)
        self.value: Any = _check_content(value)
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
