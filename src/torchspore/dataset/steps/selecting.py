"""Operations that choose and order rows and columns without reading their values."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from torchspore.dataset import config
from torchspore.dataset.checks import indexes
from torchspore.dataset.parameters import BufferSize, Columns, Sizes, Times, Whole, Workers, column_list, ruled
from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.dataset.pipeline.positions import Consumed, Left
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.failures import failed
from torchspore.dataset.rows.orders import mixed, random_words, shuffle
from torchspore.dataset.rows.streams import digest
from torchspore.dataset.rows.values import Row
from torchspore.dataset.sampling.samplers import SubsetSampler
from torchspore.engine.parameters import Rule, checked

__all__ = [
    "FilterDataset", "ProjectDataset", "RenameDataset", "RepeatDataset", "ShuffleDataset", "SkipDataset", "TakeDataset",
]  # fmt: skip

Item = TypeVar("Item")


class _Selecting(Dataset):
    """An operation that passes rows on unchanged; of sources in arrays it passes only the positions of rows."""

    def _store(self) -> Any:
        return self.children[0]._store()

    def _positions(self, run: Run) -> Iterator[int]:
        return self._select(run, self.children[0]._positions)

    def _rows(self, run: Run) -> Iterator[Row]:
        return self._select(run, self.children[0]._rows)

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        raise NotImplementedError


@attach("shuffle")
class ShuffleDataset(_Selecting):
    """Shuffle the rows through a buffer: a random row leaves it, and the next one takes its place.

    Args:
        buffer_size: the number of rows of the buffer, at least 2; with all rows of the dataset the shuffle is complete.

    Raises:
        RuntimeError: the dataset has a `sync_wait`, whose updates would reach rows in any order.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).shuffle(3)
        >>> sorted(int(row["x"]) for row in data.create_dict_iterator(num_epochs=1))
        [1, 2, 3]

    MindSpore: `mindspore.dataset.Dataset.shuffle`.
    """

    def __init__(self, input_dataset: Dataset, buffer_size: BufferSize) -> None:
        super().__init__(input_dataset)
        self.buffer_size = buffer_size
        self.reshuffle_each_epoch = True
        if self.is_sync():
            raise RuntimeError("For 'shuffle', the dataset must not have a 'sync_wait': call it after 'shuffle'.")

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        found = run.left_out(self).found
        if found is None:
            return mixed(epoch(run), self.buffer_size, self._words(run))
        return self._mixed_again(epoch(run), *found)

    def _words(self, run: Run) -> Iterator[int]:
        """Return the random numbers for the next pass."""
        return run.next_words(self, self._count(), None if self.reshuffle_each_epoch else lambda number: 0)

    def _mixed_again(self, rows: Iterator[Item], kept: list[int], waiting: list[int], words: Iterator[int]) -> Any:
        """Yield certain rows, and those that follow where certain others wait in the buffer."""
        below = sorted({*kept, *waiting})
        by_number = dict(zip(below, rows))
        yield from [by_number[number] for number in kept]
        yield from mixed(rows, self.buffer_size, words, [by_number[number] for number in waiting])

    def _skip(self, run: Run, left: Left) -> bool:
        count = self.children[0]._count()
        if count is None or run.marking:
            return count is not None
        words, waiting = self._words(run), list(range(min(self.buffer_size, count)))
        later = iter(range(len(waiting), count))
        gone = list(itertools.islice(mixed(later, self.buffer_size, words, waiting), left.rows))
        waiting.extend(itertools.islice(later, 1 if gone else 0))
        kept = [gone[number] for number in left.kept]
        below = Left(min(left.rows + self.buffer_size, count), sorted({*kept, *waiting}))
        found = kept, waiting, words
        return self.children[0]._skip(run, below) and run.leave_out(self, left._replace(found=found))

    def is_shuffled(self) -> bool:
        """Return whether the rows come in random order: yes."""
        return True


@attach("repeat")
class RepeatDataset(_Selecting):
    """Repeat the rows; each repetition is shuffled anew.

    Args:
        count: the number of repetitions. Default: None, which like -1 means endlessly.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False).repeat(2)
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [1, 2, 1, 2]

    MindSpore: `mindspore.dataset.Dataset.repeat`.
    """

    def __init__(self, input_dataset: Dataset, count: Times | None = None) -> None:
        super().__init__(input_dataset)
        self.count = -1 if count is None else count

    def _skip(self, run: Run, left: Left) -> bool:
        length = self.children[0]._count()
        if not length:
            return False
        passes = left.rows // length
        start = passes * length
        if (left.kept and left.kept[0] < start) or not run.leave_out(self, Left(passes)):
            return False
        run.leave_out_passes(self.children[0], passes)
        return self.children[0]._skip(run, left.shifted(-start))

    @property
    def repetitions(self) -> int:
        """The number of passes over the rows in an epoch; -1 for endlessly."""
        return self.count

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        first = run.left_out(self).rows
        for number in itertools.count(first) if self.count < 0 else range(first, self.count):
            some = False
            for row in epoch(run.inside(number)):
                some = True
                yield row
            if not some:
                return

    def _count(self) -> int | None:
        rows = self.children[0]._count()
        return rows if rows is None or self.count < 0 else rows * self.count

    def get_repeat_count(self) -> int:
        """Return the count; where it is 1, the count of an earlier `repeat`."""
        return self.count if self.count != 1 else super().get_repeat_count()


@attach("take")
class TakeDataset(_Selecting):
    """Keep the first rows.

    Args:
        count: their number. Default: -1, all.

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.NumpySlicesDataset([1, 2, 3], ["x"]).take(2).get_dataset_size()
        2

    MindSpore: `mindspore.dataset.Dataset.take`.
    """

    def __init__(self, input_dataset: Dataset, count: Times = -1) -> None:
        super().__init__(input_dataset)
        self.count = count

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        left = run.left_out(self)
        count = max(self.count - left.rows, 0) + len(left.kept)
        return epoch(run) if self.count < 0 else itertools.islice(epoch(run), count)

    def _skip(self, run: Run, left: Left) -> bool:
        return run.leave_out(self, left) and self.children[0]._skip(run, left)

    def _count(self) -> int | None:
        rows = self.children[0]._count()
        return rows if rows is None or self.count < 0 else min(rows, self.count)


@attach("skip")
class SkipDataset(_Selecting):
    """Skip the first rows.

    Args:
        count: their number.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).skip(2)
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [3]

    MindSpore: `mindspore.dataset.Dataset.skip`.
    """

    def __init__(self, input_dataset: Dataset, count: Whole) -> None:
        super().__init__(input_dataset)
        self.count = count

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        return itertools.islice(epoch(run), self.count - run.left_out(self).rows, None)

    def _skip(self, run: Run, left: Left) -> bool:
        return run.leave_out(self, Left(self.count)) and self.children[0]._skip(run, left.shifted(self.count))

    def _count(self) -> int | None:
        rows = self.children[0]._count()
        return None if rows is None else max(0, rows - self.count)


class _Part(_Selecting):
    """One of the datasets that `Dataset.split` returns, where the source cannot choose its rows itself."""

    def __init__(self, input_dataset: Dataset, chosen: list[int]) -> None:
        super().__init__(input_dataset)
        self._chosen = frozenset(chosen)

    def _select(self, run: Run, epoch: Callable[[Run], Iterator[Item]]) -> Iterator[Item]:
        numbers = run.left_out(self).numbers()
        return (row for number, row in zip(numbers, epoch(run)) if number in self._chosen)

    def _skip(self, run: Run, left: Left) -> bool:
        numbers = [*sorted(self._chosen), self.children[0]._count()]
        if left.rows >= len(numbers) or numbers[-1] is None:
            return False
        below = Left(numbers[left.rows], [numbers[number] for number in left.kept])
        return run.leave_out(self, below) and self.children[0]._skip(run, below)

    def _count(self) -> int | None:
        return len(self._chosen)


@attach("filter")
class FilterDataset(Dataset):
    """Keep the rows for which a function returns a true value.

    Args:
        predicate: the function of the columns.
        input_columns: the columns that it is called with. Default: None, all.
        num_parallel_workers: has no effect, as predicates are called in sequence.

    Raises:
        RuntimeError: there is no such column, or the function raises (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False).filter(lambda x: x % 2 == 0, "x")
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [2, 4]

    MindSpore: `mindspore.dataset.Dataset.filter`.
    """

    def __init__(
        self, input_dataset: Dataset, predicate: Callable[..., Any], input_columns: Columns | None = None,
        num_parallel_workers: Workers = None,
    ) -> None:  # fmt: skip
        super().__init__(input_dataset)
        self.predicate = predicate
        self.input_columns = column_list(input_columns)

    def _names(self) -> list[str]:
        names = super()._names()
        indexes("filter", names, self.input_columns)
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        names = self._names()
        picks = indexes("filter", names, self.input_columns or names)
        start, call = run.calls(self, self.predicate)
        left = run.left_out(self)
        consumed, below = run.consumes(self, left, Consumed), left.found or Left()
        for number, row in zip(below.numbers(), self.children[0]._rows(run)):
            try:
                keep = bool(call((start, number), *[row[pick] for pick in picks]))
            except Exception as error:
                raise failed("filter", self.predicate, error) from error
            if keep:
                if number >= below.rows:
                    consumed.note(number + 1)
                yield row

    def _skip(self, run: Run, left: Left) -> bool:
        below = run.below(self, left)
        if below is None or not self.children[0]._skip(run, below):
            return False
        return run.leave_out(self, left._replace(found=below))

    def _count(self) -> int | None:
        return None


@attach("project")
class ProjectDataset(Dataset):
    """Keep the named columns, in that order.

    Args:
        columns: the names.

    Raises:
        ValueError: a name comes twice.
        RuntimeError: there is no such column (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.NumpySlicesDataset({"x": [1], "y": [2]}).project(["y"]).get_col_names()
        ['y']

    MindSpore: `mindspore.dataset.Dataset.project`.
    """

    def __init__(self, input_dataset: Dataset, columns: Columns) -> None:
        super().__init__(input_dataset)
        self.columns = column_list(columns)

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

    def _skip(self, run: Run, left: Left) -> bool:
        return self.children[0]._skip(run, left)

    def _positions(self, run: Run) -> Iterator[int]:
        return self.children[0]._positions(run)


@attach("rename")
class RenameDataset(Dataset):
    """Rename columns.

    Args:
        input_columns: the columns.
        output_columns: their new names.

    Raises:
        ValueError: the lists have unequal lengths.
        RuntimeError: there is no such column, or another has the new name (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> ds.NumpySlicesDataset({"x": [1], "y": [2]}).rename("x", "z").get_col_names()
        ['z', 'y']

    MindSpore: `mindspore.dataset.Dataset.rename`.
    """

    @ruled(
        Rule(
            "'output_columns' and 'input_columns' must be equally many",
            lambda input_columns, output_columns: len(column_list(input_columns)) == len(column_list(output_columns)),
        )
    )
    def __init__(self, input_dataset: Dataset, input_columns: Columns, output_columns: Columns) -> None:
        super().__init__(input_dataset)
        self.input_column_names, self.output_column_names = column_list(input_columns), column_list(output_columns)

    def _names(self) -> list[str]:
        names = list(self.children[0]._names())
        for index, new in zip(indexes("rename", names, self.input_column_names), self.output_column_names):
            names[index] = new
        if len(set(names)) != len(names):
            raise RuntimeError(f"For 'rename', column names must differ, but they would be {names}.")
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        return self.children[0]._rows(run)

    def _store(self) -> Any:
        return self.children[0]._store()

    def _skip(self, run: Run, left: Left) -> bool:
        return self.children[0]._skip(run, left)

    def _positions(self, run: Run) -> Iterator[int]:
        return self.children[0]._positions(run)


def _with_positions(source: Any, positions: list[int]) -> Dataset:
    part = copy.copy(source)
    part.dataset_size = part._first = None
    part.sampler = copy.copy(source.sampler)
    part.sampler.add_child(SubsetSampler(positions))
    return part


def _part_sizes(sizes: Sequence[Any], total: int) -> list[int]:
    if isinstance(sizes[0], int):
        if sum(sizes) != total:
            raise RuntimeError(f"For 'split', 'sizes' must sum to {total} rows, but got {sizes}: {sum(sizes)}.")
        return list(sizes)
    counts = [round(size * total) for size in sizes]
    if 0 in counts:
        raise RuntimeError(f"For 'split', each part must have a row, but {sizes} of {total} rows are {counts}.")
    step = 1 if sum(counts) < total else -1
    for number in itertools.islice(itertools.cycle(range(len(counts))), abs(total - sum(counts))):
        counts[number] += step
    return counts


@attach("split")
@checked(api="split")
def _split(self: Dataset, sizes: Sizes, randomize: bool = True) -> tuple[Dataset, ...]:
    """Split the rows into disjoint datasets.

    Args:
        sizes: the numbers of rows, which sum to the rows of the dataset, or fractions, which sum to 1.
        randomize: choose the rows at random, with the seed that is set now. Default: True.

    Returns:
        The datasets.

    Raises:
        ValueError: fractions do not sum to 1.
        RuntimeError: the dataset is sharded, the numbers do not sum to its size, or a part has no row.

    Examples:
        >>> import torchspore.dataset as ds
        >>> train, test = ds.NumpySlicesDataset(list(range(10)), ["x"]).split([0.8, 0.2])
        >>> train.get_dataset_size(), test.get_dataset_size()
        (8, 2)

    MindSpore: `mindspore.dataset.Dataset.split`.
    """
    if self.is_sharded():
        raise RuntimeError("For 'split', the dataset must not be sharded; split it first, and take the shards after.")
    total = self.get_dataset_size()
    counts = _part_sizes(sizes, total)
    # a source whose sampler takes all rows can choose itself
    limits = getattr(self, "limits_its_rows", None) if getattr(self, "has_random_access", True) else None
    order, seed = list(range(total)), config.run_seed()
    if randomize and limits is None:
        order = list(mixed(iter(order), total, random_words(seed)))
    elif randomize:
        shuffle(order, seed)
    bounds = list(itertools.accumulate([0, *counts]))
    parts = [order[start:end] for start, end in itertools.pairwise(bounds)]
    make = _Part if limits is None or limits() else _with_positions
    made = tuple([make(self, part) for part in parts])
    for dataset, part in zip(made, parts):
        dataset.chosen_rows = digest(part)
    return made
