"""The number of changes to cells; captured graphs compare it to detect that state may have changed."""

from __future__ import annotations

__all__ = ["current", "increase"]

_count = 0


def increase() -> None:
    """Count a change."""
    global _count
    _count += 1


def current() -> int:
    """Return the number of changes so far."""
    return _count
