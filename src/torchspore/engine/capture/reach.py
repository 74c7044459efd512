"""What a function can reach beside its arguments: through its closure, the globals that it names, their attributes."""

from __future__ import annotations

import array
import dis
import enum
import functools
import gc
import random
import sys
import types
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from torchspore.common.open_shape import OpenTensor
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.signature import CONSTANTS

__all__ = [
    "DATA", "GENERATORS", "MISSING", "MOST_ELEMENTS", "HiddenChange", "Reached", "is_filled", "is_foreign", "reach",
    "slots",
]  # fmt: skip

MOST_ELEMENTS = 256  # larger containers are compared as a whole, and the tensors in them are constants of a graph
MISSING = object()  # what a place holds that does not exist yet
DATA = (np.ndarray, bytearray, array.array)
GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)

_MOST_PLACES = 20_000
_LIBRARIES = ("torch", "torchspore", "numpy", "builtins")  # what their objects hold is their own matter
_FOREIGN = (*_LIBRARIES, *sys.stdlib_module_names)  # whose code names nothing of the user's
_SEQUENCES = (list, deque)
_CONTAINERS = (*_SEQUENCES, dict, set)
_WAYS = (tuple, frozenset, types.MappingProxyType, types.MethodType, types.BuiltinFunctionType)  # to what others own
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)


class HiddenChange(Exception):
    """The function changes, or depends on, Python objects in a way that a graph cannot follow."""


class Reached:
    """What a function can reach.

    Attributes:
        cells: the cells.
        places: where it reads other objects: (container, key), in dicts, lists, classes, slots and cells of closures.
        containers: the lists, dicts, sets, arrays and random generators.
        tensors: the tensors and parameters that are no members of the cells.
        known: all that it reaches, by id.
    """

    def __init__(self) -> None:
        self.cells: list[Any] = []
        self.places: list[tuple[Any, Any]] = []
        self.containers: list[Any] = []
        self.tensors: list[Tensor] = []
        self.known: dict[int, Any] = {}


def reach(*roots: Any) -> Reached:
    """Return what functions and other objects can reach.

    Raises:
        HiddenChange: it is too much, or something of which a change cannot be seen.
    """
    walk = _Walk()
    walk.waiting = [(root, True, False) for root in roots]
    while walk.waiting:
        while walk.waiting:
            walk.visit(*walk.waiting.pop())
        walk.look_into_modules()
    return walk.reached


class _Walk:
    """One walk through what can be reached.

    Attributes:
        reached: what has been reached so far.
        waiting: what is to be visited; whether what holds it belongs to the user's code, whether that is a large
            container.
    """

    def __init__(self) -> None:
        self.reached = Reached()
        self.waiting: list[tuple[Any, bool, bool]] = []
        self._names: set[str] = set()  # the globals and attributes that the functions read
        self._modules: dict[int, types.ModuleType] = {}
        self._read: set[tuple[int, str]] = set()  # what has been found in modules

    def visit(self, thing: Any, is_users: bool, is_data: bool) -> None:
        """Note one object, and what it holds."""
        reached = self.reached
        if isinstance(thing, types.ModuleType) and not _is_installed(thing):
            self._modules[id(thing)] = thing
        if id(thing) in reached.known or not _may_lead_on(thing) or (is_data and isinstance(thing, Tensor)):
            return
        reached.known[id(thing)] = thing
        if isinstance(thing, Tensor):
            reached.tensors.append(thing)
            return
        if hasattr(type(thing), "__next__") and is_users:
            raise HiddenChange(f"it uses an iterator from outside, a {type(thing).__name__}")
        if hasattr(type(thing), "cells_and_names"):
            reached.cells.append(thing)
            users = not is_foreign(type(thing))
            self.waiting.append((type(thing), True, False))
            self.waiting += [(part, users, False) for name, part in vars(thing).items() if name not in thing._internals]
            return
        if isinstance(thing, (*_CONTAINERS, *DATA, *GENERATORS)):
            if is_users:
                reached.containers.append(thing)
            is_data = is_data or (isinstance(thing, _CONTAINERS) and len(thing) > MOST_ELEMENTS)
        elif not isinstance(thing, _WAYS):
            is_users = not _is_a_librarys(thing)
        if is_users and _has_state(thing):
            reached.containers.append(vars(thing))
        if isinstance(thing, types.FunctionType):
            self._names |= set() if is_foreign(thing) else _global_names(thing.__code__)
        elif not _is_a_librarys(thing):
            self.waiting.append((type(thing), True, False))
        for container, key, value in _references(thing):
            self._add(container if is_users else None, key, value, is_users, is_data)

    def look_into_modules(self) -> None:
        """Note what the functions may read from modules of the user's by the names that they contain."""
        for module in list(self._modules.values()):
            found = vars(module)
            for name in self._names & found.keys():
                if (id(module), name) not in self._read:
                    self._read.add((id(module), name))
                    self._add(found, name, found[name], True, False)

    def _add(self, container: Any, key: Any, value: Any, is_users: bool, is_data: bool) -> None:
        if container is not None and (value is MISSING or _is_guarded(key, value)):
            self.reached.places.append((container, key))
            if len(self.reached.places) > _MOST_PLACES:
                raise HiddenChange(f"it can reach more than {_MOST_PLACES} objects, in a {type(container).__name__}")
        self.waiting.append((value, is_users, is_data))


