"""What a captured graph bakes in of the Python objects that its function uses, and whether they are still so.

A function reaches cells, containers and other objects through its closure, the globals that it names, its defaults
and their attributes. Cells note their changes (`common.edits`), so their state is compared only after a change; all
other places are compared at each call, by one generated expression.
"""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torchspore.common import edits
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.signature import CONSTANTS, Same, constant
from torchspore.engine.tree import tensors

__all__ = ["Guards", "Reached", "mark", "members", "reach"]

_MOST_ELEMENTS = 256  # larger containers are data
_MISSING = object()  # what a place holds that does not exist yet
_FOREIGN = ("torch", "torchspore", "numpy", "builtins")


class HiddenChange(Exception):
    """The function changed Python objects in a way that a graph cannot repeat."""


class Reached:
    """What a function can reach.

    Attributes:
        cells: the cells.
        places: where it reads other objects: (container, key), in dicts, lists and the cells of closures.
        containers: the lists, dicts and sets.
        tensors: the tensors and parameters that are no members of the cells.
    """

    def __init__(self) -> None:
        self.cells: list[Any] = []
        self.places: list[tuple[Any, Any]] = []
        self.containers: list[Any] = []
        self.tensors: list[Tensor] = []


def reach(*roots: Any) -> Reached:
    """Return what functions and other objects can reach."""
    reached = Reached()
    seen: set[int] = set()
    waiting = [(root, True) for root in roots]
    while waiting:
        thing, is_users = waiting.pop()  # is_users: whether the container belongs to the user's code
        if id(thing) in seen or not (_may_lead_on(thing) or isinstance(thing, Tensor)):
            continue
        seen.add(id(thing))
        if isinstance(thing, Tensor):
            reached.tensors.append(thing)
            continue
        if isinstance(thing, type):
            own = [base for base in thing.__mro__ if not _is_foreign(base)]
            for name, value in ((n, v) for base in own for n, v in vars(base).items()):
                if not name.startswith("__") and not callable(value) and _is_guarded(name, value):
                    reached.places.append((thing, name))
                    waiting.append((value, True))
            waiting.extend((method, True) for method in _methods(thing))
            continue
        if isinstance(thing, types.BuiltinFunctionType):
            waiting.append((thing.__self__, True))
            continue
        if hasattr(type(thing), "__next__") and is_users:
            raise HiddenChange(f"it uses an iterator from outside, a {type(thing).__name__}")
        if hasattr(type(thing), "cells_and_names"):
            waiting.append((type(thing), True))
            reached.cells.append(thing)
            users = not _is_foreign(type(thing))
            waiting.extend((value, users) for name, value in vars(thing).items() if name not in thing._internals)
            waiting.extend((method, True) for method in _methods(type(thing)))
            continue
        if isinstance(thing, (list, dict, set)):
            if is_users:
                reached.containers.append(thing)
            if len(thing) > _MOST_ELEMENTS:
                continue
        else:
            is_users = is_users if isinstance(thing, (tuple, frozenset)) else not _is_foreign_object(thing)
            if is_users and hasattr(thing, "__dict__") and not isinstance(thing, types.FunctionType):
                reached.containers.append(vars(thing))
                waiting.append((type(thing), True))
        for container, key, value in _references(thing):
            if is_users and container is not None and (value is _MISSING or _is_guarded(key, value)):
                reached.places.append((container, key))
            waiting.append((value, is_users))
    return reached


def _may_lead_on(thing: Any) -> bool:
    if isinstance(thing, types.BuiltinFunctionType):  # a method of a list, perhaps
        return not isinstance(thing.__self__, (types.ModuleType, type, type(None)))
    if isinstance(thing, type):
        return not _is_foreign(thing)
    if isinstance(thing, (*CONSTANTS, types.ModuleType)):
        return False
    return type(thing).__module__.partition(".")[0] not in ("torch", "numpy")


def _is_foreign(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "builtins")).partition(".")[0] in _FOREIGN


