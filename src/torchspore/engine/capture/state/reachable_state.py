"""What a function can reach besides its arguments: through its closure, the globals that it names, their attributes."""

from __future__ import annotations

import array
import builtins
import enum
import functools
import gc
import io
import logging
import random
import sys
import threading
import types
import weakref
from collections import defaultdict, deque
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from torchspore.common.names.class_modules import module_of
from torchspore.common.open_shape import OpenTensor
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.state.code_reads import (
    all_code,
    all_names,
    attribute_reads,
    full_name,
    global_names,
    imports,
    names_read,
)
from torchspore.engine.capture.state.side_effects import is_repeatable
from torchspore.engine.capture.state.signature import is_constant
from torchspore.engine.values.plain_reads import (
    attributes,
    class_attributes,
    class_name,
    elements,
    is_a,
    items,
    lineage,
    maker,
    plain_array,
)

__all__ = [
    "DATA",
    "GENERATORS",
    "MAX_ELEMENTS",
    "MAX_LOCATIONS",
    "MEMORY",
    "MISSING",
    "SLOTS",
    "Reachable",
    "UntrackedState",
    "find_reachable",
    "in_slot",
    "is_filled",
    "is_foreign",
    "slots",
]  # fmt: skip

MAX_ELEMENTS = 256  # larger containers are compared as a whole; tensors in them are constants of the graph
MISSING = object()  # the value of a location that does not exist yet
DATA = (np.ndarray, bytearray, array.array, memoryview)
MEMORY = (io.StringIO, io.BytesIO)
GENERATORS = (random.Random, np.random.Generator, np.random.RandomState, np.random.BitGenerator)

MAX_LOCATIONS = 20_000
_LIBRARIES = ("torch", "torchspore", "numpy", "builtins")  # the state of their objects is internal
_INTERNAL_STATE = ("torchspore.common", "torchspore.engine", "torchspore.mint", "torchspore.ops")
_FOREIGN = (*_LIBRARIES, *sys.stdlib_module_names)  # their code refers to nothing of the user's
_SEQUENCES = (list, deque)
_CONTAINERS = (*_SEQUENCES, dict, set)
_VIEWS: tuple[type, ...] = (types.MappingProxyType, type({}.keys()), type({}.values()), type({}.items()))
# Objects that only refer to others.
_PASS_THROUGH = (tuple, frozenset, *_VIEWS, types.MethodType, types.BuiltinFunctionType)
_BY_NAME = frozenset(("getattr", "hasattr", "vars", "dir", "__dict__", "attrgetter"))  # these may read any attribute
_OF_PARAMETERS = vars(Parameter(0)).keys() | {"_comm_fusion", "_hooks", "twin"}
# What objects of Python's own types hold besides attributes and elements, and what can be replaced.
_MEMBERS: dict[type, tuple[Any, ...]] = {
    functools.partial: (functools.partial.func, functools.partial.args, functools.partial.keywords),
    defaultdict: (vars(defaultdict)["default_factory"],),
}
# The C modules whose objects never change, are compared, or are only read by calls that end the capture.
_PLAIN_C_MODULES = frozenset(
    """
    _abc _collections _contextvars _functools _operator _random _struct _thread _typing _weakref builtins collections
    datetime decimal functools operator re types typing weakref zoneinfo
    """.split()  # noqa: SIM905
)
_IMMUTABLE_TYPE = 1 << 8  # the flag of C classes, except some that the heap holds
_flags: Callable[[type], int] = type.__dict__["__flags__"].__get__
# Handlers run only where a capture ends, the manager has all other loggers, and the cache follows from the levels.
_OF_LOGGERS = ("handlers", "manager", "_cache")
_FILES = (io.TextIOWrapper, io.BufferedRandom, io.FileIO)
SLOTS = (types.MemberDescriptorType, types.GetSetDescriptorType)
_C_METHODS = (types.MethodDescriptorType, types.ClassMethodDescriptorType)
_DECIMAL = "decimal"


class UntrackedState(Exception):
    """The function changes, or depends on, Python objects in a way that guards cannot track."""


