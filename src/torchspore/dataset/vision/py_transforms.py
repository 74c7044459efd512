"""The transforms of PIL images in MindSpore 1: from `vision`, two of them with other defaults."""

from __future__ import annotations

from collections.abc import Sequence

from torchspore.dataset import vision
from torchspore.dataset.vision import *  # noqa: F403

__all__ = vision.__all__


class Decode(vision.Decode):  # type: ignore[no-redef]
    """Decodes the bytes of an image file to a PIL image in RGB."""

    def __init__(self) -> None:
        super().__init__(to_pil=True)


class Normalize(vision.Normalize):  # type: ignore[no-redef]
    """Subtracts the means of the channels, and divides by their standard deviations; of (channels, height, width).

    Args:
        mean: the mean of each channel.
        std: the standard deviation of each channel.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__(mean, std, is_hwc=False)
