"""Dataset: the base of all datasets, with the operations as methods.

A dataset is a node of a tree: sources are its leaves, and each operation makes a new node above. Nothing runs until an
iterator pulls rows out of the root.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torchspore.dataset.callbacks import DSCallback
from torchspore.dataset.tree import Node
from torchspore.engine.checks import check_callable

__all__ = ["Dataset", "zip"]

Column = str | Sequence[str]


class Dataset(Node):
    """The base of all datasets.

    Args:
        *children: the datasets whose rows it takes.

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).batch(2)
        >>> isinstance(data, ds.Dataset)
        True
        >>> for batch in data.create_dict_iterator(num_epochs=1):
        ...     print(batch["x"])
        [1 2]
        [3]

    MindSpore: `mindspore.dataset.Dataset`.
    """

    # Operations

    def map(
        self,
        operations: Callable[..., Any] | Sequence[Callable[..., Any]],
        input_columns: Column | None = None,
        output_columns: Column | None = None,
        num_parallel_workers: int | None = None,
        python_multiprocessing: bool = False,
        cache: None = None,
        callbacks: DSCallback | Sequence[DSCallback] | None = None,
        max_rowsize: int | Sequence[int] | None = None,
        offload: bool | None = None,
    ) -> Dataset:
        """Apply functions to columns of each row.

        Args:
            operations: a function, a transform or a list of them; each is called with what the one before returned,
                a tuple as several arguments.
            input_columns: the columns that the first one is called with. Default: None, the first column.
            output_columns: the names of what the last one returns. As many as `input_columns`, they take the places of
                these; otherwise they come first, and the other columns follow. Default: None, as `input_columns`.
            num_parallel_workers: how many rows are computed at a time. Default: None, `config`'s number for transforms
                that take long, and one for all else.
            python_multiprocessing: compute in processes instead of threads. Default: False.
            cache: not supported, None.
            callbacks: a `DSCallback`, or several. Default: None.
            max_rowsize: accepted for MindSpore's shared memory, which is not used here: rows can have any size.
            offload: True asks MindSpore to compute on the device; not supported. Default: None.

        Returns:
            The new dataset.

        Raises:
            TypeError: an argument has another type.
            ValueError: a column is named twice, or the number of workers is less than 1.
            RuntimeError: there is no such column, a function raises, or it returns another number of values than there
                are `output_columns` (when iterated).

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
        return mapping.MapDataset(
            self,
            operations,
            input_columns,
            output_columns,
            num_parallel_workers,
            python_multiprocessing,
            cache,
            callbacks,
            max_rowsize,
            offload,
        )

    def batch(
        self,
        batch_size: int | Callable[..., int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        per_batch_map: Callable[..., Any] | None = None,
        input_columns: Column | None = None,
        output_columns: Column | None = None,
        python_multiprocessing: bool = False,
        max_rowsize: int | Sequence[int] | None = None,
    ) -> Dataset:
        """Put rows together into batches.

        Args:
            batch_size: the rows of a batch, or a function from `BatchInfo` to their number.
            drop_remainder: leave out a last batch of fewer rows. Default: False.
            num_parallel_workers: how many batches `per_batch_map` computes at a time. Default: None, one.
            per_batch_map: a function of a list of values for each of `input_columns`, and of a `BatchInfo`; it returns
                a tuple with a list of values, or an array, for each of `output_columns`. Default: None.
            input_columns: the columns that `per_batch_map` is called with. Default: None, all.
            output_columns: the names of what it returns; as in `map`. Default: None, as `input_columns`.
            python_multiprocessing: compute `per_batch_map` in processes instead of threads. Default: False.
            max_rowsize: accepted for MindSpore's shared memory, which is not used here: rows can have any size.

        Returns:
            The new dataset.

        Raises:
            TypeError: an argument has another type.
            ValueError: `batch_size` is not positive, or columns are named without `per_batch_map`.
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
        return batching.BatchDataset(
            self,
            batch_size,
            drop_remainder,
            num_parallel_workers,
            per_batch_map,
            input_columns,
            output_columns,
            python_multiprocessing,
            max_rowsize,
        )

    def padded_batch(
        self,
        batch_size: int | Callable[..., int],
        drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: dict[str, tuple[Sequence[int | None] | None, Any]] | None = None,
    ) -> Dataset:
        """Put rows together into batches, padded to one shape.

        Args:
            batch_size: the rows of a batch, or a function from `BatchInfo` to their number.
            drop_remainder: leave out a last batch of fewer rows. Default: False.
            num_parallel_workers: accepted; padding is not computed in parallel.
            pad_info: for each column to pad, the shape to pad to (None for a dimension, or instead of all: the largest
                in the batch; longer values are cut) and the value to pad with (None: zero or an empty str).
                Default: None, which pads every column to the largest in the batch.

        Returns:
            The new dataset.

        Raises:
            TypeError: an argument has another type.
            ValueError: `batch_size` is not positive.
            RuntimeError: a shape has another number of dimensions than the column (when iterated).

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
        return batching.PaddedBatchDataset(self, batch_size, drop_remainder, num_parallel_workers, pad_info)

    def bucket_batch_by_length(
        self,
        column_names: Sequence[str],
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        element_length_function: Callable[..., int] | None = None,
        pad_info: dict[str, tuple[Sequence[int | None] | None, Any]] | None = None,
        pad_to_bucket_boundary: bool = False,
        drop_remainder: bool = False,
    ) -> Dataset:
        """Put rows of similar lengths together into batches.

        Args:
            column_names: the columns that `element_length_function` is called with.
            bucket_boundaries: the lengths, in increasing order, that divide the rows: less than the first, from the
                first to less than the second, and so on.
            bucket_batch_sizes: the rows of a batch for each bucket: one more than boundaries.
            element_length_function: returns the length of a row. Default: None, the first dimension of the column,
                which then must be one.
            pad_info: as in `padded_batch`. Default: None.
            pad_to_bucket_boundary: pad open dimensions of `pad_info` to the bucket's greatest length instead of the
                batch's; the last bucket must be empty then. Default: False.
            drop_remainder: leave out the last batch of a bucket when it is not full. Default: False.

        Returns:
            The new dataset.

        Raises:
            TypeError: an argument has another type.
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
        return batching.BucketBatchByLengthDataset(
            self,
            column_names,
            bucket_boundaries,
            bucket_batch_sizes,
            element_length_function,
            pad_info,
            pad_to_bucket_boundary,
            drop_remainder,
        )

    def shuffle(self, buffer_size: int) -> Dataset:
        """Shuffle the rows through a buffer: each row comes from a random place in it, and the next takes that place.

        Args:
            buffer_size: the rows of the buffer, from 2 on; with that of the dataset the shuffle is complete.

        Returns:
            The new dataset.

        Raises:
            TypeError: `buffer_size` is not an int.
            ValueError: `buffer_size` is less than 2.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).shuffle(3)
            >>> sorted(int(row["x"]) for row in data.create_dict_iterator(num_epochs=1))
            [1, 2, 3]

        MindSpore: `mindspore.dataset.Dataset.shuffle`.
        """
        return selecting.ShuffleDataset(self, buffer_size)

    def repeat(self, count: int | None = None) -> Dataset:
        """Repeat the rows; shuffles come out differently each time.

        Args:
            count: how often. Default: None, which like -1 means without end.

        Returns:
            The new dataset.

        Raises:
            TypeError: `count` is not an int.
            ValueError: `count` is neither -1 nor positive.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False).repeat(2)
            >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
            [1, 2, 1, 2]

        MindSpore: `mindspore.dataset.Dataset.repeat`.
        """
        return selecting.RepeatDataset(self, count)

    def take(self, count: int = -1) -> Dataset:
        """Keep the first rows.

        Args:
            count: how many. Default: -1, all.

        Returns:
            The new dataset.

        Raises:
            TypeError: `count` is not an int.
            ValueError: `count` is neither -1 nor positive.

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset([1, 2, 3], ["x"]).take(2).get_dataset_size()
            2

        MindSpore: `mindspore.dataset.Dataset.take`.
        """
        return selecting.TakeDataset(self, count)

    def skip(self, count: int) -> Dataset:
        """Leave out the first rows.

        Args:
            count: how many.

        Returns:
            The new dataset.

        Raises:
            TypeError: `count` is not an int.
            ValueError: `count` is negative.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).skip(2)
            >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
            [3]

        MindSpore: `mindspore.dataset.Dataset.skip`.
        """
        return selecting.SkipDataset(self, count)

    def filter(
        self,
        predicate: Callable[..., Any],
        input_columns: Column | None = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:
        """Keep the rows for which a function returns something true.

        Args:
            predicate: the function of the columns.
            input_columns: the columns that it is called with. Default: None, all.
            num_parallel_workers: accepted; predicates are called one after the other.

        Returns:
            The new dataset.

        Raises:
            TypeError: an argument has another type.
            RuntimeError: there is no such column, or the function raises (when iterated).

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=False).filter(lambda x: x % 2 == 0, "x")
            >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
            [2, 4]

        MindSpore: `mindspore.dataset.Dataset.filter`.
        """
        return selecting.FilterDataset(self, predicate, input_columns, num_parallel_workers)

    def flat_map(self, func: Callable[..., Dataset]) -> Dataset:
        """Make a dataset from each row, and chain these.

        Args:
            func: a function of the columns that returns a dataset; it is called when `flat_map` is.

        Returns:
            The new dataset.

        Raises:
            TypeError: `func` cannot be called, or does not return a dataset.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2], ["n"], shuffle=False)
            >>> data = data.flat_map(lambda n: ds.NumpySlicesDataset([int(n)] * int(n), ["x"]))
            >>> [int(row["x"]) for row in data.create_dict_iterator(num_epochs=1)]
            [1, 2, 2]

        MindSpore: `mindspore.dataset.Dataset.flat_map`.
        """
        check_callable(func, "func", "flat_map")
        parts = []
        for row in self.create_tuple_iterator(num_epochs=1, output_numpy=True):
            part = func(*row)
            if not isinstance(part, Dataset):
                raise TypeError(f"For 'flat_map', 'func' must return a dataset, but got {type(part).__name__}.")
            parts.append(part)
        return selecting.ConcatDataset(parts)

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """Return what a function makes of the dataset.

        Raises:
            TypeError: `apply_func` cannot be called, or does not return a dataset.

        Examples:
            >>> import torchspore.dataset as ds
            >>> data = ds.NumpySlicesDataset([1, 2], ["x"]).apply(lambda data: data.batch(2))
            >>> data.get_dataset_size()
            1

        MindSpore: `mindspore.dataset.Dataset.apply`.
        """
        dataset = check_callable(apply_func, "apply_func", "apply")(self)
        if not isinstance(dataset, Dataset):
            raise TypeError(f"For 'apply', 'apply_func' must return a dataset, but got {type(dataset).__name__}.")
        return dataset

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> selecting.ConcatDataset:
        """Let the rows of other datasets follow; also written `a + b`.

        Args:
            datasets: one or a list, with the same columns.

        Returns:
            The new dataset.

        Raises:
            TypeError: something else is given.
            RuntimeError: the columns differ (when iterated).

        Examples:
            >>> import torchspore.dataset as ds
            >>> first, second = ds.NumpySlicesDataset([1], ["x"]), ds.NumpySlicesDataset([2], ["x"])
            >>> [int(row["x"]) for row in (first + second).create_dict_iterator(num_epochs=1)]
            [1, 2]

        MindSpore: `mindspore.dataset.Dataset.concat`.
        """
        return selecting.ConcatDataset([self, *([datasets] if isinstance(datasets, Dataset) else datasets)])

    def __add__(self, datasets: Dataset | Sequence[Dataset]) -> selecting.ConcatDataset:
        return self.concat(datasets)

    def zip(self, datasets: Dataset | tuple[Dataset, ...]) -> Dataset:
        """Put the columns of other datasets beside, until the shortest ends.

        Args:
            datasets: one or a tuple, with other column names.

        Returns:
            The new dataset.

        Raises:
            TypeError: something else is given.
            RuntimeError: two columns have one name (when iterated).

        Examples:
            >>> import torchspore.dataset as ds
            >>> first, second = ds.NumpySlicesDataset([1], ["x"]), ds.NumpySlicesDataset([2], ["y"])
            >>> first.zip(second).get_col_names()
            ['x', 'y']

        MindSpore: `mindspore.dataset.Dataset.zip`.
        """
        if isinstance(datasets, Dataset):
            return selecting.ZipDataset((self, datasets))
        if not isinstance(datasets, tuple):
            raise TypeError(f"For 'zip', 'datasets' must be a dataset or a tuple of them, but got {datasets!r}.")
        return selecting.ZipDataset((self, *datasets))

    def rename(self, input_columns: Column, output_columns: Column) -> Dataset:
        """Rename columns.

        Args:
            input_columns: the columns.
            output_columns: their new names.

        Returns:
            The new dataset.

        Raises:
            TypeError: something other than names is given.
            ValueError: the lists have unequal lengths.
            RuntimeError: there is no such column, or another has the new name (when iterated).

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset({"x": [1], "y": [2]}).rename("x", "z").get_col_names()
            ['z', 'y']

        MindSpore: `mindspore.dataset.Dataset.rename`.
        """
        return selecting.RenameDataset(self, input_columns, output_columns)

    def project(self, columns: Column) -> Dataset:
        """Keep the named columns, in that order.

        Args:
            columns: their names.

        Returns:
            The new dataset.

        Raises:
            TypeError: something other than names is given.
            ValueError: a name comes twice.
            RuntimeError: there is no such column (when iterated).

        Examples:
            >>> import torchspore.dataset as ds
            >>> ds.NumpySlicesDataset({"x": [1], "y": [2]}).project(["y"]).get_col_names()
            ['y']

        MindSpore: `mindspore.dataset.Dataset.project`.
        """
        return selecting.ProjectDataset(self, columns)

    def split(self, sizes: Sequence[int] | Sequence[float], randomize: bool = True) -> tuple[Dataset, ...]:
        """Split the rows into datasets that have none in common.

        Args:
            sizes: the numbers of rows, which sum up to all, or the parts of them, which sum up to 1.
            randomize: choose the rows at random, with the seed at this call. Default: True.

        Returns:
            The datasets.

        Raises:
            TypeError: an argument has another type.
            ValueError: `sizes` are not positive, or parts do not sum up to 1.
            RuntimeError: numbers do not sum up to the dataset's size, or a part has no row.

        Examples:
            >>> import torchspore.dataset as ds
            >>> train, test = ds.NumpySlicesDataset(list(range(10)), ["x"]).split([0.8, 0.2])
            >>> train.get_dataset_size(), test.get_dataset_size()
            (8, 2)

        MindSpore: `mindspore.dataset.Dataset.split`.
        """
        return selecting.split(self, sizes, randomize)


def zip(datasets: tuple[Dataset, ...]) -> Dataset:
    """Put the columns of datasets side by side, until the shortest ends.

    Args:
        datasets: at least two, with different column names.

    Returns:
        The new dataset.

    Raises:
        TypeError: something else than a tuple of datasets is given.
        ValueError: there are fewer than two.
        RuntimeError: two columns have one name (when iterated).

    Examples:
        >>> import torchspore.dataset as ds
        >>> data = ds.zip((ds.NumpySlicesDataset([1], ["x"]), ds.NumpySlicesDataset([2], ["y"])))
        >>> data.get_col_names()
        ['x', 'y']

    MindSpore: `mindspore.dataset.zip`.
    """
    if not isinstance(datasets, tuple):
        raise TypeError(f"For 'zip', 'datasets' must be a tuple of datasets, but got {type(datasets).__name__}.")
    if len(datasets) < 2:
        raise ValueError(f"For 'zip', 'datasets' must be at least two, but got {len(datasets)}.")
    return selecting.ZipDataset(datasets)


# Their classes derive from Dataset.
from torchspore.dataset import batching, mapping, selecting  # noqa: E402
