"""The modules that define classes, under their own names also where programs see MindSpore's.

Pickles name a class by the module that it shows, which only exists where `torchspore.as_mindspore` is imported. So the
objects of such classes name our module instead. Tensors and data types, which MindSpore has too, name both packages:
Python's own functions look for the first one that is installed when the pickle is read.
"""

from __future__ import annotations

import copyreg
import enum
import pkgutil
from operator import methodcaller
from typing import Any

__all__ = ["found_in_either", "is_shown", "made_in_either", "module_of", "show_as"]

_Defined = tuple[type, str]  # a class, which the entry keeps alive, and its module

_defined_in: dict[int, _Defined] = {}  # by id, the classes of this package that bear the name of another module
_read_module = type.__dict__["__module__"].__get__  # whatever its metaclass defines


def module_of(kind: type) -> str:
    """Return the name of the module that defines a class; "" if it has set its `__module__` to something else."""
    known = _defined_in.get(id(kind))
    name = _read_module(kind) if known is None else known[1]
    return name if isinstance(name, str) else ""


def is_shown(kind: type) -> bool:
    """Return whether a class says that it is from another module than ours."""
    return id(kind) in _defined_in


def show_as(kind: type, module: str) -> None:
    """Let a class say that it is from another module, which must offer it: for `repr` and `str`."""
    _defined_in.setdefault(id(kind), (kind, kind.__module__))
    kind.__module__ = module
    if issubclass(kind, enum.Enum):
        kind.__reduce_ex__ = _member_in_either  # type: ignore[method-assign, assignment]
    elif kind.__reduce_ex__ is object.__reduce_ex__ and kind.__reduce__ is object.__reduce__:
        kind.__reduce_ex__ = _by_our_name  # type: ignore[method-assign, assignment]


def _by_our_name(self: Any, protocol: int) -> Any:
    kind = type(self)
    reduced: Any = object.__reduce_ex__(self, max(protocol, 2))
    if not is_shown(kind) or reduced[0] is not copyreg.__newobj__:  # type: ignore[attr-defined]
        return reduced
    _, args, *state = reduced
    return _new, (f"{module_of(kind)}:{kind.__qualname__}", *args[1:]), *state


def _member_in_either(self: Any, protocol: int) -> Any:
    kind = type(self)
    if self.name not in kind.__members__:  # a combination of flags
        return kind, (self.value,)
    ours, theirs = [f"{module}.{kind.__qualname__}.{self.name}" for module in (module_of(kind), kind.__module__)]
    return _found(ours, theirs)


def _new(name: str, *args: Any) -> Any:
    kind = pkgutil.resolve_name(name)
    return kind.__new__(kind, *args)


def found_in_either(name: str) -> tuple[Any, ...]:
    """Return how a pickle finds an object that TorchSpore and MindSpore have under one name."""
    return _found(f"torchspore.{name}", f"mindspore.{name}")


def _found(*names: str) -> tuple[Any, ...]:
    import pydoc  # for pickles only

    return next, (filter(None, map(pydoc.locate, names)),)


def made_in_either(name: str, *args: Any) -> tuple[Any, ...]:
    """Return how a pickle calls a class that TorchSpore and MindSpore have under one name."""
    return next, (map(methodcaller("__call__", *args), *found_in_either(name)[1]),)
