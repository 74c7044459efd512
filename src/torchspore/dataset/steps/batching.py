"""Batches: rows stacked unchanged, padded, or grouped by length."""

from __future__ import annotations

import bisect
import functools
import inspect
import itertools
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from torchspore.common.error_classes import widened
from torchspore.dataset.checks import indexes
from torchspore.dataset.parameters import (
    Boundaries,
    ColumnList,
    Columns,
    Natural,
    PadInfo,
    RowSizes,
    Workers,
    column_list,
    ruled,
    take_as,
)
from torchspore.dataset.pipeline.computing import computed
from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.dataset.pipeline.positions import Consumed, Grouped, Left
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.failures import BadValue, Raised, failed
from torchspore.dataset.rows.values import Row, as_column, padded_batch, stacked
from torchspore.dataset.steps.mapping import Arrangement, MapDataset
from torchspore.engine.parameters import Rule

__all__ = ["BatchDataset", "BatchInfo", "BucketBatchByLengthDataset", "PaddedBatchDataset"]


_Shape: TypeAlias = Sequence[Natural | None] | None
_SMALL = 1 << 16  # bytes of a value, up to which the overhead of each row outweighs what several threads gain


class BatchInfo:
    """What `per_batch_map` and a function for `batch_size` are told about a batch.

    Args:
        epoch: the number of the epoch, from 0.
        batch: the number of the batch in the epoch, from 0.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False)
        >>> data = data.batch(lambda info: info.get_batch_num() + 1)
        >>> [batch["x"].tolist() for batch in data.create_dict_iterator(num_epochs=1)]
        [[1], [2, 3], [4]]
    """

    def __init__(self, epoch: int = 0, batch: int = 0) -> None:
        self._epoch = epoch
        self._batch = batch

    def get_epoch_num(self) -> int:
        """Return the number of the epoch, from 0."""
        return self._epoch

    def get_batch_num(self) -> int:
        """Return the number of the batch in the epoch, from 0."""
        return self._batch


