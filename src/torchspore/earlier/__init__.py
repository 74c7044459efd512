"""MindSpore's earlier versions: names that today's no longer has, with the meaning that they had.

`names.json` has them by package: where they are here, the last version that had each, and what to write today.
`arguments.json` has arguments of constructors that are gone, and the last version that had them. A program that uses
one runs, with a warning that says this once.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.names.loading import load

__all__ = ["drop", "find"]


@functools.cache
def _names() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = json.loads(Path(__file__).with_name("names.json").read_text())
    return found


@functools.cache
def _arguments() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("arguments.json").read_text())
    return found


def drop(kind: str, kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments of a constructor without those that only an earlier version had, and that changed no result.

    Args:
        kind: the name of the class.
        kwargs: the arguments that are given by name.

    Returns:
        The others, or None if there are none to drop. A warning says what is dropped, once.
    """
    known = _arguments().get(kind, {})
    dropped = known.keys() & kwargs.keys()
    for name in sorted(dropped):
        _say(f"{kind}({name}=...)", known[name], f"leave '{name}' out, it changes nothing")
    return {name: value for name, value in kwargs.items() if name not in known} if dropped else None


def find(package: str, name: str) -> Any:
    """Return what a name of a package meant in an earlier version.

    Args:
        package: the package, without `torchspore.`.
        name: the name.

    Raises:
        KeyError: no version had it, or it has no meaning here.
    """
    entry = _names()[package][name]
    module, _, attribute = entry["is"].partition(":")
    found = getattr(load(f"torchspore.{module}"), attribute)
    _say(f"mindspore.{package}.{name}", entry["until"], entry["now"])
    return found


@functools.cache
def _say(name: str, until: str, now: str) -> None:
    """Warn, once for each name, that it is an earlier version's."""
    warn_user(f"'{name}' was in MindSpore up to {until}, and works as it did there. Today: {now}.")
