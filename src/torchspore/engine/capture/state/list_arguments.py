"""Lists among the arguments of a captured function.

In MindSpore's graphs a function that changes such a list changes a copy, which it may return; the caller's list stays.
An unchanged list is returned itself. Dicts are changed as in Python, and so are lists by some of their methods.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from torchspore.engine.arguments.mutable import PLAIN
from torchspore.engine.capture.state.own_memory import replaced

__all__ = ["ListArguments", "changes_lists", "has_lists", "own_code"]

_IN_PLACE = {"extend", "insert", "pop", "reverse"}
_LISTS = (list, *(kind for kind, plain in PLAIN.items() if plain is list))


def changes_lists(fn: Callable[..., Any]) -> bool:
    """Return whether a function uses a method that changes the caller's list."""
    return not _IN_PLACE.isdisjoint(getattr(own_code(fn), "co_names", ()))


def own_code(fn: Callable[..., Any]) -> types.CodeType | None:
    """Return the code of a function, or of the `construct` of the cell that it runs; None if Python has none."""
    cell = getattr(fn, "__self__", None)
    fn = inspect.unwrap(getattr(cell, "construct", fn) if getattr(fn, "__name__", "") == "_run" else fn)
    return getattr(fn, "__code__", None)


def has_lists(values: Any) -> bool:
    """Return whether there is a list among values, or in tuples of them."""
    for value in values:
        kind = type(value)
        if kind in _LISTS or (kind is tuple and has_lists(value)):
            return True
    return False


class ListArguments:
    """The lists in the arguments of a call, with their elements from before it.

    Args:
        values: the arguments.
    """

    def __init__(self, values: Any) -> None:
        self._before: dict[int, tuple[list[Any], list[Any]]] = {}
        self._find(values)

    def _find(self, values: Any) -> None:
        for value in values:
            kind = type(value)
            if kind is tuple:
                self._find(value)
            elif kind in _LISTS and id(value) not in self._before:
                self._before[id(value)] = value, list(value)
                self._find(value)

    def restored(self, result: Any) -> Any:
        """Give changed lists their elements back; return the result with new lists in their place."""
        changed = {
            place: list(now)
            for place, (now, old) in self._before.items()
            if len(now) != len(old) or any(a is not b for a, b in zip(now, old))
        }
        for place in changed:
            now, old = self._before[place]
            now[:] = old
        return replaced(result, lambda value: changed.get(id(value), value), {}) if changed else result
