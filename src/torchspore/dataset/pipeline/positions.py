"""Where a pass over the rows of a node begins, and how operations that read a varying number of rows remember it."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Consumed", "Grouped", "Left"]


class Left(NamedTuple):
    """What a pass leaves out at its beginning: the first rows, except for some.

    Args:
        rows: the number of the row from which all come.
        kept: the numbers of earlier rows that come before it, in increasing order.
        found: what the node has found out for the pass when it was told so.
    """

    rows: int = 0
    kept: Sequence[int] = ()
    found: Any = None

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of the rows that come."""
        return itertools.chain(self.kept, itertools.count(self.rows))

    def of(self, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Return those among all rows that come."""
        return np.concatenate([rows[list(self.kept)], rows[self.rows :]]) if self.kept else rows[self.rows :]

    def shifted(self, offset: int) -> Left:
        """Return the same for rows that are numbered from another one."""
        return Left(self.rows + offset, [number + offset for number in self.kept])

    def within(self, start: int, count: int) -> Left:
        """Return the same for `count` rows from `start` on, numbered from 0."""
        kept = [number - start for number in self.kept if start <= number < start + count]
        return Left(min(max(self.rows - start, 0), count), kept)


class Consumed:
    """How many rows below had been read when each row of a pass came; each row is the last one read.

    Args:
        left: what the pass leaves out.
        below: what it leaves out of the rows below: a kept one for each that is kept.
    """

    def __init__(self, left: Left, below: Left) -> None:
        self._start = left.rows
        self._below = below
        self._ends = array("q", [below.rows])
        self._kept = dict(zip(left.kept, below.kept))

    def note(self, end: int) -> None:
        """Note a row, and the number of rows below that have been read with it."""
        self._ends.append(end)

    def below(self, left: Left) -> Left | None:
        """Return what a pass that leaves out some rows leaves out below, or None if that is unknown."""
        end, kept = self._end(left.rows), [self._source(number) for number in left.kept]
        return None if end is None or None in kept else Left(end, [each for each in kept if each is not None])

    def _end(self, row: int) -> int | None:
        index = row - self._start
        return self._ends[index] if 0 <= index < len(self._ends) else None

    def _source(self, row: int) -> int | None:
        end = self._end(row + 1) if row >= self._start else None
        return self._kept.get(row) if end is None else end - 1


class Grouped(Consumed):
    """The same of an operation each of whose rows is made of several, while others wait for theirs."""

    def __init__(self, left: Left, below: Left) -> None:
        super().__init__(left, below)
        self._groups: list[Iterable[int]] = []

    def note_group(self, end: int, rows: Iterable[int]) -> None:
        """Note a row, and the numbers of those it is made of."""
        self.note(end)
        self._groups.append(rows)

    def below(self, left: Left) -> Left | None:
        """Return what a pass that leaves out some rows leaves out below: not the rows that wait."""
        end = self._end(left.rows)
        if end is None or left.kept:
            return None
        done = set(itertools.chain.from_iterable(self._groups[: left.rows - self._start]))
        return Left(end, sorted({*self._below.kept, *range(self._below.rows, end)} - done))
