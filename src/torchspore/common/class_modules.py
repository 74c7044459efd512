"""The modules that define classes, under their own names also where programs see those of MindSpore."""

from __future__ import annotations

__all__ = ["module_of", "show_as"]

_defined_in: dict[type, str] = {}  # the classes of this package that bear the name of another module


def module_of(kind: type) -> str:
    """Return the name of the module that defines a class."""
    return _defined_in.get(kind) or str(kind.__module__)


def show_as(kind: type, module: str) -> None:
    """Let a class say that it is from another module, which must offer it: for `repr`, `str` and pickles."""
    _defined_in.setdefault(kind, kind.__module__)
    kind.__module__ = module
