"""Augmentation by learned policies (AutoAugment), or by random operations of fixed or random strength."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.parameters import MAX_FLOAT, ruled
from torchspore.dataset.rows.draws import Draws
from torchspore.dataset.transforms.base import Array, Random
from torchspore.dataset.vision import warp_kernels
from torchspore.dataset.vision.augmentation_policies import POLICIES
from torchspore.dataset.vision.base import ImageOperation
from torchspore.dataset.vision.color import AdjustBrightness, AdjustContrast, AdjustSaturation, Invert
from torchspore.dataset.vision.enums import AutoAugmentPolicy, Inter
from torchspore.dataset.vision.filters import AdjustSharpness
from torchspore.dataset.vision.intensity import AutoContrast, Equalize, Posterize, Solarize
from torchspore.dataset.vision.parameters import Fill, MovingInter, Pixel
from torchspore.engine.parameters import Limits, Rule

__all__ = ["AutoAugment", "RandAugment", "TrivialAugmentWide"]

_SIGNED = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast", "Sharpness")
_FACTORS: dict[str, Callable[[float], ImageOperation]] = {
    "Brightness": AdjustBrightness,
    "Color": AdjustSaturation,
    "Contrast": AdjustContrast,
    "Sharpness": AdjustSharpness,
}
_PLAIN: dict[str, ImageOperation] = {"AutoContrast": AutoContrast(), "Equalize": Equalize(), "Invert": Invert()}
_WITHOUT_LEVEL = ("Identity", "AutoContrast", "Equalize")
_OPERATIONS = sorted([*_SIGNED, *_WITHOUT_LEVEL, "Posterize", "Solarize"])

_Bins: TypeAlias = Annotated[int, Limits(2, MAX_FLOAT)]
_Choice = tuple[str, int, int, bool]  # the operation, its level, the number of levels, whether it is negative


def _drawn(draws: Draws) -> str:
    """Return a random operation; the first one is twice as likely as the others, as in MindSpore."""
    return _OPERATIONS[draws.below(len(_OPERATIONS) + 1) % len(_OPERATIONS)]


class _Strengths:
    """The maximum strength of each operation.

    Args:
        shear: the angle, in radians.
        shift: the shift, in pixels of an image with sides of 331, or of any image if `shift_in_pixels`.
        rotation: the angle, in degrees.
        change: the difference of factors from 1.
        dropped_bits: the number of bits that are dropped.
        brightest: the level from which `Solarize` inverts at its weakest. Default: 255.
        shift_in_pixels: the meaning of `shift`. Default: False.
    """

    def __init__(
        self, shear: float, shift: float, rotation: float, change: float, dropped_bits: int, brightest: int = 255,
        shift_in_pixels: bool = False,
    ) -> None:  # fmt: skip
        self._maximum = {"Rotate": rotation, "ShearX": shear, "ShearY": shear, "TranslateX": shift, "TranslateY": shift}
        self._maximum |= dict.fromkeys(_FACTORS, change)
        self._dropped_bits, self._brightest = dropped_bits, brightest
        self._shift_in_pixels = shift_in_pixels

    def magnitude(self, name: str, level: int, bins: int, height: int, width: int) -> float:
        """Return the strength of an operation at one of several levels."""
        fraction = level / (bins - 1)
        if name == "Posterize":
            return 8 - round(fraction * self._dropped_bits)
        if name == "Solarize":
            return self._brightest - self._brightest / (bins - 1) * level
        maximum = self._maximum.get(name, 0)
        if name.startswith("Translate") and not self._shift_in_pixels:
            maximum *= (width if name == "TranslateX" else height) / 331
        return float(np.float32(maximum) / np.float32(bins - 1) * np.float32(level))


def _applied(name: str, image: Array, magnitude: float, inter: Inter, fill: Pixel) -> Array:
    """Return an image after an operation of a policy."""
    if name in _PLAIN:
        return _PLAIN[name](image)
    if name in _FACTORS:
        return _FACTORS[name](float(1 + np.float32(magnitude)))(image)
    if name == "Posterize":
        return Posterize(int(magnitude))(image)
    if name == "Solarize":
        return Solarize(magnitude)(image) if magnitude <= 255 else image
    if name == "Rotate":
        return warp_kernels.rotated(image, magnitude, inter, False, None, fill)
    if name == "Identity":
        return image
    return _shifted(name, image, magnitude, inter, fill)


def _shifted(name: str, image: Array, magnitude: float, inter: Inter, fill: Pixel) -> Array:
    height, width = image.shape[:2]
    angle = math.degrees(magnitude)
    shear = {"ShearX": (angle, 0), "ShearY": (0, angle)}.get(name, (0, 0))
    shift = {"TranslateX": (int(magnitude), 0), "TranslateY": (0, int(magnitude))}.get(name, (0, 0))
    matrix = warp_kernels.affine_matrix(((width - 1) / 2, (height - 1) / 2), 0, shift, 1, shear)
    return warp_kernels.mapped(image, warp_kernels.inverse(matrix), image.shape[:2], inter, fill)


_LEARNED = _Strengths(shear=0.3, shift=150, rotation=30, change=0.9, dropped_bits=4, brightest=256)
_RANDOM = _Strengths(shear=0.3, shift=150, rotation=30, change=0.9, dropped_bits=4)
_WIDE = _Strengths(shear=0.99, shift=32, rotation=135, change=0.99, dropped_bits=6, shift_in_pixels=True)
_LEARNED_BINS = 10


class _Augmentation(Random, ImageOperation):
    """Applies operations to an image of uint8 with three channels.

    Shifts are in pixels, as in the paper; MindSpore takes them for fractions of the width, which empties the image.

    Args:
        interpolation: NEAREST, BILINEAR, BICUBIC or AREA, for operations that move pixels. Default: Inter.NEAREST.
        fill_value: the pixels outside the image, one int or one for each of three channels. Default: 0.
    """

    _channels = (3,)
    _strengths: _Strengths

    def __init__(self, interpolation: MovingInter, fill_value: Fill) -> None:
        self.interpolation = interpolation
        self.fill_value = fill_value

    def _array(self, image: Array, *drawn: Any) -> Array:
        for name, level, bins, is_negative in self._choices(self._random()):
            magnitude = self._strengths.magnitude(name, level, bins, *image.shape[:2])
            if name in _SIGNED and is_negative:
                magnitude = -magnitude
            image = _applied(name, image, magnitude, self.interpolation, self.fill_value)
        return image

    def _choices(self, draws: Draws) -> Iterator[_Choice]:
        """Yield the operations to apply."""
        raise NotImplementedError


class AutoAugment(_Augmentation):
    """Applies one of the 25 pairs of operations that AutoAugment learned for a data set, each with its probability.

    Shifts are in pixels, as in the paper; MindSpore takes them for fractions of the width, which empties the image.

    Args:
        policy: the data set. Default: AutoAugmentPolicy.IMAGENET.
        interpolation: NEAREST, BILINEAR, BICUBIC or AREA, for operations that move pixels. Default: Inter.NEAREST.
        fill_value: the pixels outside the image, one int or one for each of three channels. Default: 0.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.AutoAugment()(np.zeros((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    _only_arrays = True
    _strengths = _LEARNED

    def __init__(
        self, policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET, interpolation: MovingInter = Inter.NEAREST,
        fill_value: Fill = 0,
    ) -> None:  # fmt: skip
        self.policy = policy
        super().__init__(interpolation, fill_value)

    def _choices(self, draws: Draws) -> Iterator[_Choice]:
        pairs = POLICIES[self.policy]
        pair = pairs[draws.below(len(pairs))]
        happen = [draws.fraction32() <= prob for _, prob, _ in pair]
        signs = [draws.below(2) for _ in pair]
        for (name, _, level), happens, sign in zip(pair, happen, signs):
            if happens:
                yield name, level, _LEARNED_BINS, not sign


class RandAugment(_Augmentation):
    """Applies random operations of equal strength; shifts and images as for `AutoAugment`.

    Args:
        num_ops: the number of operations. Default: 2.
        magnitude: their strength, in [0, num_magnitude_bins - 1]. Default: 9.
        num_magnitude_bins: the number of strengths, at least 2. Default: 31.
        interpolation, fill_value: as for `AutoAugment`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandAugment()(np.zeros((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    _types = "B"
    _only_arrays = True
    _strengths = _RANDOM

    @ruled(
        Rule(
            "'magnitude' must be in [0, num_magnitude_bins)",
            lambda magnitude, num_magnitude_bins: 0 <= magnitude < num_magnitude_bins,
        )
    )
    def __init__(
        self, num_ops: Annotated[int, Limits(0, MAX_FLOAT)] = 2, magnitude: int = 9, num_magnitude_bins: _Bins = 31,
        interpolation: MovingInter = Inter.NEAREST,
        fill_value: Fill = 0,
    ) -> None:  # fmt: skip
        self.num_ops = num_ops
        self.bins = num_magnitude_bins
        self.magnitude = magnitude
        super().__init__(interpolation, fill_value)

    def _choices(self, draws: Draws) -> Iterator[_Choice]:
        for _ in range(self.num_ops):
            name = _drawn(draws)
            yield name, self.magnitude, self.bins, draws.below(3) == 1


class TrivialAugmentWide(_Augmentation):
    """Applies one random operation of random strength; shifts and images as for `AutoAugment`.

    Args:
        num_magnitude_bins: the number of strengths, at least 2. Default: 31.
        interpolation, fill_value: as for `AutoAugment`.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.TrivialAugmentWide()(np.zeros((8, 8, 3), np.uint8)).shape
        (8, 8, 3)
    """

    _types = "B"
    _only_arrays = True
    _strengths = _WIDE

    def __init__(
        self, num_magnitude_bins: _Bins = 31, interpolation: MovingInter = Inter.NEAREST,
        fill_value: Fill = 0,
    ) -> None:  # fmt: skip
        self.bins = num_magnitude_bins
        super().__init__(interpolation, fill_value)

    def _choices(self, draws: Draws) -> Iterator[_Choice]:
        name = _drawn(draws)
        level = 0 if name in _WITHOUT_LEVEL else draws.below(self.bins + 1)
        yield name, level % self.bins, self.bins, draws.below(3) == 1  # MindSpore reads beyond the levels
