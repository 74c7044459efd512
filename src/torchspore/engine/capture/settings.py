"""Settings of captured functions, and the defaults that the context sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["SETTINGS", "set_from_context", "setting"]

# level: "O0", "O1" or "O2"; tiered: whether O0 runs while a graph is compiled, None: unless results must be
# deterministic; strict: whether it is an error if a function cannot be captured; dynamic: whether sizes of the
# arguments are symbolic.
SETTINGS: Mapping[str, Any] = {"level": "O0", "tiered": None, "strict": False, "dynamic": False}
_context = dict(SETTINGS)


def setting(own: Mapping[str, Any], name: str) -> Any:
    """Return a setting: a function's own, or the context's."""
    return own[name] if name in own else _context[name]


def set_from_context(settings: Mapping[str, Any]) -> None:
    """Set the defaults; settings that are not given are reset."""
    _context.update({**SETTINGS, **settings})
