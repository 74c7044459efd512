"""Private functions of MindSpore's operations that packages import.

MindSpore: `mindspore.ops.function.random_func`, `mindspore.ops.composite.multitype_ops._compile_utils` and others.
"""

from __future__ import annotations

import importlib
import itertools
import math
from typing import Any

from torchspore.common.random import get_seed
from torchspore.common.tensor import Tensor
from torchspore.ops.array.creation import _new_ones as new_ones  # noqa: F401
from torchspore.ops.array.creation import _new_zeros as new_zeros  # noqa: F401
from torchspore.ops.array.diagonals import matrix_set_diag as _matrix_set_diag
from torchspore.ops.compat.compiler_names import add_flags
from torchspore.ops.math.min_max import ArgMaxWithValue, ArgMinWithValue
from torchspore.ops.neural.activation import log_softmax

__all__: list[str] = []


def get_broadcast_shape(
    x_shape: list[int], y_shape: list[int], prim_name: str, arg_name1: str = "x", arg_name2: str = "y"
) -> list[int]:
    """Return the shape to which two shapes are broadcast; -1 is a size that is not known.

    Raises:
        ValueError: they do not fit.
    """
    sizes = []
    for first, second in itertools.zip_longest(reversed(x_shape), reversed(y_shape), fillvalue=1):
        if first != second and 1 not in (first, second) and -1 not in (first, second):
            raise ValueError(
                f"For '{prim_name}', the shapes of '{arg_name1}' and '{arg_name2}' do not fit: {x_shape} and {y_shape}."
            )
        sizes.append(second if first in (1, -1) and second != 1 else first)
    return sizes[::-1]


def get_1d_shape(in_shape: list[int]) -> tuple[int]:
    """Return the shape of a flat tensor with as many elements."""
    return (math.prod(in_shape),)


def _run_op(obj: Any, op_name: str, args: Any) -> Any:
    """Return what a primitive computes from a sequence of inputs."""
    return obj(*args)


def _get_seed(op_seed: int | None, kernel_name: str) -> tuple[int, int]:
    """Return the two seeds of a kernel: the program's and the operation's, 0 where there is none."""
    return get_seed() or 0, op_seed or 0


def _set_prim_op_user_data(prim: Any, key: str, value: Any) -> Any:
    """Keep a value in a primitive, and return the primitive."""
    prim.set_user_data(key, value)
    return prim


def _innner_log_softmax(inputs: Tensor, axis: int) -> Tensor:
    """Return the logarithm of the softmax along an axis."""
    return log_softmax(inputs, axis)


def _tensor_getitem(self: Tensor, index: Any) -> Tensor:
    """Return `self[index]`."""
    return self[index]


def _tensor_setitem(self: Tensor, index: Any, value: Any) -> Tensor:
    """Write `self[index] = value`, and return the tensor."""
    self[index] = value
    return self


_tensor_getitem_origin = _tensor_getitem


def _tensor_setitem_origin(self: Tensor, index: Any, value: Any) -> tuple[Tensor]:
    """Write `self[index] = value`, and return the tensor in a tuple."""
    return (_tensor_setitem(self, index, value),)


def argmax_with_value_impl(input: Tensor, axis: int, keep_dims: bool) -> Any:
    """Return the positions and the values of the maxima along an axis."""
    return ArgMaxWithValue(axis, keep_dims)(input)


def argmin_with_value_impl(input: Tensor, axis: int, keep_dims: bool) -> Any:
    """Return the positions and the values of the minima along an axis."""
    return ArgMinWithValue(axis, keep_dims)(input)


def infer_value_for_BroadcastTo(x: Tensor | None, shape: Any) -> Tensor | None:
    """Return a constant tensor in another shape; None for one that is not known yet."""
    return None if x is None or shape is None else x.broadcast_to(shape)


def core(fn: Any = None, **flags: Any) -> Any:
    """Set the flag `core` and others for MindSpore's compiler, as `add_flags` does; return the function."""
    return add_flags(fn, core=True, **flags)


def matrix_set_diag(
    input_x: Tensor, diagonal: Tensor, k: int | tuple[int, int] = 0, alignment: str = "RIGHT_LEFT"
) -> Tensor:
    """Return matrices with other diagonals, as `ops.matrix_set_diag` does."""
    return _matrix_set_diag(input_x, diagonal, k, alignment)


class Registry:
    """The operations that tensors use, by name; packages read them, and enter their own for these readers."""

    def __init__(self) -> None:
        self._own: dict[str, Any] = {}

    def register(self, name: str, operation: Any) -> None:
        """Enter an operation."""
        self._own[name] = operation

    def get(self, name: str) -> Any:
        """Return an operation: one that was entered, the function of `ops`, or the method of `Tensor`."""
        if name in self._own:
            return self._own[name]
        ops = importlib.import_module("torchspore.ops")
        for owner in (ops, Tensor):
            if hasattr(owner, name):
                return getattr(owner, name)
        raise AttributeError(f"For 'tensor_operator_registry.get', there is no operation '{name}'.")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get(name)


tensor_operator_registry = Registry()
