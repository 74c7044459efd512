"""Packages that MindSpore has below `train`, under these names too."""

from __future__ import annotations

import sys
from types import ModuleType

__all__ = ["alias_package"]


def alias_package(alias: str, package: ModuleType) -> None:
    """Make a package, and its modules that are loaded, importable under a second name.

    They are the same module objects, so there is no second copy of a class.

    Args:
        alias: the second name of the package.
        package: the package.
    """
    for name, module in [*sys.modules.items()]:
        if f"{name}.".startswith(f"{package.__name__}."):
            sys.modules[alias + name.removeprefix(package.__name__)] = module
