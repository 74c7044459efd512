"""Iterators over the rows of a dataset, as lists or dicts of Tensors or NumPy arrays."""

from __future__ import annotations

import collections.abc
import contextlib
import itertools
import sys
import weakref
from collections.abc import Generator
from typing import Any, Generic, TypeVar

from torchspore.common.frames.tracebacks import shorten
from torchspore.common.tensor import Tensor
from torchspore.dataset import config
from torchspore.dataset.checks import indexes
from torchspore.dataset.outputs import serializing
from torchspore.dataset.parameters import Columns, Epochs, column_list
from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.dataset.pipeline.node import Node
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows import streams
from torchspore.dataset.rows.values import Row, as_numpy_output, as_output
from torchspore.engine.parameters import checked

__all__ = ["DictIterator", "TupleIterator"]

Shown = TypeVar("Shown")

ITERATORS_LIST: list[weakref.ref[Iterator[Any]]] = []  # those that the program holds and has not stopped
_training_dataset: Any = None
_cleaned_up = False

_HIDDEN = "_meta-"  # how the names of columns begin that are shown only when they are renamed


class Iterator(Generic[Shown]):
    """The base of both iterators."""

    _run: Run | None = None
    _rows: collections.abc.Iterator[Row] | None = None

    @checked
    def __init__(
        self, dataset: Node, num_epochs: Epochs = -1, output_numpy: bool | None = False, do_copy: bool | None = False
    ) -> None:
        self._numpy = bool(output_numpy)
        self._copy = do_copy or config.get_iterator_mode()["do_copy"]
        self._left = self._num_epochs = num_epochs
        self._start: dict[str, Any] = {"epoch": 0, "seeds": None}  # of the epoch, or of the next one
        self._yielded = 0  # rows of the epoch
        self._names = dataset.get_col_names()
        self._shown_names = [name for name in self._names if not name.startswith(_HIDDEN)]
        self._dataset = dataset
        ITERATORS_LIST.append(weakref.ref(self, _forget))
        _unset_iterator_cleanup()
        if dataset.get_init_step():
            self._reset(dataset.get_init_step(), dataset.get_dataset_size())

    offload_model = None  # no transform is left to the network

    def _reset(self, step: int, dataset_size: int) -> None:
        """Continue after a number of rows of all epochs, each of which has `dataset_size` rows."""
        epoch, rows = divmod(step, dataset_size)
        self.load_state_dict({**self.state_dict(), "epoch": epoch, "rows": rows, "inputs": {}})

    def __iter__(self) -> collections.abc.Iterator[Shown]:
        return self

    def __next__(self) -> Shown:
        if self._rows is None:
            self._rows = self._next_epoch()
        assert self._rows is not None
        try:
            row = next(self._rows)
        except StopIteration:
            self._rows = None
            self._run_in_use().end_epoch()
            self._note_start(self._start["epoch"] + 1)
            if config.get_enable_autotune():
                serializing.write_tuned(self._dataset)
            if self._left == 0:
                self.release()
            raise
        except BaseException as error:
            self.release()
            shorten(error)
            raise
        self._yielded += 1
        convert = as_numpy_output if self._numpy else self._tensor
        return self._shown(tuple([convert(value) for value in row]))

    def _next_epoch(self, skip: int = 0, inputs: dict[str, Any] | None = None) -> collections.abc.Iterator[Row] | None:
        """Return the rows of the next epoch after the first `skip` ones, or None if there are fewer."""
        if self._left == 0:
            raise RuntimeError(
                f"For '{type(self).__name__}', all epochs have been iterated. Use a larger 'num_epochs', or make a new "
                f"iterator."
            )
        self._left -= self._left > 0
        run = self._run_in_use()
        run.begin_epoch()
        self._note_start(self._start["epoch"])
        length = self._dataset._count() if skip else 0
        if skip and (length is None or length >= skip) and run.skip(self._dataset, skip, inputs or {}):
            return self._dataset._rows(run)
        rows = self._dataset._rows(run)
        return None if sum(1 for _ in itertools.islice(rows, skip)) < skip else rows

    def _run_in_use(self) -> Run:
        if self._run is None:
            self._run = Run(self._dataset)
            self._run.epoch = -1  # none has begun
        return self._run

    def _note_start(self, epoch: int) -> None:
        if self._run is not None:
            self._start = {"epoch": epoch, "seeds": self._run.all_seeds()}
        self._yielded = 0

    def state_dict(self) -> dict[str, Any]:
        """Return the position in the data, as numbers, for `load_state_dict`."""
        if self._start["seeds"] is None:
            self._run_in_use()  # it chooses them
            self._note_start(self._start["epoch"])
        state = {**self._start, "rows": self._yielded, "begun": streams.begun_without_seed()}
        if lanes := {} if self._run is None else self._run.all_lanes():
            state["lanes"] = lanes
        if drawn := [] if self._run is None else self._run.drawn_states():
            state["drawn"] = drawn
        if parts := [*_parts(self._dataset)]:
            state["parts"] = parts
        inputs = self._run.mark(self._dataset, self._yielded) if self._run is not None and self._yielded else {}
        return {**state, "inputs": inputs} if inputs else state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from the position that `state_dict` returned for an iterator of the same dataset.

        The remaining rows are the same, in the same order and with the same random transforms, and earlier epochs count
        towards `num_epochs`. Earlier rows of the epoch are computed again only below a `repeat`, `concat` or
        `shuffle` of rows whose number is unknown; a source without random access is iterated again. The callbacks of a
        `map` count from the position on, as in MindSpore.

        Args:
            state: the result of `state_dict`, possibly from another process.

        Raises:
            ValueError: `state` is something else or of another random part, or the dataset has fewer rows.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=True)
            >>> iterator = data.create_tuple_iterator(output_numpy=True)
            >>> first = next(iterator)
            >>> state = iterator.state_dict()
            >>> others = list(iterator)
            >>> again = data.create_tuple_iterator(output_numpy=True)
            >>> again.load_state_dict(state)
            >>> list(again) == others
            True
        """
        api = f"{type(self).__name__}.load_state_dict"
        try:
            epoch, rows, begun = [int(state[name]) for name in ("epoch", "rows", "begun")]
            seeds = [int(seed) for seed in state["seeds"]]
            inputs, lanes = [
                {str(node): [int(end), [*map(int, kept)]] for node, (end, kept) in state.get(name, {}).items()}
                for name in ("inputs", "lanes")
            ]
            if len(seeds) != Run.SEEDS or min(epoch, rows, begun, *seeds) < 0:
                raise ValueError
        except (AttributeError, KeyError, TypeError, ValueError):
            raise ValueError(f"For '{api}', 'state' must come from 'state_dict', but got {state!r}.") from None
        parts = [*_parts(self._dataset)]
        if state.get("parts", parts) != parts:
            raise ValueError(
                f"For '{api}', the dataset is a part of a random 'split' with rows other than in the part that "
                "'state' is from. Set a seed by 'dataset.config.set_seed' before 'split', or split without 'randomize'."
            )
        self.release()
        self._left = -1 if self._num_epochs < 0 else max(self._num_epochs - epoch, 0)
        self._run_in_use().go_on(seeds, epoch - 1, lanes, state.get("drawn", []))
        self._note_start(epoch)
        if rows:
            self._rows = self._next_epoch(rows, inputs)
            if self._rows is None:
                self.release()
                raise ValueError(f"For '{api}', 'state' is at row {rows} of an epoch, but the dataset has fewer rows.")
            self._yielded = rows
        streams.go_on_without_seed(begun)

    def _tensor(self, value: Any) -> Any:
        shown = as_output(value)
        return shown.copy() if self._copy and isinstance(shown, Tensor) else shown

    def _shown(self, row: Row) -> Shown:
        raise NotImplementedError

    def get_col_names(self) -> list[str]:
        """Return the names of the columns of the dataset."""
        return list(self._shown_names)

    def get_next(self) -> Shown:
        """Return the next row.

        Raises:
            StopIteration: the epoch has ended.
        """
        return next(self)

    def stop(self) -> None:
        """End the iteration, and the worker processes with it."""
        self._left = 0
        _forget(weakref.ref(self))
        self.release()

    def release(self) -> None:
        """End the worker processes."""
        if self._run is not None:
            self._run.tells = False
        self._end()

    def _end(self) -> None:
        rows, self._rows = self._rows, None
        if isinstance(rows, Generator):
            rows.close()
        run, self._run = self._run, None
        if run is not None:
            run.close()

    def __del__(self) -> None:
        if not sys.is_finalizing():
            self._end()


@attach("create_tuple_iterator")
class TupleIterator(Iterator[list[Any]]):
    """An iterator over the rows as lists of columns; each `for` over it takes one epoch.

    Args:
        columns: the columns, in the order wanted. Default: None, all.
        num_epochs: the number of epochs that it can be iterated for. Default: -1, any number.
        output_numpy: return NumPy arrays instead of Tensors. Columns of strings are always NumPy arrays.
            Default: False.
        do_copy: copy the data into each Tensor. Default: False.

    Raises:
        RuntimeError: there is no such column.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}, shuffle=False)
        >>> for y, x in data.create_tuple_iterator(["y", "x"], num_epochs=1, output_numpy=True):
        ...     print(y, x)
        3 1
        4 2

    MindSpore: `mindspore.dataset.TupleIterator`, `mindspore.dataset.Dataset.create_tuple_iterator`.
    """

    @checked
    def __init__(
        self, dataset: Node, columns: Columns | None = None, num_epochs: Epochs = -1,
        output_numpy: bool | None = False, do_copy: bool | None = False,
    ) -> None:  # fmt: skip
        super().__init__(dataset, num_epochs, output_numpy, do_copy)
        wanted = self._shown_names if columns is None else column_list(columns)
        self._picks = indexes("TupleIterator", self._names, wanted)
        self._shown_names = list(wanted)

    def _shown(self, row: Row) -> list[Any]:
        return [row[pick] for pick in self._picks]


@attach("create_dict_iterator")
class DictIterator(Iterator[dict[str, Any]]):
    """An iterator over the rows as dicts from column names to values; arguments as for `TupleIterator`.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset({"x": [1, 2], "y": [3, 4]}, shuffle=False)
        >>> for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
        ...     print(row["x"] + row["y"])
        4
        6

    MindSpore: `mindspore.dataset.DictIterator`, `mindspore.dataset.Dataset.create_dict_iterator`.
    """

    def _shown(self, row: Row) -> dict[str, Any]:
        shown = dict(zip(self._names, row))
        return shown if len(shown) == len(self._shown_names) else {name: shown[name] for name in self._shown_names}


def _parts(dataset: Node) -> collections.abc.Iterator[int]:
    """Yield which rows the parts of `split` have, of a dataset and those below."""
    if dataset.chosen_rows is not None:
        yield dataset.chosen_rows
    for child in dataset.children:
        yield from _parts(child)


def _forget(reference: weakref.ref[Iterator[Any]]) -> None:
    with contextlib.suppress(ValueError):
        ITERATORS_LIST.remove(reference)


def _cleanup() -> None:
    """End all iterators, and their worker processes."""
    _set_iterator_cleanup()
    for reference in reversed(list(ITERATORS_LIST)):
        iterator = reference()
        if iterator is not None:
            iterator.stop()


def _set_iterator_cleanup() -> None:
    """Note that all iterators have been ended."""
    global _cleaned_up
    _cleaned_up = True


def _unset_iterator_cleanup() -> None:
    """Note that iterators are wanted again."""
    global _cleaned_up
    _cleaned_up = False


def check_iterator_cleanup() -> bool:
    """Return whether all iterators have been ended, and there has been none since."""
    return _cleaned_up


def _set_training_dataset(dataset: Any) -> None:
    """Note the data of a training, for `_get_training_dataset`."""
    global _training_dataset
    _training_dataset = dataset


def _get_training_dataset() -> Any:
    """Return what was noted last, or None."""
    return _training_dataset


@attach("__iter__")
def _iter(self: Dataset) -> TupleIterator:
    return self.create_tuple_iterator(num_epochs=1)
