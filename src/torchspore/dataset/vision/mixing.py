"""Transforms of batches that mix images, and their labels."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchspore.dataset.parameters import PositiveFloat32
from torchspore.dataset.rows.draws import Draws, Gamma
from torchspore.dataset.transforms.base import Array, Random, TensorOperation
from torchspore.dataset.vision import kernels
from torchspore.dataset.vision.enums import ImageBatchFormat
from torchspore.dataset.vision.parameters import Side
from torchspore.engine.parameters import Fraction, PositiveFloat

__all__ = ["CutMixBatch", "MixUp", "MixUpBatch"]


def _beta(draws: Draws, alpha: float) -> Callable[[], float]:
    """Return a function that draws beta distributed numbers with both parameters the same."""
    first, second = Gamma(draws, alpha), Gamma(draws, alpha)

    def draw() -> float:
        one, other = float(first()), float(second())
        return one / (one + other)

    return draw


class _Pairs(TensorOperation):
    """Takes a batch of images and their labels."""

    _several = True
    _one_hot = True  # whether labels must be one-hot encoded, one for each image

    def _transform(self, values: list[Any]) -> Any:
        if len(values) != 2:
            raise TypeError(
                f"For '{type(self).__name__}', there must be a batch of images and its labels, but got {len(values)} "
                f"values. Use a 'map' with two columns."
            )
        images, labels = values
        if self._one_hot and (images.ndim != 4 or labels.ndim not in (2, 3) or len(images) != len(labels)):
            raise ValueError(
                f"For '{type(self).__name__}', the images must have four dimensions, and the labels, one-hot encoded, "
                f"two or three and one for each image, but got the shapes {images.shape} and {labels.shape}."
            )
        return self._mixed(images, labels)

    def _mixed(self, images: Array, labels: Array) -> tuple[Array, Array]:
        raise NotImplementedError


class MixUpBatch(Random, _Pairs):
    """Mixes each image and label of a batch with another of the batch, all in the same random proportion.

    Args:
        alpha: both parameters of the beta distribution of the proportion, > 0. Default: 1.0.

    Raises:
        TypeError: it is called without images and labels.
        ValueError: the images and labels are not a batch.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> images = np.zeros((2, 4, 4, 3), np.uint8)
        >>> mixed, labels = vision.MixUpBatch(0.9)(images, np.eye(2))
        >>> mixed.shape, labels.dtype, labels.sum(1).tolist()
        ((2, 4, 4, 3), dtype('float32'), [1.0, 1.0])
    """

    def __init__(self, alpha: PositiveFloat = 1.0) -> None:
        self.alpha = alpha

    def _mixed(self, images: Array, labels: Array) -> tuple[Array, Array]:
        draws = self._random()
        part, others = _beta(draws, self.alpha)(), [*range(len(images))]
        draws.shuffle(others)
        numbers = labels.astype(np.float32)
        return kernels.blended(images, images[others], part), kernels.blended(numbers, numbers[others], part)


class CutMixBatch(Random, _Pairs):
    """Pastes a part of another image of the batch into each image, and mixes the labels by the area of the part.

    Args:
        image_batch_format: the position of the channels.
        alpha: both parameters of the beta distribution of the area, > 0. Default: 1.0.
        prob: the probability for each image, in [0, 1]. Default: 1.0.

    Raises:
        TypeError: it is called without images and labels.
        ValueError: the images and labels are not a batch.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> cutmix = vision.CutMixBatch(vision.ImageBatchFormat.NHWC)
        >>> images, labels = cutmix(np.zeros((2, 4, 4, 3), np.uint8), np.eye(2))
        >>> images.shape, labels.dtype
        ((2, 4, 4, 3), dtype('float32'))
    """

    def __init__(
        self, image_batch_format: ImageBatchFormat, alpha: PositiveFloat32 = 1.0, prob: Fraction = 1.0
    ) -> None:
        self.image_batch_format = image_batch_format
        self.alpha = alpha
        self.prob = prob

    def _mixed(self, images: Array, labels: Array) -> tuple[Array, Array]:
        axis = 3 if self.image_batch_format is ImageBatchFormat.NHWC else 1
        if images.shape[axis] not in (1, 3):
            raise ValueError(
                f"For 'CutMixBatch', the images must have 1 or 3 channels in dimension {axis}, but got the shape "
                f"{images.shape}."
            )
        draws = self._random()
        orders = [*range(len(images))]
        draws.shuffle(orders)
        beta = _beta(draws, self.alpha)
        result, labels = images.copy(), labels.astype(np.float32)
        mixed = labels.copy()
        planes, others = (each if axis == 3 else each.transpose(0, 2, 3, 1) for each in (result, images))
        for number, other in enumerate(orders):
            side = math.sqrt(1 - beta())
            if draws.fraction() >= self.prob:
                continue
            lengths = planes.shape[2:0:-1]
            columns, rows = [_around(draws.between(0, length), int(length * side), length) for length in lengths]
            planes[number, rows, columns] = others[other, rows, columns]
            area = (rows.stop - rows.start) * (columns.stop - columns.start) / math.prod(planes.shape[1:3])
            mixed[number] = labels[number] * (1 - area) + labels[other] * area
        return result, mixed


def _around(center: int, size: int, length: int) -> slice:
    """Return the interval of some size around a point, clipped to an axis of some length, at least one pixel.

    As in MindSpore the last pixel belongs to it only if it is alone.
    """
    start, end = [min(max(0, at), length - 1) for at in (center - size // 2, center + size // 2)]
    return slice(start, max(end, start + 1))


class MixUp(_Pairs):
    """Mixes each image and label of a batch with another, each in its own random proportion.

    Args:
        batch_size: the number of images of a batch, or 1 for a common proportion.
        alpha: both parameters of the beta distribution of the proportions, > 0.
        is_single: mix each image with the next of the batch, instead of with the result of the previous batch, which
            needs a single worker. Default: True.

    Raises:
        TypeError: it is called without images and labels.
        ValueError: `batch_size` does not fit the images.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> images, labels = vision.MixUp(2, 0.2)(np.zeros((2, 4, 4, 3)), np.eye(2))
        >>> images.shape, labels.sum(1).tolist()
        ((2, 4, 4, 3), [1.0, 1.0])
    """

    on_objects = True
    _one_hot = False

    def __init__(self, batch_size: Side, alpha: PositiveFloat, is_single: bool = True) -> None:
        self.batch_size = batch_size
        self.alpha = alpha
        self.is_single = is_single
        self._before: tuple[Array, Array] | None = None

    @property
    def long_and_safe(self) -> bool:  # type: ignore[override]
        """Whether it may run on threads."""
        return self.is_single

    def _mixed(self, images: Array, labels: Array) -> tuple[Array, Array]:
        parts = np.random.beta(self.alpha, self.alpha, self.batch_size)
        if self.is_single:
            others: tuple[Array, Array] = np.roll(images, -1, 0), np.roll(labels, -1, 0)
        else:
            others = self._before or (images, labels)
        by_image = parts.reshape(-1, 1, 1, 1)
        by_label = parts.reshape(-1, 1)
        try:
            mixed = by_image * images + (1 - by_image) * others[0], by_label * labels + (1 - by_label) * others[1]
        except ValueError as error:
            raise ValueError(
                f"For 'MixUp', 'batch_size' must be the number of images or 1, but got {self.batch_size}, and images "
                f"and labels of the shapes {images.shape} and {labels.shape}."
            ) from error
        if not self.is_single:
            self._before = mixed
        return mixed
