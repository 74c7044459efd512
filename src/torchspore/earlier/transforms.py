"""Transforms of images of `dataset.vision` up to MindSpore 2.7."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.dataset.vision import CutOut
from torchspore.engine.failures.errors import describe

__all__ = ["Cutout", "PyRgbToBgr", "RgbToBgr"]


class RgbToBgr:
    """Reverse the channels of images, which are their last dimension.

    Source: MindSpore 2.0, `dataset.vision.c_transforms.RgbToBgr`.

    Examples:
        >>> import numpy as np
        >>> from torchspore.earlier.transforms import RgbToBgr
        >>> RgbToBgr()(np.arange(3).reshape(1, 1, 3)).tolist()
        [[[2, 1, 0]]]
    """

    is_hwc = True

    def __call__(self, img: Any) -> Any:
        """Return the image with its channels reversed.

        Raises:
            TypeError: it is not an array.
            ValueError: it does not have three dimensions, of which the channels are three.
        """
        if not isinstance(img, np.ndarray):
            raise TypeError(f"For 'RgbToBgr', an image must be a NumPy array, but got {describe(img)}.")
        axis = -1 if self.is_hwc else -3
        if img.ndim < 3 or img.shape[axis] != 3:
            raise ValueError(f"For 'RgbToBgr', an image must have three channels, but got the shape {img.shape}.")
        return np.flip(img, axis).copy()


class PyRgbToBgr(RgbToBgr):
    """Reverse the channels of images.

    Args:
        is_hwc: whether the channels are the last dimension, instead of the first. Default: False.

    Source: MindSpore 2.0, `dataset.vision.py_transforms.RgbToBgr`.
    """

    def __init__(self, is_hwc: bool = False) -> None:
        self.is_hwc = is_hwc


class Cutout(CutOut):
    """Set squares at random positions to zero, in images whose channels are the first dimension.

    Args:
        length: the side of each square.
        num_patches: the number of squares. Default: 1.
        is_hwc: whether the channels are the last dimension instead. Default: False.

    Source: MindSpore 2.0, `dataset.vision.py_transforms.Cutout`.
    """

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = False) -> None:
        super().__init__(length, num_patches, is_hwc)
