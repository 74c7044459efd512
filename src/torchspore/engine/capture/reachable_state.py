"""What a function can reach besides its arguments: through its closure, the globals that it names, their attributes."""

from __future__ import annotations

import array
import builtins
import dis
import enum
import functools
import gc
import logging
import random
import sys
import threading
import types
import weakref
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from torchspore.common.class_modules import module_of
from torchspore.common.open_shape import OpenTensor
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.side_effects import is_repeatable
from torchspore.engine.capture.signature import CONSTANTS

__all__ = [
    "DATA",
    "GENERATORS",
    "MAX_ELEMENTS",
    "MISSING",
    "Reachable",
    "UntrackedState",
    "find_reachable",
    "is_filled",
    "is_foreign",
    "slots",
]  # fmt: skip

MAX_ELEMENTS = 256  # larger containers are compared as a whole; tensors in them are constants of the graph
MISSING = object()  # the value of a location that does not exist yet
DATA = (np.ndarray, bytearray, array.array)
GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)

_MAX_LOCATIONS = 20_000
_LIBRARIES = ("torch", "torchspore", "numpy", "builtins")  # the state of their objects is internal
_INTERNAL_STATE = ("torchspore.common", "torchspore.engine", "torchspore.mint", "torchspore.ops")
_FOREIGN = (*_LIBRARIES, *sys.stdlib_module_names)  # their code refers to nothing of the user's
_SEQUENCES = (list, deque)
_CONTAINERS = (*_SEQUENCES, dict, set)
# Objects that only refer to others.
_PASS_THROUGH = (tuple, frozenset, types.MappingProxyType, types.MethodType, types.BuiltinFunctionType)
_GLOBAL_STEPS = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
_BY_NAME = frozenset(("getattr", "hasattr", "vars", "dir", "__dict__", "attrgetter"))  # these may read any attribute
_OF_PARAMETERS = vars(Parameter(0)).keys() | {"_comm_fusion", "_hooks", "twin"}
_SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)


class UntrackedState(Exception):
    """The function changes, or depends on, Python objects in a way that guards cannot track."""


class Reachable:
    """Everything that a function can reach.

    Attributes:
        cells: the cells.
        locations: where it reads other objects, as (container, key): in dicts, lists, slots and closures.
        containers: the lists, dicts, sets, arrays and random generators, and the user's classes.
        tensors: the tensors and parameters that are not members of the cells.
        functions: the user's functions, with their code and defaults.
        methods: this package's classes whose cells it calls, with the name of the method that runs.
        kinds: objects of the user's classes, with their classes.
        caches: the user's functions with `lru_cache`.
        codes: by id, the code of the user's functions and of nested functions.
        refused: by id of its code, why a function ends the capture if it runs.
        given: by id, the tensors that may also be passed as an argument.
        known: all of these, by id.
    """

    def __init__(self) -> None:
        self.functions: list[tuple[types.FunctionType, Any, Any, Any]] = []
        self.methods: dict[type, str] = {}
        self.kinds: list[tuple[Any, type]] = []
        self.caches: list[Any] = []
        self.codes: dict[int, types.CodeType] = {}
        self.refused: dict[int, str] = {}
        self.cells: list[Any] = []
        self.locations: list[tuple[Any, Any]] = []
        self.containers: list[Any] = []
        self.tensors: list[Tensor] = []
        self.given: dict[int, Tensor] = {}
        self.known: dict[int, Any] = {}


def find_reachable(*roots: Any) -> Reachable:
    """Return what functions and other objects can reach.

    Raises:
        UntrackedState: it is too much, or a change of it could not be noticed.
    """
    walk = _Walk()
    walk.waiting = [(root, True, False) for root in roots]
    while walk.waiting:
        while walk.waiting:
            walk.visit(*walk.waiting.pop())
        walk.look_into_modules()
    walk.note_parameters()
    return walk.reachable


