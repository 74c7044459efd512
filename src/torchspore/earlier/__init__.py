"""MindSpore's earlier versions: names that today's no longer has, with the meaning that they had.

`names.json` has them by package: where they are here, the last version that had each, and what to write today. A
program that uses one runs, with a warning that says this once.
"""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.names.loading import load

__all__ = ["find"]


@functools.cache
def _names() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = json.loads(Path(__file__).with_name("names.json").read_text())
    return found


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
    _say(f"{package}.{name}", entry["until"], entry["now"])
    return found


@functools.cache
def _say(name: str, until: str, now: str) -> None:
    """Warn, once for each name, that it is an earlier version's."""
    warn_user(f"'mindspore.{name}' was in MindSpore up to {until}, and works as it did there. Today's form: {now}.")
