"""What a captured graph depends on: the arguments' shapes and constants, and the state of the cells it runs."""

from __future__ import annotations

import math
import types
from collections.abc import Iterable
from typing import Any

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor

__all__ = ["fingerprint", "reachable_cells", "signature"]

_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


class _Same:
    """Equal to itself around the same object only, which it keeps: an id alone may come back for another object."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.thing is self.thing

    def __hash__(self) -> int:
        return id(self.thing)


def _constant(value: Any) -> Any:
    """Return a description of a constant that tells 1 from True and 1.0, and 0.0 from -0.0."""
    return (value.__class__, value, math.copysign(1.0, value)) if isinstance(value, float) else (value.__class__, value)


def signature(value: Any, leaves: list[Tensor]) -> Any:
    """Return a hashable description of an argument, and append its tensors to `leaves`.

    Two arguments with equal descriptions run the same graph: tensors of the same shape, dtype and device, equal
    constants, the same other objects.
    """
    if isinstance(value, Tensor):
        leaves.append(value)
        tensor = value._t
        return (tensor.shape, tensor.dtype, tensor.device, _Same(value) if isinstance(value, Parameter) else None)
    if isinstance(value, _CONSTANTS):
        return _constant(value)
    if isinstance(value, (tuple, list)):
        return (value.__class__, *[signature(element, leaves) for element in value])
    if isinstance(value, dict):
        return (dict, *[(key, signature(element, leaves)) for key, element in value.items()])
    return _Same(value)


def reachable_cells(function: Any) -> list[Any]:
    """Return the cells that a function can reach through its closure, globals, defaults and attributes."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = [function]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if hasattr(type(thing), "cells_and_names"):
            for _, cell in thing.cells_and_names():
                if id(cell) not in found:
                    found[id(cell)] = cell
                    waiting.extend(v for v in vars(cell).values() if _may_hold_cells(v))
        else:
            waiting.extend(inner for inner in _references(thing) if _may_hold_cells(inner))
    return list(found.values())


def _references(thing: Any) -> Iterable[Any]:
    if isinstance(thing, types.MethodType):
        return (thing.__func__, thing.__self__)
    if isinstance(thing, types.FunctionType):
        inside = [cell.cell_contents for cell in thing.__closure__ or () if _filled(cell)]
        inside += [thing.__globals__[name] for name in thing.__code__.co_names if name in thing.__globals__]
        return [*inside, *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
    if isinstance(thing, (tuple, list, set)):
        return thing
    if isinstance(thing, dict):
        return thing.values()
    return vars(thing).values() if hasattr(thing, "__dict__") else ()


def _filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _may_hold_cells(thing: Any) -> bool:
    if isinstance(thing, (*_CONSTANTS, Tensor, type, types.ModuleType, types.BuiltinFunctionType)):
        return False
    module = getattr(type(thing), "__module__", "")
    return not module.startswith(("torch.", "numpy"))


def fingerprint(cells: Iterable[Any]) -> tuple[Any, ...]:
    """Return what a graph bakes in of the cells' state: flags, plain attributes, which members they have."""
    return tuple(
        [
            tuple([(name, _mark(value)) for name, value in vars(cell).items() if name not in cell._caches])
            for cell in cells
        ]
    )


def _mark(value: Any) -> Any:
    if isinstance(value, _CONSTANTS):
        return _constant(value)
    if isinstance(value, Tensor):
        trained = value.requires_grad if isinstance(value, Parameter) else None
        return (_Same(value), value._t.shape, value._t.dtype, trained)
    if isinstance(value, (tuple, list)):
        return (value.__class__, *[_mark(element) for element in value])
    if isinstance(value, dict):
        return tuple([(key, _mark(element)) for key, element in value.items()])
    return _Same(value)