class Reachable:
    """Everything that a function can reach.

    Attributes:
        cells: the cells.
        locations: where it reads other objects, as (container, key): in dicts, lists, slots and closures.
        containers: the lists, dicts, sets, arrays and random generators, and the user's classes.
        tensors: the tensors and parameters that are not members of the cells.
        parameters: the ones among them that are parameters.
        functions: the user's functions, with their code and defaults.
        methods: this package's classes whose cells it calls, with the name of the method that runs.
        kinds: objects of the user's classes, with their classes.
        namespaces: objects with their `__dict__`, which can be replaced.
        settings: what the function may read from C code: a function that returns it, and its value.
        obstacle: why a change of something could not be noticed; "" if all changes are.
        caches: the user's functions with `lru_cache`.
        codes: by id, the code of the user's functions and of nested functions.
        refused: by id of its code, why a function ends the capture if it runs.
        given: by id, the tensors that may also be passed as an argument.
        known: all of these, by id.
    """

    def __init__(self) -> None:
        self.obstacle = ""
        self.functions: list[tuple[types.FunctionType, Any, Any, Any]] = []
        self.methods: dict[type, str] = {}
        self.kinds: list[tuple[Any, type]] = []
        self.namespaces: list[tuple[Any, dict[str, Any]]] = []
        self.settings: dict[Callable[[], Any], Any] = {}
        self.caches: list[Any] = []
        self.codes: dict[int, types.CodeType] = {}
        self.refused: dict[int, str] = {}
        self.cells: list[Any] = []
        self.locations: list[tuple[Any, Any]] = []
        self.containers: list[Any] = []
        self.tensors: list[Tensor] = []
        self.parameters: list[Parameter] = []
        self.given: dict[int, Tensor] = {}
        self.known: dict[int, Any] = {}


def find_reachable(*roots: Any, locations: int = MAX_LOCATIONS) -> Reachable:
    """Return what functions and other objects can reach.

    Args:
        roots: the functions and objects.
        locations: the largest number of locations; by default, what guards can compare.

    Raises:
        UntrackedState: it is too much.
    """
    walk = _Walk(locations)
    walk.waiting = [(root, True, False) for root in roots]
    while walk.waiting:
        while walk.waiting:
            walk.look_at(*walk.waiting.pop())
        walk.look_into_modules()
    walk.note_parameters()
    walk.note_held()
    return walk.reachable


