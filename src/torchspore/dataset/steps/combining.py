"""Operations that join datasets, by columns or by rows."""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np

from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.dataset.pipeline.positions import Left
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.orders import MERSENNE_TWISTER, interleaved
from torchspore.dataset.rows.values import Row
from torchspore.dataset.sampling.samplers import BuiltinSampler, DistributedSampler, RandomSampler
from torchspore.dataset.sources.objects import MappableDataset
from torchspore.dataset.steps.batching import BatchDataset, PaddedBatchDataset
from torchspore.engine.parameters import Length, Rule, checked

__all__ = ["ConcatDataset", "ZipDataset", "zip"]


_SEVERAL = Rule("there must be another dataset", lambda datasets: len(datasets) > 1, RuntimeError)


def _known_counts(datasets: Sequence[Dataset]) -> list[int] | None:
    counts = [dataset._count() for dataset in datasets]
    known = [count for count in counts if count is not None]
    return known if len(known) == len(counts) else None


class ZipDataset(Dataset):
    """The dataset that `Dataset.zip` and `zip` return."""

    @checked(_SEVERAL, api="zip")
    def __init__(self, datasets: Sequence[Dataset]) -> None:
        super().__init__(*datasets)

    def _names(self) -> list[str]:
        names = [name for child in self.children for name in child._names()]
        if len(set(names)) != len(names):
            raise RuntimeError(
                f"For 'zip', the columns of the datasets must have different names, but they are {names}. Use 'rename'."
            )
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        for rows in builtins.zip(*[child._rows(run.inside(number)) for number, child in enumerate(self.children)]):
            yield tuple(itertools.chain.from_iterable(rows))

    def _skip(self, run: Run, left: Left) -> bool:
        return all(child._skip(run, left) for child in self.children)

    def _count(self) -> int | None:
        counts = _known_counts(self.children)
        return None if counts is None else min(counts)


class ConcatDataset(Dataset):
    """The dataset that `Dataset.concat` and `+` return."""

    @checked(_SEVERAL, api="concat")
    def __init__(self, datasets: Sequence[Dataset]) -> None:
        super().__init__(*datasets)
        if 0 in (counts := [dataset._count() for dataset in datasets]):
            raise ValueError(
                f"For 'concat', each dataset must have a row, but the dataset at {counts.index(0)} has none."
            )
        self.sampler: DistributedSampler | RandomSampler | None = None

    def use_sampler(self, sampler: BuiltinSampler) -> None:
        """Take one shard of the joined rows, or mix the rows of the datasets, each of which keeps its order.

        Args:
            sampler: a DistributedSampler without shuffle, or a RandomSampler without replacement, which then also
                holds for joined datasets below. Both without a number of samples.
        """
        if not isinstance(sampler, (DistributedSampler, RandomSampler)):
            raise TypeError(
                f"For 'concat', 'sampler' must be a DistributedSampler or a RandomSampler, but got "
                f"{type(sampler).__name__}."
            )
        if isinstance(sampler, RandomSampler):
            if sampler.replacement or sampler.num_samples:
                raise ValueError("For 'concat', a RandomSampler must have no 'replacement' and no 'num_samples'.")
            for node in _below(self):
                node.sampler, node.dataset_size = sampler, None
            return
        if sampler.is_shuffled() or sampler.num_samples:
            raise ValueError(
                "For 'concat', a DistributedSampler must have shuffle=False and no 'num_samples': shuffle the datasets."
            )
        self._refuse_shards()
        sampler._apply_rules()
        self.sampler = sampler
        self.dataset_size = None

    def _refuse_shards(self) -> None:
        for at, child in enumerate(self.children):
            if isinstance(child, (BatchDataset, PaddedBatchDataset)):
                raise TypeError(
                    f"For 'concat', batches cannot be sharded, but the dataset at {at} has them: call 'batch' after "
                    f"'concat'."
                )
            if isinstance(child, MappableDataset) and child.sampler.get_num_samples() is not None:
                raise ValueError(
                    f"For 'concat', datasets to shard must not have a sampler with 'num_samples', but that at {at} "
                    f"has one: use 'take'."
                )

    def _names(self) -> list[str]:
        names = self.children[0]._names()
        for child in self.children[1:]:
            if child._names() != names:
                raise RuntimeError(
                    f"For 'concat', all datasets must have the same columns in the same order, but got {names} and "
                    f"{child._names()}. Use 'rename' and 'project'."
                )
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        left, done = run.left_out(self), run.left_out(self, "children").kept
        rows = itertools.chain.from_iterable(
            child._rows(run.inside(number)) for number, child in enumerate(self.children) if number not in done
        )
        if self.sampler is None:
            return self._within(rows)
        if isinstance(self.sampler, RandomSampler):
            return self._within(self._interleaved(run))
        kept = itertools.islice(rows, len(left.kept))
        first = 0 if left.rows else self.sampler.shard_id
        return self._within(itertools.chain(kept, itertools.islice(rows, first, None, self.sampler.num_shards)))

    def _interleaved(self, run: Run) -> Iterator[Row]:
        counts = [child.get_dataset_size() for child in self.children]
        words = run.next_words(self, 2 * (sum(counts) + 1), make=MERSENNE_TWISTER.words)
        rows = [child._rows(run.inside(number)) for number, child in enumerate(self.children)]
        return (next(rows[number]) for number in interleaved(counts, words))

    def _skip(self, run: Run, left: Left) -> bool:
        counts = _known_counts(self.children)
        if isinstance(self.sampler, RandomSampler) or counts is None or not run.leave_out(self, left):
            return False
        if self.sampler is not None and left.rows:
            step, first = self.sampler.num_shards, self.sampler.shard_id
            left = Left(first + left.rows * step, [first + number * step for number in left.kept])
        done = []
        for number, (child, start) in enumerate(builtins.zip(self.children, itertools.accumulate([0, *counts]))):
            inside = left.within(start, counts[number])
            if inside.rows == counts[number] and not inside.kept:
                run.leave_out_passes(child, 1)
                done.append(number)
            elif inside.rows and not child._skip(run, inside):
                return False
        return run.leave_out(self, Left(kept=done), "children")

    def _within(self, rows: Iterator[Row]) -> Iterator[Row]:
        kinds: list[Any] = []
        names = self._names()
        for row in rows:
            kinds = kinds or [_kind(value) for value in row]
            for name, kind, value in builtins.zip(names, kinds, row):
                if kind != _kind(value):
                    raise RuntimeError(
                        f"For 'concat', the rows must agree in data type and number of dimensions, but column "
                        f"'{name}' has {kind} and {_kind(value)}."
                    )
            yield row

    def _count(self) -> int | None:
        counts = _known_counts(self.children)
        if counts is None or not isinstance(self.sampler, DistributedSampler):
            return None if counts is None else sum(counts)
        return len(range(self.sampler.shard_id, sum(counts), self.sampler.num_shards))

    def is_sharded(self) -> bool:
        """Return whether the rows are one shard of several."""
        return isinstance(self.sampler, DistributedSampler) or super().is_sharded()

    def is_shuffled(self) -> bool:
        """Return whether the rows come in random order."""
        return isinstance(self.sampler, RandomSampler) or super().is_shuffled()


