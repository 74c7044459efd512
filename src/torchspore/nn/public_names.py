"""The exports of packages that take the names of their modules by `from module import *`."""

from __future__ import annotations

from types import ModuleType
from typing import Any

__all__ = ["set_public_names"]


def set_public_names(names: dict[str, Any], also: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> None:
    """Set the `__all__` of a package to its public names, without its modules.

    Type checkers do not see this: they take the names from the imports, and would expect a list of literals here.

    Args:
        names: the package's `globals()`.
        also: names of modules in it that are public.
        without: names that are not.
    """
    public = {name for name, value in names.items() if not (name.startswith("_") or isinstance(value, ModuleType))}
    names["__all__"] = sorted((public | {*also}) - {*without} - {"set_public_names"})
