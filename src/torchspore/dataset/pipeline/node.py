"""The nodes of a pipeline, which form a tree: what each kind defines, and what users ask of all."""

from __future__ import annotations

import copy
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Annotated, Any

import numpy as np

from torchspore.dataset.pipeline.positions import Left
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.values import Row
from torchspore.engine.parameters import Limits, checked

__all__ = ["Node"]


class Node:
    """A source, or an operation on other nodes.

    Args:
        *children: the nodes whose rows it takes.
    """

    num_parallel_workers: int | None = None

    def __init__(self, *children: Node) -> None:
        self.children: list[Any] = list(children)
        self.chosen_rows: int | None = None  # of a part of a `split`: a hash of the numbers of its rows
        self.dataset_size: int | None = None  # once it has been counted
        self._first: tuple[list[Any], list[list[int]]] | None = None
        self._indexes: Any = ()
        self._init_step = 0

    # What each kind of dataset defines

    def _names(self) -> list[str]:
        """Return the names of the columns."""
        return self.children[0]._names()

    def _rows(self, run: Run) -> Iterator[Row]:
        """Yield the rows of one epoch."""
        raise NotImplementedError

    def _count(self) -> int | None:
        """Return the number of rows of an epoch, or None if only a run can determine it."""
        return self.children[0]._count()

    def _store(self) -> Any:
        """Return the arrays whose rows `_positions` names, or None."""
        return None

    def _positions(self, run: Run) -> Iterator[int]:
        """Yield the positions in `_store` of the rows of one epoch."""
        raise NotImplementedError

    def _skip(self, run: Run, left: Left) -> bool:
        """Let the next pass leave out the first rows, without computing them; return False if it cannot.

        Args:
            run: the run, in which each node notes what it leaves out by `leave_out`.
            left: the rows.
        """
        return False

    # What users ask

    def __len__(self) -> int:
        return self.get_dataset_size()

    def get_dataset_size(self) -> int:
        """Return the number of rows, or of batches, of an epoch; if necessary, by a run.

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3], ["x"]).batch(2).get_dataset_size()
            2
        """
        if self.dataset_size is None:
            count = self._count()
            vars(self)["dataset_size"] = self._count_by_running() if count is None else count  # not set by a program
        return int(self.dataset_size or 0)

    def _count_by_running(self) -> int:
        """Return the number of rows, by a run of as few of the nodes as possible."""
        if self.children and self._with_counts([1] * len(self.children))._count() is not None:
            return int(self._with_counts([child.get_dataset_size() for child in self.children])._count())
        run = Run(self, tells=False)
        try:
            return sum(1 for _ in self._rows(run))
        finally:
            run.close()

    def _with_counts(self, counts: list[int]) -> Any:
        """Return a node of this kind above nodes with these numbers of rows."""
        node = copy.copy(self)
        node.children = [_Counted(count) for count in counts]
        return node

    def get_col_names(self) -> list[str]:
        """Return the names of the columns.

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset({"x": [1], "y": [2]}).get_col_names()
            ['x', 'y']
        """
        return list(self._names())

    def get_batch_size(self) -> int:
        """Return the number of rows of a batch: 1 without `batch`, and -1 where a function computes it.

        Of several datasets it is the last one's; `bucket_batch_by_length` does not count. Both are as in MindSpore.

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3], ["x"]).batch(2).get_batch_size()
            2
        """
        self._names()
        return int(self.children[-1].get_batch_size()) if self.children else 1

    def get_repeat_count(self) -> int:
        """Return the count of `repeat`, 1 without it; of several datasets the last one's.

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3], ["x"]).repeat(4).get_repeat_count()
            4
        """
        self._names()
        return int(self.children[-1].get_repeat_count()) if self.children else 1

    def output_types(self) -> list[Any]:
        """Return the NumPy data types of the columns, from the first row.

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3], ["x"]).output_types()
            [dtype('int64')]
        """
        return list(self._look()[0])

    @checked(api="output_shapes")
    def output_shapes(self, estimate: bool = False) -> list[list[Any]]:
        """Return the shapes of the columns, from the first row.

        Args:
            estimate: read all rows, and return None for a dimension that varies. Default: False.

        Raises:
            RuntimeError: the number of dimensions of a column varies.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"]).batch(2)
            >>> data.output_shapes(), data.output_shapes(estimate=True)
            ([[2]], [[None]])
        """
        if not estimate:
            return [list(shape) for shape in self._look()[1]]
        merged: list[list[Any]] = []
        run = Run(self, tells=False)
        try:
            for row in self._rows(run):
                shapes = [list(np.shape(value)) for value in row]
                merged = [_merged(*pair) for pair in zip(merged or shapes, shapes)]
        finally:
            run.close()
        return merged

    def _look(self) -> tuple[list[Any], list[list[int]]]:
        if self._first is None:
            self._names()
            run = Run(self, tells=False)
            rows = self._rows(run)
            try:
                row = list(islice(rows, 1))
            finally:
                if isinstance(rows, Generator):
                    rows.close()
                run.close()
            values = [np.asarray(value) for value in row[0]] if row else []
            self._first = [_dtype(value) for value in values], [list(value.shape) for value in values]
        return self._first

    def num_classes(self) -> int | None:
        """Return the number of classes, or None if the source does not know it.

        Examples:
            >>> import torchspore.dataset as ds
            >>> print(ds.NumpySlicesDataset([1, 2, 3], ["x"]).num_classes())
            None
        """
        self._names()
        return self.children[0].num_classes() if self.children else None

    def get_class_indexing(self) -> dict[str, int]:
        """Return the numbers of the classes by name, none if the source does not know them.

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3], ["x"]).get_class_indexing()
            {}
        """
        return self.children[0].get_class_indexing() if self.children else {}

    @property
    def input_indexs(self) -> Any:
        """A note about the columns that a program keeps with the dataset; operations pass it on."""
        if self._indexes != () or not self.children:
            return self._indexes
        return self.children[0].input_indexs

    @input_indexs.setter
    def input_indexs(self, value: Any) -> None:
        self._indexes = value

    @checked(api="set_init_step")
    def set_init_step(self, init_step: Annotated[int, Limits(0, 2**63)]) -> None:
        """Let iterators begin after a number of rows or batches, as if earlier ones had been iterated.

        Args:
            init_step: the number; whole epochs count towards `num_epochs`.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False)
            >>> data.set_init_step(4)
            >>> [int(x) for x, in data.create_tuple_iterator(num_epochs=2)]
            [2, 3]
        """
        self._init_step = init_step

    def get_init_step(self) -> int:
        """Return the number that `set_init_step` has set, 0 without it."""
        return self._init_step

    def is_shuffled(self) -> bool:
        """Return whether the rows come in random order."""
        return any(child.is_shuffled() for child in self.children)

    def is_sharded(self) -> bool:
        """Return whether the rows are one shard of several."""
        return any(child.is_sharded() for child in self.children)

    def reset(self) -> None:
        """Do nothing: every iterator starts from the beginning."""

    def _repr_html_(self) -> str:
        from torchspore.dataset.pipeline.pipeline_markup import pipeline_page  # only notebooks ask

        return pipeline_page(self)


def _dtype(value: Any) -> Any:
    """Return the data type of an array, without a length for text."""
    return np.dtype(value.dtype.type) if value.dtype.kind in "US" else value.dtype


def _merged(known: list[Any], shape: list[Any]) -> list[Any]:
    if len(known) != len(shape):
        raise RuntimeError(
            f"For 'output_shapes', a column must have a fixed number of dimensions, but rows have the shapes "
            f"{known} and {shape}."
        )
    return [size if size == other else None for size, other in zip(known, shape)]


class _Counted(Node):
    """A node of which only the number of rows is known."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self._known = count

    def _count(self) -> int:
        return self._known
