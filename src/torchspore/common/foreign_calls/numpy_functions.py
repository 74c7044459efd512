"""NumPy's element-by-element functions of tensors, which NumPy also calls for operators: `np.sqrt(8) * x`.

They compute with arrays, and return arrays. With a NumPy number on the left of an operator that would end the graph and
its gradients, so captured and differentiated functions compute with the number instead.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from torchspore.common.operations import Operations
from torchspore.common.private_torch import functorch_level
from torchspore.common.scopes.scope import scope

__all__ = ["call"]

_OPERATORS = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "power": operator.pow, "equal": operator.eq,
    "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le, "greater": operator.gt,
    "greater_equal": operator.ge, "bitwise_and": operator.and_, "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
}  # fmt: skip


def call(function: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return what a function of NumPy gives for tensors among its inputs.

    Args:
        function: the function.
        method: "__call__", or the name of its method, such as "reduce".
        inputs: the arguments.
        options: the named arguments.
    """
    if method == "__call__" and not options and (scope.captured or scope.depth or functorch_level()):
        compute, first = _OPERATORS.get(function.__name__), inputs[0]
        if compute is not None and isinstance(first, (np.generic, np.ndarray)) and not first.ndim:
            return compute(first.item(), inputs[1])
    if method == "at" or any(isinstance(out, Operations) for out in options.get("out", ())):
        return NotImplemented  # NumPy writes into arrays only
    named = {name: _array(option) for name, option in options.items()}
    return getattr(function, method)(*[_array(x) for x in inputs], **named)


def _array(value: Any) -> Any:
    return np.asarray(value) if isinstance(value, Operations) else value
