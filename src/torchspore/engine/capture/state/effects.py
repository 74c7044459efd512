"""Attributes that a captured call sets in cells: found while recording, set again after each run of the graph."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from torchspore.common import change_count
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.state.guards import mark
from torchspore.engine.capture.state.reachable_state import UntrackedState
from torchspore.engine.capture.state.signature import is_constant
from torchspore.engine.values import plain_reads
from torchspore.engine.values.plain_reads import elements, is_a

__all__ = ["Effect", "Snapshot", "contents", "refill", "same_items"]

_CONTAINERS: Any = (list, dict, set)
_REGISTRIES = ("_params", "_cells")


class Effect(NamedTuple):
    """An attribute that the call sets.

    Attributes:
        cell: the cell.
        name: the attribute.
        value: what it is set to.
        noted: whether graphs may depend on the attribute.
    """

    cell: Any
    name: str
    value: Any
    noted: bool

    @property
    def attribute(self) -> str:
        """The attribute, for messages."""
        return f"'{self.name}' of {type(self.cell).__name__}"

    def apply(self, value: Any) -> None:
        """Set the attribute to a value with real tensors."""
        if self.noted:
            change_count.increase()
        self.cell.__dict__[self.name] = value
        buffers = self.cell.__dict__["_buffers"]
        if self.name in buffers:
            dict.__setitem__(buffers, self.name, value)


class Snapshot:
    """The attributes of cells, the contents of their containers, and the state of Python's and NumPy's generators.

    Args:
        cells: the cells.
    """

    def __init__(self, cells: Iterable[Any]) -> None:
        self._attributes = [(cell, dict(cell.__dict__)) for cell in cells]
        self._contents = [
            (cell, name, value, _items(value))
            for cell, attributes in self._attributes
            for name, value in attributes.items()
            if is_a(value, _CONTAINERS) and name not in cell._caches
        ]
        self._random = random.getstate()
        self._numpy_random = np.random.get_state()

    def restore(self) -> None:
        """Restore everything."""
        for cell, attributes in self._attributes:
            if list(map(id, cell.__dict__.values())) != list(map(id, attributes.values())):
                cell.__dict__.clear()
                cell.__dict__.update(attributes)
        for _, _, container, items in self._contents:
            refill(container, items)
        if self._has_drawn():
            random.setstate(self._random)
            np.random.set_state(self._numpy_random)

    def effects(self) -> list[Effect]:
        """Return the attributes that have been set since.

        Raises:
            UntrackedState: something else has changed, which a graph cannot repeat.
        """
        if self._has_drawn():
            raise UntrackedState("it draws from Python's or NumPy's random numbers")
        for cell, name, container, items in self._contents:
            if name != "_buffers" and not same_items(container, items):
                raise UntrackedState(f"it changes the contents of '{name}' of {type(cell).__name__}")
        return [effect for cell, attributes in self._attributes for effect in _set_since(cell, attributes)]

    def _has_drawn(self) -> bool:
        now: Any = np.random.get_state()
        before: Any = self._numpy_random
        return random.getstate() != self._random or now[2:] != before[2:] or (now[1] != before[1]).any()


def _set_since(cell: Any, before: dict[str, Any]) -> list[Effect]:
    """Return the attributes of one cell that have changed."""
    found = []
    gone = before.keys() - cell.__dict__.keys()
    if gone:
        raise UntrackedState(f"it deletes the attribute '{min(gone)}' of {type(cell).__name__}")
    for name, value in cell.__dict__.items():
        old = before.get(name, _set_since)
        if value is old or name in cell._caches or (is_constant(value) and mark(value, {}) == mark(old, {})):
            continue
        if not _can_be_set_again(value):
            raise UntrackedState(f"it sets the attribute '{name}' of {type(cell).__name__} to a {type(value).__name__}")
        found.append(Effect(cell, name, value, mark(value, {}) != mark(old, {})))
    return found


def _can_be_set_again(value: Any) -> bool:
    if is_a(value, (tuple, list, dict)):
        return all(map(_can_be_set_again, elements(value)))
    return type(value) is Tensor or is_constant(value)


def _items(container: Any) -> list[Any]:
    return list(plain_reads.items(container) if is_a(container, dict) else elements(container))


def same_items(container: Any, items: list[Any]) -> bool:
    """Return whether a list, dict or set has these items, by identity."""
    now = _items(container)
    if is_a(container, dict):
        return len(now) == len(items) and all(a is c and b is d for (a, b), (c, d) in zip(now, items))
    return len(now) == len(items) and all(a is b for a, b in zip(now, items))


def refill(container: Any, items: list[Any]) -> None:
    """Give a list, dict or set these items again."""
    if same_items(container, items):
        return
    kind = next(kind for kind in _CONTAINERS if is_a(container, kind))
    kind.clear(container)  # of the built-in types: registries of cells override these methods
    (kind.extend if kind is list else kind.update)(container, items)


def contents(tree: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Iterate over the lists and dicts in nested arguments, with their items."""
    if is_a(tree, (list, dict)):
        yield tree, _items(tree)
    if is_a(tree, (tuple, list, dict)):
        for branch in elements(tree):
            yield from contents(branch)
