"""What rewriting returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["Left", "Note", "Rewritten", "Unconverted"]


class Left(NamedTuple):
    """A line that was not converted.

    Args:
        line: its number in the source.
        text: the code.
        reason: why, and what to do instead.
    """

    line: int
    text: str
    reason: str


class Note(NamedTuple):
    """A line that was converted and behaves differently in a respect.

    Args:
        line: its number in the source.
        text: the difference.
    """

    line: int
    text: str


@dataclass
class Rewritten:
    """The result of `rewrite`.

    Args:
        code: the new source.
        left: the lines that were not converted, in their order.
        notes: the lines that behave differently, in their order.
        converted: the number of places that were converted.
    """

    code: str
    left: list[Left] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    converted: int = 0


class Unconverted(Exception):
    """Why a piece of code cannot be converted; it is left unchanged."""
