"""The random orders of the rows of MindRecord files, which MindSpore shuffles differently from other rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.orders import MINIMAL_STANDARD, Step, drawn_one_by_one, shuffle
from torchspore.dataset.sampling.samplers import (
    BuiltinSampler,
    DistributedSampler,
    Positions,
    RandomSampler,
    RowOrders,
    Shuffle,
    Source,
    SubsetRandomSampler,
)

__all__ = ["DrawnSampler", "RecordOrders"]


def _shuffled(rows: list[int], seed: int) -> list[int]:
    result = list(rows)
    shuffle(result, seed, MINIMAL_STANDARD)
    return result


class RecordOrders(RowOrders):
    """How the rows of MindRecord files are ordered at random."""

    def shuffled(self, run: Run, source: Source, sampler: RandomSampler, size: int) -> Positions:
        """Return all rows, or as many as the sampler chooses; the next pass shuffles these again."""
        limit, step = sampler.num_samples or size, _step(source, sampler)
        return _next(run, source, sampler, size, lambda rows, seed: step(rows, seed)[:limit])

    def drawn(self, run: Run, source: Source, sampler: RandomSampler, size: int) -> Positions:
        """Return rows, any of which may come several times; the next pass draws from these."""
        _step(source, sampler)
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
        step = _step(source, sampler)
        return _next(run, source, sampler, size, lambda _, seed: step(list(range(size)), seed), run.shards)


def _step(source: Any, sampler: RandomSampler | DistributedSampler) -> Step:
    """Return the function that shuffles the rows, or files, for a pass from their order in the one before.

    The parts that move, or are shuffled, are as long as the files, whatever they contain by now.
    """
    if sampler.shuffle not in (Shuffle.FILES, Shuffle.INFILE):
        return _shuffled
    if sampler.num_samples or sampler.replacement:
        raise RuntimeError(
            f"For '{type(sampler).__name__}', 'num_samples' and 'replacement' cannot be given together with "
            f"{sampler.shuffle}: use 'take'."
        )
    bounds = [0, *source.file_ends()]

    def step(rows: list[int], seed: int) -> list[int]:
        parts = [rows[start:end] for start, end in pairwise(bounds)]
        if sampler.shuffle is Shuffle.INFILE:
            return [row for part in parts for row in _shuffled(part, seed)]
        return [row for number in _shuffled(list(range(len(parts))), seed) for row in parts[number]]

    return step


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
