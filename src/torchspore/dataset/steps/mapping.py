"""map: functions over the columns of each row, in this thread, in several, or in processes."""

from __future__ import annotations

import copy
import functools
import itertools
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from torchspore.dataset import config
from torchspore.dataset.checks import indexes
from torchspore.dataset.debug import DebugHook
from torchspore.dataset.parameters import Cache, Columns, MapOperations, RowSizes, Workers, column_list
from torchspore.dataset.pipeline.callbacks import DSCallback, Notes
from torchspore.dataset.pipeline.computing import computed
from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.dataset.pipeline.positions import Left
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.failures import Raised, failed
from torchspore.dataset.rows.values import Row, as_column, stacked
from torchspore.dataset.transforms.base import Random, random_parts
from torchspore.dataset.transforms.combined import Step, has_batch_form, of_batch, steps
from torchspore.dataset.transforms.compound import Compose

__all__ = ["Arrangement", "MapDataset"]

_SKIPPED = "skipped"  # the result of a function that failed, in the modes that leave such rows out


class Arrangement:
    """The positions of the results of a function among the columns.

    Args:
        api: the name for messages.
        input_columns: the columns that it takes.
        output_columns: the names of its results.
    """

    def __init__(self, api: str, input_columns: list[str], output_columns: list[str]) -> None:
        self.api = api
        self.input_columns = input_columns
        self.output_columns = output_columns

    def names(self, before: Sequence[str]) -> list[str]:
        """Return the names of the columns after the operation."""
        return [name for name, _, _ in self._sources(before)]

    def _sources(self, before: Sequence[str]) -> list[tuple[str, bool, int]]:
        """Return (name, whether it is a result, its index among the results or else the columns before)."""
        picks = indexes(self.api, before, self.input_columns)
        kept = [
            (name, False, index)
            for index, name in enumerate(before)
            if index not in picks and name not in self.output_columns
        ]
        results = [(name, True, index) for index, name in enumerate(self.output_columns)]
        if len(results) != len(picks):
            return results + kept
        return sorted(kept + results, key=lambda each: picks[each[2]] if each[1] else each[2])

    def joined(self, before: Sequence[str]) -> Callable[[Row, Row], Row]:
        """Return the function that joins the results with the row before."""
        picks = [(is_result, index) for _, is_result, index in self._sources(before)]
        if picks == [(True, index) for index in range(len(picks))]:
            return lambda row, results: results
        return lambda row, results: tuple([(results if is_result else row)[index] for is_result, index in picks])


def _watched_steps(functions: Sequence[Callable[..., Any]], hooks: Sequence[DebugHook]) -> list[Step]:
    """Return `steps` that tell hooks their arguments, the first one, and their results."""
    parts = [
        (number, part)
        for number, function in enumerate(functions)
        for part in (function.transforms if type(function) is Compose else [function])
    ]
    return [(number, _Watched(part, hooks, not index)) for index, (number, part) in enumerate(parts)]


class _Watched:
    def __init__(self, function: Callable[..., Any], hooks: Sequence[DebugHook], first: bool) -> None:
        self._function, self._hooks, self._first = function, hooks, first

    def __call__(self, *values: Any) -> Any:
        if self._first:
            self._tell("INPUT", values)
        result = self._function(*values)
        self._tell("OUTPUT", result if isinstance(result, tuple) else (result,))
        return result

    def _tell(self, what: str, values: tuple[Any, ...]) -> None:
        name = getattr(self._function, "__name__", type(self._function).__name__)
        for hook in self._hooks:
            print(f"[Dataset debugger] Print the [{what}] of the operation [{name}].")
            hook.compute(values)


class _Chain:
    """Calls functions in sequence, each with the result of the previous one."""

    def __init__(self, functions: Sequence[Callable[..., Any]]) -> None:
        hooks = config.debug_hooks()
        self._steps = _watched_steps(functions, hooks) if hooks else steps(functions)
        self._skips = config.get_error_samples_mode() is not config.ErrorSamplesMode.RETURN

    def __call__(self, values: Row) -> Any:
        number = 0
        try:
            for number, function in self._steps:  # noqa: B007
                result = function(*values)
                values = result if type(result) is tuple else (result,)
            return tuple([as_column(value) for value in values])
        except Exception as error:
            if self._skips:
                return _SKIPPED
            raise (error if isinstance(error, Raised) else Raised(error, number)) from error