def _refuse_call(api: str, name: str, function: Callable[..., Any], arguments: Sequence[str]) -> None:
    """Check that a function can be called with so many arguments, where it says which it takes."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of compiled code
        return
    try:
        signature.bind(*arguments)
    except TypeError as error:
        raise ValueError(
            f"For '{api}', '{name}' must accept {len(arguments)} arguments, ({', '.join(arguments)}), but {error}."
        ) from None


class _SizedBatches(Dataset):
    """The base of operations with a batch size."""

    def __init__(
        self, api: str, input_dataset: Dataset, batch_size: int | Callable[..., int], drop_remainder: bool
    ) -> None:
        super().__init__(input_dataset)
        self._api = api
        if callable(batch_size):
            _refuse_call(api, "batch_size", batch_size, ["BatchInfo"])
            self.batch_size: int | Callable[..., int] = batch_size
        else:
            self.batch_size = batch_size
        self.drop_remainder = drop_remainder

    def _groups(self, run: Run, items: Iterator[Any]) -> Iterator[list[Any]]:
        size_of, left = self._sizes(run), run.left_out(self, "batches")
        consumed = run.consumes(self, left, Consumed) if callable(self.batch_size) else None
        end = 0 if left.found is None else left.found.rows
        for number in left.numbers():
            size = size_of(number)
            group = list(itertools.islice(items, size))
            if not group or (len(group) < size and self.drop_remainder):
                return
            if consumed is not None:
                end += len(group)
                consumed.note(end)
            yield group

    def _skip(self, run: Run, left: Left) -> bool:
        below: Left | None
        if callable(self.batch_size):
            below = None if left.kept else run.below(self, left)
            left = left._replace(found=below)
        else:
            size, count = self.batch_size, self.children[0]._count()
            kept = [row * size + each for row in left.kept for each in range(size)]
            below = Left(left.rows * size, [row for row in kept if count is None or row < count])
        return below is not None and self.children[0]._skip(run, below) and run.leave_out(self, left, "batches")

    def _sizes(self, run: Run) -> Callable[[int], int]:
        """Return the function from the number of a batch to its size."""
        given = self.batch_size
        if not callable(given):
            return lambda number: given
        start, call = run.calls(self, given, part="batch_size")

        def size_of(number: int) -> int:
            try:
                size = call((start, number), BatchInfo(run.epoch, number))
            except Exception as error:
                raise failed(self._api, given, error) from error
            try:
                return int(take_as(Natural, size, "batch_size", self._api))
            except ValueError as error:
                raise widened(error) from None

        return size_of

    def _count(self) -> int | None:
        rows = self.children[0]._count()
        if rows is None or callable(self.batch_size):
            return None
        return rows // self.batch_size if self.drop_remainder else -(-rows // self.batch_size)

    def get_batch_size(self) -> int:
        """Return the number of rows of a batch, -1 where it varies."""
        return -1 if callable(self.batch_size) else self.batch_size


@attach("batch")
class BatchDataset(_SizedBatches):
    """Stack rows into batches.

    Args:
        batch_size: the number of rows of a batch, or a function of a `BatchInfo` that returns it.
        drop_remainder: leave out a last batch of fewer rows. Default: False.
        num_parallel_workers: the number of batches that `per_batch_map` computes at a time. Default: None, one.
        per_batch_map: a function of a list of values for each of `input_columns`, and of a `BatchInfo`; it returns
            a tuple with a list of values, or an array, for each of `output_columns`. Default: None.
        input_columns: the columns that `per_batch_map` is called with. Default: None, all.
        output_columns: the names of its results; as in `map`. Default: None, as `input_columns`.
        python_multiprocessing: compute `per_batch_map` in processes instead of threads. Default: False.
        max_rowsize: has no effect: it sizes MindSpore's shared memory, which is not used here.

    Raises:
        ValueError: columns are named without `per_batch_map`.
        RuntimeError: the rows of a batch differ in shape or data type, or `per_batch_map` raises (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3, 4, 5], ["x"], shuffle=False)
        >>> [batch["x"].tolist() for batch in data.batch(2).create_dict_iterator(num_epochs=1)]
        [[1, 2], [3, 4], [5]]
        >>> def negative(values, info):
        ...     return ([-value for value in values],)
        >>> data = data.batch(3, drop_remainder=True, per_batch_map=negative)
        >>> [batch["x"].tolist() for batch in data.create_dict_iterator(num_epochs=1)]
        [[-1, -2, -3]]

    MindSpore: `mindspore.dataset.Dataset.batch`.
    """

    def __init__(
        self, input_dataset: Dataset, batch_size: Natural | Callable[..., int], drop_remainder: bool = False,
        num_parallel_workers: Workers = None, per_batch_map: Callable[..., Any] | None = None,
        input_columns: Columns | None = None, output_columns: Columns | None = None,
        python_multiprocessing: bool = False, max_rowsize: RowSizes = None,
    ) -> None:  # fmt: skip
        super().__init__("batch", input_dataset, batch_size, drop_remainder)
        if per_batch_map is None and input_columns is not None:
            raise ValueError("For 'batch', 'input_columns' can be given only together with 'per_batch_map'.")
        self.per_batch_map = per_batch_map
        self.input_columns, self.output_columns = column_list(input_columns), column_list(output_columns)
        self.num_parallel_workers = num_parallel_workers
        self.python_multiprocessing = python_multiprocessing
        if per_batch_map is not None and self.input_columns:
            _refuse_call("batch", "per_batch_map", per_batch_map, [*self.input_columns, "BatchInfo"])

    def _arrangement(self) -> Arrangement:
        inputs = self.input_columns or self.children[0]._names()
        return Arrangement("batch", inputs, self.output_columns or inputs)

    def _names(self) -> list[str]:
        before = self.children[0]._names()
        return before if self.per_batch_map is None else self._arrangement().names(before)

    def _rows(self, run: Run) -> Iterator[Row]:
        if self.per_batch_map is not None:
            return self._mapped(run)
        child = self.children[0]
        maps: list[MapDataset] = []
        while isinstance(child, MapDataset) and child._has_batch_form():
            maps.insert(0, child)
            child = child.children[0]
        return self._plain_batches(run, child, maps)

    def _plain_batches(self, run: Run, child: Dataset, maps: list[MapDataset]) -> Iterator[Row]:
        """Yield the batches of a dataset, with maps before them, which are applied to whole batches of small rows."""
        run.rows_at_once = max(run.rows_at_once, self.get_batch_size())
        store = child._store()
        if store is not None and (not maps or _are_small([column[:1] for column in store.columns])):
            for each in maps:
                run.left_out(each)  # no row depends on its number
            for positions in self._groups(run, child._positions(run)):
                yield functools.reduce(lambda batch, each: each._of_batch(batch), maps, store.gather(positions))
            return
        rows, names = iter(child._rows(run)), child._names()
        first = list(itertools.islice(rows, bool(maps)))
        rows = itertools.chain(first, rows)
        if all(map(_are_small, first)):
            for each in maps:
                run.left_out(each)
        else:
            for each in maps:
                rows, names = each._mapped(run, rows), each._names()
            maps = []
        for group in self._groups(run, rows):
            yield _collated_and_mapped(names, group, maps)

    def _skip(self, run: Run, left: Left) -> bool:
        return super()._skip(run, left) and run.leave_out(self, left) and run.leave_out(self, left, "numbers")

    def _mapped(self, run: Run) -> Iterator[Row]:
        function = self.per_batch_map
        assert function is not None
        before = self.children[0]._names()
        arrangement = self._arrangement()
        picks = indexes("batch", before, arrangement.input_columns)
        outputs, join = arrangement.output_columns, arrangement.joined(before)
        epoch = run.epoch

        def call(argument: tuple[int, list[list[Any]]]) -> Row:
            number, columns = argument
            try:
                result = function(*columns, BatchInfo(epoch, number))
            except Exception as error:
                raise Raised(error) from error
            try:
                return _as_batch(result, outputs, len(columns[0]))
            except BadValue as error:
                raise Raised(error) from error

        others: list[Row] = []  # the other columns of the batches whose results are pending
        numbers = run.left_out(self, "numbers").numbers()

        def arguments() -> Iterator[tuple[int, list[list[Any]]]]:
            for number, rows in zip(numbers, self._groups(run, iter(self.children[0]._rows(run)))):
                columns = list(zip(*rows))
                others.append(tuple([None if index in picks else list(each) for index, each in enumerate(columns)]))
                yield number, [list(columns[pick]) for pick in picks]

        results = computed(
            self,
            run,
            "batch",
            [function],
            call,
            arguments(),
            workers=self.num_parallel_workers,
            processes=self.python_multiprocessing,
        )
        for _, values in results:
            unmapped = zip(before, others.pop(0))
            row = tuple([None if value is None else stacked("batch", name, value) for name, value in unmapped])
            yield join(row, values)


def _as_batch(result: Any, outputs: list[str], size: int) -> Row:
    """Return the result of `per_batch_map` as one array for each column."""
    if isinstance(result, tuple):
        columns = list(result)
    elif isinstance(result, list) and len(result) == len(outputs) != 1:
        columns = result
    else:
        columns = [result]
    if len(columns) != len(outputs):
        raise RuntimeError(
            f"For 'batch', 'per_batch_map' must return a tuple of {len(outputs)}, for the columns {outputs}, but got "
            f"{len(columns)} of type {type(result).__name__}."
        )
    return tuple([_as_batch_column(name, column, size) for name, column in zip(outputs, columns)])


def _as_batch_column(name: str, column: Any, size: int) -> Any:
    if isinstance(column, list):
        if len(column) != size:
            raise BadValue(
                f"a list for column '{name}' must have a value for each of {size} rows, but has {len(column)}"
            )
        if isinstance(column[0], dict):
            if not all(isinstance(value, dict) and value.keys() == column[0].keys() for value in column):
                raise BadValue(f"the dicts for column '{name}' must have the same keys")
            return {key: [as_column(value[key]) for value in column] for key in column[0]}
        return stacked("batch", name, [as_column(value) for value in column])
    value = as_column(column)
    if not isinstance(column, (dict, np.ndarray)) and value.ndim == 0:
        raise RuntimeError(
            f"For 'batch', 'per_batch_map' must return a list of values or an array for column '{name}', but got "
            f"{column!r:.100}."
        )
    return value


def _are_small(values: Sequence[Any]) -> bool:
    return all(isinstance(value, np.ndarray) and value.nbytes <= _SMALL for value in values)


def _collated(api: str, names: Sequence[str], rows: Sequence[Row]) -> Row:
    return tuple([stacked(api, name, values) for name, values in zip(names, zip(*rows))])


def _collated_and_mapped(names: Sequence[str], rows: Sequence[Row], maps: Sequence[MapDataset]) -> Row:
    """Return the batch of some rows after maps."""
    try:
        batch = _collated("batch", names, rows)
    except RuntimeError:  # perhaps the maps make them equal
        for each in maps:
            rows, names = [each._of_row(row) for row in rows], each._names()
        return _collated("batch", names, rows)
    return functools.reduce(lambda part, each: each._of_batch(part), maps, batch)


class _Padding:
    """The shapes and values that columns are padded to and with: `pad_info`.

    Args:
        api: the name for messages.
        info: the shape and the value for each column, or None; an empty dict to pad all columns to the largest.
    """

    def __init__(self, api: str, info: PadInfo) -> None:
        self._api = api
        self._info: dict[str, tuple[Any, Any]] | None = None
        if info:
            pairs = {name: pair or (None, None) for name, pair in info.items()}
            self._info = {
                name: (take_as(_Shape, shape, f"pad_info[{name!r}][0]", api), value)
                for name, (shape, value) in pairs.items()
            }

    def refuse_missing(self, names: Sequence[str]) -> None:
        """Raise an error if a column to pad does not exist."""
        indexes(self._api, names, list(self._info or ()))

    def batch(self, names: Sequence[str], rows: Sequence[Row], boundary: int | None = None) -> Row:
        """Return the batch of some rows."""
        return tuple([self._column(name, values, boundary) for name, values in zip(names, zip(*rows))])

    def _column(self, name: str, values: Sequence[Any], boundary: int | None = None) -> Any:
        """Return a column of a batch, whose values are padded to one shape.

        Args:
            name: the column.
            values: its values.
            boundary: the size of open dimensions, 0 when there is none. Default: None, the size of the largest value.

        Raises:
            RuntimeError: the shape and a value differ in the number of dimensions, or an open one has no boundary.
        """
        if isinstance(values[0], dict):
            return stacked(self._api, name, values)
        if self._info is None:
            wanted, fill = None, None
        elif name in self._info:
            wanted, fill = self._info[name]
        else:
            return stacked(self._api, name, values)
        ranks = {value.ndim for value in values}
        rank = len(wanted) if wanted is not None else max(ranks)
        if ranks != {rank}:
            raise RuntimeError(
                f"For '{self._api}', the values of column '{name}' must have {rank} dimensions to be padded to "
                f"{'one shape' if wanted is None else list(wanted)}, but they have {sorted(ranks)}."
            )
        shape = [max(value.shape[axis] for value in values) for axis in range(rank)]
        for axis, size in enumerate(wanted or ()):
            if size is None and boundary == 0:
                raise RuntimeError(
                    f"For '{self._api}', with 'pad_to_bucket_boundary' every length must be less than the last of "
                    f"'bucket_boundaries'."
                )
            shape[axis] = size if size is not None else boundary or shape[axis]
        if all(value.shape == tuple(shape) for value in values):
            return stacked(self._api, name, values)
        return padded_batch(self._api, name, values, shape, fill)


@attach("padded_batch")
class PaddedBatchDataset(_SizedBatches):
    """Stack rows into batches, padded to one shape.

    Args:
        batch_size: the number of rows of a batch, or a function of a `BatchInfo` that returns it.
        drop_remainder: leave out a last batch of fewer rows. Default: False.
        num_parallel_workers: has no effect, as padding is not computed in parallel.
        pad_info: for each column to pad, the shape to pad to (None for a dimension, or instead of all: the largest
            in the batch; longer values are cut) and the value to pad with (None: zero or an empty str). An empty
            dict means every column, to the largest in the batch. Default: None, no padding.

    Raises:
        RuntimeError: a shape and its column differ in the number of dimensions (when iterated).

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset as ds
        >>> rows = [np.array([1]), np.array([2, 3]), np.array([4, 5, 6])]
        >>> data = ds.GeneratorDataset(rows, ["x"], shuffle=False)
        >>> data = data.padded_batch(3, pad_info={"x": ([None], -1)})
        >>> next(data.create_dict_iterator(num_epochs=1, output_numpy=True))["x"].tolist()
        [[1, -1, -1], [2, 3, -1], [4, 5, 6]]

    MindSpore: `mindspore.dataset.Dataset.padded_batch`.
    """

    pad_info: dict[str, Any] | None  # an argument

    def __init__(
        self, input_dataset: Dataset, batch_size: Natural | Callable[..., int], drop_remainder: bool = False,
        num_parallel_workers: Workers = None,
        pad_info: PadInfo | None = None,
    ) -> None:  # fmt: skip
        super().__init__("padded_batch", input_dataset, batch_size, drop_remainder)
        self._padding = None if pad_info is None else _Padding("padded_batch", pad_info)

    def _rows(self, run: Run) -> Iterator[Row]:
        names, padding = self._names(), self._padding
        if padding is not None:
            padding.refuse_missing(names)
        for rows in self._groups(run, iter(self.children[0]._rows(run))):
            yield _collated("padded_batch", names, rows) if padding is None else padding.batch(names, rows)


@attach("bucket_batch_by_length")
class BucketBatchByLengthDataset(Dataset):
    """Stack rows of similar lengths into batches.

    Args:
        column_names: the columns that `element_length_function` is called with.
        bucket_boundaries: the increasing lengths that divide the rows: less than the first, from the first to less
            than the second, and so on.
        bucket_batch_sizes: the number of rows of a batch for each bucket: one more than boundaries.
        element_length_function: returns the length of a row. Default: None, the first dimension of the only column.
        pad_info: as in `padded_batch`. Default: None, as an empty dict.
        pad_to_bucket_boundary: pad open dimensions of `pad_info` to the maximum length of the bucket instead of
            the batch; the last bucket must be empty then. Default: False.
        drop_remainder: leave out the last batch of a bucket when it is not full. Default: False.

    Raises:
        ValueError: the boundaries do not increase, or the batch sizes do not fit them.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset as ds
        >>> data = ds.GeneratorDataset([np.ones(n, int) for n in (1, 4, 2, 5)], ["x"], shuffle=False)
        >>> data = data.bucket_batch_by_length(["x"], [3], [2, 2])
        >>> [batch["x"].shape for batch in data.create_dict_iterator(num_epochs=1)]
        [(2, 2), (2, 5)]

    MindSpore: `mindspore.dataset.Dataset.bucket_batch_by_length`.
    """

    @ruled(
        Rule(
            "'bucket_boundaries' must increase",
            lambda bucket_boundaries: all(low < high for low, high in itertools.pairwise(bucket_boundaries)),
        ),
        Rule(
            "'bucket_batch_sizes' must be one more than 'bucket_boundaries'",
            lambda bucket_batch_sizes, bucket_boundaries: len(bucket_batch_sizes) == len(bucket_boundaries) + 1,
        ),
        Rule(
            "'column_names' must be one column without 'element_length_function'",
            lambda column_names, element_length_function: element_length_function or len(column_names) == 1,
        ),
    )
    def __init__(
        self, input_dataset: Dataset, column_names: ColumnList, bucket_boundaries: Boundaries,
        bucket_batch_sizes: list[Natural], element_length_function: Callable[..., int] | None = None,
        pad_info: PadInfo | None = None,
        pad_to_bucket_boundary: bool = False, drop_remainder: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(input_dataset)
        api = "bucket_batch_by_length"
        self.column_names = column_names
        self._boundaries, self._sizes = bucket_boundaries, bucket_batch_sizes
        self._length_of = element_length_function
        self._padding = _Padding(api, {} if pad_info is None else pad_info)
        self._to_boundary = pad_to_bucket_boundary
        self._drops = drop_remainder

    def _names(self) -> list[str]:
        names = super()._names()
        indexes("bucket_batch_by_length", names, self.column_names)
        return names

    def _rows(self, run: Run) -> Iterator[Row]:
        names = self._names()
        self._padding.refuse_missing(names)
        picks = indexes("bucket_batch_by_length", names, self.column_names)
        left = run.left_out(self)
        below = left.found or Left()
        grouped, end = run.consumes(self, left, Grouped), below.rows
        buckets: list[dict[int, Row]] = [{} for _ in self._sizes]  # rows by number
        length_of = self._lengths(run, picks)
        for number, row in zip(below.numbers(), self.children[0]._rows(run)):
            end = max(end, number + 1)
            length = length_of(number, row)
            if length < 0:
                raise RuntimeError(
                    f"For 'bucket_batch_by_length', 'element_length_function' must return a length >= 0, but returned "
                    f"{length}."
                )
            bucket = bisect.bisect_right(self._boundaries, length)
            rows = buckets[bucket]
            rows[number] = row
            if len(rows) == self._sizes[bucket]:
                buckets[bucket] = {}
                grouped.note_group(end, rows)
                yield self._batch(names, bucket, list(rows.values()))
        for bucket, rows in enumerate(buckets):
            if rows and not self._drops:
                grouped.note_group(end, rows)
                yield self._batch(names, bucket, list(rows.values()))

    def _skip(self, run: Run, left: Left) -> bool:
        below = run.below(self, left)
        if below is None or not self.children[0]._skip(run, below):
            return False
        return run.leave_out(self, left._replace(found=below))

    def _lengths(self, run: Run, picks: list[int]) -> Callable[[int, Row], int]:
        """Return the function from a row and its number to its length."""
        function = self._length_of
        if function is None:
            return lambda number, row: len(row[picks[0]]) if row[picks[0]].ndim else 1
        start, call = run.calls(self, function)

        def length_of(number: int, row: Row) -> int:
            try:
                return operator.index(call((start, number), *[row[pick] for pick in picks]))
            except Exception as error:
                raise failed("bucket_batch_by_length", function, error) from error

        return length_of

    def _batch(self, names: Sequence[str], number: int, rows: list[Row]) -> Row:
        boundary = [*self._boundaries, 1][number] - 1 if self._to_boundary else None
        return self._padding.batch(names, rows, boundary)

    def _count(self) -> int | None:
        return None
