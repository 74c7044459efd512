"""The result of a captured call, as generated code that builds it from the outputs of the graph.

Objects that the program created are created anew at each call, and shared where the program shared them. Arguments and
objects from outside are returned as the same objects.
"""

from __future__ import annotations

import enum
import math
import types
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch

from torchspore.common.dtype import Type
from torchspore.common.parameter import Parameter
from torchspore.common.sparse_base import Sparse
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.state.effects import Effect
from torchspore.engine.capture.state.guards import member
from torchspore.engine.capture.state.reachable_state import MISSING, UntrackedState, in_slot, is_foreign, slots
from torchspore.engine.capture.state.signature import CONSTANTS
from torchspore.engine.values.plain_reads import attributes, elements, is_a, lineage

__all__ = ["Outcome", "outcome", "paths"]

# The outputs of the graph, the arguments and the keyword arguments of a call -> the function's result.
Outcome = Callable[[list[Any], tuple[Any, ...], dict[str, Any]], Any]

_NUMBERS: dict[type, type] = {torch.SymInt: int, torch.SymFloat: float, torch.SymBool: bool}
_UNCHANGING = (  # immutable: equal objects are interchangeable
    *CONSTANTS, type, range, type(...), types.ModuleType, enum.Enum, Type,
    np.generic, np.dtype, torch.dtype, torch.device,
)  # fmt: skip
_LITERALS = (bool, int, str, bytes, type(None))


def outcome(
    output: Any,
    effects: Iterable[Effect],
    arguments: Iterable[tuple[Any, str]],
    members: Mapping[int, tuple[Any, str, int]],
    reachable_objects: Mapping[int, Any],
) -> tuple[Outcome, list[Any], Container[int]]:
    """Return the function that builds a call's result and sets attributes, and the graph outputs that it uses.

    The third value has the objects that the result and the attributes consist of, by id.

    Args:
        output: the result of the traced call.
        effects: the attributes that it sets.
        arguments: the parts of its arguments, with expressions for them; see `paths`.
        members: by id, the locations of tensors that are looked up in cells at each call.
        reachable_objects: by id, the objects that the function can reach.

    Raises:
        UntrackedState: the result contains an object that cannot be created anew.
    """
    writer = _Writer(arguments, members, reachable_objects)
    result = writer.text(output)
    settings = [f"{writer.name(effect._replace(value=None).apply)}({writer.text(effect.value)})" for effect in effects]
    body = "\n    ".join([*writer.lines, *settings, f"return {result}"])
    exec(f"def outcome(values, args, kwargs):\n    {body}\n", writer.names)
    return writer.names["outcome"], writer.values, writer.written


def paths(value: Any, text: str) -> Iterator[tuple[Any, str]]:
    """Iterate over an argument and its parts, with expressions for them in a later call."""
    yield value, text
    if is_a(value, (tuple, list, dict)):
        is_indexed = type(value) in (tuple, list)
        for i, element in enumerate(elements(value)):
            yield from paths(element, f"{text}[{i}]" if is_indexed else f"[*elements({text})][{i}]")
    elif is_a(value, Sparse):
        for i, part in enumerate(value.parts):
            yield part, f"{text}.parts[{i}]"


class _Writer:
    """Generates Python code that builds objects like the recorded call's.

    Args:
        arguments: as in `outcome`.
        members: as in `outcome`.
        reachable_objects: as in `outcome`.

    Attributes:
        names: the objects that the code names.
        lines: the lines so far.
        values: the graph outputs that the code uses.
        written: the variables of the objects, by id.
    """

    def __init__(
        self,
        arguments: Iterable[tuple[Any, str]],
        members: Mapping[int, tuple[Any, str, int]],
        reachable_objects: Mapping[int, Any],
    ) -> None:
        self.names: dict[str, Any] = {"wrap": wrap, "elements": elements}
        self.lines: list[str] = []
        self.values: list[Any] = []
        self._arguments = {id(value): text for value, text in arguments}
        self._members = members
        self._reachable = reachable_objects
        self.written: dict[int, str] = {}

    def name(self, value: Any) -> str:
        """Return a name for an object."""
        name = f"n{len(self.names)}"
        self.names[name] = value
        return name

    def text(self, value: Any) -> str:
        """Return an expression for a value; statements that it needs go to `lines`."""
        if type(value) in _LITERALS or (type(value) is float and math.isfinite(value)):
            return repr(value)
        if is_a(value, _UNCHANGING):
            return self.name(value)
        if id(value) not in self.written:
            found = self._found(value)
            if found or not self._is_object(value):
                self._assign(value, found or self._made(value))
            else:
                self._make_object(value)
        return self.written[id(value)]

    def _assign(self, value: Any, text: str) -> None:
        self.written[id(value)] = variable = f"r{len(self.written)}"
        self.lines.append(f"{variable} = {text}")

    def _found(self, value: Any) -> str:
        """Return an expression for an object that existed before the call, or ""."""
        if id(value) in self._arguments:
            return self._arguments[id(value)]
        if id(value) in self._members:
            return f"{self.name(member)}(*{self.name(self._members[id(value)])})"
        return self.name(value) if id(value) in self._reachable else ""

    def _made(self, value: Any) -> str:
        """Return an expression that creates a tensor or a container."""
        kind = type(value)
        number = _NUMBERS.get(kind)
        if number is not None:  # compiled code returns it as a tensor
            return f"{number.__name__}({self._computed(value)})"
        if is_a(value, Tensor) and not is_a(value, Parameter):
            return f"wrap({self._computed(value._t)})"
        if kind is tuple:
            return f"({self._elements(value, ',')})"
        if kind is list:
            return f"[{self._elements(value)}]"
        if kind is slice:
            return f"slice({self._elements((value.start, value.stop, value.step))})"
        if kind in (set, frozenset):
            return f"{kind.__name__}([{self._elements(value)}])"
        if kind is dict:
            return self._dict(value)
        if kind is OrderedDict:
            return f"{self.name(kind)}({self._dict(value)})"
        if issubclass(kind, tuple) and hasattr(kind, "_make"):
            return f"{self.name(kind)}._make([{self._elements(value)}])"
        if is_a(value, Sparse):
            return f"{self.name(kind)}.of({self.text(value.full_shape)}, {self._elements(value.parts)})"
        raise UntrackedState(f"its result holds a new object of type {kind.__name__}")

    def _computed(self, value: Any) -> str:
        self.values.append(value)
        return f"values[{len(self.values) - 1}]"

    def _elements(self, values: Iterable[Any], end: str = "") -> str:
        texts = [self.text(value) for value in values]
        return ", ".join(texts) + (end if texts else "")

    def _dict(self, value: dict[Any, Any]) -> str:
        return "{" + ", ".join([f"{self.text(key)}: {self.text(item)}" for key, item in value.items()]) + "}"

    def _is_object(self, value: Any) -> bool:
        """Return whether a value is an instance of a plain user class, with all state in its attributes."""
        kind = type(value)
        plain: Any = object.__new__
        return kind.__new__ is plain and not any(is_foreign(base) for base in lineage(kind)[:-1])

    def _make_object(self, value: Any) -> None:
        self._assign(value, f"{self.name(object.__new__)}({self.name(type(value))})")
        new = self.written[id(value)]
        for name, part in (attributes(value) or {}).items():
            self.lines.append(f"{self.name(attributes)}({new})[{name!r}] = {self.text(part)}")
        for slot in slots(type(value)):
            part = in_slot(value, slot)
            if part is not MISSING:
                self.lines.append(f"{self.name(slot)}.__set__({new}, {self.text(part)})")
