"""Image transforms that replace each intensity level of a channel with another."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.dataset.parameters import TWO, Float32, NotNegativeFloat32
from torchspore.dataset.rows import opencv
from torchspore.dataset.transforms.base import Array
from torchspore.dataset.vision import kernels
from torchspore.dataset.vision.base import WITHOUT_HALF, ImageOperation, of_types
from torchspore.dataset.vision.parameters import ASCENDING, Byte
from torchspore.engine.parameters import Limits

__all__ = ["AdjustGamma", "AutoContrast", "Equalize", "Posterize", "Solarize"]

_LEVELS = np.arange(256)

Cutoff: TypeAlias = Annotated[float, Limits(0, below=50)]
_Threshold: TypeAlias = Annotated[float, Limits(0, 255)]


def _by_channel(image: Array, table: Any) -> Array:
    """Return an image of uint8 with the levels of each channel replaced by `table(counts)`, of its histogram."""
    channels = image.shape[2] if image.ndim == 3 else 1
    cv2 = opencv.installed_for(image)
    if cv2 is not None:
        found = [cv2.calcHist([image], [number], None, [256], [0, 256]).reshape(-1) for number in range(channels)]
        tables = np.stack([table(each.astype(np.int64)) for each in found], 1).clip(0, 255).astype(np.uint8)
        return opencv.like(image, cv2.LUT(image, tables[None]))
    offsets = np.arange(channels) * 256
    bins = image.reshape(-1, channels) + offsets
    counts = np.bincount(bins.reshape(-1), minlength=256 * channels).reshape(channels, 256)
    tables = np.concatenate([table(each) for each in counts]).clip(0, 255).astype(np.uint8)
    return tables[bins].reshape(image.shape)


def _with_pillow(function: str, image: Any, *arguments: Any) -> Any:
    return getattr(importlib.import_module("PIL.ImageOps"), function)(image, *arguments)


class AdjustGamma(ImageOperation):
    """Applies gamma correction: `gain * level ** gamma`, for levels in [0, 1].

    Images of uint8 use a table. In floats each pixel becomes `(gain * pixel) ** gamma`, clamped to [0, 1], of float32.

    Args:
        gamma: the exponent, >= 0; shadows get darker above 1, and lighter below.
        gain: the factor. Default: 1.

    Raises:
        TypeError: the image is neither of uint8 nor of floats.
        ValueError: the image has fewer than two dimensions.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.AdjustGamma(2.0)(np.array([[0, 128, 255]], np.uint8))
        array([[  0,  64, 255]], dtype=uint8)
    """

    _channels = (1, 3)

    def __init__(self, gamma: NotNegativeFloat32, gain: Float32 = 1) -> None:
        self.gamma = gamma
        self.gain = gain

    def _height_and_width(self, value: Any) -> tuple[int, int]:
        if getattr(value, "ndim", 2) < 2:
            raise ValueError(f"For 'AdjustGamma', an image must have 2 dimensions or more, but got {value.shape}.")
        return 0, 0

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return super()._pil(image, *drawn) if image.mode in ("L", "RGB") else image

    def _array(self, image: Array, *drawn: Any) -> Array:
        if image.dtype.kind == "f":
            return np.clip((image * self.gain) ** self.gamma, 0, 1).astype(np.float32)
        of_types("AdjustGamma", image, "B")
        table = (256 - 1e-3) * self.gain * (_LEVELS / 255) ** self.gamma
        return kernels.replaced(image, table.clip(0, 255).astype(np.uint8))


class AutoContrast(ImageOperation):
    """Maximizes the contrast: stretches the levels of each channel to the range from 0 to 255.

    Args:
        cutoff: the percentage of the darkest and of the lightest pixels to ignore, in [0, 50). Default: 0.0.
        ignore: levels to ignore: an int, or several, in [0, 255]. Default: None.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.AutoContrast()(np.array([[50, 100, 150]], np.uint8))
        array([[  0, 127, 255]], dtype=uint8)
    """

    _types = "?B"
    _channels = (1, 3)
    _bools_are_bytes = True

    def __init__(self, cutoff: Cutoff = 0.0, ignore: Byte | Sequence[Byte] | None = None) -> None:
        self.cutoff = cutoff
        self.ignore = [] if ignore is None else [ignore] if isinstance(ignore, int) else list(ignore)

    def _array(self, image: Array, *drawn: Any) -> Array:
        return _by_channel(image, self._table)

    def _table(self, counts: Array) -> Array:
        counts[self.ignore] = 0
        cut = int(counts.sum() * int(self.cutoff) / 100)  # whole percents, as in MindSpore
        from_dark, from_light = np.cumsum(counts) > cut, np.cumsum(counts[::-1]) > cut
        low, high = int(from_dark.argmax()), 255 - int(from_light.argmax())
        if not from_dark.any() or high <= low:
            return _LEVELS
        scale = np.float32(255) / np.float32(high - low)
        return (_LEVELS.astype(np.float32) * scale - np.float32(low) * scale).astype(np.int64)

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return _with_pillow("autocontrast", image, self.cutoff, self.ignore or None)


class Equalize(ImageOperation):
    """Equalizes the histogram of each channel.

    Arrays are computed as by OpenCV, PIL images by Pillow, which rounds differently, as in MindSpore.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Equalize()(np.array([[50, 51, 52, 53]], np.uint8))
        array([[  0,  85, 170, 255]], dtype=uint8)
    """

    _types = "?B"
    _channels = (1, 3)
    _bools_are_bytes = True

    def _array(self, image: Array, *drawn: Any) -> Array:
        return _by_channel(image, self._table)

    def _table(self, counts: Array) -> Array:
        lowest = int((counts > 0).argmax())
        rest = counts.sum() - counts[lowest]
        if not rest:
            return _LEVELS
        counts[: lowest + 1] = 0
        return np.rint(np.cumsum(counts).astype(np.float32) * (np.float32(255) / np.float32(rest)))

    def _pil(self, image: Any, *drawn: Any) -> Any:
        return _with_pillow("equalize", image)


class Posterize(ImageOperation):
    """Keeps the highest bits of each pixel.

    Args:
        bits: the number of bits, in [0, 8].

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Posterize(2)(np.array([[63, 64, 200]], np.uint8))
        array([[  0,  64, 192]], dtype=uint8)
    """

    _types = "?bB"
    _bools_are_bytes = True
    _only_arrays = True

    def __init__(self, bits: Annotated[int, Limits(0, 8)]) -> None:
        self.bits = bits

    def _array(self, image: Array, *drawn: Any) -> Array:
        return image.view(np.uint8) & np.uint8(256 - (1 << (8 - self.bits)))


class Solarize(ImageOperation):
    """Inverts the pixels within a range.

    Args:
        threshold: the range (from, to), both included, in [0, 255]; or one number, or two equal ones, to invert all
            pixels from that value up.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> vision.Solarize((100, 200))(np.array([[99, 100, 201]], np.uint8))
        array([[ 99, 155, 201]], dtype=uint8)
    """

    _types = WITHOUT_HALF
    _channels = (1, 3)
    _only_arrays = True

    def __init__(self, threshold: _Threshold | Annotated[Sequence[_Threshold], TWO, ASCENDING]) -> None:
        self.threshold = (threshold, threshold) if isinstance(threshold, float) else tuple(threshold)

    def _array(self, image: Array, *drawn: Any) -> Array:
        if image.dtype != np.uint8:
            return self._solarized(image)
        return kernels.replaced(image, self._solarized(_LEVELS).astype(np.uint8))

    def _solarized(self, image: Array) -> Array:
        low, high = self.threshold
        chosen = image >= low
        if high > low:
            chosen &= image <= high
        return np.where(chosen, kernels.inverted(image), image)
