"""The source of rows of MindRecord files.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from torchspore.dataset.checks import as_names
from torchspore.dataset.parameters import Cache, Count, Shard, Whole, Workers, extends
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.values import Array, Row
from torchspore.dataset.sampling.record_orders import DrawnSampler, RecordOrders
from torchspore.dataset.sampling.samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    Level,
    RandomSampler,
    Sampler,
    Shuffle,
    WeightedRandomSampler,
)
from torchspore.dataset.sources.objects import MappableDataset
from torchspore.engine.parameters import AnyPath
from torchspore.mindrecord.records import Records, shards_of
from torchspore.mindrecord.schema import SCALARS, Field

__all__ = ["MindDataset", "OBSMindDataset"]


class MindDataset(MappableDataset):
    """The rows of MindRecord files, which are read one by one and need not fit into the memory.

    Columns of bytes are arrays of one element with NumPy's type S. With `num_samples`, a shuffled dataset draws rows,
    any of which may come several times, as in MindSpore.

    Args:
        dataset_files: the file, of several shards any one; or a list of files, which alone are read.
        columns_list: the names of the columns. Default: None, all, in the order of their names.
        num_parallel_workers: has no effect: a row is read within microseconds.
        shuffle: as for `MappableDataset`, or Shuffle.FILES to shuffle the order of the files only, or Shuffle.INFILE to
            shuffle the rows of each file.
        padded_sample: a row, a dict with a value for each of `columns_list`, that comes `num_padded` times after the
            others, so that all shards get the same number of rows. Default: None.
        num_padded: how often. Default: None.
        num_samples, num_shards, shard_id, sampler, cache: as for `MappableDataset`.

    Raises:
        ValueError: there is no such file, or arguments exclude each other.
        RuntimeError: a file is damaged, there is no such column, or with `num_padded` the shards would not get the same
            number of rows.

    Examples:
        >>> import os, tempfile
        >>> import torchspore.dataset as ds
        >>> from torchspore.mindrecord import FileWriter
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "squares.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"n": {"type": "int32"}, "name": {"type": "string"}})
        >>> writer.write_raw_data([{"n": 1, "name": "one"}, {"n": 4, "name": "four"}])
        >>> writer.commit()
        >>> for row in ds.MindDataset(path, shuffle=False).create_dict_iterator(num_epochs=1, output_numpy=True):
        ...     print(row["n"], row["name"])
        1 one
        4 four
        >>> folder.cleanup()
    """

    orders = RecordOrders()
    _refuses = (IterSampler, Sampler, WeightedRandomSampler)

    @extends(MappableDataset)
    def __init__(
        self, dataset_files: AnyPath | list[AnyPath], columns_list: list[str] | None = None,
        num_parallel_workers: Workers = None, shuffle: Level | None = None, num_shards: Shard = None,
        shard_id: Shard = None, sampler: Any = None, padded_sample: dict[str, Any] | None = None,
        num_padded: Whole | None = None, num_samples: Count = None, cache: Cache = None,
    ) -> None:  # fmt: skip
        api = "MindDataset"
        columns = as_names(api, "columns_list", columns_list) if columns_list else None
        self.dataset_files = dataset_files
        self._records = Records(api, _paths(api, dataset_files), columns)
        schema = self._records.schema
        self.columns = columns or [field.name for field in schema.fields]
        self._converters = [(name, _converter(schema.by_name[name])) for name in self.columns]
        self.padded_sample = self._padded(padded_sample, num_padded, columns)
        self.num_padded = num_padded or 0
        if self.num_padded and num_shards and self._length() % num_shards:
            raise RuntimeError(
                f"For '{api}', the {self._length()} rows, 'num_padded' included, must be divisible by 'num_shards', "
                f"but got {num_shards}."
            )
        if sampler is None:
            self.sampler = self._own_sampler(shuffle, num_samples, num_shards, shard_id) or self.sampler

    def _own_sampler(
        self, shuffle: Any, num_samples: int | None, num_shards: int | None, shard_id: int | None
    ) -> BuiltinSampler | None:
        """Return the sampler for arguments that have a meaning of their own here, or None."""
        if shuffle in (Shuffle.FILES, Shuffle.INFILE):
            if num_samples:
                raise ValueError(
                    f"For 'MindDataset', 'num_samples' cannot be given together with {shuffle}: use 'take'."
                )
            if num_shards is None or shard_id is None:
                return RandomSampler(shuffle=shuffle)
            return DistributedSampler(num_shards, shard_id, shuffle)
        if num_samples is not None and num_shards is None and shuffle not in (False, Shuffle.FALSE):
            return DrawnSampler(num_samples)
        return None

    def file_ends(self) -> list[int]:
        """Return for each file the position after its last row; those that are added count as a file."""
        return [*map(int, self._records.ends), *([self._length()] if self.num_padded else [])]

    def _padded(self, sample: Any, count: Any, columns: list[str] | None) -> Row:
        """Return the row to pad with."""
        if sample is None and count is None:
            return ()
        if sample is None or count is None or columns is None:
            raise RuntimeError(
                "For 'MindDataset', 'padded_sample', 'num_padded' and 'columns_list' must be given together."
            )
        if not set(columns) <= set(sample):
            raise ValueError(
                f"For 'MindDataset', 'padded_sample' must be a dict with {columns}, but got {sample!r:.100}."
            )
        try:
            return tuple([convert(sample[name]) for name, convert in self._converters])
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"For 'MindDataset', 'padded_sample' does not fit the columns: {error}.") from error

    def _length(self) -> int:
        return len(self._records) + self.num_padded

    def _store(self) -> Any:
        return None

    def _rows(self, run: Run) -> Iterator[Row]:
        return map(self._row, self._positions(run))

    def _row(self, position: int) -> Row:
        if position >= len(self._records):
            return tuple([np.array(value) for value in self.padded_sample])
        values = self._records.row(position)
        try:
            return tuple([convert(values[name]) for name, convert in self._converters])
        except (ValueError, OverflowError) as error:
            raise RuntimeError(f"For 'MindDataset', row {position} does not fit the schema: {error}.") from error

    def labels(self, column: str) -> Array:
        """Return a column of all rows, which are read for it.

        Raises:
            RuntimeError: there is no such column.
        """
        records = Records("MindDataset", [file.path for file in self._records.files], [column])
        found = [records.row(position)[column] for position in range(len(records))]
        if column in self.columns:
            found += [self.padded_sample[list(self.columns).index(column)].tolist() for _ in range(self.num_padded)]
        return np.array(found)


def _paths(api: str, dataset_files: Any) -> list[str]:
    listed = dataset_files if isinstance(dataset_files, list) else [dataset_files]
    if not listed:
        raise RuntimeError(f"For '{api}', 'dataset_files' must name a file, but is an empty list.")
    paths = [os.path.expanduser(os.fspath(path)) for path in listed]
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        raise ValueError(f"For '{api}', 'dataset_files' must name files, but there is none at {missing[0]!r}.")
    return paths if isinstance(dataset_files, list) else shards_of(api, paths[0])


def _converter(field: Field) -> Callable[[Any], Array]:
    """Return the function that makes an array of a value of a field."""
    if field.shape is not None:
        return np.asarray
    if field.type == "bytes":
        return _bytes
    if field.type == "string":
        return np.array
    dtype = np.dtype(SCALARS[field.type])
    if field.type == "int32":
        return _int32
    return functools.partial(np.array, dtype=dtype)


def _int32(value: Any) -> Array:
    if not -(2**31) <= value < 2**31:  # which a file may have
        raise OverflowError(f"{value} is not an int32")
    return np.array(value, np.int32)


def _bytes(value: Any) -> Array:
    data = bytes(value)
    return np.array([data], f"S{max(len(data), 1)}")


class OBSMindDataset:
    """The rows of MindRecord files in Huawei's object storage: not supported.

    Download the files, and read them with `MindDataset`.

    Raises:
        NotImplementedError: always.
    """

    def __init__(
        self, dataset_files: Sequence[str], server: str, ak: str, sk: str, sync_obs_path: str,
        columns_list: Sequence[str] | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
        shard_id: int | None = None, shard_equal_rows: bool = True,
    ) -> None:  # fmt: skip
        raise NotImplementedError(
            "For 'OBSMindDataset', files in Huawei's object storage cannot be read: download them, and use "
            "'MindDataset'."
        )
