"""What one iterator keeps from epoch to epoch: its seed, the passes of each operation, and worker processes."""

from __future__ import annotations

import threading
import weakref
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from torchspore.dataset import config

if TYPE_CHECKING:
    from torchspore.dataset.tree import Node
    from torchspore.dataset.workers import Workers

__all__ = ["Run", "row_random", "row_seed", "set_row"]

Key = tuple[int, ...]


class _Row(threading.local):
    """The row that a thread is at work on, for transforms that draw random numbers."""

    key: Key | None = None
    drawn: Key | None = None  # the row that `generator` is of
    generator: np.random.Generator | None = None


_row = _Row()


def set_row(key: Key | None) -> None:
    """Say which row this thread works on: (seed, operation, pass, index), or None for none."""
    _row.key = key


def row_random() -> np.random.Generator | None:
    """Return the generator of the row in work, the same whichever worker has it; None outside pipelines."""
    if _row.key is None:
        return None
    if _row.drawn is not _row.key:
        _row.drawn = _row.key
        _row.generator = np.random.default_rng(_row.key)
    return _row.generator


def row_seed(key: Key) -> int:
    """Return a number of 32 bits for a row."""
    return hash(key) & 0xFFFFFFFF  # of ints, the same in every process


class Run:
    """One iteration over a pipeline.

    Args:
        root: the last operation of the pipeline.
        tells: whether callbacks are told of it. Default: True.
    """

    def __init__(self, root: Node, tells: bool = True) -> None:
        self.seed = config.run_seed()
        self.epoch = 0
        self.tells = tells
        self.steps: dict[int, int] = {}  # the rows that callbacks of an operation were told of, by its id
        self._numbers: dict[int, int] = {}
        self._passes: Counter[int] = Counter()
        self._idle: defaultdict[int, list[Workers]] = defaultdict(list)
        self._workers: list[Workers] = []
        self._number(root)
        self._close = weakref.finalize(self, _close, self._workers)

    def _number(self, node: Node) -> None:
        """Number what is below first, so that an operation's number, and its seed, does not depend on those above."""
        if id(node) not in self._numbers:
            for child in node.children:
                self._number(child)
            self._numbers[id(node)] = len(self._numbers)

    def passes(self) -> list[tuple[int, int]]:
        """Return how often each operation has been passed over: (its number, the count)."""
        return list(self._passes.items())

    def go_on(self, seed: int, epoch: int, passes: Iterable[tuple[int, int]]) -> None:
        """Be the run that had this seed, in that epoch and after those `passes`."""
        self.seed, self.epoch = seed, epoch
        self._passes = Counter(dict(passes))

    def next_pass(self, node: Node) -> Key:
        """Return the seed for the next pass over a node's rows: another one for each epoch and repetition."""
        number = self._numbers.setdefault(id(node), len(self._numbers))
        self._passes[number] += 1
        return (self.seed, number, self._passes[number])

    def random(self, node: Node) -> np.random.Generator:
        """Return the generator for the next pass over a node's rows."""
        return np.random.default_rng(self.next_pass(node))

    @contextmanager
    def workers(self, node: Node, make: Callable[[], Workers]) -> Iterator[Workers]:
        """Lend the worker processes of a node, which live as long as this run."""
        idle = self._idle[id(node)]
        if idle:
            workers = idle.pop()
        else:
            workers = make()
            self._workers.append(workers)
        try:
            yield workers
        except BaseException:
            workers.close()
            raise
        if workers.usable:
            idle.append(workers)

    def close(self) -> None:
        """End all worker processes."""
        self._close()


def _close(workers: list[Workers]) -> None:
    for each in workers:
        each.close()
