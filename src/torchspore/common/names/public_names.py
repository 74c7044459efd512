"""The public names of packages and modules: what `import *` takes and `dir` lists."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

__all__ = ["list_public_names", "set_public_names"]


def set_public_names(names: dict[str, Any], also: tuple[str, ...] = (), without: tuple[str, ...] = ()) -> None:
    """Set the `__all__` of a package that takes the names of its modules by `from module import *`.

    Type checkers do not see this: they take the names from the imports, and would expect a list of literals here.

    Args:
        names: the package's `globals()`.
        also: names of modules in it that are public.
        without: names that are not.
    """
    names.pop("annotations", None)  # of `from __future__ import annotations`
    public = {name for name, value in names.items() if not (name.startswith("_") or isinstance(value, ModuleType))}
    names["__all__"] = sorted((public | {*also}) - {*without})
    list_public_names(names)


def list_public_names(names: dict[str, Any]) -> None:
    """Let `dir` of a module list its public names and submodules, not what the module imports for its own use.

    Args:
        names: the module's `globals()`.
    """
    names.pop("annotations", None)
    path = names["__name__"]

    def listed() -> list[str]:
        own = [name for name in names if name.startswith("_") or f"{path}.{name}" in sys.modules]
        return [*own, *names["__all__"]]

    names["__dir__"] = listed