class _Walk:
    """One traversal of what can be reached.

    Attributes:
        reachable: what has been reached so far.
        waiting: what is to be visited; whether its owner belongs to the user's code; whether the owner is a large
            container.

    Args:
        locations: the largest number of locations.
    """

    def __init__(self, locations: int) -> None:
        self.reachable = Reachable()
        self._max_locations = locations
        self.waiting: list[tuple[Any, bool, bool]] = []
        self._names: set[str] = set()  # the globals and attributes that the functions read
        self._modules: dict[int, types.ModuleType] = {}
        self._read: set[tuple[int, str]] = set()  # what has been found in modules
        self._kinds: dict[int, tuple[type, str]] = {}  # by id: whether classes can be compared; some cannot be hashed
        self._held: list[tuple[str, str]] = []  # attributes that cannot be compared, and why

    def look_at(self, thing: Any, is_users: bool, is_data: bool) -> None:
        """Record one object, and queue what it refers to."""
        try:
            self._visit(thing, is_users, is_data)
        except UntrackedState:
            raise
        except Exception as error:  # what its class has in place of Python's own attributes fails
            self._refuse(f"it reaches a {class_name(type(thing))} that cannot be read ({type(error).__name__})")

    def _refuse(self, reason: str) -> None:
        self.reachable.obstacle = self.reachable.obstacle or reason

    def _visit(self, thing: Any, is_users: bool, is_data: bool) -> None:
        reachable = self.reachable
        if is_a(thing, types.ModuleType):
            self._modules[id(thing)] = thing
        decimal: Any = sys.modules.get(_DECIMAL)
        if decimal is not None and (thing is decimal or thing is decimal.Decimal or is_a(thing, decimal.Decimal)):
            reachable.settings[_decimal_context] = _decimal_context()
        if id(thing) in reachable.known or not _may_lead_on(thing) or (is_data and is_a(thing, Tensor)):
            return
        reachable.known[id(thing)] = thing
        if is_a(thing, Tensor):
            reachable.tensors.append(thing)
            self.waiting += [(hook, True, False) for hook in thing.__dict__.get("_hooks", {}).values()]
            if is_a(thing, Parameter):
                reachable.parameters.append(thing)
                for name in vars(thing).keys() - _OF_PARAMETERS:
                    self._add(vars(thing), name, vars(thing)[name], True, False)
            elif is_users:
                reachable.given[id(thing)] = thing
                self._note_attributes(thing)
            return
        if is_users:
            if _is_output(thing):
                self._refuse_methods(type(thing))
                return
            reason = _invisible(thing) or self._opaque(thing)
            if reason:
                self._refuse(reason)
                return
        if _is_cell(type(thing)):
            self._visit_cell(thing)
            return
        if is_a(thing, (*_CONTAINERS, *DATA, *MEMORY, *GENERATORS)):
            if is_users:
                reachable.containers.append(thing)
            is_data = is_data or (is_a(thing, _CONTAINERS) and maker(type(thing)).__len__(thing) > MAX_ELEMENTS)
        elif is_a(thing, type):
            is_users = True
            reachable.containers += [base for base in lineage(thing) if not is_foreign(base)]
        elif not is_a(thing, _PASS_THROUGH):
            is_users = not _is_a_librarys(thing) and (is_users or _library(type(thing)) != "torchspore")
        own = None if is_a(thing, type) else attributes(thing)
        if is_users and own is not None:
            reachable.containers.append(own)
            reachable.namespaces.append((thing, own))
        if is_a(thing, types.FunctionType):
            if not is_foreign(thing):
                self._visit_function(thing)
        elif not _is_a_librarys(thing):
            self.waiting.append((type(thing), True, False))
            if is_users and not is_foreign(type(thing)):
                reachable.kinds.append((thing, type(thing)))
        if is_a(thing, functools._lru_cache_wrapper) and not is_foreign(thing):
            reachable.caches.append(thing)
        for container, key, value in _references(thing, own):
            reason = ""
            if is_users and is_a(thing, types.FunctionType):
                reason = _invisible(value) or self._opaque(value)
                if reason:
                    reachable.refused.update((id(code), reason) for code in all_code(thing.__code__))
            elif is_users and container is own and own is not None:
                reason = self._hold(key, value)
            self._add(container if is_users else None, key, value, is_users, is_data, leads_on=not reason)

    def _visit_cell(self, cell: Any) -> None:
        members = attributes(cell) or {}
        self.reachable.cells.append(cell)
        users = not is_foreign(type(cell))
        if users:
            self.reachable.namespaces.append((cell, members))
        self.waiting.append((type(cell), True, False))
        for name, part in members.items():
            if name not in cell._internals and name not in cell._caches:
                # A program may change the contents of a layer's containers, such as the groups of an optimizer.
                is_users = users or (is_a(part, _CONTAINERS) and not name.startswith("_"))
                if not (users and self._hold(name, part)):
                    self.waiting.append((part, is_users, False))
        ours = next(base for base in lineage(type(cell)) if is_foreign(base))
        self.reachable.methods[ours] = "__call__" if "_internals" in vars(ours) else "construct"

    def _refuse_methods(self, kind: type) -> None:
        """Note that the user's methods of a stream write to it; `print` calls them again at each run."""
        for base in lineage(kind):
            for method in () if is_foreign(base) else class_attributes(base).values():
                if is_a(method, types.FunctionType):
                    codes = {id(code): code for code in all_code(method.__code__)}
                    self.reachable.codes.update(codes)
                    self.reachable.refused.update(dict.fromkeys(codes, f"it writes to a stream, a {class_name(kind)}"))

    def _visit_function(self, function: types.FunctionType) -> None:
        code = function.__code__
        self._names |= all_names(code)
        self.reachable.functions.append((function, code, function.__defaults__, function.__kwdefaults__))
        self.reachable.codes.update((id(inner), inner) for inner in all_code(code))
        for module in _imported(code, function.__globals__):
            self._add(sys.modules, module.__name__, module, True, False)
        for names, name in _absent(function):
            self._add(names, name, MISSING, True, False)
        if not _BY_NAME.isdisjoint(all_names(code)):
            for name in global_names(code):
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
            found = attributes(module) or {}
            for name in self._names & found.keys():
                if (id(module), name) not in self._read:
                    self._read.add((id(module), name))
                    leads_on = not _is_installed(module) or _is_users(found[name])
                    self._add(found, name, found[name], True, False, leads_on)

    def _hold(self, name: str, value: Any) -> str:
        """Note an attribute that cannot be compared, and return why; it matters if a function that runs reads it."""
        reason = self._opaque(value)
        if reason:
            self._held.append((name, reason))
        return reason

    def _opaque(self, thing: Any) -> str:
        """Return why changes inside an object cannot be noticed, or nothing; changes of streams do not matter."""
        kind = type(thing)
        if is_a(thing, type):
            return ""
        if id(kind) not in self._kinds:
            self._kinds[id(kind)] = kind, _opaque(kind)
        reason = self._kinds[id(kind)][1]
        return "" if reason and _is_output(thing) else reason

    def note_held(self) -> None:
        """Let functions that read attributes which cannot be compared end the capture if they run."""
        held = dict(self._held)
        for code in self.reachable.codes.values() if held else ():
            for name in names_read(code) & held.keys():
                self.reachable.refused.setdefault(id(code), held[name])

    def note_parameters(self) -> None:
        """Record the attributes of parameters where functions test for attributes that may be missing."""
        if not _BY_NAME.isdisjoint(self._names):
            self.reachable.containers += [vars(parameter) for parameter in self.reachable.parameters]

    def _add(self, container: Any, key: Any, value: Any, is_users: bool, is_data: bool, leads_on: bool = True) -> None:
        if container is not None:
            self.reachable.locations.append((container, key))
            if len(self.reachable.locations) > self._max_locations:
                kind = class_name(type(container))
                raise UntrackedState(f"it can reach more than {self._max_locations} objects, in a {kind}")
        if leads_on:
            self.waiting.append((value, is_users, is_data))


