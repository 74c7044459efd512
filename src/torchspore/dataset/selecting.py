"""Operations that choose, order and join rows and columns without looking into them."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from torchspore.dataset import config
from torchspore.dataset.checks import as_names, check_workers, indexes
from torchspore.dataset.dataset import Dataset
from torchspore.dataset.failures import failed
from torchspore.dataset.run import Run
from torchspore.dataset.samplers import BuiltinSampler, DistributedSampler, SubsetSampler
from torchspore.dataset.values import Row
from torchspore.engine.checks import check_bool, check_callable, check_int

__all__ = [
    "ConcatDataset", "FilterDataset", "ProjectDataset", "RenameDataset", "RepeatDataset", "ShuffleDataset",
    "SkipDataset", "TakeDataset", "ZipDataset", "split",
]  # fmt: skip

Item = TypeVar("Item")


class _Selecting(Dataset):
    """An operation that passes rows on unchanged: of arrays it moves the positions, and the rows are never made."""

    def _store(self) -> Any:
        return self.children[0]._store()

    def _positions(self, run: Run) -> Iterator[int]:
        return self._select(run, self.children[0]._positions)

    def _rows(self, run: Run) -> Iterator[Row]:
        return self._select(run, self.children[0]._rows)

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        raise NotImplementedError


class ShuffleDataset(_Selecting):
    """The dataset that `Dataset.shuffle` returns."""

    def __init__(self, input_dataset: Dataset, buffer_size: int) -> None:
        super().__init__(input_dataset)
        self.buffer_size = check_int(buffer_size, "buffer_size", "shuffle", least=2)

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        random = run.random(self)
        rows = epoch(run)
        buffer = list(itertools.islice(rows, self.buffer_size))
        draws: Iterator[int] = iter(())
        for row in rows:
            place = next(draws, None)
            if place is None:  # many draws at a time cost little more than one
                draws = iter(random.integers(0, len(buffer), 256).tolist())
                place = next(draws)
            yield buffer[place]
            buffer[place] = row
        for place in random.permutation(len(buffer)).tolist():
            yield buffer[place]

    def is_shuffled(self) -> bool:
        """Return whether the rows come in random order: yes."""
        return True


class RepeatDataset(_Selecting):
    """The dataset that `Dataset.repeat` returns."""

    def __init__(self, input_dataset: Dataset, count: int | None) -> None:
        super().__init__(input_dataset)
        self.count = -1 if count is None else check_int(count, "count", "repeat", least=-1)
        if count == 0:
            raise ValueError("For 'repeat', 'count' must be -1 or positive, but got 0.")

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        for number in itertools.count() if self.count < 0 else range(self.count):
            some = False
            for row in epoch(run.inside(number)):
                some = True
                yield row
            if not some:
                return

    def _count(self) -> int | None:
        rows = self.children[0]._count()
        return rows if rows is None or self.count < 0 else rows * self.count

    def _count_by_running(self) -> int:
        return self.children[0].get_dataset_size() * max(self.count, 1)

    def get_repeat_count(self) -> int:
        """Return the count."""
        return self.count


class TakeDataset(_Selecting):
    """The dataset that `Dataset.take` returns."""

    def __init__(self, input_dataset: Dataset, count: int) -> None:
        super().__init__(input_dataset)
        self.count = check_int(count, "count", "take", least=-1)
        if count == 0:
            raise ValueError("For 'take', 'count' must be -1 or positive, but got 0.")

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        return epoch(run) if self.count < 0 else itertools.islice(epoch(run), self.count)

    def _count(self) -> int | None:
        rows = self.children[0]._count()
        return rows if rows is None or self.count < 0 else min(rows, self.count)


class SkipDataset(_Selecting):
    """The dataset that `Dataset.skip` returns."""

    def __init__(self, input_dataset: Dataset, count: int) -> None:
        super().__init__(input_dataset)
        self.count = check_int(count, "count", "skip", least=0)

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        return itertools.islice(epoch(run), self.count, None)

    def _count(self) -> int | None:
        rows = self.children[0]._count()
        return None if rows is None else max(0, rows - self.count)


class _Part(_Selecting):
    """One of the datasets that `Dataset.split` returns, where the source cannot be told which rows to give."""

    def __init__(self, input_dataset: Dataset, chosen: list[int]) -> None:
        super().__init__(input_dataset)
        self._chosen = frozenset(chosen)

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        return (row for number, row in enumerate(epoch(run)) if number in self._chosen)

    def _count(self) -> int | None:
        return len(self._chosen)


class FilterDataset(Dataset):
    """The dataset that `Dataset.filter` returns."""

    def __init__(
        self,
        input_dataset: Dataset,
        predicate: Callable[..., Any],
        input_columns: str | Sequence[str] | None = None,
        num_parallel_workers: int | None = None,
    ) -> None:
        super().__init__(input_dataset)
        self.predicate = check_callable(predicate, "predicate", "filter")
        self.input_columns = as_names("filter", "input_columns", input_columns or [])
        check_workers("filter", num_parallel_workers)

    def _names(self) -> list[str]:
        names = super()._names()
        indexes("filter", names, self.input_columns)
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        names = self._names()
        picks = indexes("filter", names, self.input_columns or names)
        start, call = run.calls(self, self.predicate)
        for number, row in enumerate(self.children[0]._rows(run)):
            try:
                keep = bool(call((start, number), *[row[pick] for pick in picks]))
            except Exception as error:
                raise failed("filter", self.predicate, error) from error
            if keep:
                yield row

    def _count(self) -> int | None:
        return None


class ProjectDataset(Dataset):
    """The dataset that `Dataset.project` returns."""

    def __init__(self, input_dataset: Dataset, columns: str | Sequence[str]) -> None:
        super().__init__(input_dataset)
        self.columns = as_names("project", "columns", columns)

    def _picks(self) -> list[int]:
        return indexes("project", self.children[0]._names(), self.columns)

    def _names(self) -> list[str]:
        self._picks()
        return self.columns

    def _rows(self, run: Run) -> Iterator[Row]:
        picks = self._picks()
        return (tuple([row[pick] for pick in picks]) for row in self.children[0]._rows(run))

    def _store(self) -> Any:
        store = self.children[0]._store()
        return None if store is None else store.project(self._picks())

    def _positions(self, run: Run) -> Iterator[int]:
        return self.children[0]._positions(run)


class RenameDataset(Dataset):
    """The dataset that `Dataset.rename` returns."""

    def __init__(
        self, input_dataset: Dataset, input_columns: str | Sequence[str], output_columns: str | Sequence[str]
    ) -> None:
        super().__init__(input_dataset)
        self.input_columns = as_names("rename", "input_columns", input_columns)
        self.output_columns = as_names("rename", "output_columns", output_columns)
        if len(self.input_columns) != len(self.output_columns):
            raise ValueError(
                f"For 'rename', there must be as many 'output_columns' as 'input_columns', but got "
                f"{self.output_columns} for {self.input_columns}."
            )

    def _names(self) -> list[str]:
        names = list(self.children[0]._names())
        for place, new in zip(indexes("rename", names, self.input_columns), self.output_columns):
            names[place] = new
        if len(set(names)) != len(names):
            raise RuntimeError(f"For 'rename', column names must differ, but they would be {names}.")
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        return self.children[0]._rows(run)

    def _store(self) -> Any:
        return self.children[0]._store()

    def _positions(self, run: Run) -> Iterator[int]:
        return self.children[0]._positions(run)


class ZipDataset(Dataset):
    """The dataset that `Dataset.zip` and `zip` return."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        if not all(isinstance(each, Dataset) for each in datasets):
            raise TypeError(f"For 'zip', 'datasets' must be datasets, but got {datasets!r}.")
        super().__init__(*datasets)

    def _names(self) -> list[str]:
        names = [name for child in self.children for name in child._names()]
        if len(set(names)) != len(names):
            raise RuntimeError(
                f"For 'zip', the columns of the datasets must have different names, but they are {names}. Use 'rename'."
            )
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        for rows in zip(*[child._rows(run.inside(place)) for place, child in enumerate(self.children)]):
            yield tuple(itertools.chain.from_iterable(rows))

    def _count(self) -> int | None:
        counts = [child._count() for child in self.children]
        known = [count for count in counts if count is not None]
        return min(known) if len(known) == len(counts) else None


