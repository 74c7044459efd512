"""The signature of a call, the key of its graph: shapes and types of tensors, and the other arguments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.parameter import Parameter
from torchspore.common.sparse import COOTensor, CSRTensor, RowTensor, SparseTensor
from torchspore.common.sparse_base import Sparse
from torchspore.common.string_tensor import StringTensor
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.mutable import Mutable, open_kind
from torchspore.engine.torch_values import TorchTensorGiven

__all__ = [
    "CLOSED", "CONSTANTS", "Number", "Openness", "Same", "all_sizes", "constant", "difference", "refilled", "signature",
]  # fmt: skip

_SPARSE = (COOTensor, CSRTensor, RowTensor, SparseTensor)
_TENSOR_MARKS = 5  # shape, dtype, device, layout and identity
CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


class Same:
    """Compares an object by identity and keeps it alive, as the id of a dead object may be reused."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


def constant(value: Any) -> Any:
    """Return a key for a constant that distinguishes 1 from True and 1.0, and 0.0 from -0.0."""
    return (value.__class__, value, math.copysign(1.0, value)) if isinstance(value, float) else (value.__class__, value)


class Number:
    """A number in the arguments that is an input of the graph, like a tensor."""

    __slots__ = ("_t",)

    def __init__(self, value: float) -> None:
        self._t = value


class Openness(NamedTuple):
    """Which sizes and numbers in the arguments are inputs of a graph ("open") rather than constants.

    Attributes:
        sizes: for each leaf, the dimensions whose size is open; () if all are fixed.
        floats: whether all floats are open, like mutable numbers.
    """

    sizes: Sequence[tuple[int, ...]] = ()
    floats: bool = False


CLOSED = Openness()


def signature(value: Any, leaves: list[Any], openness: Openness = CLOSED) -> Any:
    """Return a hashable key for an argument, and append its leaves (tensors and open numbers) to `leaves`.

    Arguments with equal keys use the same graph: tensors of the same shape, dtype and device, equal
    constants, any values of mutable numbers, the same other objects.

    Args:
        value: the argument.
        leaves: the leaves so far.
        openness: which sizes and numbers are open.
    """
    key = _signature(value, leaves, openness, False)
    count = len(leaves)
    if count > 1 and (leaves[0] is leaves[1] if count == 2 else len(set(map(id, leaves))) < count):  # passed twice
        first: dict[int, int] = {}
        return (tuple, key, tuple([first.setdefault(id(leaf), i) for i, leaf in enumerate(leaves)]))
    return key


def _signature(value: Any, leaves: list[Any], openness: Openness, is_mutable: bool) -> Any:
    if isinstance(value, Tensor):
        try:
            tensor = value._t
        except AttributeError:  # it has strings
            return Same(value)
        shape: Any = tensor.shape
        if openness.sizes and openness.sizes[len(leaves)]:
            open_sizes = openness.sizes[len(leaves)]
            shape = tuple([-1 if d in open_sizes else size for d, size in enumerate(shape)])
        leaves.append(value)
        layout = None if tensor.is_contiguous() else tensor.stride()
        if isinstance(value, Parameter):
            return (shape, tensor.dtype, tensor.device, layout, Same(value))
        attributes = value.__dict__
        own = None
        if attributes:
            own = tuple([(k, constant(v) if isinstance(v, CONSTANTS) else Same(v)) for k, v in attributes.items()])
        return (shape, tensor.dtype, tensor.device, layout, own)
    kind = _open_kind(value, openness, is_mutable)
    if kind is not None:
        leaves.append(Number(kind(value)))
        return (kind, "open")
    if isinstance(value, CONSTANTS):
        return constant(value)
    is_mutable = is_mutable or isinstance(value, Mutable)
    if isinstance(value, (tuple, list)):
        return (value.__class__, *[_signature(element, leaves, openness, is_mutable) for element in value])
    if isinstance(value, dict):
        kind = value.__class__ if isinstance(value, Mutable) else dict
        return (kind, *[(key, _signature(element, leaves, openness, is_mutable)) for key, element in value.items()])
    if isinstance(value, Sparse):
        contents = (value.full_shape, *value.parts)
        return (value.__class__, *[_signature(element, leaves, openness, False) for element in contents])
    if isinstance(value, torch.Tensor):
        raise TorchTensorGiven
    return Same(value)


