"""The nearest of the names that exist, for one that is mistyped."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["suggestion"]


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return the question whether the nearest of the known names was meant, or nothing if none is near.

    Examples:
        >>> from torchspore.common.names.near_names import suggestion
        >>> suggestion("xavier_unifrom", ["normal", "xavier_uniform"])
        " Did you mean 'xavier_uniform'?"
    """
    if name.startswith("_"):
        return ""
    public = [known for known in names if not known.startswith("_")]
    close = [known for known in public if known.lower() == name.lower()] or get_close_matches(name, public, 1, 0.7)
    return f" Did you mean {close[0]!r}?" if close else ""