def _distinct(operations: Sequence[Callable[..., Any]]) -> list[Callable[..., Any]]:
    """Return functions, with a copy of each random transform for each time that it comes."""
    found: list[Callable[..., Any]] = []
    for each in operations:
        is_random = isinstance(each, Random) and any(each is other for other in found)
        found.append(copy.copy(each) if is_random else each)
    return found


def _replacements(good: list[Row], failures: int) -> Iterator[Row]:
    """Yield the first good rows, in place of those that failed."""
    if failures and not good:
        raise RuntimeError("For 'map', the functions failed for all rows, so there are none to replace them.")
    return itertools.islice(itertools.cycle(good), failures)


@attach("map")
class MapDataset(Dataset):
    """Apply functions to columns of each row.

    Args:
        operations: a function, a transform or a list of them; each is called with the result of the previous one,
            a tuple as several arguments.
        input_columns: the columns that the first one is called with. Default: None, the first column.
        output_columns: the names of the results of the last one. If there are as many as `input_columns`, they replace
            these; otherwise they come first, and the other columns follow. Default: None, as `input_columns`.
        num_parallel_workers: the number of rows to compute at a time. Default: None, `config`'s number for slow
            transforms, and one for everything else.
        python_multiprocessing: compute in processes instead of threads. Default: False.
        cache: a `DatasetCache`, which has no effect. Default: None.
        callbacks: a `DSCallback`, or several. Default: None.
        max_rowsize: has no effect: it sizes MindSpore's shared memory, which is not used here.
        offload: has no effect: transforms are computed on the CPU. Default: None.

    Raises:
        RuntimeError: there is no such column, a function raises, or the number of its results differs from the
            number of `output_columns` (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}, shuffle=False)
        >>> data = data.map(lambda x, y: (x + y, x * y), ["x", "y"], ["sum", "product"])
        >>> for row in data.create_dict_iterator(num_epochs=1):
        ...     print(row["sum"], row["product"])
        4 3
        6 8

    MindSpore: `mindspore.dataset.Dataset.map`.
    """

    def __init__(
        self, input_dataset: Dataset, operations: MapOperations,
        input_columns: Columns | None = None, output_columns: Columns | None = None,
        num_parallel_workers: Workers = None, python_multiprocessing: bool = False,
        cache: Cache = None, callbacks: DSCallback | Sequence[DSCallback] | None = None,
        max_rowsize: RowSizes = None, offload: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(input_dataset)
        self.operations = _distinct([operations] if callable(operations) else [*operations])
        self.input_columns, self.output_columns = column_list(input_columns), column_list(output_columns)
        self.num_parallel_workers = num_parallel_workers
        self.python_multiprocessing = python_multiprocessing
        self.callbacks = [callbacks] if isinstance(callbacks, DSCallback) else [*(callbacks or ())]

    def _arrangement(self) -> Arrangement:
        inputs = self.input_columns or self.children[0]._names()[:1]
        return Arrangement("map", inputs, self.output_columns or inputs)

    def _names(self) -> list[str]:
        return self._arrangement().names(self.children[0]._names())

    def _rows(self, run: Run) -> Iterator[Row]:
        return self._mapped(run, self.children[0]._rows(run))

    def _mapped(self, run: Run, given: Iterator[Row]) -> Iterator[Row]:
        """Yield the rows for the rows of the dataset before."""
        before = self.children[0]._names()
        arrangement = self._arrangement()
        picks = indexes("map", before, arrangement.input_columns)
        join, expected = arrangement.joined(before), len(arrangement.output_columns)
        rows: deque[Row] = deque()  # those whose results are pending
        notes = self._notes(run)
        is_whole = notes is None and picks == list(range(len(before)))  # the rows are the arguments

        def arguments() -> Iterator[Row]:
            for row in given:
                rows.append(row)
                if notes is not None:
                    notes.row_begins()
                yield tuple([row[pick] for pick in picks])

        results = computed(
            self,
            run,
            "map",
            self.operations,
            _Chain(self.operations),
            given if is_whole else arguments(),
            workers=self.num_parallel_workers,
            processes=self.python_multiprocessing,
            random=random_parts(self.operations),
        )
        replacing = config.get_error_samples_mode() is config.ErrorSamplesMode.REPLACE
        good: list[Row] = []
        failures = 0
        try:
            for argument, values in results:
                row = argument if is_whole else rows.popleft()
                if notes is not None:
                    notes.row_ended()
                if values == _SKIPPED:
                    failures += 1
                    continue
                if len(values) != expected:
                    raise RuntimeError(
                        f"For 'map', the functions must return {expected} values, for the 'output_columns' "
                        f"{arrangement.output_columns}, but got {len(values)}. Name an 'output_columns' for "
                        f"each value."
                    )
                result = join(row, values)
                if replacing:
                    good.append(result)
                yield result
            if replacing:
                yield from _replacements(good, failures)
        except GeneratorExit:  # the rows that follow are not asked for
            if notes is not None and run.tells:
                notes.end()
            raise
        if notes is not None:
            self._end(run, notes)

    def _has_batch_form(self) -> bool:
        """Return whether `_of_batch` computes the same."""
        per_row = self.callbacks or self.python_multiprocessing or config.get_debug_mode()
        strict = config.get_error_samples_mode() is config.ErrorSamplesMode.RETURN
        one_column = len(self.input_columns) <= 1 and len(self.output_columns) <= 1
        return not per_row and strict and one_column and all(map(has_batch_form, self.operations))

    def _of_batch(self, batch: Row) -> Row:
        """Return a batch of mapped rows.

        Raises:
            RuntimeError: a transform raises.
        """
        before, arrangement = self.children[0]._names(), self._arrangement()
        (pick,) = indexes("map", before, arrangement.input_columns)
        try:
            values = functools.reduce(lambda array, transform: of_batch(transform, array), self.operations, batch[pick])
        except Exception:
            name = arrangement.output_columns[0]
            values = stacked("batch", name, [self._result(np.asarray(value)) for value in batch[pick]])
        return arrangement.joined(before)(batch, (values,))

    def _of_row(self, row: Row) -> Row:
        """Return a mapped row; errors as for `_of_batch`."""
        before, arrangement = self.children[0]._names(), self._arrangement()
        (pick,) = indexes("map", before, arrangement.input_columns)
        return arrangement.joined(before)(row, (self._result(row[pick]),))

    def _result(self, value: Any) -> Any:
        try:
            (result,) = _Chain(self.operations)((value,))
        except Raised as raised:
            raise failed("map", self.operations[raised.number], raised.error) from raised.error
        return result

    def _skip(self, run: Run, left: Left) -> bool:
        strict = config.get_error_samples_mode() is config.ErrorSamplesMode.RETURN
        silent = not self.callbacks or config.get_fast_recovery()  # callbacks are not told of rows left out
        skips = strict and silent and run.can_leave_out_calls(self.num_parallel_workers)
        leave_out = run.leave_out_in_lanes if random_parts(self.operations) else run.leave_out
        return skips and self.children[0]._skip(run, left) and leave_out(self, left)

    def _notes(self, run: Run) -> Notes | None:
        """Return who tells the callbacks about a pass over the rows, after announcing the first one of an epoch."""
        if not self.callbacks or not run.tells:
            return None
        notes = run.notes.get(id(self))
        if notes is None or notes.epoch != run.epoch + 1:
            first = notes is None
            notes = run.notes[id(self)] = Notes(self.callbacks, run.epoch + 1, 0 if notes is None else notes.rows)
            notes.begin(first)
        return notes

    def _end(self, run: Run, notes: Notes) -> None:
        """Announce the end of the epoch after its last pass."""
        notes.passes += 1
        if notes.passes == run.passes_of_epoch(self):
            notes.end()

    def _count(self) -> int | None:
        skips = config.get_error_samples_mode() is config.ErrorSamplesMode.SKIP
        return None if skips else self.children[0]._count()
