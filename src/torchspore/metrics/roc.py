"""The ROC curve and the area under a curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import checked
from torchspore.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["ROC", "auc"]


class ROC(Metric):
    """The false and true positive rates for each threshold; for several classes, of each against the others.

    Args:
        class_num (int): The number of classes; None or 1 for positive and negative samples. Default: `None`.
        pos_label (int): The label of the positive class. None: 1, or each of several classes. Default: `None`.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.ROC()
        >>> metric.update(ms.Tensor([0.75, 0.25, 0.5, 0.125]), ms.Tensor([1, 0, 1, 1]))
        >>> false_rates, true_rates, thresholds = metric.eval()
        >>> print(true_rates)
        [0.         0.33333333 0.66666667 0.66666667 1.        ]
    """

    @checked
    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        self.class_num = class_num
        self.pos_label = pos_label
        self.clear()

    def clear(self) -> None:
        self._data: tuple[Array, Array] | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Set predictions and labels, which replace earlier ones.

        Args:
            inputs: `y_pred` and `y`. For several classes `y_pred` has the shape (N, C), and `y` holds class indices,
                (N,). Otherwise both have the same shape.
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        if y_pred.shape == y.shape:
            if self.class_num not in (None, 1):
                raise self._refuse_shapes(
                    y_pred, y, f"'class_num' is {self.class_num}, so give the shapes (N, C), (N,)"
                )
        elif y_pred.ndim != 2 or y.shape != y_pred.shape[:1]:
            raise self._refuse_shapes(y_pred, y, "give the same shape, or the shapes (N, C) and (N,)")
        elif y_pred.shape[1] != self.class_num:
            raise self._refuse_shapes(y_pred, y, f"'y_pred' must have 'class_num', {self.class_num}, columns")
        elif self.pos_label is not None:
            raise ValueError(f"For 'ROC.update', 'pos_label' must be None for {self.class_num} classes.")
        self._data = y_pred, y

    def eval(self) -> tuple[Any, Any, Any]:
        """Return the false positive rates, the true positive rates and the thresholds.

        These are arrays, or for several classes lists of arrays. The first threshold is above all predictions.

        Raises:
            ValueError: All samples of a class are positive, or none is.
        """
        if self._data is None:
            raise self._nothing()
        y_pred, y = self._data
        if y_pred.shape == y.shape:
            return _curve(y_pred.ravel(), y.ravel() == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(y_pred[:, label], y == label) for label in range(y_pred.shape[1])]
        false_rates, true_rates, thresholds = map(list, zip(*curves))
        return false_rates, true_rates, thresholds


def _curve(scores: Array, positive: Array) -> tuple[Array, Array, Array]:
    if positive.all() or not positive.any():
        raise ValueError("For 'ROC.eval', 'y' must have positive and negative samples of each class.")
    order = np.argsort(-scores, kind="stable")
    scores, positive = scores[order], positive[order]
    last = np.append(np.flatnonzero(np.diff(scores)), len(scores) - 1)  # of equal scores
    true_positives = np.append(0, np.cumsum(positive)[last])
    false_positives = np.append(0, last + 1) - true_positives
    thresholds = np.append(scores[:1] + 1, scores[last])
    return false_positives / false_positives[-1], true_positives / true_positives[-1], thresholds


def auc(x: Array, y: Array, reorder: bool = False) -> Any:
    """Return the area under a curve by the trapezoidal rule, a numpy.float64.

    Args:
        x (numpy.ndarray): The x-coordinates, monotonic, (N,) or (N, 1), at least two.
        y (numpy.ndarray): The y-coordinates, of the same shape.
        reorder (bool): Sort the points first. Default: `False`.

    Raises:
        ValueError: Shapes that do not fit, or `x` is not monotonic.

    Examples:
        >>> import numpy as np
        >>> from torchspore.train import auc
        >>> print(auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.75, 1.0])))
        0.625
    """
    x, y = _column(x, "x"), _column(y, "y")
    if len(x) != len(y) or len(x) < 2:
        raise ValueError(f"For 'auc', 'x' and 'y' must have the same length >= 2, but got {len(x)} and {len(y)}.")
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    widths = np.diff(x)
    if (widths < 0).any() and (widths > 0).any():
        raise ValueError("For 'auc', 'x' must be monotonic. 'reorder=True' sorts it.")
    area = (widths * (y[1:] + y[:-1]) / 2.0).sum()
    return np.float64(-area if (widths < 0).any() else area)


def _column(values: Any, name: str) -> Array:
    if not isinstance(values, np.ndarray) or not values.ndim:
        raise TypeError(f"For 'auc', '{name}' must be a numpy.ndarray with an axis, but got {describe(values)}.")
    if values.shape not in (values.shape[:1], (len(values), 1)):
        raise ValueError(f"For 'auc', '{name}' must be of shape (N,) or (N, 1), but got {values.shape}.")
    return values.ravel()
