"""How torch's operations are written as MindSpore's primitives: a function or a name for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, NoForm, Value
from torchspore.serialization.mindir.open_sizes import number

__all__ = ["FORMS", "Form", "form", "from_unary", "operand"]

Form = Callable[..., Any]
"""It takes the builder and the operation's arguments, and returns the value, or a tuple of values."""

FORMS: dict[Any, Form] = {}
"""The forms of torch's operations."""


def form(*operations: Any) -> Callable[[Form], Form]:
    """Register a function as the form of operations."""

    def register(function: Form) -> Form:
        FORMS.update(dict.fromkeys(operations, function))
        return function

    return register


def from_unary(**operations: Any) -> None:
    """Register the operations of one tensor that one primitive computes, by the primitive's name."""
    for primitive, operation in operations.items():
        FORMS[operation] = lambda b, x, primitive=primitive: b.call(primitive, x)


def operand(b: Builder, x: Any, dtype: torch.dtype) -> Value:
    """Return a tensor or a number as a tensor of a data type."""
    if isinstance(x, Value) and isinstance(x.example, torch.Tensor):
        return b.cast(x, dtype)
    if isinstance(x, (bool, int, float)):
        return b.constant(torch.tensor(x, dtype=dtype))
    if isinstance(x, (torch.SymInt, torch.SymFloat)):
        return number(b, x, dtype)
    raise NoForm(f"it takes {type(x).__name__}, a condition that depends on an open size")
