"""Checks of the parameters of distributions, which programs with distributions of their own use.

MindSpore: `mindspore.nn.probability.distribution._utils.utils`.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from torchspore.common import dtype as dtypes
from torchspore.common.error_classes import also
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.ops.math.elementwise import log

__all__: list[str] = []  # what programs import, they import by path


def cast_to_tensor(t: Any, hint_type: dtypes.Type = dtypes.float32) -> Tensor:
    """Return a number, a list or an array as a tensor; a tensor unchanged.

    Args:
        t: the value.
        hint_type: the data type of the tensor. Default: float32.

    Raises:
        ValueError: it is None.
    """
    if t is None:
        raise ValueError("A parameter of a distribution must not be None.")
    if isinstance(t, Tensor):
        return t
    if isinstance(t, bool) or not isinstance(t, (int, float, list, np.ndarray)):
        raise TypeError(f"A parameter must be a number, a list, an array or a Tensor, but got {describe(t)}.")
    return Tensor(np.asarray(t), hint_type)


def _array(value: Any, name: str) -> np.ndarray[Any, Any]:
    if value is None:
        raise also(ValueError, AttributeError)(f"'{name}' must not be None.")
    if not isinstance(value, Tensor):
        raise also(TypeError, AttributeError)(f"'{name}' must be a Tensor, but got {describe(value)}.")
    return np.asarray(value.asnumpy())


def check_greater_zero(value: Tensor, name: str) -> None:
    """Check that all elements are above 0."""
    if not (_array(value, name) > 0).all():
        raise ValueError(f"'{name}' must be greater than 0, but got {value}.")


def check_greater_equal_zero(value: Tensor, name: str) -> None:
    """Check that no element is below 0."""
    if not (_array(value, name) >= 0).all():
        raise ValueError(f"'{name}' must be greater than or equal to 0, but got {value}.")


def check_greater(a: Tensor, b: Tensor) -> None:
    """Check that all elements of the second tensor are above the elements of the first."""
    if not (_array(a, "a") < _array(b, "b")).all():
        raise ValueError(f"{b} must be greater than {a}.")


def check_prob(p: Tensor) -> None:
    """Check that all elements are between 0 and 1, and neither."""
    array = _array(p, "p")
    if not ((array > 0) & (array < 1)).all():
        raise ValueError(f"Probabilities must be between 0 and 1, but got {p}.")


def check_sum_equal_one(probs: Tensor) -> None:
    """Check that rows of probabilities have the sum 1; numbers are not checked."""
    if probs is None:
        raise ValueError("Probabilities must not be None.")
    if isinstance(probs, Tensor) and not np.allclose(probs.asnumpy().sum(-1), 1):
        raise ValueError(f"The sums of probabilities must be 1, but got {probs}.")


def check_rank(probs: Tensor) -> None:
    """Check that there is at least one dimension."""
    if _array(probs, "probs").ndim == 0:
        raise ValueError("Probabilities must have at least one dimension, but got a scalar.")


def set_param_type(args: dict[str, Any], hint_type: dtypes.Type) -> dtypes.Type:
    """Return the data type of a distribution: the type of its parameters, which must agree.

    Args:
        args: the parameters, by their names; those that are None are not considered.
        hint_type: the type if no parameter is a tensor of a floating-point type other than float64.
    """
    kinds = {value.dtype for value in args.values() if isinstance(value, Tensor)}
    if len(kinds) > 1:
        raise TypeError(f"The parameters {sorted(args)} must have one data type, but got {sorted(map(str, kinds))}.")
    kind = kinds.pop() if kinds else hint_type
    return kind if kind in (dtypes.float16, dtypes.float32, hint_type) else dtypes.float32


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return the logarithms of probabilities, or with `is_binary` of their odds."""
    return log(probs) - log(1 - probs) if is_binary else log(probs)


class CheckTensor:
    """Checks that a value is a Tensor, and returns it."""

    def __call__(self, x: Any, name: str) -> Any:
        if x is not None and not isinstance(x, Tensor):
            raise TypeError(f"'{name}' must be a Tensor, but got {describe(x)}.")
        return x


class CheckTuple:
    """Checks that a value is a tuple, and returns it."""

    def __call__(self, x: Any, name: str) -> Any:
        if not isinstance(x, tuple):
            raise TypeError(f"'{name}' must be a tuple, but got {describe(x)}.")
        return x


def raise_none_error(name: str) -> NoReturn:
    """Raise a TypeError: a value must not be None."""
    raise TypeError(f"'{name}' must not be None.")


def raise_type_error(name: str, cur_type: Any, required_type: Any) -> NoReturn:
    """Raise a TypeError: a value is of a wrong type."""
    raise TypeError(f"'{name}' must be of type {required_type}, but got {cur_type}.")
