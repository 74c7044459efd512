"""The orders of the rows of several files: MindSpore's for the same seed and number of workers.

MindSpore shuffles the files, deals them out to its workers, takes rows from these in turn, and sends the rows through a
shuffle with a buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from torchspore.dataset.rows.orders import mixed

__all__ = ["Positions", "cut", "in_turn", "through_buffer"]

Positions = np.ndarray[Any, np.dtype[np.int64]]
_FILES_IN_BUFFER, _MAX_BUFFER = 4, 10_000  # the latter in rows


def cut(files: Sequence[Positions], first: int, count: int) -> list[Positions]:
    """Return the parts of files that have `count` rows from a first one on, and again from the beginning."""
    rows = np.concatenate(files)
    owners = np.repeat(np.arange(len(files)), [len(each) for each in files])
    chosen = (first + np.arange(count)) % max(len(rows), 1)
    ends = np.flatnonzero((np.diff(owners[chosen]) != 0) | (np.diff(chosen) < 0)) + 1
    return np.split(rows[chosen], ends)


def in_turn(files: Sequence[Positions], workers: int) -> Positions:
    """Return the rows of files in the order in which that many workers read them, each a row at a time."""
    if workers == 1 or len(files) < 2:
        return np.concatenate([np.empty(0, np.int64), *files])
    read = [np.concatenate(files[worker::workers]) for worker in range(min(workers, len(files)))]
    turns = np.concatenate([np.arange(len(each)) for each in read])
    return np.concatenate(read)[np.argsort(turns, kind="stable")]


def through_buffer(rows: Positions, of_file: int, words: Iterator[int]) -> Positions:
    """Return rows in the order in which they leave the buffer.

    Args:
        rows: the rows.
        of_file: the average number of rows of a file in this shard, which determines the size of the buffer.
        words: the random numbers.
    """
    size = min(_FILES_IN_BUFFER * of_file or _MAX_BUFFER, _MAX_BUFFER)
    return np.fromiter(mixed(iter(rows.tolist()), size, words), np.int64, len(rows))
