"""The signature of a call, the key of its graph: shapes and types of tensors, and the other arguments."""

from __future__ import annotations

import math
import types
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import torch

from torchspore.common.dtype import FROM_TORCH
from torchspore.common.parameter import Parameter
from torchspore.common.sparse import COOTensor, CSRTensor, RowTensor, SparseTensor
from torchspore.common.sparse_base import Sparse
from torchspore.common.string_tensor import StringTensor
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.mutable import Mutable, open_kind
from torchspore.engine.values.plain_reads import attributes, class_attributes, elements, is_a, items, like, lineage
from torchspore.engine.values.torch_values import TorchTensorGiven

__all__ = [
    "CLOSED", "CONSTANTS", "Number", "Openness", "Same", "all_sizes", "constant", "difference", "hooks", "is_constant",
    "objects", "refilled", "signature",
]  # fmt: skip

_SPARSE = (COOTensor, CSRTensor, RowTensor, SparseTensor)
_PLAIN = (tuple, list, dict)
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


def is_constant(value: Any) -> bool:
    """Return whether a value is a number, a text or None that its class and its value describe completely."""
    kind = type(value)
    return kind in CONSTANTS or (issubclass(kind, CONSTANTS) and _is_compared_plainly(value))


def _is_compared_plainly(value: Any) -> bool:
    """Return whether an instance of a class derived from a constant's has neither attributes nor its own equality."""
    equality = [class_attributes(base) for base in lineage(type(value)) if "__eq__" in class_attributes(base)]
    return not attributes(value) and isinstance(equality[0]["__eq__"], types.WrapperDescriptorType)


def constant(value: Any) -> Any:
    """Return a key for a constant that distinguishes 1 from True and 1.0, and 0.0 from -0.0."""
    kind = type(value)
    return (kind, value, math.copysign(1.0, value)) if issubclass(kind, float) else (kind, value)


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
    kind: Any = type(value)
    if issubclass(kind, Tensor):
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
        if issubclass(kind, Parameter):
            return (shape, tensor.dtype, tensor.device, layout, (Same(value), value.requires_grad, hooks(value)))
        own = (*_own(value), hooks(value)) if kind is not Tensor or value.__dict__ else None
        return (shape, tensor.dtype, tensor.device, layout, own)
    number = _open_kind(value, openness, is_mutable)
    if number is not None:
        leaves.append(Number(number(value)))
        return (number, "open")
    if kind in CONSTANTS:
        return constant(value)
    if kind is tuple or kind is list:
        return (kind, *[_signature(element, leaves, openness, is_mutable) for element in value])
    if issubclass(kind, dict):
        is_mutable = is_mutable or issubclass(kind, Mutable)
        parts = [(_key(key), _signature(part, leaves, openness, is_mutable)) for key, part in items(value)]
        return (dict, *parts) if kind is dict else (dict, *parts, ("", _own(value)))
    if issubclass(kind, (tuple, list)):
        is_mutable = is_mutable or issubclass(kind, Mutable)
        parts = [_signature(element, leaves, openness, is_mutable) for element in elements(value)]
        return (kind, *parts, _own(value))
    if issubclass(kind, Sparse):
        contents = (value.full_shape, *value.parts)
        return (kind, *[_signature(element, leaves, openness, False) for element in contents])
    if issubclass(kind, torch.Tensor):
        raise TorchTensorGiven
    return constant(value) if is_constant(value) else Same(value)


def hooks(tensor: Tensor) -> tuple[Same, ...]:
    """Return the key of the hooks of a tensor."""
    return tuple(map(Same, tensor.__dict__.get("_hooks", {}).values()))


def _key(key: Any) -> Any:
    return key if type(key) is str else constant(key) if is_constant(key) else Same(key)


def _own(value: Any) -> Any:
    """Return the key of an argument's class and of its own attributes."""
    own = attributes(value) or {}
    return type(value), tuple([(name, constant(of) if is_constant(of) else Same(of)) for name, of in own.items()])


def _open_kind(value: Any, openness: Openness, is_mutable: bool) -> type | None:
    """Return the type of a number that is an input; a bool is always a constant."""
    kind = type(value)
    if is_mutable or issubclass(kind, Mutable) or (openness.floats and issubclass(kind, float)):
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
    if is_a(value, (tuple, list)):
        return like(value, [refilled(element, values, openness, made, is_mutable) for element in elements(value)])
    if is_a(value, dict):
        return like(value, [(key, refilled(part, values, openness, made, is_mutable)) for key, part in items(value)])
    if isinstance(value, Sparse):
        return value.with_parts([refilled(part, values, openness, made) for part in value.parts])
    return value


def all_sizes(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[int, ...]]:
    """Return the dimensions of each leaf that may vary: all except of size 0 or 1, which are empty or broadcast."""
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
    if is_a(value, (tuple, list, dict)):
        for element in elements(value):
            yield from objects(element)
        if type(value) not in _PLAIN:
            yield from (type(value), *(attributes(value) or {}).values())
    elif is_a(value, Tensor):
        yield from value.__dict__.get("_hooks", {}).values()
        if not isinstance(value, Parameter):
            yield from (type(value), *value.__dict__.values())
    elif not is_a(value, Sparse):
        yield value
