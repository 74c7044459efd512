"""Primitives whose calls do more than others' calls: instances of subclasses that show the name of their class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__ = ["change_class"]

Change = Callable[[Any], Callable[..., Any]]


def change_class(primitive: Any, change: Change) -> None:
    """Give a primitive another `__call__`.

    Args:
        primitive: the primitive, with or without such a change.
        change: returns the new `__call__` for the class of the primitive.
    """
    if not hasattr(type(primitive), "_changed"):
        primitive.__class__ = _changed(type(primitive), change)  # type: ignore[arg-type]


@functools.cache
def _changed(parent: Any, change: Change) -> Any:
    def reduce(self: Any, protocol: int) -> Any:
        return _restored, (parent, change, self.__dict__)

    body = {
        "__call__": change(parent),
        "__reduce_ex__": reduce,
        "_changed": parent,
        "__module__": parent.__module__,
        "__doc__": parent.__doc__,
    }
    return type(parent.__name__, (parent,), body)


def _restored(parent: Any, change: Change, attributes: dict[str, Any]) -> Any:
    """Return the copy of a primitive with a change."""
    primitive = parent.__new__(parent)
    primitive.__dict__.update(attributes)
    change_class(primitive, change)
    return primitive
