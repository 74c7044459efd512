"""What holds for captured functions that have no settings of their own: what the context says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["SETTINGS", "set_from_context", "setting"]

# "O0", "O1" or "O2"; whether O0 runs while a graph is compiled; whether what cannot be captured is an error; whether
# sizes of the arguments stay open.
SETTINGS: Mapping[str, Any] = {"level": "O0", "tiered": False, "strict": False, "dynamic": False}
_context = dict(SETTINGS)


def setting(own: Mapping[str, Any], name: str) -> Any:
    """Return a setting: a function's own, or the context's."""
    return own[name] if name in own else _context[name]


def set_from_context(settings: Mapping[str, Any]) -> None:
    """Set what holds where functions and cells say nothing; what `settings` lacks is as at the start."""
    _context.update({**SETTINGS, **settings})