def _open_kind(value: Any, openness: Openness, is_mutable: bool) -> type | None:
    """Return the type of a number that is an input; a bool is always a constant."""
    if is_mutable or isinstance(value, Mutable) or (openness.floats and isinstance(value, float)):
        return open_kind(value)
    return None


def refilled(
    value: Any, values: Iterator[Any], openness: Openness, made: dict[int, Tensor], is_mutable: bool = False
) -> Any:
    """Return a copy of an argument whose leaves are replaced, in the order of `signature`.

    Args:
        value: the argument.
        values: torch tensors, which are wrapped, and numbers.
        openness: which sizes and numbers are open.
        made: the replacements of tensors so far, by id.
        is_mutable: whether its numbers are leaves.
    """
    if isinstance(value, Tensor):
        if value.__class__ is StringTensor:
            return value
        new = next(values)
        if id(value) not in made:
            made[id(value)] = wrap(new)
            made[id(value)].__dict__.update(value.__dict__)
        return made[id(value)]
    if _open_kind(value, openness, is_mutable) is not None:
        return next(values)
    is_mutable = is_mutable or isinstance(value, Mutable)
    if isinstance(value, tuple):
        elements = [refilled(element, values, openness, made, is_mutable) for element in value]
        if hasattr(value, "_fields"):
            return type(value)(*elements)
        return type(value)(elements) if isinstance(value, Mutable) else tuple(elements)
    if isinstance(value, list):
        elements = [refilled(element, values, openness, made, is_mutable) for element in value]
        return type(value)(elements) if isinstance(value, Mutable) else elements
    if isinstance(value, dict):
        parts = {key: refilled(element, values, openness, made, is_mutable) for key, element in value.items()}
        return type(value)(parts) if isinstance(value, Mutable) else parts
    if isinstance(value, Sparse):
        return value.with_parts([refilled(part, values, openness, made) for part in value.parts])
    return value


def all_sizes(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[int, ...]]:
    """Return the dimensions of each leaf that may vary: all but those of size 0 or 1, which are empty or broadcast."""
    leaves: list[Any] = []
    signature((args, kwargs), leaves)
    shapes = [() if isinstance(leaf, Number) else leaf._t.shape for leaf in leaves]
    return [tuple([d for d, size in enumerate(shape) if size > 1]) for shape in shapes]


def difference(new: Any, old: Any) -> str:
    """Describe the first difference of two signatures."""
    ours, theirs = list(_leaves(new)), list(_leaves(old))
    for number, (now, before) in enumerate(zip(ours, theirs)):
        if now != before:
            return f"value {number} of the arguments is {_described(now)}, before it was {_described(before)}"
    return "the arguments differ"


def _leaves(key: Any) -> Iterator[Any]:
    if isinstance(key, tuple) and key and key[0] in (tuple, list, dict, *_SPARSE):
        for element in key[1:]:
            yield from _leaves(element[1] if key[0] is dict else element)
    else:
        yield key


def _described(key: Any) -> str:
    if isinstance(key, Same):
        return f"an object of type {type(key.thing).__name__}"
    if key[1:] == ("open",):
        return f"a mutable {key[0].__name__}"
    if len(key) == _TENSOR_MARKS:
        shape = tuple(["?" if size < 0 else size for size in key[0]])
        return f"a Tensor of shape {shape} and dtype {FROM_TORCH[key[1]]}"
    return repr(key[1])


def objects(value: Any) -> Iterator[Any]:
    """Iterate over the parts of an argument that a signature compares by identity: neither tensors nor constants."""
    if isinstance(value, (tuple, list)):
        for element in value:
            yield from objects(element)
    elif isinstance(value, dict):
        for element in value.values():
            yield from objects(element)
    elif isinstance(value, Tensor):
        if not isinstance(value, Parameter):
            yield from (attribute for attribute in value.__dict__.values() if not isinstance(attribute, CONSTANTS))
    elif not isinstance(value, (Sparse, *CONSTANTS)):
        yield value
