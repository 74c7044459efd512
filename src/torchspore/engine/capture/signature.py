"""What tells the calls of a captured function apart: the shapes and types of tensors, and the other arguments."""

from __future__ import annotations

import math
from typing import Any

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor

__all__ = ["CONSTANTS", "Same", "constant", "signature"]

CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


class Same:
    """Equal to itself around the same object only, which it keeps: an id alone may come back for another object."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


def constant(value: Any) -> Any:
    """Return a description of a constant that tells 1 from True and 1.0, and 0.0 from -0.0."""
    return (value.__class__, value, math.copysign(1.0, value)) if isinstance(value, float) else (value.__class__, value)


def signature(value: Any, leaves: list[Tensor]) -> Any:
    """Return a hashable description of an argument, and append its tensors to `leaves`.

    Two arguments with equal descriptions run the same graph: tensors of the same shape, dtype and device, equal
    constants, the same other objects.
    """
    if isinstance(value, Tensor):
        leaves.append(value)
        tensor = value._t
        return (tensor.shape, tensor.dtype, tensor.device, Same(value) if isinstance(value, Parameter) else None)
    if isinstance(value, CONSTANTS):
        return constant(value)
    if isinstance(value, (tuple, list)):
        return (value.__class__, *[signature(element, leaves) for element in value])
    if isinstance(value, dict):
        return (dict, *[(key, signature(element, leaves)) for key, element in value.items()])
    return Same(value)