class _Walk:
    """One traversal of what can be reached.

    Attributes:
        reachable: what has been reached so far.
        waiting: what is to be visited; whether its owner belongs to the user's code; whether the owner is a large
            container.
    """

    def __init__(self) -> None:
        self.reachable = Reachable()
        self.waiting: list[tuple[Any, bool, bool]] = []
        self._names: set[str] = set()  # the globals and attributes that the functions read
        self._modules: dict[int, types.ModuleType] = {}
        self._read: set[tuple[int, str]] = set()  # what has been found in modules
        self._parameters: list[Parameter] = []

    def visit(self, thing: Any, is_users: bool, is_data: bool) -> None:
        """Record one object, and queue what it refers to."""
        reachable = self.reachable
        if isinstance(thing, types.ModuleType):
            self._modules[id(thing)] = thing
        if id(thing) in reachable.known or not _may_lead_on(thing) or (is_data and isinstance(thing, Tensor)):
            return
        reachable.known[id(thing)] = thing
        if isinstance(thing, Tensor):
            reachable.tensors.append(thing)
            if isinstance(thing, Parameter):
                self._parameters.append(thing)
                for name in vars(thing).keys() - _OF_PARAMETERS:
                    self._add(vars(thing), name, vars(thing)[name], True, False)
            elif is_users:
                reachable.given[id(thing)] = thing
                self._note_attributes(thing)
            return
        reason = _invisible(thing) if is_users else ""
        if reason:
            raise UntrackedState(reason)
        if hasattr(type(thing), "_internals"):
            self._visit_cell(thing)
            return
        if isinstance(thing, (*_CONTAINERS, *DATA, *GENERATORS)):
            if is_users:
                reachable.containers.append(thing)
            is_data = is_data or (isinstance(thing, _CONTAINERS) and len(thing) > MAX_ELEMENTS)
        elif isinstance(thing, type):
            is_users = True
            reachable.containers += [base for base in thing.__mro__ if not is_foreign(base)]
        elif not isinstance(thing, _PASS_THROUGH):
            is_users = not _is_a_librarys(thing) and (is_users or _library(type(thing)) != "torchspore")
        if is_users and hasattr(thing, "__dict__") and not isinstance(thing, type):
            reachable.containers.append(vars(thing))
        if isinstance(thing, types.FunctionType):
            if not is_foreign(thing):
                self._visit_function(thing)
        elif not _is_a_librarys(thing):
            self.waiting.append((type(thing), True, False))
            if is_users and not is_foreign(type(thing)):
                reachable.kinds.append((thing, type(thing)))
        if isinstance(thing, functools._lru_cache_wrapper) and not is_foreign(thing):
            reachable.caches.append(thing)
        for container, key, value in _references(thing):
            reason = _invisible(value) if is_users and isinstance(thing, types.FunctionType) else ""
            if reason:
                reachable.refused.update((id(code), reason) for code in _all_code(thing.__code__))
            self._add(container if is_users else None, key, value, is_users, is_data, leads_on=not reason)

    def _visit_cell(self, cell: Any) -> None:
        self.reachable.cells.append(cell)
        users = not is_foreign(type(cell))
        self.waiting.append((type(cell), True, False))
        self.waiting += [(part, users, False) for name, part in vars(cell).items() if name not in cell._internals]
        ours = next(base for base in type(cell).__mro__ if is_foreign(base))
        self.reachable.methods[ours] = "__call__" if "_internals" in vars(ours) else "construct"

    def _visit_function(self, function: types.FunctionType) -> None:
        code = function.__code__
        self._names |= _all_names(code)
        self.reachable.functions.append((function, code, function.__defaults__, function.__kwdefaults__))
        self.reachable.codes.update((id(inner), inner) for inner in _all_code(code))
        for module in _imported(code, function.__globals__):
            self._add(sys.modules, module.__name__, module, True, False)
        if not _BY_NAME.isdisjoint(_all_names(code)):
            for name in _globals(code):
                found = function.__globals__.get(name)
                if isinstance(found, types.ModuleType) and not _is_installed(found):
                    self._note_attributes(found)

    def _note_attributes(self, thing: Any) -> None:
        """Record all attributes of an object: the code may read any of them."""
        self.reachable.containers.append(vars(thing))
        for name, value in list(vars(thing).items()):
            if not name.startswith("__"):
                self._add(vars(thing), name, value, True, False)

    def look_into_modules(self) -> None:
        """Record what the functions may read from modules, by the names in their code."""
        for module in list(self._modules.values()):
            found = vars(module)
            for name in self._names & found.keys():
                if (id(module), name) not in self._read:
                    self._read.add((id(module), name))
                    leads_on = not _is_installed(module) or _is_users(found[name])
                    self._add(found, name, found[name], True, False, leads_on)

    def note_parameters(self) -> None:
        """Record the attributes of parameters where functions test for attributes that may be missing."""
        if not _BY_NAME.isdisjoint(self._names):
            self.reachable.containers += [vars(parameter) for parameter in self._parameters]

    def _add(self, container: Any, key: Any, value: Any, is_users: bool, is_data: bool, leads_on: bool = True) -> None:
        if container is not None:
            self.reachable.locations.append((container, key))
            if len(self.reachable.locations) > _MAX_LOCATIONS:
                kind = type(container).__name__
                raise UntrackedState(f"it can reach more than {_MAX_LOCATIONS} objects, in a {kind}")
        if leads_on:
            self.waiting.append((value, is_users, is_data))


def _invisible(thing: Any) -> str:
    """Return why a change of an object could not be noticed, or nothing."""
    kind = type(thing)
    if hasattr(kind, "__next__") and thing not in (sys.stdout, sys.stderr):
        return f"it uses an iterator from outside, a {kind.__name__}"
    if isinstance(thing, threading.local):
        return "it uses values that each thread has for itself, a threading.local"
    if isinstance(thing, weakref.ref) and not is_foreign(type(thing())):
        return f"it uses a weak reference to a {type(thing()).__name__}"
    if any(base.__module__ in ("_ctypes", "ctypes") for base in kind.__mro__):
        return f"it uses an object of ctypes, a {kind.__name__}"
    called = thing.func if isinstance(thing, functools.partial) else None
    if isinstance(called, types.BuiltinFunctionType) and not is_repeatable(called, by_python=False):
        return f"it can call '{called.__name__}', which a graph cannot repeat"
    return ""


