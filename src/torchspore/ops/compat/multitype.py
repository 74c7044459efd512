"""MindSpore's overloaded functions behind Python's operators, under its names: they take whatever the operator takes.

MindSpore: `mindspore.ops.composite.multitype_ops`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from operator import add, floordiv, getitem, invert, mod, mul, sub
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.ops.array import creation
from torchspore.ops.compat.compiler_names import (
    augassign_add,
    augassign_div,
    augassign_floordiv,
    augassign_mod,
    augassign_mul,
    augassign_sub,
)
from torchspore.ops.math import elementwise

__all__ = [
    "add", "augassign_add", "augassign_div", "augassign_floordiv", "augassign_mod", "augassign_mul", "augassign_sub",
    "bitwise_and", "bitwise_or", "bitwise_xor", "div", "equal", "floordiv", "getitem", "greater", "greater_equal",
    "in_", "invert", "left_shift", "less", "less_equal", "logical_and", "logical_not", "logical_or", "mod", "mul",
    "negative", "not_equal", "not_in_", "ones_like", "pow_", "right_shift", "setitem", "sub", "uadd", "zeros_like",
]  # fmt: skip

bitwise_and, bitwise_or, bitwise_xor = operator.and_, operator.or_, operator.xor
div, pow_, left_shift, right_shift = operator.truediv, operator.pow, operator.lshift, operator.rshift
equal, not_equal = operator.eq, operator.ne
less, less_equal, greater, greater_equal = operator.lt, operator.le, operator.gt, operator.ge
negative, uadd = operator.neg, operator.pos


def setitem(data: Any, key: Any, value: Any) -> Any:
    """Return `data` with `data[key] = value`: a tensor itself, but a copy of a list or dict."""
    if isinstance(data, (list, dict)):
        data = data.copy()
    data[key] = value
    return data


def in_(x: Any, y: Any) -> bool:
    """Return whether `y` contains `x`."""
    return x in y


def not_in_(x: Any, y: Any) -> bool:
    """Return whether `y` does not contain `x`."""
    return x not in y


def logical_and(x: Any, y: Any) -> Any:
    """Return `x and y`, of tensors by element."""
    return elementwise.logical_and(x, y) if isinstance(x, Tensor) and isinstance(y, Tensor) else x and y


def logical_or(x: Any, y: Any) -> Any:
    """Return `x or y`, of tensors by element."""
    return elementwise.logical_or(x, y) if isinstance(x, Tensor) and isinstance(y, Tensor) else x or y


def logical_not(x: Any) -> Any:
    """Return `not x`, of a tensor by element."""
    return elementwise.logical_not(x) if isinstance(x, Tensor) else not x


def _of_leaves(of_tensor: Callable[[Tensor], Tensor], number: int) -> Callable[[Any], Any]:
    def fill(x: Any) -> Any:
        """Return `x` with each tensor and number in it replaced by one of this value."""
        if isinstance(x, (tuple, list)):
            return type(x)([fill(element) for element in x])
        return of_tensor(x) if isinstance(x, Tensor) else type(x)(number)

    return fill


zeros_like = _of_leaves(creation.zeros_like, 0)
ones_like = _of_leaves(creation.ones_like, 1)
