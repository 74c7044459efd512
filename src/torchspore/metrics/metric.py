"""The interface of metrics, and the order and checks of their inputs."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from torchspore.common.error_classes import also
from torchspore.common.np_dtype import Array, standard_array
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import name_constructor

__all__ = ["Array", "EvaluationBase", "MeanMetric", "Metric", "matrix", "rearrange_inputs"]

_Metric = TypeVar("_Metric", bound="Metric")


def rearrange_inputs(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate an `update` method to receive the inputs that `set_indexes` has chosen.

    Args:
        func: The method. Its object has a property `indexes`: positions of inputs, or None for all inputs unchanged.

    Examples:
        >>> from torchspore.train import Metric, rearrange_inputs
        >>> class Last(Metric):
        ...     def clear(self):
        ...         self._last = None
        ...     @rearrange_inputs
        ...     def update(self, *inputs):
        ...         self._last = inputs
        ...     def eval(self):
        ...         return self._last
        >>> metric = Last().set_indexes([2, 0])
        >>> metric.update("a", "b", "c")
        >>> metric.eval()
        ('c', 'a')
    """

    @wraps(func)
    def update(self: Any, *inputs: Any) -> Any:
        indexes = self.indexes
        if not indexes:
            return func(self, *inputs)
        try:
            chosen = [inputs[index] for index in indexes]
        except IndexError:
            raise also(IndexError, ValueError)(
                f"For '{type(self).__name__}.update', 'set_indexes' has chosen the inputs {indexes}, but got "
                f"{len(inputs)} inputs."
            ) from None
        return func(self, *chosen)

    return update


class Metric(metaclass=ABCMeta):
    """The base class of metrics, which accumulate results with `update` and compute a value from them with `eval`.

    A subclass defines `clear`, `update` and `eval`. Called with inputs, a metric evaluates these alone.

    Examples:
        >>> import torchspore as ms
        >>> class Largest(ms.train.Metric):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.clear()
        ...     def clear(self):
        ...         self._largest = 0.0
        ...     def update(self, *inputs):
        ...         self._largest = max(self._largest, inputs[0].asnumpy().max())
        ...     def eval(self):
        ...         return float(self._largest)
        >>> metric = Largest()
        >>> metric.update(ms.Tensor([1.0, 4.0]))
        >>> metric.update(ms.Tensor([2.0, 3.0]))
        >>> metric.eval()
        4.0
    """

    _indexes: list[int] | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        name_constructor(cls)

    def __call__(self, *inputs: Any) -> Any:
        """Return the value of these inputs alone: `clear`, `update` and `eval` in one call."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @property
    def indexes(self) -> list[int] | None:
        """The positions of the inputs that `update` takes, in order; None for all inputs."""
        return self._indexes

    def set_indexes(self: _Metric, indexes: list[int]) -> _Metric:
        """Choose and order the inputs of `update`, if it is decorated with `rearrange_inputs`.

        Args:
            indexes: Positions of inputs. With `[2, 1]`, `update(label0, label1, logits)` is `update(logits, label1)`.

        Returns:
            The metric itself.

        Raises:
            ValueError: `indexes` is not a list of ints.
        """
        if not isinstance(indexes, list) or not all(isinstance(index, int) for index in indexes):
            raise ValueError(f"For 'set_indexes', 'indexes' must be a list of ints, but got {describe(indexes)}.")
        self._indexes = indexes
        return self

    @abstractmethod
    def clear(self) -> None:
        """Discard what `update` has accumulated."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Accumulate results.

        Args:
            inputs: Usually predictions and labels: Tensors, lists or arrays.

        Raises:
            TypeError: An input does not hold numbers.
            ValueError: The number of inputs, their shapes or their values do not fit the metric.
        """

    @abstractmethod
    def eval(self) -> Any:
        """Return the value of what has been accumulated.

        Raises:
            RuntimeError: Nothing has been accumulated.
        """

    def _convert_data(self, data: Any) -> Array:
        """Return a Tensor, a list or an array as an array."""
        if isinstance(data, Tensor):
            return standard_array(data)
        if isinstance(data, (list, np.ndarray)):
            return np.array(data) if isinstance(data, list) else data
        name = type(self).__name__
        raise TypeError(f"For '{name}', inputs must be Tensors, lists or numpy.ndarrays, but got {describe(data)}.")

    def _check_count(self, inputs: Sequence[Any], *names: str) -> None:
        """Check that there is one input for each name."""
        if len(inputs) != len(names):
            wanted = f"{len(names)} input{'s' * (len(names) > 1)} ({', '.join(names)})"
            raise ValueError(f"For '{type(self).__name__}.update', give {wanted}, but got {len(inputs)}.")

    def _arrays(self, inputs: Sequence[Any], *names: str) -> list[Array]:
        """Return the inputs, one for each name, as arrays."""
        self._check_count(inputs, *names)
        arrays = [self._convert_data(value) for value in inputs]
        for array, name in zip(arrays, names):
            if array.dtype.kind not in "biuf":
                raise TypeError(
                    f"For '{type(self).__name__}.update', '{name}' must hold numbers, but got the dtype {array.dtype}."
                )
        return arrays

    def _refuse_shapes(self, y_pred: Array, y: Array, wanted: str) -> ValueError:
        """Return the error for shapes that do not fit each other."""
        return ValueError(
            f"For '{type(self).__name__}.update', {wanted}, but got 'y_pred' of shape {y_pred.shape} and 'y' of shape "
            f"{y.shape}."
        )

    def _nothing(self) -> RuntimeError:
        """Return the error for `eval` before any update."""
        return RuntimeError(f"For '{type(self).__name__}.eval', there are no samples yet. Call 'update' first.")


class MeanMetric(Metric):
    """A sum over all updates, divided by a count: `update` adds to `_sum` and `_count`."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self._sum = 0.0
        self._count = 0

    def eval(self) -> Any:
        """Return the quotient, a numpy.float64."""
        if not self._count:
            raise self._nothing()
        return np.float64(self._sum / self._count)


