"""The random orders of the rows of MindRecord files, which MindSpore shuffles in another way than those of others."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from torchspore.dataset.orders import MINIMAL_STANDARD, Step, drawn_one_by_one, shuffle
from torchspore.dataset.run import Run
from torchspore.dataset.samplers import (
    BuiltinSampler,
    DistributedSampler,
    Positions,
    RandomSampler,
    RowOrders,
    Shuffle,
    Source,
    SubsetRandomSampler,
)

__all__ = ["DrawnSampler", "FilesSampler", "RecordOrders", "ShardedFilesSampler"]


def _shuffled(rows: list[int], seed: int) -> list[int]:
    result = list(rows)
    shuffle(result, seed, MINIMAL_STANDARD)
    return result


class RecordOrders(RowOrders):
    """How the rows of MindRecord files are ordered at random."""

    def shuffled(self, run: Run, source: Source, sampler: RandomSampler, size: int) -> Positions:
        """Return all rows, or as many as the sampler chooses; the next pass shuffles these again."""
        limit = sampler.num_samples or size
        return _next(run, source, sampler, size, lambda rows, seed: _shuffled(rows, seed)[:limit])

    def drawn(self, run: Run, source: Source, sampler: RandomSampler, size: int) -> Positions:
        """Return rows, any of which may come several times; the next pass draws from these."""
        wanted = sampler.num_samples or size
        count = wanted if isinstance(sampler, DrawnSampler) else min(wanted, size)

        def step(rows: list[int], seed: int) -> list[int]:
            return [rows[index] for index in drawn_one_by_one(len(rows), count, seed)] if rows else []

        return _next(run, source, sampler, size, step)

    def mixed(self, run: Run, source: Source, sampler: SubsetRandomSampler, rows: list[int]) -> Positions:
        """Return given rows in an order that stays the same where a seed is set."""

        def seed_of(number: int) -> int:
            return run.order_seed + 1 + (0 if run.seeded else number)

        return run.next_order(source, sampler, rows, seed_of, lambda _, seed: _shuffled(rows, seed))

    def common(self, run: Run, source: Source, sampler: DistributedSampler, size: int) -> Positions:
        """Return all rows, where each pass begins with their order in the files."""
        return _next(run, source, sampler, size, lambda _, seed: _shuffled(list(range(size)), seed), run.shards)


def _next(
    run: Run, source: Source, sampler: BuiltinSampler, size: int, step: Step, seed: int | None = None
) -> Positions:
    first = (run.order_seed if seed is None else seed) + 1
    return run.next_order(source, sampler, list(range(size)), lambda number: first + number, step)


class DrawnSampler(RandomSampler):
    """Draws rows, as MindSpore does where a number of them is to be shuffled: any of them may come several times."""

    def __init__(self, num_samples: int) -> None:
        super().__init__(True, num_samples)

    def _count(self, size: int, source: Source) -> int:
        return self.num_samples or size


class FilesSampler(BuiltinSampler):
    """Shuffles the order of the files, or the rows of each file.

    Args:
        level: Shuffle.FILES or Shuffle.INFILE.
        ends: for each file the position after its last row.
    """

    _shuffles = True

    def __init__(self, level: Shuffle, ends: list[int]) -> None:
        super().__init__()
        self.level = level
        self.bounds = [0, *ends]

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        return _next(run, source, self, size, self.step)

    def step(self, rows: list[int], seed: int) -> list[int]:
        """Return the rows of the next pass; their parts are as long as the files, whatever they contain by now."""
        parts = [rows[start:end] for start, end in pairwise(self.bounds)]
        if self.level is Shuffle.INFILE:
            return [row for part in parts for row in _shuffled(part, seed)]
        return [row for number in _shuffled(list(range(len(parts))), seed) for row in parts[number]]


class ShardedFilesSampler(DistributedSampler):
    """Chooses a shard after `FilesSampler` has shuffled, each time from the order of the rows in the files.

    Args:
        files: the sampler that shuffles.
        num_shards, shard_id: as for `DistributedSampler`.
    """

    def __init__(self, files: FilesSampler, num_shards: int, shard_id: int, num_samples: int | None = None) -> None:
        super().__init__(num_shards, shard_id, True, num_samples)
        self.files = files

    def _choose(self, size: int, run: Run, source: Source) -> Positions:
        order = _next(run, source, self, size, lambda _, seed: self.files.step(list(range(size)), seed), run.shards)
        positions: Any = self.shard_id + self.num_shards * np.arange(self._count(size, source))
        return order[positions % size] if size else order