def _invisible(thing: Any) -> str:
    """Return why a change of an object could not be noticed, or nothing."""
    kind = type(thing)
    if _is_iterator(kind) and not (is_a(thing, MEMORY) or _is_output(thing)):
        return f"it uses an iterator from outside, a {class_name(kind)}"
    if is_a(thing, threading.local):
        return "it uses values that each thread has for itself, a threading.local"
    referred = type(weakref.ref.__call__(thing)) if is_a(thing, weakref.ref) else None
    if referred is not None and not is_foreign(referred):
        return f"it uses a weak reference to a {class_name(referred)}"
    if any(module_of(base) in ("_ctypes", "ctypes") for base in lineage(kind)):
        return f"it uses an object of ctypes, a {class_name(kind)}"
    called = functools.partial.func.__get__(thing) if is_a(thing, functools.partial) else None
    if isinstance(called, types.BuiltinFunctionType) and not is_repeatable(called, by_python=False):
        return f"it can call '{called.__name__}', which a graph cannot repeat"
    return ""


def _opaque(kind: type) -> str:
    """Return why changes of a class's objects cannot be noticed, or nothing: C code keeps their state."""
    if _library(kind) in _LIBRARIES:
        return ""
    if issubclass(kind, (*DATA, *MEMORY, *GENERATORS)):
        return ""
    base = next(filter(_is_of_c, lineage(kind)))
    module = module_of(base)
    if "__code__" in class_attributes(base):  # a function that Cython has compiled
        return ""
    if _root(module) in _PLAIN_C_MODULES and (module, class_name(base)) != (_DECIMAL, "Context"):
        return ""
    return f"it uses a {module}.{class_name(base)} from outside, whose state cannot be compared"


def _is_of_c(kind: type) -> bool:
    """Return whether a class is implemented in C."""
    if _flags(kind) & _IMMUTABLE_TYPE:
        return True
    own = class_attributes(kind)
    return "__dict__" not in own and "__slots__" not in own and any(is_a(a, _C_METHODS) for a in own.values())


def _decimal_context() -> tuple[Any, ...]:
    """Return what the results of decimal arithmetic depend on besides the operands."""
    now = sys.modules[_DECIMAL].getcontext()
    return (now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, str(now.traps))


def _is_output(thing: Any) -> bool:
    """Return whether an object is a stream that functions only write to, which a graph does not depend on.

    A stream of a derived class stands for a console: streams of notebooks and test runners can often be read, too.
    """
    if thing is sys.stdout or thing is sys.stderr:
        return True
    if not _is_iterator(type(thing)) or not isinstance(thing, io.IOBase) or is_a(thing, MEMORY):
        return False
    return not thing.closed and thing.writable() and not (type(thing) in _FILES and thing.readable())


