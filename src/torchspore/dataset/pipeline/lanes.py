"""The random numbers of the transforms in an operation's rows: those of MindSpore, whoever computes the rows.

In MindSpore the workers of an operation take the rows in turn, and each has its own copy of each random transform,
whose numbers begin from the seed plus the number of the worker. Here a lane is what such a worker computes: one row in
so many. A position in a lane is the count of words that each transform has drawn, so a pass can begin at any row.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from torchspore.dataset.pipeline.positions import Left
from torchspore.dataset.rows.draws import Draws, with_draws

__all__ = ["Lanes", "by_lane"]


class _Turn(NamedTuple):
    """A row to compute: its lane, where the transforms begin, whether the lane goes on from it, and the argument."""

    lane: int
    begin: Sequence[int] | None
    goes_on: bool
    argument: Any


def by_lane(begins: Sequence[int], count: int, row: int) -> list[int]:
    """Return where each of `count` lanes begins, given where that many rows from `row` on do."""
    part = len(begins) // count
    cut = -row % count * part
    return [*begins[cut:], *begins[:cut]]


class Lanes:
    """Calls a function for rows whose random transforms draw the numbers of the lane of the row.

    Args:
        call: the function.
        transforms: the random transforms that it calls, and whether each is a part of another one: then its numbers
            are the same in each lane.
        seed: the seed.
        count: the number of lanes.
        of_epoch: where each transform begins in each lane in this epoch; () is at the start.
        begins: where they begin in the next pass.
    """

    def __init__(
        self, call: Callable[[Any], Any], transforms: Sequence[tuple[object, bool]], seed: int, count: int,
        of_epoch: Sequence[int] = (), begins: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self.count = count
        self.node = 0
        """The id of the node of the pipeline."""
        self.in_pass = False
        self.passes = 0
        """How many passes of this epoch have begun."""
        self.call, self.transforms, self._seed = call, transforms, seed
        self._lanes: dict[int, dict[int, Draws]] = {}
        self._left = Left()
        self._kept: dict[int, Sequence[int]] = {}
        self.of_epoch = [*of_epoch] or [0] * (count * len(transforms))
        self._begins = array("q", begins or self.of_epoch)  # of rows from `_left.rows` on

    def __reduce__(self) -> Any:
        return Lanes, (self.call, self.transforms, self._seed, self.count)

    def __call__(self, turn: _Turn) -> tuple[Any, list[int]]:
        """Return the result for a row, and how much its transforms have drawn then."""
        if turn.begin is None:
            draws = self._lanes[turn.lane]
        else:
            draws = {
                id(transform): Draws(self._seed + (0 if is_part else turn.lane), begin)
                for (transform, is_part), begin in zip(self.transforms, turn.begin)
            }
            if turn.goes_on:
                self._lanes[turn.lane] = draws
        result = with_draws(draws, self.call, turn.argument)
        return result, [each.position for each in draws.values()]

    def turns(self, left: Left, items: Iterable[tuple[Any, Any]]) -> Iterator[tuple[Any, _Turn]]:
        """Yield what to call the lanes with for the keys and arguments of a pass.

        Args:
            left: what the pass leaves out; `found` are the places where its first rows begin.
            items: the keys and arguments.
        """
        size = len(self.transforms)
        begins = self.next_begins() if left.found is None else [*left.found]
        kept, self._left = len(left.kept), left
        parts = [begins[at : at + size] for at in range(0, len(begins), size)]
        self._kept, self._begins = dict(zip(left.kept, parts)), array("q", begins[kept * size :])
        firsts = iter(parts)
        for (key, argument), number in zip(items, left.numbers()):
            yield key, _Turn(number % self.count, next(firsts, None), number >= left.rows, argument)

    def noted(self, results: Iterable[tuple[_Turn, Any]]) -> Iterator[tuple[Any, Any]]:
        """Yield the arguments and results, and note how much the transforms have drawn with each; rows are in order."""
        for turn, (result, ends) in results:
            if turn.goes_on:
                self._begins.extend(ends)
            yield turn.argument, result

    def next_begins(self) -> list[int]:
        """Return where each lane begins in the next pass."""
        size = len(self.transforms)
        last = self._begins[len(self._begins) - self.count * size :]
        return by_lane(last, self.count, self._left.rows + len(self._begins) // size - self.count)

    def end_epoch(self) -> None:
        """Let the next epoch begin where this one ends."""
        self.of_epoch, self.passes = self.next_begins(), 0

    def begins(self, left: Left, number: int) -> list[int] | None:
        """Return where the first rows begin of a pass that leaves out some, or None if that is not known.

        Args:
            left: what it leaves out.
            number: the number of the pass in this epoch.
        """
        if number == self.passes and left.rows == 0:
            return self.next_begins()
        if number != self.passes - 1:
            return None
        numbers = [*left.kept, *range(left.rows, left.rows + self.count)]
        found = [self._begin(number) for number in numbers]
        return None if None in found else [begin for each in found if each is not None for begin in each]

    def _begin(self, number: int) -> Sequence[int] | None:
        size = len(self.transforms)
        at = (number - self._left.rows) * size
        if at < 0:
            return self._kept.get(number)
        return self._begins[at : at + size] if at < len(self._begins) else None
