"""Classification metrics: accuracy, precision, recall and the F-score."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from torchspore.engine.parameters import PositiveFloat, checked
from torchspore.metrics.metric import Array, EvaluationBase, rearrange_inputs

__all__ = ["F1", "Accuracy", "Fbeta", "Precision", "Recall"]


class Accuracy(EvaluationBase):
    """The fraction of samples that are predicted correctly.

    Args:
        eval_type (str): `"classification"`: the class with the largest prediction is the label. `"multilabel"`: all
            classes of a sample are as the labels say. Default: `"classification"`.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Accuracy()
        >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6], [0.1, 0.3]]), ms.Tensor([1, 0, 1, 1]))
        >>> print(metric.eval())
        0.75
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        self._correct_num = 0
        self._total_num = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Count the correct predictions.

        Args:
            inputs: `y_pred` of shape (N, C, ...), and `y`: class indices of shape (N, ...), or zeros and ones of the
                shape of `y_pred`.
        """
        y_pred, y = self._samples(inputs)
        correct = (y_pred == y).all(1) if self._type == "multilabel" else y_pred.argmax(1) == y
        self._correct_num += int(correct.sum())
        self._total_num += len(correct)

    def eval(self) -> Any:
        """Return the accuracy, a numpy.float64."""
        if not self._total_num:
            raise self._nothing()
        return np.float64(self._correct_num / self._total_num)


class _PositiveRatio(EvaluationBase):
    """A ratio of counts: true positives, predicted and actual positives of each class; of each sample if multilabel."""

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__(eval_type)
        self.eps = sys.float_info.min  # keeps denominators from 0
        self.clear()

    def clear(self) -> None:
        self._class_num = 0
        self._counts: Array | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Count positives.

        Args:
            inputs: as for `Accuracy.update`.
        """
        y_pred, y = self._samples(inputs)
        if self._type == "multilabel":
            counts = np.array([(y_pred * y).sum(1), y_pred.sum(1), y.sum(1)])
            self._counts = counts if self._counts is None else np.concatenate([self._counts, counts], 1)
            return
        classes, predicted = y_pred.shape[1], y_pred.argmax(1)
        if not ((y >= 0) & (y < classes) & (y % 1 == 0)).all():
            raise ValueError(
                f"For '{type(self).__name__}.update', 'y' must hold class indices from 0 to {classes - 1}, as 'y_pred' "
                f"has {classes} classes."
            )
        y = y.astype(np.int64)
        counts = np.array([np.bincount(of, minlength=classes) for of in (y[y == predicted], predicted, y)])
        self._counts = counts if self._counts is None else self._counts + counts

    @checked
    def eval(self, average: bool = False) -> Any:
        """Return the value of each class, or for `"multilabel"` of each sample.

        Args:
            average (bool): Return the mean of these. Default: `False`.

        Returns:
            numpy.ndarray, or numpy.float64 with `average`. Where there are no positives the value is 0.
        """
        if self._counts is None:
            raise self._nothing()
        values = self._values(*self._counts.astype(np.float64))
        return values.mean() if average else values

    def _values(self, correct: Array, predicted: Array, actual: Array) -> Array:
        raise NotImplementedError


class Precision(_PositiveRatio):
    """The fraction of correct predictions among the samples that are predicted to be of a class.

    Args:
        eval_type (str): `"classification"`, a value for each class, or `"multilabel"`, one for each sample.
            Default: `"classification"`.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Precision()
        >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), ms.Tensor([1, 0, 1]))
        >>> print(metric.eval())
        [0.5 1. ]
    """

    def _values(self, correct: Array, predicted: Array, actual: Array) -> Array:
        return correct / (predicted + self.eps)


class Recall(_PositiveRatio):
    """The fraction of correct predictions among the samples that are of a class.

    Args and errors: as for `Precision`.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Recall()
        >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), ms.Tensor([1, 0, 1]))
        >>> print(metric.eval())
        [1.  0.5]
    """

    def _values(self, correct: Array, predicted: Array, actual: Array) -> Array:
        return correct / (actual + self.eps)


class Fbeta(_PositiveRatio):
    """The weighted harmonic mean of precision and recall.

    Args:
        beta (Union[float, int]): The weight of recall relative to precision, > 0.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Fbeta(2)
        >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), ms.Tensor([1, 0, 1]))
        >>> print(metric.eval())
        [0.83333333 0.55555556]
    """

    @checked
    def __init__(self, beta: PositiveFloat) -> None:
        self.beta = beta
        super().__init__()

    def _values(self, correct: Array, predicted: Array, actual: Array) -> Array:
        squared = self.beta**2
        return (1 + squared) * correct / (squared * actual + predicted + self.eps)


class F1(Fbeta):
    """The harmonic mean of precision and recall.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.F1()
        >>> metric.update(ms.Tensor([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]]), ms.Tensor([1, 0, 1]))
        >>> print(metric.eval())
        [0.66666667 0.66666667]
    """

    def __init__(self) -> None:
        super().__init__(1)
