"""Image transforms that change colors and sharpness at random."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.parameters import TWO, NotNegativeFloat32
from torchspore.dataset.transforms.base import Array, Random
from torchspore.dataset.vision import kernels
from torchspore.dataset.vision.base import COLORED, WITHOUT_HALF, ImageOperation, as_pil
from torchspore.dataset.vision.color import Invert, enhanced
from torchspore.dataset.vision.filters import AdjustSharpness
from torchspore.dataset.vision.intensity import AutoContrast, Cutoff, Equalize, Posterize, Solarize
from torchspore.dataset.vision.parameters import ASCENDING, Byte, Probability, StrengthRange
from torchspore.dataset.vision.random_geometry import RandomlyApplied
from torchspore.engine.parameters import Length, Limits

__all__ = [
    "RandomAdjustSharpness", "RandomAutoContrast", "RandomColor", "RandomEqualize", "RandomInvert", "RandomLighting",
    "RandomPosterize", "RandomSharpness", "RandomSolarize",
]  # fmt: skip


class RandomAdjustSharpness(RandomlyApplied):
    """Adjusts the sharpness with a probability.

    Args:
        degree: the factor of `AdjustSharpness`, >= 0.
        prob: the probability, in [0, 1]. Default: 0.5.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = np.zeros((3, 3), np.uint8)
        >>> image[1, 1] = 26
        >>> vision.RandomAdjustSharpness(2.0, 1.0)(image)[1]
        array([ 0, 42,  0], dtype=uint8)
    """

    _bools_are_bytes = True
    _only_arrays = True

    def __init__(self, degree: NotNegativeFloat32, prob: Probability = 0.5) -> None:
        super().__init__(prob)
        self._operation = AdjustSharpness(degree)


class RandomAutoContrast(RandomlyApplied):
    """Applies `AutoContrast` with a probability.

    Args:
        cutoff: as for `AutoContrast`. Default: 0.0.
        ignore: as for `AutoContrast`. Default: None.
        prob: the probability, in [0, 1]. Default: 0.5.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomAutoContrast(prob=1.0)(np.array([[50, 100, 150]], np.uint8))
        array([[  0, 127, 255]], dtype=uint8)
    """

    _bools_are_bytes = True
    _only_arrays = True

    def __init__(
        self, cutoff: Cutoff = 0.0, ignore: Byte | Sequence[Byte] | None = None, prob: Probability = 0.5
    ) -> None:
        super().__init__(prob)
        self._operation = AutoContrast(cutoff, ignore)

    _pil = ImageOperation._pil  # through an array instead of by Pillow


class RandomEqualize(RandomlyApplied):
    """Applies `Equalize` with a probability.

    Args:
        prob: the probability, in [0, 1]. Default: 0.5.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomEqualize(1.0)(np.array([[50, 51, 52, 53]], np.uint8))
        array([[  0,  85, 170, 255]], dtype=uint8)
    """

    _types = "B"
    _only_arrays = True
    _operation = Equalize()
    _pil = ImageOperation._pil  # through an array instead of by Pillow


class RandomInvert(RandomlyApplied):
    """Inverts an image with a probability.

    Args:
        prob: the probability, in [0, 1]. Default: 0.5.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomInvert(1.0)(np.array([[[0, 100, 255]]], np.uint8))
        array([[[255, 155,   0]]], dtype=uint8)
    """

    _only_arrays = True
    _operation = Invert()


class _ByDegree(Random, ImageOperation):
    """Applies another transform to a random degree.

    Args:
        degrees: the range of the degree.
    """

    def __init__(self, degrees: StrengthRange = (0.1, 1.9)) -> None:
        self.degrees = tuple(degrees)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return (self._random().uniform32(*self.degrees),)

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        return (random.uniform(*self.degrees),)


class RandomColor(_ByDegree):
    """Adjusts the saturation by a random factor.

    Args:
        degrees: the range of the factor, >= 0. Default: (0.1, 1.9).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomColor((0.0, 0.0))(np.array([[[200, 100, 50]]], np.uint8))
        array([[[124, 124, 124]]], dtype=uint8)
    """

    _types = f"?{COLORED}"
    _channels = (3,)
    _bools_are_bytes = True

    def _array(self, image: Array, *drawn: Any) -> Array:
        part = np.float32(drawn[0])
        shade = kernels.gray(image)[:, :, None]
        return kernels.weighted(shade, 1 - part, image, part)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return enhanced("Color", image, *drawn)


class RandomSharpness(_ByDegree):
    """Adjusts the sharpness by a random factor; Pillow does so for PIL images.

    Args:
        degrees: the range of the factor, >= 0, as for `AdjustSharpness`. Default: (0.1, 1.9).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> image = np.zeros((3, 3), np.uint8)
        >>> image[1, 1] = 26
        >>> vision.RandomSharpness((2.0, 2.0))(image)[1]
        array([ 0, 42,  0], dtype=uint8)
    """

    _bools_are_bytes = True

    def _array(self, image: Array, *drawn: Any) -> Array:
        return AdjustSharpness(*drawn)(image)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return enhanced("Sharpness", image, *drawn)


# The principal components of the colors of ImageNet, and their standard deviations.
_EIGENVECTORS = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])
_COMPONENTS = _EIGENVECTORS * np.array([55.46, 4.794, 1.148])


class RandomLighting(Random, ImageOperation):
    """Adds a random mix of the principal components of ImageNet's colors, as for AlexNet.

    Args:
        alpha: the standard deviation of the weight of each component, >= 0. Default: 0.05.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomLighting(0.0)(np.array([[[200, 100, 50]]], np.uint8))
        array([[[200, 100,  50]]], dtype=uint8)
    """

    _channels = (3,)

    def __init__(self, alpha: NotNegativeFloat32 = 0.05) -> None:
        self.alpha = alpha

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        draws = self._random()
        return (_COMPONENTS @ [float(draws.normal()) * self.alpha for _ in range(3)],)

    def _draw_pil(self, height: int, width: int) -> tuple[Any, ...]:
        return (_COMPONENTS @ np.random.normal(0, self.alpha, 3),)

    def _array(self, image: Array, *drawn: Any) -> Array:
        return kernels.rounded((image + drawn[0]).clip(0, 255), image.dtype)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        colors = np.asarray(image.convert("RGB"))
        return as_pil((colors + drawn[0]).clip(0, 255).astype(np.uint8), image)


_Bits: TypeAlias = Annotated[int, Limits(1, 8)]


class RandomPosterize(Random, ImageOperation):
    """Keeps a random number of the highest bits of each pixel.

    Args:
        bits: the range (from, to) of the number, in [1, 8], or one number. Default: (8, 8).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomPosterize(2)(np.array([[63, 64, 200]], np.uint8))
        array([[  0,  64, 192]], dtype=uint8)
    """

    _bools_are_bytes = True
    _only_arrays = True

    def __init__(self, bits: _Bits | Annotated[Sequence[_Bits], TWO, ASCENDING] = (8, 8)) -> None:
        self.bits = (bits, bits) if isinstance(bits, int) else tuple(bits)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        return (self._random().between(*self.bits),)

    def _array(self, image: Array, *drawn: Any) -> Array:
        return Posterize(*drawn)(image)


class RandomSolarize(Random, ImageOperation):
    """Inverts the pixels within a random part of a range.

    Args:
        threshold: the range (from, to) that contains the part, in [0, 255]. If its ends are equal, all pixels from
            that value up are inverted. Default: (0, 255).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.RandomSolarize((100, 100))(np.array([[99, 100, 201]], np.uint8))
        array([[ 99, 155,  54]], dtype=uint8)
    """

    _types = WITHOUT_HALF
    _channels = (1, 3)
    _only_arrays = True

    def __init__(self, threshold: Annotated[Sequence[Byte], Length(2, 2), ASCENDING] = (0, 255)) -> None:
        self.threshold = tuple(threshold)

    def _draw(self, height: int, width: int) -> tuple[Any, ...]:
        draws = self._random()
        ends = [draws.between(*self.threshold) for _ in range(2)]
        return (min(ends), max(ends))

    def _array(self, image: Array, *drawn: Any) -> Array:
        return Solarize(drawn)(image)
