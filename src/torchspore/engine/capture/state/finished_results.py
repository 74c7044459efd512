"""Results of captured functions as in MindSpore: what Python computes on demand is a tuple or a list.

In MindSpore's graphs `zip`, `range` and `enumerate` are tuples, `map` is what it maps over, `filter` and generators are
lists; what `mutable` returned is a plain container, a number of NumPy one of Python.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from torchspore.engine.arguments.mutable import PLAIN

__all__ = ["finished"]

_TUPLES: tuple[type, ...] = (range, zip, enumerate, type({}.keys()), type({}.values()), type(iter(())))
_LISTS: tuple[type, ...] = (filter, types.GeneratorType, type({}.items()), type(iter([])))
_LIKE_LISTS: tuple[type, ...] = (*_LISTS, type(reversed([])))  # what `map` makes a list of
_CONTAINERS = (tuple, list, dict)


def finished(value: Any) -> Any:
    """Return a result with tuples and lists in place of iterators; the same object if there are none."""
    kind = type(value)
    if kind in PLAIN:
        return finished(PLAIN[kind](value))
    if kind in _CONTAINERS:
        return _with_finished_parts(value) if _has_lazy_parts(value, set()) else value
    if kind in _TUPLES:
        return tuple([finished(part) for part in value])
    if kind in _LISTS:
        return [finished(part) for part in value]
    if issubclass(kind, np.generic):
        return value.item()
    if kind is map:
        makes_list = _maps_a_list(value)
        parts = [finished(part) for part in value]
        return parts if makes_list else tuple(parts)
    return value


def _has_lazy_parts(value: Any, seen: set[int]) -> bool:
    kind = type(value)
    if kind not in _CONTAINERS:
        return kind is map or kind in _TUPLES or kind in _LISTS or kind in PLAIN or issubclass(kind, np.generic)
    if id(value) in seen:
        return False
    seen.add(id(value))
    return any(_has_lazy_parts(part, seen) for part in (value.values() if kind is dict else value))


def _with_finished_parts(value: Any) -> Any:
    if type(value) is dict:
        return {key: finished(part) for key, part in value.items()}
    return type(value)([finished(part) for part in value])


def _maps_a_list(value: Any) -> bool:
    source = value.__reduce__()[1][1]  # the first iterator that it takes from
    return _maps_a_list(source) if type(source) is map else isinstance(source, _LIKE_LISTS)
