"""What all metrics share: their interface, the order of their inputs and the checks of these."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe
from torchspore.engine.naming import name_constructor

__all__ = ["Array", "EvaluationBase", "Metric", "check_choice", "matrix", "rearrange_inputs"]

Array = npt.NDArray[Any]
_Metric = TypeVar("_Metric", bound="Metric")


def rearrange_inputs(func: Callable[..., Any]) -> Callable[..., Any]:
    """Have an `update` method receive the inputs that `set_indexes` of its object has chosen.

    Args:
        func: The method. Its object has a property `indexes`: positions of inputs, or None for all as they are.

    Returns:
        The method that chooses its inputs.

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
            raise ValueError(
                f"For '{type(self).__name__}.update', 'set_indexes' has chosen the inputs {indexes}, but got "
                f"{len(inputs)} inputs."
            ) from None
        return func(self, *chosen)

    return update


class Metric(metaclass=ABCMeta):
    """The base class of metrics, which gather results with `update` and compute a value of them with `eval`.

    A metric is a class with the methods `clear`, `update` and `eval`. Called with inputs, it evaluates these alone.

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
        """Evaluate these inputs alone.

        Args:
            inputs: What `update` takes.

        Returns:
            What `eval` returns.
        """
        self.clear()
        self.update(*inputs)
        return self.eval()

    @property
    def indexes(self) -> list[int] | None:
        """The positions of the inputs that `update` takes, in their order; None: all inputs."""
        return self._indexes

    def set_indexes(self: _Metric, indexes: list[int]) -> _Metric:
        """Choose and order the inputs of `update`, if that is decorated with `rearrange_inputs`.

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
        """Forget what `update` has gathered."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Gather results.

        Args:
            inputs: Usually predictions and labels.
        """

    @abstractmethod
    def eval(self) -> Any:
        """Return the value of what has been gathered."""

    def _convert_data(self, data: Any) -> Array:
        """Return a Tensor, a list or an array as an array."""
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, (list, np.ndarray)):
            return np.array(data) if isinstance(data, list) else data
        name = type(self).__name__
        raise TypeError(f"For '{name}', inputs must be Tensors, lists or numpy.ndarrays, but got {describe(data)}.")

    def _check_count(self, inputs: Sequence[Any], *names: str) -> None:
        """Refuse inputs that are fewer or more than the names."""
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
        """Return the error for shapes that do not go together."""
        return ValueError(
            f"For '{type(self).__name__}.update', {wanted}, but got 'y_pred' of shape {y_pred.shape} and 'y' of shape "
            f"{y.shape}."
        )

    def _nothing(self) -> RuntimeError:
        """Return the error for an evaluation before any update."""
        return RuntimeError(f"For '{type(self).__name__}.eval', there are no samples yet. Call 'update' first.")


class EvaluationBase(Metric):
    """The base class of metrics of classes: one class a sample, or several.

    Args:
        eval_type (str): `"classification"` or `"multilabel"`.

    Raises:
        TypeError: `eval_type` is neither.
    """

    def __init__(self, eval_type: str) -> None:
        check_choice(eval_type, "eval_type", ("classification", "multilabel"), type(self).__name__, TypeError)
        self._type = eval_type
        self._class_num = 0

    def _samples(self, inputs: Sequence[Any]) -> tuple[Array, Array]:
        """Return the predictions as a matrix of samples by classes, and the labels.

        These are a vector of class numbers; for `"multilabel"` a matrix of zeros and ones, as the predictions.
        """
        y_pred, y = self._arrays(inputs, "y_pred", "y")
        labels = self._labels_of_several(y_pred, y) if self._type == "multilabel" else self._labels_of_one(y_pred, y)
        if self._class_num not in (0, y_pred.shape[1]):
            raise ValueError(
                f"For '{type(self).__name__}.update', 'y_pred' has {y_pred.shape[1]} classes, but that of the last "
                f"update had {self._class_num}. Call 'clear' before data of another kind."
            )
        self._class_num = y_pred.shape[1]
        return matrix(y_pred), labels

    def _labels_of_one(self, y_pred: Array, y: Array) -> Array:
        if y_pred.ndim >= 2 and y.shape == y_pred.shape[:1] + y_pred.shape[2:]:
            return y.ravel()
        if y_pred.ndim != 2 or y.shape != y_pred.shape or not _is_binary(y):
            wanted = "'y' must hold the class numbers, without axis 1 of 'y_pred', or be one-hot and of the same shape"
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


def check_choice(value: Any, name: str, choices: Sequence[str], api: str, error: type[Exception] = ValueError) -> None:
    """Refuse all but the choices.

    Raises:
        TypeError: `value` is not a str.
        ValueError: It is another; `error` replaces this type.
    """
    if not isinstance(value, str) or value not in choices:
        kind = error if isinstance(value, str) else TypeError
        raise kind(f"For '{api}', '{name}' must be one of {', '.join(choices)}, but got {describe(value)}.")
