"""What tells the calls of a captured function apart: the shapes and types of tensors, and the other arguments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor

__all__ = ["CONSTANTS", "Same", "Varying", "all_sizes", "constant", "difference", "signature"]

Varying = Callable[[int, Sequence[int]], tuple[int, ...]]

_TENSOR_MARKS = 5  # shape, dtype, device, layout and identity
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


def signature(value: Any, leaves: list[Tensor], varying: Varying | None = None) -> Any:
    """Return a hashable description of an argument, and append its tensors to `leaves`.

    Two arguments with equal descriptions run the same graph: tensors of the same shape, dtype and device, equal
    constants, the same other objects.

    Args:
        value: the argument.
        leaves: the tensors so far.
        varying: gives the dimensions whose size a graph leaves open, for a tensor's number and shape.
    """
    if isinstance(value, Tensor):
        tensor = value._t
        shape: Any = tensor.shape
        if varying is not None:
            open_sizes = varying(len(leaves), shape)
            shape = tuple([-1 if d in open_sizes else size for d, size in enumerate(shape)])
        leaves.append(value)
        layout = None if tensor.is_contiguous() else tensor.stride()
        return (shape, tensor.dtype, tensor.device, layout, Same(value) if isinstance(value, Parameter) else None)
    if isinstance(value, CONSTANTS):
        return constant(value)
    if isinstance(value, (tuple, list)):
        return (value.__class__, *[signature(element, leaves, varying) for element in value])
    if isinstance(value, dict):
        return (dict, *[(key, signature(element, leaves, varying)) for key, element in value.items()])
    return Same(value)


def all_sizes(number: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the dimensions of an argument that may vary, all but those of 0 or 1: these broadcast or are empty."""
    return tuple([d for d, size in enumerate(shape) if size > 1])


def difference(new: Any, old: Any) -> str:
    """Say where the arguments of two signatures differ."""
    ours, theirs = list(_leaves(new)), list(_leaves(old))
    for number, (now, before) in enumerate(zip(ours, theirs)):
        if now != before:
            return f"value {number} of the arguments is {_described(now)}, before it was {_described(before)}"
    return "the arguments are others"


def _leaves(key: Any) -> Iterator[Any]:
    if isinstance(key, tuple) and key and key[0] in (tuple, list, dict):
        for element in key[1:]:
            yield from _leaves(element[1] if key[0] is dict else element)
    else:
        yield key


def _described(key: Any) -> str:
    if isinstance(key, Same):
        return f"an object of type {type(key.thing).__name__}"
    if len(key) == _TENSOR_MARKS:
        shape = tuple(["?" if size < 0 else size for size in key[0]])
        return f"a Tensor of shape {shape} and dtype {FROM_TORCH[key[1]]}"
    return repr(key[1])