def _is_users(value: Any) -> bool:
    """Return whether a library's module attribute may lead to objects that the user's program changes."""
    if isinstance(value, (types.FunctionType, type)):
        return not is_foreign(value)
    if isinstance(value, (types.ModuleType, *_CONTAINERS)):
        return True
    return not is_foreign(type(value))


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
    return _root(module_of(thing) if isinstance(thing, type) else str(getattr(thing, "__module__", "builtins")))


def is_foreign(thing: Any) -> bool:
    """Return whether a class or a function is not the user's."""
    return _library(thing) in _FOREIGN


def _is_a_librarys(thing: Any) -> bool:
    """Return whether the state of an object is internal to a library."""
    if isinstance(thing, types.FunctionType):
        return _library(thing) in _LIBRARIES
    kind = type(thing)
    if _library(kind) == "torchspore":
        return module_of(kind).startswith(_INTERNAL_STATE)
    return _library(kind) in _LIBRARIES


def _references(thing: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield (container, key, value) for what an object refers to; the container is None where it cannot change."""
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
        large = len(thing) > MAX_ELEMENTS
        items = thing.items() if isinstance(thing, dict) else enumerate(thing)
        yield from ((None if large else thing, key, value) for key, value in list(items))
    if hasattr(thing, "__dict__") and not isinstance(thing, type):
        # Handlers run only where a capture ends, and a logger's manager has all other loggers.
        left_out = ("handlers", "manager") if isinstance(thing, logging.Logger) else ()
        yield from ((vars(thing), name, value) for name, value in list(vars(thing).items()) if name not in left_out)
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
        for name in _globals(function.__code__):
            yield found, name, found.get(name, MISSING)
            if name not in found and name in vars(builtins):
                yield vars(builtins), name, vars(builtins)[name]


def _is_installed(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None) or ""
    return _root(module.__name__) in _FOREIGN or not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def _all_code(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of a function, and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _all_code(constant)


@functools.lru_cache(maxsize=4096)
def _all_names(code: types.CodeType) -> frozenset[str]:
    """Return the globals and attributes that a function, or one inside it, names."""
    return frozenset().union(*[inner.co_names for inner in _all_code(code)])


@functools.lru_cache(maxsize=4096)
def _globals(code: types.CodeType) -> frozenset[str]:
    """Return the globals that a function, or one inside it, reads or sets."""
    steps = [step for inner in _all_code(code) for step in dis.get_instructions(inner)]
    return frozenset([step.argval for step in steps if step.opname in _GLOBAL_STEPS])


def _imported(code: types.CodeType, found: dict[str, Any]) -> Iterator[types.ModuleType]:
    """Yield the modules that a function, or one inside it, imports."""
    for name, level in _imports(code):
        full = name
        if level:
            package = (found.get("__package__") or "").split(".")
            full = ".".join([*package[: len(package) - level + 1], *([name] if name else [])])
        parts = full.split(".")
        for count in range(1, len(parts) + 1):
            module = sys.modules.get(".".join(parts[:count]))
            if module is not None:
                yield module


@functools.lru_cache(maxsize=4096)
def _imports(code: types.CodeType) -> tuple[tuple[str, int], ...]:
    """Return what a function imports: names, and the levels of relative imports."""
    imports = []
    for inner in _all_code(code):
        steps = [step for step in dis.get_instructions(inner) if step.opname != "EXTENDED_ARG"]
        imports += [(step.argval, steps[i - 2].argval) for i, step in enumerate(steps) if step.opname == "IMPORT_NAME"]
    return tuple(imports)


def _of_class(kind: type) -> Iterator[tuple[Any, Any, Any]]:
    """Yield what the user's classes among the bases of a class hold: attributes, and the functions of methods."""
    is_enum = issubclass(kind, enum.Enum)
    yield from ((None, None, member) for member in getattr(kind, "__members__", {}).values() if is_enum)
    for base in kind.__mro__:
        for name, value in () if is_foreign(base) else list(vars(base).items()):
            is_data = not (name.startswith("__") or is_enum or isinstance(value, _SLOTS))
            yield from ((None, None, part) for part in _functions_in(value) if is_data or callable(part))


def _functions_in(value: Any) -> tuple[Any, ...]:
    """Return the functions in a class attribute, such as those of a property; any other value as it is."""
    if isinstance(value, (staticmethod, classmethod)):
        return (value.__func__,)
    if isinstance(value, property):
        return (value.fget, value.fset, value.fdel)
    return (value.func if isinstance(value, (functools.cached_property, functools.partialmethod)) else value,)


def is_filled(cell: types.CellType) -> bool:
    """Return whether a variable of an outer function has a value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