def _below(node: Dataset) -> Iterator[ConcatDataset]:
    """Yield the joined datasets among a dataset and those below."""
    if isinstance(node, ConcatDataset):
        yield node
    for child in node.children:
        yield from _below(child)


def _kind(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    return "text" if value.dtype.kind in "US" else str(value.dtype), value.ndim


@attach("flat_map")
@checked(api="flat_map")
def _flat_map(self: Dataset, func: Callable[..., Dataset]) -> Dataset:
    """Make a dataset of each row, and concatenate these.

    Args:
        func: a function of the columns that returns a dataset; `flat_map` calls it at once.

    Raises:
        TypeError: `func` does not return a dataset.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2], ["n"], shuffle=False)
        >>> data = data.flat_map(lambda n: ds.NumpySlicesDataset([int(n)] * int(n), ["x"]))
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [1, 2, 2]

    MindSpore: `mindspore.dataset.Dataset.flat_map`.
    """
    parts = []
    for row in self.create_tuple_iterator(num_epochs=1, output_numpy=True):
        part = func(*row)
        if not isinstance(part, Dataset):
            raise TypeError(f"For 'flat_map', 'func' must return a dataset, but got {type(part).__name__}.")
        parts.append(part)
    return ConcatDataset(parts)


@attach("concat")
@checked(api="concat")
def _concat(self: Dataset, datasets: Dataset | list[Dataset]) -> ConcatDataset:
    """Append the rows of other datasets; also written `a + b`.

    Args:
        datasets: one or a list, with the same columns.

    Raises:
        ValueError: a dataset has no rows.
        RuntimeError: the columns differ (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> first, second = ds.NumpySlicesDataset([1], ["x"]), ds.NumpySlicesDataset([2], ["x"])
        >>> [int(row["x"]) for row in (first + second).create_dict_iterator(num_epochs=1)]
        [1, 2]

    MindSpore: `mindspore.dataset.Dataset.concat`.
    """
    return ConcatDataset([self, *([datasets] if isinstance(datasets, Dataset) else datasets)])


@attach("__add__")
def _add(self: Dataset, datasets: Dataset | list[Dataset]) -> ConcatDataset:
    return self.concat(datasets)


@attach("zip")
@checked(api="zip")
def _zip(self: Dataset, datasets: Dataset | tuple[Dataset, ...]) -> Dataset:
    """Add the columns of other datasets, until the shortest ends.

    Args:
        datasets: one or a tuple, with different column names.

    Raises:
        RuntimeError: two columns have the same name (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> first, second = ds.NumpySlicesDataset([1], ["x"]), ds.NumpySlicesDataset([2], ["y"])
        >>> first.zip(second).get_col_names()
        ['x', 'y']

    MindSpore: `mindspore.dataset.Dataset.zip`.
    """
    return ZipDataset((self, datasets) if isinstance(datasets, Dataset) else (self, *datasets))


@checked
def zip(datasets: Annotated[tuple[Dataset, ...], Length(2)]) -> Dataset:
    """Join the columns of datasets, until the shortest ends.

    Args:
        datasets: at least two, with different column names.

    Raises:
        RuntimeError: two columns have the same name (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.zip((ds.NumpySlicesDataset([1], ["x"]), ds.NumpySlicesDataset([2], ["y"])))
        >>> data.get_col_names()
        ['x', 'y']
    """
    return ZipDataset(datasets)
