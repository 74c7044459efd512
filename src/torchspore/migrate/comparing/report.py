"""The result of a comparison: a table, an object for assertions, and a page."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from pathlib import Path

from torchspore.engine.storage.writing import replacing
from torchspore.migrate.comparing.page import document, page
from torchspore.migrate.comparing.rows import HEAD, Row, cells, number

__all__ = ["Report"]

_PARTS = ("layers", "buffers", "outputs", "gradients", "steps")


@dataclass
class Report:
    """The result of `compare`.

    Attributes:
        labels: how the two sides are called.
        rows: the layers in order of execution, then buffers, outputs, weights' gradients, and steps.
        first: the first row that diverged, with its `cause`; None if the sides are equal.
        equal: whether no row diverged.
        losses: the losses of both sides, of every step.
        notes: remarks, such as weights that were not mapped, or settings that differ without an effect.

    Examples:
        >>> import torch
        >>> from torchspore import migrate, nn
        >>> report = migrate.compare(nn.LayerNorm((4,)), torch.nn.LayerNorm(4), torch.rand(2, 4))
        >>> report.equal, report.first.cause.setting
        (False, 'eps')
    """

    labels: tuple[str, str]
    rows: list[Row] = field(default_factory=list)
    losses: list[tuple[float, float]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def first(self) -> Row | None:
        """The first row, in order of execution, in which the sides differ."""
        return next((row for row in self.rows if row.is_bad), None)

    @property
    def equal(self) -> bool:
        """Whether the sides agree but for rounding."""
        return self.first is None

    def __bool__(self) -> bool:
        return self.equal

    def assert_equal(self) -> None:
        """Raise an AssertionError with the report as its text if the sides differ."""
        if not self.equal:
            raise AssertionError(str(self))

    def summary(self) -> str:
        """Return the result in a sentence or two."""
        first = self.first
        if first is None:
            # What GRAPH_MODE adds is a second run of the same gradients.
            rows = [row for row in self.rows if row.verdict == "equal" and row.name != "GRAPH_MODE"]
            counts = {part: sum(row.part == part for row in rows) for part in _PARTS}
            found = ", ".join(f"{count} {part if count > 1 else part[:-1]}" for part, count in counts.items() if count)
            return f"{self.labels[0]} and {self.labels[1]} are equal but for rounding: {found}."
        where = f"'{first.name}'" + (f" / '{first.other}'" if first.other not in ("", first.name) else "")
        text = f"{self.labels[0]} and {self.labels[1]} differ. First in {first.part}: {where}"
        text += f" ({first.type})" if first.type else ""
        return f"{text}, {_distance(first)}.\nCause: {first.cause or 'not found'}."

    def __str__(self) -> str:
        lines = [self.summary(), *self.notes]
        for part in _PARTS:
            rows = [row for row in self.rows if row.part == part]
            if rows:
                lines += ["", part, *_table([HEAD, *(cells(row) for row in rows)])]
        return "\n".join(lines)

    __repr__ = __str__

    def save(self, path: str | Path) -> None:
        """Write the report as one HTML file, which loads nothing from elsewhere."""
        with replacing(os.fspath(path)) as file:
            file.write(document(self._page()).encode())

    def _repr_html_(self) -> str:
        return self._page()

    def _page(self) -> str:
        return page(self.summary(), self.notes, self.rows, self.losses, self.labels)


def _distance(row: Row) -> str:
    if row.absolute is None or math.isinf(row.absolute):
        return row.note or row.verdict
    return f"max difference {number(row.absolute)} where rounding explains {number(row.expected)}"


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD) - 1)]
    return ["  ".join([*(text.ljust(width) for text, width in zip(row, widths)), row[-1]]).rstrip() for row in rows]
