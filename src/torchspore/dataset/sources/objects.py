"""Sources: rows from Python objects and arrays."""

from __future__ import annotations

import contextlib
import copy
import itertools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Annotated, Any, TypeAlias

import numpy as np
import torch

from torchspore.common.error_classes import also
from torchspore.dataset.checks import as_names, indexes
from torchspore.dataset.parameters import Count, RowSize, Shard, Workers, checked, extends
from torchspore.dataset.pipeline.computing import computed
from torchspore.dataset.pipeline.dataset import Dataset, SourceDataset
from torchspore.dataset.pipeline.positions import Left
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.failures import BadValue, Raised, failed
from torchspore.dataset.rows.values import Array, Row, as_column, is_held, owned, stacked
from torchspore.dataset.sampling.samplers import (
    BuiltinSampler,
    Level,
    PKSampler,
    RandomSampler,
    RowOrders,
    SequentialSampler,
    choose,
)
from torchspore.dataset.sources.schema import Schema, column_type
from torchspore.dataset.value_checks import wrong_type
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Rule, Where

__all__ = ["GeneratorDataset", "MappableDataset", "NumpySlicesDataset", "PaddedDataset"]


_Iterable: TypeAlias = Annotated[Any, Where("iterable", lambda value: isinstance(value, Iterable), TypeError)]
_NO_ARRAY = also(TypeError, RuntimeError)
_TOO_FEW = also(ValueError, RuntimeError)


class ArrayStore:
    """Rows that are slices of arrays.

    Args:
        columns: arrays of one length.
    """

    def __init__(self, columns: Sequence[Array]) -> None:
        self.columns = tuple(columns)

    def __len__(self) -> int:
        return len(self.columns[0])

    def row(self, position: int) -> Row:
        """Return a copy of one row."""
        return tuple([np.array(column[position]) for column in self.columns])

    def gather(self, positions: list[int]) -> Row:
        """Return several rows as a batch."""
        index = np.array(positions)
        return tuple([column.take(index, 0) for column in self.columns])

    def project(self, picks: list[int]) -> ArrayStore:
        """Return the store of some of the columns."""
        return ArrayStore([self.columns[pick] for pick in picks])