def _is_foreign_object(thing: Any) -> bool:
    return _is_foreign(thing if isinstance(thing, types.FunctionType) else type(thing))


def _is_guarded(key: Any, value: Any) -> bool:
    if isinstance(value, (types.ModuleType, type, types.BuiltinFunctionType)):
        return False
    return not (isinstance(value, types.FunctionType) and value.__name__ == key)  # what a `def` named


def _references(thing: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield (container, key, value) for what an object holds; the container is None where nothing can be replaced."""
    if isinstance(thing, types.MethodType):
        yield from ((None, None, thing.__func__), (None, None, thing.__self__))
    elif isinstance(thing, types.FunctionType):
        yield from _of_function(thing)
    elif isinstance(thing, functools.partial):
        yield from ((None, None, part) for part in (thing.func, *thing.args, *thing.keywords.values()))
    elif isinstance(thing, (tuple, set, frozenset)):
        yield from ((None, None, element) for element in thing)
    elif isinstance(thing, list):
        yield from ((thing, i, element) for i, element in enumerate(thing))
    elif isinstance(thing, dict):
        yield from ((thing, key, value) for key, value in thing.items())
    elif hasattr(thing, "__dict__"):
        yield from ((vars(thing), name, value) for name, value in list(vars(thing).items()))
        yield from ((None, None, method) for method in _methods(type(thing)))


def _of_function(function: types.FunctionType) -> Iterator[tuple[Any, Any, Any]]:
    for cell in function.__closure__ or ():
        yield cell, None, cell.cell_contents if _filled(cell) else _MISSING
    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield None, None, default
    if not _is_foreign(function):
        names = function.__globals__
        yield from ((names, name, names[name]) for name in _global_names(function.__code__) if name in names)
        yield from ((names, name, _MISSING) for name in _set_globals(function.__code__) if name not in names)


def _global_names(code: types.CodeType) -> set[str]:
    inner = [_global_names(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*inner)


def _set_globals(code: types.CodeType) -> set[str]:
    """Return the globals that a function, or one inside it, sets."""
    inner = [_set_globals(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    own = {step.argval for step in dis.get_instructions(code) if step.opname == "STORE_GLOBAL"}
    return own.union(*inner)


def _methods(kind: type) -> list[Any]:
    """Return the functions that the user's classes among the bases of a class define: they name globals."""
    users = [base for base in kind.__mro__ if not _is_foreign(base)]
    return [value for base in users for value in vars(base).values() if isinstance(value, types.FunctionType)]


def _filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def members(cells: Iterable[Any]) -> list[tuple[Any, str, int]]:
    """Return where cells have plain tensors as attributes, bare or in tuples, lists and dicts: (cell, name, number)."""
    found = []
    for cell in cells:
        for name, value in vars(cell).items():
            if name not in cell._internals and isinstance(value, (Tensor, tuple, list, dict)):
                found += [(cell, name, i) for i, t in enumerate(tensors(value)) if not isinstance(t, Parameter)]
    return found


class Guards:
    """What the cells and places that a function reaches hold now.

    Args:
        reached: what the function reaches.
    """

    def __init__(self, reached: Reached) -> None:
        self._cells = reached.cells
        self._state = fingerprint(self._cells)
        self._edits = edits.count()
        unique = {(id(container), key): (container, key) for container, key in reached.places}
        self._held = [(container, key, _read(container, key)) for container, key in unique.values()]
        self._contents = [(container, container.copy()) for container in reached.containers]
        self.places_hold = self._comparison()

    def hold(self) -> bool:
        """Tell whether everything is as it was."""
        if edits.count() != self._edits:
            if fingerprint(self._cells) != self._state:
                return False
            self._edits = edits.count()
        return self.places_hold()

    def restore_places(self) -> None:
        """Put back what the places outside cells held."""
        for container, content in self._contents:
            if isinstance(container, list):
                container[:] = content
            else:
                container.clear()
                container.update(content)
        for container, key, held in self._held:
            if held is _MISSING:
                if isinstance(container, types.CellType):
                    if _filled(container):
                        del container.cell_contents
                else:
                    container.pop(key, None)
            elif isinstance(container, type):
                setattr(container, key, held)
            elif isinstance(container, types.CellType):
                container.cell_contents = held
            elif not isinstance(container, list):
                container[key] = held

    def changed(self) -> str:
        """Name something that is not as it was."""
        for cell, before, now in zip(self._cells, self._state, fingerprint(self._cells)):
            names = [name for name, _ in set(before) ^ set(now)]
            if names:
                return f"the attribute '{names[0]}' of {type(cell).__name__}"
        for container, key, held in self._held:
            if not isinstance(container, types.CellType) and not _holds(container, key, held):
                return f"'{key}'"
        return "a variable of an outer function, or the contents of a container"

    def _comparison(self) -> Callable[[], bool]:
        """Return a function that tells whether every place holds what it holds now."""
        names: dict[str, Any] = {"same": _same, "read": _read}
        terms = []
        for i, (container, content) in enumerate(self._contents):
            names |= {f"l{i}": container, f"m{i}": content}
            terms.append(f"l{i} == m{i}" if isinstance(container, set) else f"len(l{i}) == {len(content)}")
        for i, (container, key, held) in enumerate(self._held):
            names |= {f"c{i}": container, f"k{i}": key, f"v{i}": held}
            if held is _MISSING or isinstance(container, type):
                read = f"read(c{i}, k{i})"
            else:
                read = f"c{i}.cell_contents" if isinstance(container, types.CellType) else f"c{i}[k{i}]"
            terms.append(
                f"({read} is v{i} or same({read}, v{i}))" if isinstance(held, CONSTANTS) else f"{read} is v{i}"
            )
        if not terms:
            return lambda: True
        source = f"def hold():\n try: return {' and '.join(terms)}\n except (LookupError, ValueError): return False"
        exec(compile(source, "<guards>", "exec"), names)
        return names["hold"]


def _read(container: Any, key: Any) -> Any:
    if isinstance(container, types.CellType):
        return container.cell_contents if _filled(container) else _MISSING
    if isinstance(container, type):
        return getattr(container, key, _MISSING)
    return container.get(key, _MISSING) if isinstance(container, dict) else container[key]


def _holds(container: Any, key: Any, held: Any) -> bool:
    try:
        now = _read(container, key)
    except (LookupError, ValueError):
        return False
    return now is held or _same(now, held)


def _same(now: Any, before: Any) -> bool:
    return isinstance(now, CONSTANTS) and isinstance(before, CONSTANTS) and constant(now) == constant(before)


def fingerprint(cells: Iterable[Any]) -> tuple[Any, ...]:
    """Return what a graph bakes in of the cells' state: flags, plain attributes, which members they have."""
    numbers: dict[int, int] = {}  # tensors that cells share
    return tuple(
        [
            tuple([(name, mark(value, numbers)) for name, value in vars(cell).items() if name not in cell._caches])
            for cell in cells
        ]
    )


def mark(value: Any, numbers: dict[int, int]) -> Any:
    """Return what a graph bakes in of an attribute: constants, shapes, the identity of other objects.

    Args:
        value: the attribute.
        numbers: the numbers given to tensors so far.
    """
    if isinstance(value, CONSTANTS):
        return constant(value)
    if isinstance(value, Parameter):
        return (Same(value), value._t.shape, value._t.dtype, value.requires_grad)
    if isinstance(value, Tensor):
        tensor = value._t
        return (tensor.shape, tensor.dtype, tensor.device, numbers.setdefault(id(value), len(numbers)))
    if isinstance(value, (tuple, list)):
        return (value.__class__, *[mark(element, numbers) for element in value])
    if isinstance(value, dict):
        return tuple([(key, mark(element, numbers)) for key, element in value.items()])
    return Same(value)
