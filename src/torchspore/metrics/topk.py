"""Top-k accuracy."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.engine.parameters import Positive, checked
from torchspore.metrics.metric import MeanMetric, rearrange_inputs

__all__ = ["Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy"]


class TopKCategoricalAccuracy(MeanMetric):
    """The fraction of samples whose label is among the `k` classes with the largest predictions.

    Among equal predictions the first ones count as larger.

    Args:
        k (int): The number of classes, > 0.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.TopKCategoricalAccuracy(2)
        >>> metric.update(ms.Tensor([[0.2, 0.5, 0.3], [0.1, 0.35, 0.5]]), ms.Tensor([2, 0]))
        >>> print(metric.eval())
        0.5
    """

    @checked
    def __init__(self, k: Positive) -> None:
        self.k = k
        super().__init__()

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Count the correct predictions.

        Args:
            inputs: `y_pred` of shape (N, C), with C >= k, and `y`: class indices, (N,), or one-hot, (N, C).
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        if y_pred.ndim != 2 or y.shape not in (y_pred.shape, y_pred.shape[:1]):
            raise self._refuse_shapes(y_pred, y, "they must have the shapes (N, C), and (N,) or (N, C)")
        if y_pred.shape[1] < self.k:
            raise self._refuse_shapes(y_pred, y, f"there must be at least {self.k} classes")
        labels = y.argmax(1) if y.ndim == 2 else y
        best = np.argsort(-y_pred, axis=1, kind="stable")[:, : self.k]
        self._sum += int((best == labels[:, None]).sum())
        self._count += len(labels)


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose label has the largest prediction.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Top1CategoricalAccuracy()
        >>> metric.update(ms.Tensor([[0.2, 0.5, 0.3], [0.1, 0.35, 0.5]]), ms.Tensor([1, 0]))
        >>> print(metric.eval())
        0.5
    """

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The fraction of samples whose label is among the five largest predictions.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Top5CategoricalAccuracy()
        >>> metric.update(ms.Tensor([[0.2, 0.5, 0.3, 0.1, 0.4, 0.6]]), ms.Tensor([0]))
        >>> print(metric.eval())
        1.0
    """

    def __init__(self) -> None:
        super().__init__(5)