class MappableDataset(SourceDataset):
    """The base of sources with random access: a sampler chooses the rows and their order.

    All of them take these arguments. Those that read files also take `num_parallel_workers`, which has no effect where
    rows lie in memory, and `cache`, a `DatasetCache`, which has no effect; they raise ValueError if there is no such
    folder or file and, when iterated, RuntimeError if a file is missing, cannot be read or has another format.

    Args:
        sampler: the sampler, or an iterable of positions. Default: None, what the other arguments say.
        num_samples: the maximum number of rows. Default: None, all.
        shuffle: whether to shuffle the rows. Default: None, yes, unless there is a sampler.
        num_shards: the number of shards to split the rows into. Default: None, one.
        shard_id: the shard to take.

    Raises:
        ValueError: `sampler` is given together with others, or one of `num_shards` and `shard_id` alone.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"])
        >>> data.use_sampler(ds.SubsetSampler([2]))
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [3]
    """

    columns: Sequence[str]
    num_samples: int | None  # an argument, as others
    orders = RowOrders()
    _takes_both = False  # a sampler and other arguments
    _refuses: tuple[type[BuiltinSampler], ...] = ()  # samplers that MindSpore cannot use here

    @checked()
    def __init__(
        self, sampler: Any = None, num_samples: Count = None, shuffle: Level | None = None, num_shards: Shard = None,
        shard_id: Shard = None,
    ) -> None:  # fmt: skip
        super().__init__()
        name = type(self).__name__
        self.sampler = self._usable(choose(name, sampler, shuffle, num_samples, num_shards, shard_id, self._takes_both))

    def _usable(self, sampler: BuiltinSampler) -> BuiltinSampler:
        """Return a sampler, or raise an error if it is none for this source."""
        if isinstance(sampler, self._refuses):
            raise ValueError(
                f"For '{type(self).__name__}', a {type(sampler).__name__} cannot choose the rows: use another sampler."
            )
        return sampler

    def _names(self) -> list[str]:
        return list(self.columns)

    def _length(self) -> int:
        return len(self._store())

    def _rows(self, run: Run) -> Iterator[Row]:
        store = self._store()
        return (store.row(position) for position in self._positions(run))

    def _positions(self, run: Run) -> Iterator[int]:
        return iter(run.left_out(self, "positions").of(self.sampler.positions(run, self)).tolist())

    def _skip(self, run: Run, left: Left) -> bool:
        return run.leave_out(self, left) and run.leave_out(self, left, "positions")

    def _count(self) -> int | None:
        return self.sampler.count(self)

    def labels(self, column: str) -> Array:
        """Return a column of all rows, for samplers that choose by class.

        Raises:
            RuntimeError: there is no such column.
        """
        (index,) = indexes(type(self).__name__, self._names(), [column])
        return np.asarray(self._store().columns[index])

    @checked(api="use_sampler")
    def use_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Replace the sampler, but not its child: in a part of a `split` the child chooses the rows of the part."""
        self._usable(new_sampler)
        if self.sampler.child_sampler is not None:
            new_sampler = copy.copy(new_sampler)  # another dataset may have it, too
            new_sampler.add_child(self.sampler.child_sampler)
        self.sampler = new_sampler
        self.dataset_size = self._first = None

    @checked(api="add_sampler")
    def add_sampler(self, new_sampler: BuiltinSampler) -> None:
        """Let another sampler choose among what the current one has chosen.

        Raises:
            RuntimeError: the new sampler has a child.
        """
        self._usable(new_sampler)
        new_sampler.add_child(self.sampler)
        self.sampler = new_sampler
        self.dataset_size = self._first = None

    def limits_its_rows(self) -> bool:
        """Return whether the sampler leaves out rows, or repeats some."""
        plain = type(self.sampler) in (SequentialSampler, RandomSampler) and not self.sampler.replacement
        return not (plain and self.sampler.child_sampler is None and self._count() == self._length())

    def is_shuffled(self) -> bool:
        """Return whether the rows come in random order."""
        return self.sampler.is_shuffled()

    def is_sharded(self) -> bool:
        """Return whether the rows are one shard of several."""
        return self.sampler.is_sharded()


class _NamedColumns(MappableDataset):
    """A source whose columns get their names from the program."""

    @property
    def column_names(self) -> Sequence[str]:
        """The names of the columns."""
        return self.columns

    @column_names.setter
    def column_names(self, column_names: str | Sequence[str]) -> None:
        api = type(self).__name__
        names = as_names(api, "column_names", column_names)
        if len(names) != len(self.columns):
            raise ValueError(
                f"For '{api}', there must be {len(self.columns)} 'column_names', one for each column, but got {names}."
            )
        self.columns = names


class NumpySlicesDataset(_NamedColumns):
    """Rows that are slices of arrays or lists along their first dimension.

    Args:
        data: an array or list for one column; a tuple of them for several; or a dict from column names to them.
        column_names: the names. Default: None, the keys of a dict, or "column_0", "column_1" and so on.
        num_parallel_workers: has no effect, as slicing is not computed in parallel. Default: 1.
        num_samples, shuffle, sampler, num_shards, shard_id: as for `MappableDataset`.

    Raises:
        ValueError: there are no rows, columns have unequal lengths, or arguments exclude each other.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset({"x": [[1, 2], [3, 4]], "y": [5, 6]}, shuffle=False)
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     print(row["x"], row["y"])
        [1 2] 5
        [3 4] 6
    """

    _takes_both = True
    _in_memory = True
    _refuses = (PKSampler,)

    @extends(MappableDataset)
    def __init__(
        self, data: Any, column_names: str | Sequence[str] | None = None, num_samples: Count = None,
        num_parallel_workers: Workers = 1, shuffle: bool | None = None, sampler: Any = None, num_shards: Shard = None,
        shard_id: Shard = None,
    ) -> None:  # fmt: skip
        self.num_parallel_workers = num_parallel_workers
        if isinstance(data, dict):
            names, columns = [str(name) for name in data], list(data.values())
        else:
            columns = list(data) if isinstance(data, tuple) else [data]
            names = [f"column_{number}" for number in range(len(columns))]
        if column_names is not None:
            names = as_names("NumpySlicesDataset", "column_names", column_names)
            if len(names) != len(columns):
                raise ValueError(
                    f"For 'NumpySlicesDataset', there must be {len(columns)} 'column_names', one for each column, but "
                    f"got {names}."
                )
        self.columns = names
        self._arrays = ArrayStore([_as_slices(column) for column in columns])
        lengths = [len(column) for column in self._arrays.columns]
        if not lengths or not lengths[0]:
            raise ValueError("For 'NumpySlicesDataset', 'data' must have at least one row, but is empty.")
        if len(set(lengths)) > 1:
            raise ValueError(f"For 'NumpySlicesDataset', the columns must have one length, but {names} have {lengths}.")

    def _length(self) -> int:
        return len(self._arrays)

    def _store(self) -> ArrayStore | None:
        return None if any(column.dtype.kind == "O" for column in self._arrays.columns) else self._arrays

    def _rows(self, run: Run) -> Iterator[Row]:
        return map(self._arrays.row, self._positions(run))

    def labels(self, column: str) -> Array:
        """Return a column of all rows."""
        (index,) = indexes("NumpySlicesDataset", self.columns, [column])
        return self._arrays.columns[index]


def _as_slices(data: Any) -> Array:
    if not isinstance(data, np.ndarray) and not hasattr(data, "__array__") and not isinstance(data, (list, tuple)):
        raise wrong_type(data, (list, tuple, dict, np.ndarray), "data", "NumpySlicesDataset")
    try:
        array = np.asarray(data)
    except ValueError:
        array = _of_unequal_shapes(data)
    rows = array if array.ndim and array.dtype.kind == "O" else [array]
    if array.ndim == 0 or not all(isinstance(each, np.ndarray) and is_held(each) for each in rows):
        raise _NO_ARRAY(
            f"For 'NumpySlicesDataset', each column must be a list or an array of real numbers, bools or strs, but got "
            f"{describe(data)}."
        )
    return array


def _of_unequal_shapes(data: Sequence[Any]) -> Array:
    """Return an array with an array for each row."""
    rows = np.empty(len(data), object)
    with contextlib.suppress(ValueError):  # a row that has no shape either
        rows[:] = [np.asarray(each) for each in data]
        return rows
    return np.array(None)


class PaddedDataset(_NamedColumns):
    """A source of rows to pad another dataset with, so that it can be split into equal shards.

    Args:
        padded_samples: a list of dicts from column names to values, not empty, all with the same keys.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset({"x": [1, 2, 3]}, shuffle=False) + ds.PaddedDataset([{"x": 0}])
        >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
        [1, 2, 3, 0]
    """

    _in_memory = True
    _refuses = (PKSampler,)

    @checked()
    def __init__(self, padded_samples: list[dict[str, Any]]) -> None:
        super().__init__(shuffle=False)
        if len({tuple(each) for each in padded_samples}) != 1:
            raise ValueError("For 'PaddedDataset', 'padded_samples' must not be empty, and have the same keys.")
        for at, sample in enumerate(padded_samples):
            for name, value in sample.items():
                try:
                    as_column(value)
                except BadValue as error:
                    raise also(RuntimeError, TypeError)(
                        f"For 'PaddedDataset', 'padded_samples[{at}][{name!r}]': {error}."
                    ) from None
        self._samples = padded_samples
        self.columns = list(padded_samples[0])

    def _length(self) -> int:
        return len(self._samples)

    def _rows(self, run: Run) -> Iterator[Row]:
        for position in self._positions(run):
            yield tuple([owned(value) for value in self._samples[position].values()])


class _Repeatable:
    """The rows of a generator, which are kept, so that they can be iterated again."""

    def __init__(self, rows: types.GeneratorType[Any, Any, Any]) -> None:
        (self._first,) = itertools.tee(rows, 1)

    def __iter__(self) -> Iterator[Any]:
        return copy.copy(self._first)  # it continues from the first row; all copies share those that were generated


class GeneratorDataset(_NamedColumns):
    """Rows from Python: from an object with `__getitem__` and `__len__`, an iterable, or a function that yields.

    A row is a tuple with a value for each column, the value of the only column, or a dict with the names of several
    columns. Values are copied, so the source may reuse its memory. Datasets of PyTorch and of Hugging Face are sources.

    Args:
        source: the object. With `__getitem__` and `__len__` it has random access; an iterable is iterated each epoch,
            and a function called. The rows of a generator or of `zip` are kept for the next epochs.
        column_names: the names of the columns; this or `schema`.
        column_types: a list with the data type for each, which its values must have, or None for any. Default: None.
        schema: a `Schema` with names and types; its shapes are not compared.
        num_parallel_workers: the number of rows to compute at a time, with random access. Default: 1.
        python_multiprocessing: whether several workers are processes; otherwise they are threads. Default: True.
        max_rowsize: has no effect: it sizes MindSpore's shared memory, which is not used here.
        batch_sampler: an iterable of lists of positions, each for one batch. Default: None.
        collate_fn: with `batch_sampler`, a function of a list of values for each column that returns the batch.
            Default: None, the values are stacked.
        num_samples, shuffle, sampler, num_shards, shard_id: as for `MappableDataset`; a sampler and shards need random
            access, and only then rows are shuffled.

    Raises:
        ValueError: names are missing, or arguments exclude each other.
        RuntimeError: the source raises, or a row does not have a value for each column (when iterated).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset as ds
        >>> class Squares:
        ...     def __len__(self):
        ...         return 3
        ...     def __getitem__(self, index):
        ...         return np.array(index), np.array(index**2)
        >>> data = ds.GeneratorDataset(Squares(), ["n", "square"], shuffle=False)
        >>> [(int(n), int(square)) for n, square in data]
        [(0, 0), (1, 1), (2, 4)]
    """

    _takes_both = True
    _in_memory = True
    _refuses = (PKSampler,)

    @checked(
        Rule(
            "'collate_fn' can be given only together with 'batch_sampler'",
            lambda collate_fn, batch_sampler: collate_fn is None or batch_sampler is not None,
        )
    )
    def __init__(
        self, source: Any, column_names: str | Sequence[str] | None = None, column_types: Sequence[Any] | None = None,
        schema: Schema | str | None = None, num_samples: Count = None, num_parallel_workers: Workers = 1,
        shuffle: bool | None = None, sampler: Any = None, num_shards: Count = None, shard_id: Count = None,
        python_multiprocessing: bool = True, max_rowsize: RowSize | None = None, batch_sampler: _Iterable | None = None,
        collate_fn: Callable[..., Any] | None = None,
    ) -> None:  # fmt: skip
        self.has_random_access = _has_random_access(source)
        if not self.has_random_access and not callable(source) and not isinstance(source, Iterable):
            raise _NO_ARRAY(
                f"For 'GeneratorDataset', 'source' must have '__getitem__' and '__len__', be iterable or a function "
                f"that yields rows, but got {type(source).__name__}."
            )
        choices = {"sampler": sampler, "num_shards": num_shards, "shard_id": shard_id}
        needs = _given(**choices, batch_sampler=batch_sampler)
        if needs and not self.has_random_access:
            raise ValueError(f"For 'GeneratorDataset', {needs} need a 'source' with '__getitem__' and '__len__'.")
        clashing = _given(**choices, num_samples=num_samples, shuffle=shuffle)
        if batch_sampler is not None and clashing:
            raise ValueError(f"For 'GeneratorDataset', 'batch_sampler' cannot be given together with {clashing}.")
        if isinstance(source, zip):
            source = list(source)
            self.has_random_access = True
        elif isinstance(source, types.GeneratorType):
            source = _Repeatable(source)
        super().__init__(sampler, num_samples, shuffle if self.has_random_access else False, num_shards, shard_id)
        self.source = source
        self.columns, self.column_types = _columns(column_names, column_types, schema)
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn
        self.num_parallel_workers = num_parallel_workers
        self.python_multiprocessing = python_multiprocessing

    def _store(self) -> Any:
        return None

    def _length(self) -> int:
        length = len(self.source)
        if not length:
            raise RuntimeError("For 'GeneratorDataset', 'source' must have at least one row, but its length is 0.")
        return length

    def labels(self, column: str) -> Array:
        """Return a column of all rows, which are computed for it."""
        (index,) = indexes("GeneratorDataset", self._names(), [column])
        return np.array([self._row(self.source[position])[index] for position in np.arange(len(self.source))])

    def limits_its_rows(self) -> bool:
        """Return whether some rows are left out or repeated, or rows cannot be chosen."""
        return not self.has_random_access or self.batch_sampler is not None or super().limits_its_rows()

    def _count(self) -> int | None:
        if self.batch_sampler is not None:
            return len(self.batch_sampler) if isinstance(self.batch_sampler, Sized) else None
        if self.has_random_access:
            return super()._count()
        if not hasattr(self.source, "__len__"):
            return None
        return min(len(self.source), self.num_samples) if self.num_samples else len(self.source)

    def get_batch_size(self) -> int:
        """Return 1, or -1 with a `batch_sampler`."""
        return 1 if self.batch_sampler is None else -1

    def _rows(self, run: Run) -> Iterator[Row]:
        if self.batch_sampler is not None:
            return self._batches(run, self.batch_sampler)
        if self.has_random_access:
            return self._fetched(run, self._positions(run))
        left = run.left_out(self)
        limit = max(self.num_samples - left.rows, 0) + len(left.kept) if self.num_samples else None
        return itertools.islice(self._iterated(run, left), limit)

    def _skip(self, run: Run, left: Left) -> bool:
        if self.batch_sampler is not None:
            return run.leave_out(self, left, "batches")
        if not run.can_leave_out_calls(self.num_parallel_workers or 1):
            return False
        return super()._skip(run, left) if self.has_random_access else run.leave_out(self, left)

    def _fetched(self, run: Run, positions: Iterable[int]) -> Iterator[Row]:
        rows = computed(
            self,
            run,
            "GeneratorDataset",
            [self.source.__getitem__],
            self._at,
            positions,
            workers=self.num_parallel_workers or 1,
            processes=self.python_multiprocessing and (self.num_parallel_workers or 1) > 1,
        )
        return (row for _, row in rows)

    def _at(self, position: int) -> Row:
        try:
            return self._row(self.source[np.int64(position)])  # of this type in MindSpore: sources call its `item`
        except Exception as error:
            raise Raised(error) from error

    def _iterated(self, run: Run, left: Left) -> Iterator[Row]:
        function = self.source if callable(self.source) else self.source.__iter__
        try:
            run.held(self, [function])
            call = run.sequel().call
            values = call(iter, call(function))
            for number in itertools.count():
                try:
                    value = call(next, values)
                except StopIteration:
                    break
                if number >= left.rows or number in left.kept:
                    yield self._row(value)
        except Exception as error:
            raise failed("GeneratorDataset", self.source, error) from error
        if number < left.rows:
            raise RuntimeError(
                f"For 'GeneratorDataset', the source must have {left.rows} rows for an iterator to continue after "
                f"them, but ended after {number}."
            )

    def _batches(self, run: Run, batches: Iterable[Sequence[int]]) -> Iterator[Row]:
        start, choose = run.calls(self, lambda: [list(positions) for positions in batches], [batches], "batch_sampler")
        try:
            lists = choose((start, 0))
        except Exception as error:
            raise failed("GeneratorDataset", type(batches).__iter__, error) from error
        if not all(lists):
            raise RuntimeError(
                f"For 'GeneratorDataset', 'batch_sampler' must yield lists of positions, not empty, but list "
                f"{lists.index([])} is."
            )
        start, collate = run.calls(self, self.collate_fn or list, part="collate_fn")
        numbers = run.left_out(self, "batches").of(np.arange(len(lists))).tolist()
        firsts = list(itertools.accumulate(map(len, lists), initial=0))
        run.leave_out(self, Left(len(lists), [each for n in numbers for each in range(firsts[n], firsts[n + 1])]))
        rows = self._fetched(run, itertools.chain.from_iterable(lists[number] for number in numbers))
        for number in numbers:
            positions = lists[number]
            columns = [list(values) for values in zip(*itertools.islice(rows, len(positions)))]
            if self.collate_fn is not None:
                try:
                    result = collate((start, number), *columns)
                except Exception as error:
                    raise failed("GeneratorDataset", self.collate_fn, error) from error
                yield self._row(result)
            else:
                yield tuple([stacked("GeneratorDataset", *pair) for pair in zip(self.columns, columns)])

    def _row(self, value: Any) -> Row:
        """Return a row of the source as arrays that share no memory with it."""
        if isinstance(value, Mapping) and self._has_names(value):
            value = [value[name] for name in self.columns]
        values = value if isinstance(value, (tuple, list)) else (value,)
        if len(values) != len(self.columns):
            raise BadValue(
                f"a row must have {len(self.columns)} values, for the columns {self.columns}, but has {len(values)}"
            )
        row = tuple([owned(each) for each in values])
        if self.column_types is not None:
            for name, wanted, given in zip(self.columns, self.column_types, row):
                if wanted is not None and given.dtype != wanted:
                    raise BadValue(f"column '{name}' must be of type {wanted}, but a row has {given.dtype}")
        return row

    def _has_names(self, row: Mapping[Any, Any]) -> bool:
        """Return whether a dict is a row by names; otherwise it is the value of the only column."""
        by_names = len(self.columns) > 1 or hasattr(self.source, "column_names")
        return by_names and all(name in row for name in self.columns)


def _has_random_access(source: Any) -> bool:
    iterated = isinstance(source, (Dataset, torch.utils.data.IterableDataset))
    return hasattr(source, "__getitem__") and hasattr(source, "__len__") and not iterated


def _given(**arguments: Any) -> list[str]:
    return [name for name, value in arguments.items() if value is not None]


def _columns(
    column_names: Any, column_types: Any, schema: Schema | str | None
) -> tuple[list[str], list[np.dtype[Any] | None] | None]:
    """Return the names and types of the columns."""
    if schema is not None:
        described = schema if isinstance(schema, Schema) else Schema(schema)
        columns = described.columns
        return [column["name"] for column in columns], [np.dtype(column["type"]) for column in columns]
    if column_names is None:
        raise ValueError("For 'GeneratorDataset', 'column_names' or 'schema' must be given.")
    names = as_names("GeneratorDataset", "column_names", column_names)
    if column_types is None:
        return names, None
    if len(column_types) < len(names):
        raise _TOO_FEW(
            f"For 'GeneratorDataset', there must be {len(names)} 'column_types', one for each name, but got "
            f"{column_types}."
        )
    types = column_types[: len(names)]
    return names, [None if each is None else column_type("GeneratorDataset", each) for each in types]