class EvaluationBase(Metric):
    """The base class of classification metrics, with one class for each sample or several.

    Args:
        eval_type (str): `"classification"` or `"multilabel"`.
    """

    def __init__(self, eval_type: str) -> None:
        if eval_type not in ("classification", "multilabel"):
            raise TypeError(
                f"For '{type(self).__name__}', 'eval_type' must be 'classification' or 'multilabel', but got "
                f"{describe(eval_type)}."
            )
        self._type = eval_type
        self._class_num = 0

    def _samples(self, inputs: Sequence[Any]) -> tuple[Array, Array]:
        """Return the predictions as a matrix of samples by classes, and the labels.

        The labels are a vector of class indices; for `"multilabel"` a matrix of zeros and ones, as the predictions.
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        labels = self._labels_of_several(y_pred, y) if self._type == "multilabel" else self._labels_of_one(y_pred, y)
        if self._class_num not in (0, y_pred.shape[1]):
            raise ValueError(
                f"For '{type(self).__name__}.update', 'y_pred' has {y_pred.shape[1]} classes, but the last update "
                f"had {self._class_num}. Call 'clear' before using other data."
            )
        self._class_num = y_pred.shape[1]
        return matrix(y_pred), labels

    def _labels_of_one(self, y_pred: Array, y: Array) -> Array:
        is_column = y_pred.ndim == 2 and y.shape == (len(y_pred), 1)
        if y_pred.ndim >= 2 and (is_column or y.shape == y_pred.shape[:1] + y_pred.shape[2:]):
            return y.ravel()
        if y_pred.ndim != 2 or y.ndim != 2 or len(y) != len(y_pred) or not _is_binary(y):
            wanted = "'y' must hold the class indices, without axis 1 of 'y_pred', or be one-hot and a matrix like it"
            raise self._refuse_shapes(y_pred, y, wanted)
        return y.argmax(1)

    def _labels_of_several(self, y_pred: Array, y: Array) -> Array:
        if y_pred.ndim < 2 or y_pred.shape != y.shape:
            raise self._refuse_shapes(y_pred, y, "both must have the same shape (N, C, ...)")
        if not _is_binary(y_pred) or not _is_binary(y):
            raise ValueError(f"For '{type(self).__name__}.update', the values must be 0 or 1 for 'multilabel'.")
        return matrix(y)


def matrix(values: Array) -> Array:
    """Return values of shape (N, C, ...) as a matrix of samples by classes."""
    return np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])


def _is_binary(values: Array) -> bool:
    return bool(((values == 0) | (values == 1)).all())