class ConcatDataset(Dataset):
    """The dataset that `Dataset.concat` and `+` return."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        if not all(isinstance(each, Dataset) for each in datasets):
            raise TypeError(f"For 'concat', 'datasets' must be datasets, but got {datasets!r}.")
        super().__init__(*datasets)
        self._sampler: DistributedSampler | None = None

    def use_sampler(self, sampler: BuiltinSampler) -> None:
        """Take one shard of the joined rows.

        Args:
            sampler: a DistributedSampler without shuffle and without a number of samples.

        Raises:
            TypeError: it is another sampler.
            ValueError: it shuffles, or has a number of samples.

        MindSpore: `mindspore.dataset.ConcatDataset.use_sampler`.
        """
        if not isinstance(sampler, DistributedSampler):
            raise TypeError(f"For 'concat', 'sampler' must be a DistributedSampler, but got {type(sampler).__name__}.")
        if sampler.shuffle or sampler.num_samples:
            raise ValueError(
                "For 'concat', a DistributedSampler must have shuffle=False and no 'num_samples': shuffle the datasets."
            )
        self._sampler = sampler
        self._counted = None

    def _names(self) -> list[str]:
        names = self.children[0]._names()
        for child in self.children[1:]:
            if child._names() != names:
                raise RuntimeError(
                    f"For 'concat', all datasets must have the same columns in one order, but got {names} and "
                    f"{child._names()}. Use 'rename' and 'project'."
                )
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        rows = itertools.chain.from_iterable(
            child._rows(run.inside(place)) for place, child in enumerate(self.children)
        )
        if self._sampler is None:
            return self._alike(rows)
        return self._alike(itertools.islice(rows, self._sampler.shard_id, None, self._sampler.num_shards))

    def _alike(self, rows: Iterator[Row]) -> Iterator[Row]:
        kinds: list[Any] = []
        names = self._names()
        for row in rows:
            kinds = kinds or [_kind(value) for value in row]
            for name, kind, value in zip(names, kinds, row):
                if kind != _kind(value):
                    raise RuntimeError(
                        f"For 'concat', the rows must agree in data type and number of dimensions, but column "
                        f"'{name}' has {kind} and {_kind(value)}."
                    )
            yield row

    def _count(self) -> int | None:
        counts = [child._count() for child in self.children]
        known = [count for count in counts if count is not None]
        if len(known) < len(counts):
            return None
        if self._sampler is not None:
            return len(range(self._sampler.shard_id, sum(known), self._sampler.num_shards))
        return sum(known)

    def is_sharded(self) -> bool:
        """Return whether the rows are one shard of several."""
        return self._sampler is not None or super().is_sharded()


def _kind(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    return "text" if value.dtype.kind in "US" else str(value.dtype), value.ndim


def split(dataset: Dataset, sizes: Sequence[int] | Sequence[float], randomize: bool) -> tuple[Dataset, ...]:
    """Return the parts of a dataset; see `Dataset.split`."""
    check_bool(randomize, "randomize", "split")
    total = dataset.get_dataset_size()
    counts = _part_sizes(sizes, total)
    order = np.random.default_rng(config.run_seed()).permutation(total) if randomize else np.arange(total)
    bounds = list(itertools.accumulate([0, *counts]))
    parts = [order[start:end].tolist() for start, end in itertools.pairwise(bounds)]
    limits = getattr(dataset, "limits_its_rows", None)  # a source whose sampler takes them all can be told which
    if limits is None or limits():
        return tuple(_Part(dataset, part) for part in parts)
    return tuple(_of_positions(dataset, part) for part in parts)


def _of_positions(source: Any, positions: list[int]) -> Dataset:
    part = copy.copy(source)
    part._counted = part._first = None
    part.sampler = copy.copy(source.sampler)
    part.sampler.add_child(SubsetSampler(positions))
    return part


def _part_sizes(sizes: Any, total: int) -> list[int]:
    if not isinstance(sizes, (list, tuple)):
        raise TypeError(f"For 'split', 'sizes' must be a list, but got {type(sizes).__name__}.")
    if not sizes or not (all(type(size) is int for size in sizes) or all(type(size) is float for size in sizes)):
        raise ValueError(f"For 'split', 'sizes' must be ints, or floats, and at least one, but got {sizes}.")
    if min(sizes) <= 0:
        raise ValueError(f"For 'split', 'sizes' must be positive, but got {sizes}.")
    if isinstance(sizes[0], int):
        if sum(sizes) != total:
            raise RuntimeError(f"For 'split', 'sizes' must sum up to {total} rows, but got {sizes}: {sum(sizes)}.")
        return list(sizes)
    if abs(sum(sizes) - 1) > 1e-6:
        raise ValueError(f"For 'split', 'sizes' in floats must sum up to 1, but got {sizes}: {sum(sizes)}.")
    counts = [round(size * total) for size in sizes]
    if 0 in counts:
        raise RuntimeError(f"For 'split', each part must have a row, but {sizes} of {total} rows are {counts}.")
    step = 1 if sum(counts) < total else -1
    for number in itertools.islice(itertools.cycle(range(len(counts))), abs(total - sum(counts))):
        counts[number] += step
    return counts
