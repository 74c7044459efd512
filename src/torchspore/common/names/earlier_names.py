"""What MindSpore had in earlier versions: packages answer for names, and constructors for arguments, of that time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["earlier", "find_with", "without_earlier"]

_find: Callable[[str, str], Any] | None = None
_drop: Callable[[str, dict[str, Any]], dict[str, Any] | None] | None = None


def find_with(find: Callable[[str, str], Any], drop: Callable[[str, dict[str, Any]], dict[str, Any] | None]) -> None:
    """Set the functions that know the earlier versions.

    Args:
        find: returns what a name of a package meant, or raises KeyError.
        drop: takes the name of a class and arguments by name, and returns those that today's has, or None.
    """
    global _find, _drop
    _find, _drop = find, drop


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


def without_earlier(kind: type, kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a constructor without those of earlier versions, or None if there are none of them."""
    return None if _drop is None else _drop(kind.__name__, kwargs)
