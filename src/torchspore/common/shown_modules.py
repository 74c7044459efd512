"""The modules that classes name as theirs: MindSpore's where a program imports `mindspore`.

`type(x)` then prints as under MindSpore, and `type(x).__module__` begins with `mindspore`, as packages check.
"""

from __future__ import annotations

from typing import Any

__all__ = ["defining_module", "show_module"]

_defined_in: dict[int, str] = {}  # by the class's id: classes that show another module are never deleted


def show_module(kind: type, module: str) -> None:
    """Let a class name another module as its own."""
    _defined_in.setdefault(id(kind), kind.__module__)
    kind.__module__ = module


def defining_module(thing: Any) -> str:
    """Return the name of the module that defines a class or a function."""
    return _defined_in.get(id(thing)) or str(getattr(thing, "__module__", ""))
