"""The lines of a report."""

from __future__ import annotations

from dataclasses import dataclass

from torchspore.migrate.comparing.causes import Cause
from torchspore.migrate.comparing.rounding import Difference

__all__ = ["HEAD", "Row", "cells", "number", "row"]


@dataclass
class Row:
    """A line of the report.

    Attributes:
        part: "layers", "buffers", "outputs", "gradients" or "steps".
        name: the layer, weight or step, by its name on the first side.
        other: its name on the second.
        type: the types of the layers.
        shape: of the output.
        absolute, relative: the distance, and the same divided by the largest value; None if not compared.
        expected: the distance that rounding explains.
        verdict: "equal", "diverged", "random", "alone", "skipped" or "raised".
        cause: why it diverged.
        note: remarks.
    """

    part: str
    name: str
    other: str = ""
    type: str = ""
    shape: str = ""
    absolute: float | None = None
    relative: float | None = None
    expected: float | None = None
    verdict: str = "equal"
    cause: Cause | None = None
    note: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether the sides differ here."""
        return self.verdict in ("diverged", "raised")

    def __str__(self) -> str:
        text = f"{self.part}: {self.name}{f' ({self.type})' if self.type else ''} {self.verdict}"
        return f"{text}: {self.cause}" if self.cause else text


def row(part: str, name: str, found: Difference, **others: str) -> Row:
    """Return the row of a difference."""
    verdict = "diverged" if found.diverged else "equal"
    made = Row(part, name, absolute=found.absolute, relative=found.relative, expected=found.expected, verdict=verdict)
    for key, value in others.items():
        setattr(made, key, value)
    made.note = "; ".join(text for text in (made.note, found.note) if text)
    return made


HEAD = ("name", "type", "shape", "max abs", "max rel", "rounding", "verdict")


def cells(row: Row) -> tuple[str, ...]:
    """Return the texts of a row of the table."""
    name = row.name if row.other in ("", row.name) else f"{row.name} / {row.other}"
    verdict = row.verdict + (f": {row.cause}" if row.cause else "") + (f" ({row.note})" if row.note else "")
    return name, row.type, row.shape, *map(number, (row.absolute, row.relative, row.expected)), verdict


def number(value: float | None) -> str:
    """Return a number as the tables show it."""
    return "" if value is None else "0" if value == 0 else f"{value:.1e}"
