"""Mean errors, and the mean of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.metrics.metric import Array, Metric, rearrange_inputs

__all__ = ["MAE", "MSE", "Loss"]


class _MeanError(Metric):
    """The sum of errors over all elements, divided by the number of samples."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget what `update` has gathered."""
        self._error_sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add errors.

        Args:
            inputs: `y_pred` and `y`, Tensors, lists or arrays of as many elements, (N, ...).

        Raises:
            ValueError: Not two inputs, or of different sizes.
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        if not y.ndim or y.size != y_pred.size:
            raise self._refuse_shapes(y_pred, y, "both must have the same shape (N, ...)")
        self._error_sum += self._errors(y.reshape(y_pred.shape) - y_pred).sum()
        self._samples_num += len(y)

    def eval(self) -> Any:
        """Return the sum of errors divided by the number of samples, a numpy.float64.

        Raises:
            RuntimeError: There are no samples.
        """
        if not self._samples_num:
            raise self._nothing()
        return np.float64(self._error_sum / self._samples_num)

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


class Loss(Metric):
    """The mean of the losses of all updates.

    Examples:
        >>> import torchspore as ms
        >>> metric = ms.train.Loss()
        >>> metric.update(ms.Tensor(0.5))
        >>> metric.update(ms.Tensor(0.25))
        >>> print(metric.eval())
        0.375
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget what `update` has gathered."""
        self._sum_loss = 0.0
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add a loss.

        Args:
            inputs: One loss, a Tensor, a list or an array: a scalar, or a vector, of which the mean is taken.

        Raises:
            ValueError: Not one input, or a loss of two or more dimensions.
        """
        (loss,) = self._arrays(inputs, "loss")
        if loss.ndim > 1:
            raise ValueError(f"For 'Loss.update', 'loss' must have 0 or 1 dimensions, but got the shape {loss.shape}.")
        self._sum_loss += loss.mean()
        self._total_num += 1

    def eval(self) -> Any:
        """Return the mean loss, a numpy.float64.

        Raises:
            RuntimeError: There are no losses.
        """
        if not self._total_num:
            raise self._nothing()
        return np.float64(self._sum_loss / self._total_num)
