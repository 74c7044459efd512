"""Which regions of an image determine its class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Annotated, Any

import numpy as np

from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Limits, NotNegative, Positive, StrictFloat, checked, take_as
from torchspore.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["OcclusionSensitivity"]


class OcclusionSensitivity(Metric):
    """The decrease of the score of a class, for each pixel of an image, when its surroundings are occluded.

    Args:
        pad_val (float): The value of occluded pixels. Default: `0.0`.
        margin (Union[int, Sequence]): The extent of the occlusion, from `margin` pixels before the pixel to just before
            `margin` pixels after it; or one number for each axis except the first. Default: `2`.
        n_batch (int): The number of occluded images that the model gets at once. Default: `128`.
        b_box (Sequence): The region of pixels, as `[first1, last1, first2, last2, ...]` for each axis except the first;
            -1 is the limit of the image. Default: `None`, the whole image.

    Raises:
        TypeError, ValueError: An argument of a wrong type or value.

    Examples:
        >>> import torchspore as ms
        >>> model = ms.nn.Dense(4, 2, weight_init="ones", bias_init="zeros")
        >>> metric = ms.train.OcclusionSensitivity(margin=1)
        >>> metric.update(model, ms.Tensor([[0.5, 0.25, 0.0, 1.0]]), ms.Tensor(1))
        >>> print(metric.eval())
        [0.5  0.75 0.25 1.  ]
    """

    @checked
    def __init__(
        self,
        pad_val: StrictFloat = 0.0,
        margin: NotNegative | Sequence[NotNegative] = 2,
        n_batch: Positive = 128,
        b_box: Sequence[Annotated[int, Limits(-1)]] | None = None,
    ) -> None:
        self.pad_val, self.margin, self.n_batch, self.b_box = pad_val, margin, n_batch, b_box
        self.clear()

    def clear(self) -> None:
        self._losses: Array | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Run a model on occluded images; the result replaces an earlier one.

        Args:
            inputs: `model`, a Cell or function of a batch of images that returns (N, C); `y_pred`, the image, in a
                batch of one, and `label`, its class.

        Raises:
            RuntimeError: There is not one image and one class.
            ValueError: There are not three inputs, or `label`, `margin` or `b_box` do not fit the image and the model.
        """
        self._check_count(inputs, "model", "y_pred", "label")
        model = inputs[0]
        take_as(Callable, model, "model", "OcclusionSensitivity.update")
        image, label = self._arrays(inputs[1:], "y_pred", "label")
        if image.shape[:1] != (1,) or label.size != 1:
            raise RuntimeError(
                f"For 'OcclusionSensitivity.update', 'y_pred' must be a batch of one image, and 'label' one class, but "
                f"got the shapes {image.shape} and {label.shape}."
            )
        box = self._box(image.shape[1:])
        occlusions = [self._occlusion(pixel, image.shape[1:]) for pixel in product(*box)]
        scores = [self._scores(model, image, [()], label)[0]]
        for start in range(0, len(occlusions), self.n_batch):
            scores.extend(self._scores(model, image, occlusions[start : start + self.n_batch], label))
        self._losses = (scores[0] - np.array(scores[1:])).reshape([len(limits) for limits in box])

    def eval(self) -> Array:
        """Return the decrease of the score of the class, an array of the shape of the image or of `b_box`."""
        if self._losses is None:
            raise self._nothing()
        return self._losses

    def _box(self, shape: tuple[int, ...]) -> list[range]:
        limits = [-1] * (2 * len(shape)) if self.b_box is None else self.b_box
        if not shape or len(limits) != 2 * len(shape):
            raise ValueError(
                f"For 'OcclusionSensitivity', 'b_box' must have two limits for each axis of the image except the "
                f"first, {2 * len(shape)}, but got {describe(self.b_box)}."
            )
        box = []
        for first, last, size in zip(limits[::2], limits[1::2], shape):
            first, last = max(first, 0), size - 1 if last == -1 else last
            if not first <= last < size:
                raise ValueError(
                    f"For 'OcclusionSensitivity', the limits in 'b_box' of an axis of size {size} must increase and be "
                    f"less than that, but got {first} and {last}."
                )
            box.append(range(first, last + 1))
        return box

    def _occlusion(self, pixel: tuple[int, ...], shape: tuple[int, ...]) -> tuple[slice, ...]:
        margins = [self.margin] * len(shape) if isinstance(self.margin, int) else self.margin
        if len(margins) != len(shape):
            raise ValueError(
                f"For 'OcclusionSensitivity', 'margin' must have a number for each of the {len(shape)} axes of the "
                f"image except the first, but got {describe(self.margin)}."
            )
        return tuple(slice(max(index - margin, 0), index + margin) for index, margin in zip(pixel, margins))

    def _scores(self, model: Any, image: Array, occlusions: Sequence[tuple[slice, ...]], label: Array) -> list[Any]:
        """Return the score of the class for the image with each of the occlusions; an empty one hides nothing."""
        images = np.repeat(image, len(occlusions), axis=0)
        for occluded, region in zip(images, occlusions):
            if region:
                occluded[region] = self.pad_val
        scores = self._convert_data(model(Tensor(images)))
        if label.item() not in range(scores.shape[1]):
            raise ValueError(
                f"For 'OcclusionSensitivity.update', 'label' must be a class from 0 to {scores.shape[1] - 1}, but got "
                f"{label.item()}."
            )
        return list(scores[:, int(label.item())])
