"""Names that MindSpore had in earlier versions: packages answer for them if they know no such name of today."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["earlier", "find_with"]

_find: Callable[[str, str], Any] | None = None


def find_with(function: Callable[[str, str], Any]) -> None:
    """Set the function that returns what a name meant; it takes a package and the name, and raises KeyError."""
    global _find
    _find = function


def earlier(package: str, name: str) -> Any:
    """Return what a name of a package meant.

    Args:
        package: the package, without `torchspore.`; "" for `torchspore` itself.
        name: the name.

    Raises:
        KeyError: no version had it, or it has no meaning here.
    """
    if _find is None or name.startswith("__"):
        raise KeyError(name)
    return _find(package, name)