def _is_iterator(kind: type) -> bool:
    """Return whether a class has iterators whose position is not in attributes."""
    steps = [class_attributes(base)["__next__"] for base in lineage(kind) if "__next__" in class_attributes(base)]
    return bool(steps) and not is_a(steps[0], types.FunctionType)


def _is_cell(kind: type) -> bool:
    """Return whether a class is one of cells."""
    return any("_internals" in class_attributes(base) and is_foreign(base) for base in lineage(kind))


def _is_users(value: Any) -> bool:
    """Return whether a library's module attribute may lead to objects that the user's program changes."""
    if is_a(value, (types.FunctionType, type)):
        return not is_foreign(value)
    if is_a(value, (types.ModuleType, *_CONTAINERS)):
        return True
    return not is_foreign(type(value))


def _may_lead_on(thing: Any) -> bool:
    if is_a(thing, (Tensor, *DATA, *GENERATORS)):
        return not is_a(thing, OpenTensor)  # it describes an input, and has no elements
    if is_a(thing, types.BuiltinFunctionType):  # a method of a list, perhaps; calls of others end the capture
        return not is_a(thing.__self__, (types.ModuleType, type, type(None))) and is_repeatable(thing, by_python=False)
    if is_a(thing, type):
        return not is_foreign(thing)
    if is_constant(thing) or is_a(thing, types.ModuleType):
        return False
    return _library(type(thing)) not in ("torch", "numpy")


def _root(name: str) -> str:
    return name.partition(".")[0]


def _library(thing: Any) -> str:
    return _root(module_of(thing) if is_a(thing, type) else str(getattr(thing, "__module__", "builtins")))


def is_foreign(thing: Any) -> bool:
    """Return whether a class or a function is not the user's."""
    return _library(thing) in _FOREIGN


def _is_a_librarys(thing: Any) -> bool:
    """Return whether the state of an object is internal to a library."""
    if is_a(thing, types.FunctionType):
        return _library(thing) in _LIBRARIES
    kind = type(thing)
    if _library(kind) == "torchspore":
        return module_of(kind).startswith(_INTERNAL_STATE)
    return _library(kind) in _LIBRARIES


def _references(thing: Any, own: dict[str, Any] | None) -> Iterator[tuple[Any, Any, Any]]:
    """Yield (container, key, value) for what an object refers to; the container is None where it cannot change.

    Args:
        thing: the object.
        own: its attributes.
    """
    if is_a(thing, types.MethodType):
        yield from ((None, None, thing.__func__), (None, None, thing.__self__))
    elif is_a(thing, types.BuiltinFunctionType):
        yield None, None, thing.__self__
    elif is_a(thing, types.FunctionType):
        yield from _of_function(thing)
    elif is_a(thing, type):
        yield from _of_class(thing)
    elif is_a(thing, _VIEWS):
        yield from ((None, None, inner) for inner in gc.get_referents(thing))
    elif is_a(thing, (tuple, set, frozenset)):
        yield from ((None, None, element) for element in elements(thing))
    elif is_a(thing, np.ndarray):
        plain = plain_array(thing)
        yield from ((None, None, element) for element in (plain.flat if plain.dtype.hasobject else ()))
    elif is_a(thing, _SEQUENCES):
        found = list(elements(thing))
        yield from ((None if len(found) > MAX_ELEMENTS else thing, i, value) for i, value in enumerate(found))
    elif is_a(thing, dict):
        pairs = list(items(thing))
        yield from ((None if len(pairs) > MAX_ELEMENTS else thing, key, value) for key, value in pairs)
        yield from ((None, None, key) for key, _ in pairs)
    if own is not None:
        is_logger = is_a(thing, logging.Logger)
        left_out = _OF_LOGGERS if is_logger else _caches(type(thing))
        yield from ((own, name, value) for name, value in list(own.items()) if name not in left_out)
        if is_logger:
            disabled = vars(logging.Logger.manager)
            yield from ((disabled, name, value) for name, value in disabled.items() if is_constant(value))
    members = [member for base, members in _MEMBERS.items() if is_a(thing, base) for member in members]
    yield from ((thing, slot, in_slot(thing, slot)) for slot in (*members, *slots(type(thing))))


