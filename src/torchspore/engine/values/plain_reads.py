"""What the user's objects hold, read by the methods of Python's own types.

The user's methods, properties and `__getattr__` do not run: they may fail, return anything, or have side effects.
"""

from __future__ import annotations

import array
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = [
    "attributes", "class_attributes", "class_name", "elements", "is_a", "items", "like", "lineage", "maker",
    "namespace", "plain_array",
]  # fmt: skip

lineage: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
class_attributes: Callable[[type], types.MappingProxyType[str, Any]] = type.__dict__["__dict__"].__get__
class_name: Callable[[type], str] = type.__dict__["__name__"].__get__

_OWN_TYPES = (OrderedDict, defaultdict, dict, list, tuple, set, frozenset, deque, bytearray, array.array, np.ndarray)
_NAMESPACES = (types.GetSetDescriptorType, types.MemberDescriptorType)


def is_a(thing: Any, kinds: type | tuple[type, ...]) -> bool:
    """Return whether an object is an instance of classes, whatever its `__class__` says."""
    return issubclass(type(thing), kinds)


def attributes(thing: Any) -> dict[str, Any] | None:
    """Return the `__dict__` of an object, or None if it has none.

    Raises:
        AttributeError: its class has something else of this name.
    """
    read = namespace(type(thing))
    return None if read is None else read(thing)


def namespace(kind: type) -> Callable[[Any], dict[str, Any]] | None:
    """Return what returns the `__dict__` of the objects of a class, or None if they have none.

    Raises:
        AttributeError: the class has something else of this name.
    """
    named = [class_attributes(base)["__dict__"] for base in lineage(kind) if "__dict__" in class_attributes(base)]
    for found in named:
        if isinstance(found, _NAMESPACES):
            read: Callable[[Any], dict[str, Any]] = found.__get__
            return read
    if named:
        raise AttributeError("'__dict__' is something else")
    return None


def maker(kind: type) -> Any:
    """Return the class of Python or NumPy that a class of containers extends; the class itself if there is none."""
    return kind if kind in _OWN_TYPES else next((own for own in _OWN_TYPES if issubclass(kind, own)), kind)


def elements(container: Any) -> Iterable[Any]:
    """Return an iterable of the elements of a container, the values of a dict."""
    kind = type(container)
    if issubclass(kind, dict):
        return container.values() if kind is dict else maker(kind).values(container)
    return container if kind is list or kind is tuple else maker(kind).__iter__(container)


def items(container: Any) -> Iterable[tuple[Any, Any]]:
    """Return an iterable of the keys and values of a dict."""
    return container.items() if type(container) is dict else maker(type(container)).items(container)


def plain_array(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array over the same memory that is not of a derived class."""
    return array if type(array) is np.ndarray else np.ndarray.view(array, np.ndarray)


def like(container: Any, parts: Iterable[Any]) -> Any:
    """Return a tuple, list or dict of the same class and with the same attributes, but with other contents."""
    kind = type(container)
    if kind in (tuple, list, dict):
        return kind(parts)
    own = maker(kind)
    if own is tuple:
        new = own.__new__(kind, parts)
    else:
        new = own.__new__(kind)
        (own.extend if own is list else own.update)(new, parts)
    if own is defaultdict:
        new.default_factory = container.default_factory
    for name, value in (attributes(container) or {}).items():
        attributes(new)[name] = value  # type: ignore[index]  # both have some, or neither
    return new