def _has_state(thing: Any) -> bool:
    """Tell whether the attributes of an object are compared; those of a function are if it has some."""
    if isinstance(thing, type) or not hasattr(thing, "__dict__"):
        return False
    return bool(vars(thing)) or not isinstance(thing, types.FunctionType)


def _may_lead_on(thing: Any) -> bool:
    if isinstance(thing, (Tensor, *DATA, *GENERATORS)):
        return not isinstance(thing, OpenTensor)  # it describes an input, and has no elements
    if isinstance(thing, types.BuiltinFunctionType):  # a method of a list, perhaps
        return not isinstance(thing.__self__, (types.ModuleType, type, type(None)))
    if isinstance(thing, type):
        return not is_foreign(thing)
    if isinstance(thing, (*CONSTANTS, types.ModuleType)):
        return False
    return _library(type(thing)) not in ("torch", "numpy")


def _root(name: str) -> str:
    return name.partition(".")[0]


def _library(thing: Any) -> str:
    return _root(str(getattr(thing, "__module__", "builtins")))


def is_foreign(thing: Any) -> bool:
    """Tell whether a class or a function is not the user's."""
    return _library(thing) in _FOREIGN


def _is_a_librarys(thing: Any) -> bool:
    """Tell whether the state of an object is a library's own matter."""
    return _library(thing if isinstance(thing, types.FunctionType) else type(thing)) in _LIBRARIES


def _is_guarded(key: Any, value: Any) -> bool:
    if isinstance(value, (types.ModuleType, type, types.BuiltinFunctionType)):
        return False
    return not (isinstance(value, types.FunctionType) and value.__name__ == key)  # what a `def` named


def _references(thing: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield (container, key, value) for what an object holds; the container is None where nothing can be replaced."""
    if isinstance(thing, types.MethodType):
        yield from ((None, None, thing.__func__), (None, None, thing.__self__))
    elif isinstance(thing, types.BuiltinFunctionType):
        yield None, None, thing.__self__
    elif isinstance(thing, types.FunctionType):
        yield from _of_function(thing)
    elif isinstance(thing, type):
        yield from _of_class(thing)
    elif isinstance(thing, functools.partial):
        yield from ((None, None, part) for part in (thing.func, *thing.args, thing.keywords))
    elif isinstance(thing, types.MappingProxyType):
        yield from ((None, None, inner) for inner in gc.get_referents(thing))
    elif isinstance(thing, (tuple, set, frozenset)):
        yield from ((None, None, element) for element in thing)
    elif isinstance(thing, np.ndarray):
        yield from ((None, None, element) for element in (thing.flat if thing.dtype.hasobject else ()))
    elif isinstance(thing, (*_SEQUENCES, dict)):
        large = len(thing) > MOST_ELEMENTS
        items = thing.items() if isinstance(thing, dict) else enumerate(thing)
        yield from ((None if large else thing, key, value) for key, value in list(items))
    if hasattr(thing, "__dict__") and not isinstance(thing, type):
        yield from ((vars(thing), name, value) for name, value in list(vars(thing).items()))
    yield from ((thing, name, getattr(thing, name, MISSING)) for name in slots(type(thing)))


def slots(kind: type) -> list[str]:
    """Return the names of the slots that the user's classes among the bases of a class declare."""
    own = [base for base in kind.__mro__ if not is_foreign(base)]
    return [name for base in own for name, slot in vars(base).items() if isinstance(slot, types.MemberDescriptorType)]


def _of_function(function: types.FunctionType) -> Iterator[tuple[Any, Any, Any]]:
    for cell in function.__closure__ or ():
        yield cell, None, cell.cell_contents if is_filled(cell) else MISSING
    for default in function.__defaults__ or ():
        yield None, None, default
    for name, default in (function.__kwdefaults__ or {}).items():
        yield function.__kwdefaults__, name, default
    if not is_foreign(function):
        found = function.__globals__
        names = _global_names(function.__code__)
        yield from ((found, name, found[name]) for name in names if name in found)
        yield from ((found, name, MISSING) for name in _set_globals(function.__code__) if name not in found)
        yield from ((None, None, sys.modules.get(name)) for name in names if name not in found)  # what it imports


def _is_installed(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None) or ""
    return _root(module.__name__) in _FOREIGN or not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def _global_names(code: types.CodeType) -> set[str]:
    inner = [_global_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*inner)


def _set_globals(code: types.CodeType) -> set[str]:
    """Return the globals that a function, or one inside it, sets."""
    inner = [_set_globals(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    own = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_GLOBAL"}
    return own.union(*inner)


def _of_class(kind: type) -> Iterator[tuple[Any, Any, Any]]:
    """Yield what the user's classes among the bases of a class hold: attributes, and the functions of methods."""
    for base in kind.__mro__:
        for name, value in () if is_foreign(base) else list(vars(base).items()):
            value = _function_in(value)
            if callable(value):
                yield None, None, value
            elif not name.startswith("__") and not isinstance(value, _SLOTS) and not issubclass(kind, enum.Enum):
                yield base, name, value


def _function_in(value: Any) -> Any:
    """Return the function in what a class has of it, such as a property; another value as it is."""
    if isinstance(value, (staticmethod, classmethod)):
        return value.__func__
    if isinstance(value, property):
        return value.fget
    return value.func if isinstance(value, (functools.cached_property, functools.partialmethod)) else value


def is_filled(cell: types.CellType) -> bool:
    """Tell whether a variable of an outer function has a value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
