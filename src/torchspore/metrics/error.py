"""The mean absolute and squared errors, and the mean loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.metrics.metric import Array, MeanMetric, rearrange_inputs

__all__ = ["MAE", "MSE", "Loss"]


class _MeanError(MeanMetric):
    """The sum of errors over all elements, divided by the number of samples."""

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add errors.

        Args:
            inputs: `y_pred` and `y`, with the same number of elements, (N, ...).
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        if not y.ndim or y.size != y_pred.size:
            raise self._refuse_shapes(y_pred, y, "both must have the same shape (N, ...)")
        self._sum += float(self._errors(y.reshape(y_pred.shape) - y_pred).sum())
        self._count += len(y)

    def _errors(self, difference: Array) -> Array:
        raise NotImplementedError


class MAE(_MeanError):
    """The mean absolute error.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.MAE()
        >>> metric.update(ms.Tensor([0.0, 1.0, 2.0]), ms.Tensor([0.0, 2.0, 4.0]))
        >>> print(metric.eval())
        1.0
    """

    def _errors(self, difference: Array) -> Array:
        return np.abs(difference)


class MSE(_MeanError):
    """The mean squared error.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.MSE()
        >>> metric.update(ms.Tensor([0.0, 1.0]), ms.Tensor([0.0, 4.0]))
        >>> print(metric.eval())
        4.5
    """

    def _errors(self, difference: Array) -> Array:
        return np.square(difference)


class Loss(MeanMetric):
    """The mean of the losses of all updates.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Loss()
        >>> metric.update(ms.Tensor(0.5))
        >>> metric.update(ms.Tensor(0.25))
        >>> print(metric.eval())
        0.375
    """

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add a loss.

        Args:
            inputs: One loss: a scalar, or a vector, of which the mean is taken.
        """
        (loss,) = self._arrays(inputs, "loss")
        if loss.ndim > 1:
            raise ValueError(f"For 'Loss.update', 'loss' must have 0 or 1 dimensions, but got the shape {loss.shape}.")
        self._sum += float(loss.mean())
        self._count += 1