def _caches(kind: type) -> Collection[str]:
    """Return the attributes of objects of this package that follow from the others, such as graphs of functions."""
    named = (class_attributes(base).get("_caches") for base in lineage(kind) if _library(base) == "torchspore")
    return next(filter(None, named), ())


def slots(kind: type) -> list[types.MemberDescriptorType]:
    """Return the slots that the user's classes among the bases of a class declare."""
    own = [class_attributes(base) for base in lineage(kind) if not is_foreign(base)]
    return [slot for names in own for slot in names.values() if is_a(slot, types.MemberDescriptorType)]


def in_slot(thing: Any, slot: types.MemberDescriptorType) -> Any:
    """Return what is in a slot of an object; MISSING if it is empty."""
    try:
        return slot.__get__(thing)
    except AttributeError:
        return MISSING


def _of_function(function: types.FunctionType) -> Iterator[tuple[Any, Any, Any]]:
    for cell in function.__closure__ or ():
        yield cell, None, cell.cell_contents if is_filled(cell) else MISSING
    for default in function.__defaults__ or ():
        yield None, None, default
    for name, default in (function.__kwdefaults__ or {}).items():
        yield function.__kwdefaults__, name, default
    if not is_foreign(function):
        found = function.__globals__
        for name in global_names(function.__code__):
            yield found, name, found.get(name, MISSING)
            if name not in found and name in vars(builtins):
                yield vars(builtins), name, vars(builtins)[name]


def _is_installed(module: types.ModuleType) -> bool:
    found = attributes(module) or {}
    name, file = [text if isinstance(text, str) else "" for text in (found.get("__name__"), found.get("__file__"))]
    return _root(name) in _FOREIGN or not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)


def _imported(code: types.CodeType, found: dict[str, Any]) -> Iterator[types.ModuleType]:
    """Yield the modules that a function, or one inside it, imports."""
    for name, level, *_ in imports(code):
        parts = full_name(name, level, found).split(".")
        for count in range(1, len(parts) + 1):
            module = sys.modules.get(".".join(parts[:count]))
            if module is not None:
                yield module


def _absent(function: types.FunctionType) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield what a function reads from the user's modules but they do not have, as (names of the module, name)."""
    code, found = function.__code__, function.__globals__
    known = dict(found)
    known.update((name, cell.cell_contents) for name, cell in _closure(function) if is_filled(cell))
    for name, level, wanted, variable in imports(code):
        module = sys.modules.get(full_name(name, level, found))
        if wanted:
            yield from ((vars(module), each) for each in wanted if _lacks(module, each))
        elif "." not in name:
            known[variable] = module
    for start, *names in attribute_reads(code):
        thing = known.get(start)
        for name in names:
            if _lacks(thing, name):
                yield vars(thing), name
            thing = vars(thing).get(name) if isinstance(thing, types.ModuleType) else None


def _closure(function: types.FunctionType) -> Iterator[tuple[str, types.CellType]]:
    return zip(function.__code__.co_freevars, function.__closure__ or ())


def _lacks(module: Any, name: str) -> bool:
    """Return whether something is a module of the user's that does not have a name."""
    return isinstance(module, types.ModuleType) and name not in vars(module) and not _is_installed(module)


def _of_class(kind: type) -> Iterator[tuple[Any, Any, Any]]:
    """Yield what the user's classes among the bases of a class hold: attributes, and the functions of methods."""
    is_enum = is_a(kind, enum.EnumMeta)
    yield from ((None, None, member) for member in class_attributes(kind).get("_member_map_", {}).values() if is_enum)
    for base in lineage(kind):
        for name, value in () if is_foreign(base) else list(class_attributes(base).items()):
            is_data = not (name.startswith("__") or is_enum or is_a(value, SLOTS))
            yield from ((None, None, part) for part in _functions_in(value) if is_data or callable(part))


def _functions_in(value: Any) -> tuple[Any, ...]:
    """Return the functions in a class attribute, such as a property's; any other value unchanged."""
    if is_a(value, (staticmethod, classmethod)):
        return (value.__func__,)
    if is_a(value, property):
        return (value.fget, value.fset, value.fdel)
    return (value.func if is_a(value, (functools.cached_property, functools.partialmethod)) else value,)


def is_filled(cell: types.CellType) -> bool:
    """Return whether a variable of an outer function has a value."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True
