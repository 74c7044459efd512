"""The modules that define classes, under their own names also where programs see those of MindSpore."""

from __future__ import annotations

__all__ = ["module_of", "show_as"]

_Defined = tuple[type, str]  # a class, which the entry keeps alive, and its module

_defined_in: dict[int, _Defined] = {}  # by id, the classes of this package that bear the name of another module
_read_module = type.__dict__["__module__"].__get__  # whatever its metaclass defines


def module_of(kind: type) -> str:
    """Return the name of the module that defines a class; "" if it has set its `__module__` to something else."""
    known = _defined_in.get(id(kind))
    name = _read_module(kind) if known is None else known[1]
    return name if isinstance(name, str) else ""


def show_as(kind: type, module: str) -> None:
    """Let a class say that it is from another module, which must offer it: for `repr`, `str` and pickles."""
    _defined_in.setdefault(id(kind), (kind, kind.__module__))
    kind.__module__ = module
