"""The limits of numbers in MindSpore's datasets, and errors about values that are not parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore.common.error_classes import WrongType
from torchspore.engine.failures.errors import describe

__all__ = ["MAX_FLOAT", "MAX_INT", "MIN_INT", "outside", "wrong_type"]

MIN_INT, MAX_INT = -(2**31), 2**31 - 1
MAX_FLOAT = 2**24  # up to which float32 has every int

_LONGEST = 400  # characters of a value in an error


def wrong_type(value: Any, kinds: Sequence[type], name: str, api: str, error: type[Exception] = WrongType) -> Exception:
    """Return the error for an argument of a type that is not accepted."""
    *others, last = [kind.__name__ for kind in kinds]
    accepted = f"{', '.join(others)} or {last}" if others else last
    return error(f"For '{api}', '{name}' must be of type {accepted}, but got {_shown(value)} ({type(value).__name__}).")


def outside(value: Any, interval: str, name: str, api: str) -> ValueError:
    """Return the error for an argument outside an interval."""
    return ValueError(f"For '{api}', '{name}' must be in {interval}, but got {_shown(value)}.")


def _shown(value: Any) -> str:
    try:
        text = str(value) or '""'
    except Exception:  # of a class of the user
        return describe(value)
    return text if len(text) <= _LONGEST else describe(value)
