"""The source of rows of TFRecord files, which are read without TensorFlow.

MindSpore: `mindspore.dataset`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO, Literal

import numpy as np

from torchspore.dataset.checks import as_names
from torchspore.dataset.parameters import Cache, Count, Shard, Workers, extends
from torchspore.dataset.pipeline.run import Run
from torchspore.dataset.rows.file_orders import Positions
from torchspore.dataset.rows.orders import Order
from torchspore.dataset.rows.values import Array, Row
from torchspore.dataset.sampling.samplers import Level, Shuffle
from torchspore.dataset.sources.schema import Schema, schema_of_records
from torchspore.dataset.sources.text_files import TextSource
from torchspore.engine.storage.files import DamagedFileError
from torchspore.engine.storage.reading import check_regular
from torchspore.mindrecord.records import part_of
from torchspore.mindrecord.tfrecord_file import places_of_records, read_records, unpack_example

__all__ = ["TFRecordDataset"]

_GZIP_MARK = b"\x1f\x8b"
_MAX_OPEN = 64  # files

# Where a record is: the number of its file and its first byte and length there; or the record itself.
Place = tuple[int, int, int] | bytes


class TFRecordDataset(TextSource):
    """The records of TFRecord files, each a `tf.train.Example`; unless shuffled, the files come in the order of names.

    Without a schema, the columns are the features of the first record, in the order of their names: arrays of int64,
    of float32, and of uint8 for bytes, where several ones are padded with blanks to one length.

    Args:
        dataset_files: a path, a pattern such as "train/*.tfrecord", or a list of them.
        schema: a `Schema`, or the path of a file with one: the columns, their types and shapes. Default: None.
        columns_list: the names of the columns. Default: None, all.
        shard_equal_rows: divide the rows among the shards, the last of which gets some of the first rows if they cannot
            be equal; otherwise the files are divided. Default: False.
        compression_type: "GZIP", "ZLIB", or "" for none. Compressed files are held in memory. Default: None, none.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.

    Raises:
        ValueError: a pattern matches no file, or `compression_type` is another one.
        RuntimeError: a file is damaged, there is no such column, or there are fewer files than shards (when iterated).

    Examples:
        >>> import tempfile
        >>> import numpy as np
        >>> import torchspore.dataset as ds
        >>> from torchspore.mindrecord.tfrecord_file import pack_example, write_records
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/a.tfrecord", "wb") as file:
        ...     write_records(file, [pack_example({"n": np.array([n]), "name": [b"sea"]}) for n in range(2)])
        >>> data = ds.TFRecordDataset(f"{folder.name}/*.tfrecord", shuffle=False)
        >>> for row in data.create_dict_iterator(num_epochs=1, output_numpy=True):
        ...     print(row["n"], bytes(row["name"]))
        [0] b'sea'
        [1] b'sea'
        >>> folder.cleanup()
    """

    @extends(TextSource)
    def __init__(
        self, dataset_files: str | list[str], schema: Annotated[Schema | str, TypeError] | None = None,
        columns_list: list[str] | None = None, num_samples: Count = None, num_parallel_workers: Workers = None,
        shuffle: Level | None = Shuffle.GLOBAL, num_shards: Shard = None, shard_id: Shard = None,
        shard_equal_rows: bool = False, cache: Cache = None,
        compression_type: Literal["", "GZIP", "ZLIB"] | None = None,
    ) -> None:  # fmt: skip
        self.compression_type = compression_type or None
        self.shard_equal_rows = shard_equal_rows
        self.schema = schema_of_records(schema) if isinstance(schema, str) else schema
        self.columns_list = as_names("TFRecordDataset", "columns_list", columns_list) if columns_list else None
        if self.num_samples is None and self.schema is not None and self.schema.num_rows:
            self.num_samples = self.schema.num_rows
        self._described: list[dict[str, Any]] | None = None

    # The columns

    def _names(self) -> list[str]:
        return [column["name"] for column in self._columns()]

    def _columns(self) -> list[dict[str, Any]]:
        """Return the name of each column, and its type and shape if a schema says them."""
        if self._described is None:
            if self.schema is not None:
                known = self.schema.columns
            else:
                first = next((place for file in self._files() for (place,) in file), None)
                known = [{"name": name} for name in sorted(self._example(first) if first is not None else {})]
            by_name = {column["name"]: column for column in known}
            missing = [name for name in self.columns_list or () if name not in by_name]
            if missing:
                raise RuntimeError(
                    f"For 'TFRecordDataset', the files have the columns {list(by_name)}, but not {missing}."
                )
            self._described = [by_name[name] for name in self.columns_list or by_name]
        return self._described

    # The rows

    def _read(self, path: str) -> list[Row]:
        number = self.dataset_files.index(path)
        check_regular(path)
        with open(path, "rb") as file:
            is_zipped = self.compression_type == "ZLIB" or file.read(2) == _GZIP_MARK
        if self.compression_type is not None and is_zipped:
            return [(record,) for record in read_records(path, self.compression_type)]
        return [((number, start, length),) for start, length in places_of_records(path)]

    def _shard(self, files: list[Positions]) -> list[Positions]:
        if self.shard_equal_rows or self.num_shards is None or self.shard_id is None:
            return super()._shard(files)
        if len(files) < self.num_shards:
            raise RuntimeError(
                f"For 'TFRecordDataset', there must be a file for each of {self.num_shards} shards, but there are "
                f"{len(files)}: set 'shard_equal_rows' to True."
            )
        return files[self.shard_id :: self.num_shards]

    def _rows_before(self, run: Run, number: int) -> int:
        files = self._in_order(None)
        if self._count() == sum(map(len, files)):
            return super()._rows_before(run, number)
        orders = Order(list(range(len(files))), self._file_seeds(run))
        passes = [self._shard([files[each] for each in orders.of_pass(earlier)]) for earlier in range(number)]
        return sum(min(sum(map(len, parts)), self.num_samples or sys.maxsize) for parts in passes)

    def _rows(self, run: Run) -> Iterator[Row]:
        places = [place for file in self._files() for (place,) in file]
        columns = self._columns()
        opened: dict[int, BinaryIO] = {}
        try:
            for position in self._positions(run):
                features = self._example(places[position], opened)
                yield tuple([self._value(column, features) for column in columns])
        finally:
            for file in opened.values():
                file.close()

    def _example(self, place: Place, opened: dict[int, BinaryIO] | None = None) -> dict[str, Any]:
        """Return the features of the record at a place."""
        if isinstance(place, bytes):
            return self._unpacked(place, "")
        number, start, length = place
        path = self.dataset_files[number]
        try:
            if opened is None:
                with open(path, "rb") as file:
                    return self._unpacked(part_of(file, start, length), path)
            if number not in opened:
                while len(opened) >= _MAX_OPEN:
                    opened.pop(next(iter(opened))).close()
                opened[number] = open(path, "rb", buffering=0)  # noqa: SIM115 - the caller closes it
            return self._unpacked(part_of(opened[number], start, length), path)
        except (OSError, DamagedFileError) as error:
            raise self._unreadable(path, error) from error

    def _unpacked(self, record: bytes, path: str) -> dict[str, Any]:
        try:
            return unpack_example(record)
        except DamagedFileError as error:
            raise self._unreadable(path or str(self.dataset_files[:3]), error) from error

    def _value(self, column: dict[str, Any], features: dict[str, Any]) -> Array:
        """Return the value of a column in a record."""
        name, kind = column["name"], column.get("type")
        if name not in features:
            raise RuntimeError(f"For 'TFRecordDataset', a record has no feature {name!r}: {sorted(features)!r:.200}.")
        values = features[name]
        try:
            array = _array(values, kind)
            return array if column.get("shape") is None else array.reshape(column["shape"])
        except ValueError as error:
            raise RuntimeError(
                f"For 'TFRecordDataset', the feature {name!r} of a record does not fit the schema: {error}."
            ) from error


def _array(values: list[bytes] | Array, kind: str | None) -> Array:
    """Return the values of a feature as an array of one dimension, of a type if that is given."""
    if not isinstance(values, list):
        if kind in ("string", "bytes"):
            raise ValueError(f"it has numbers, not {kind}")
        return np.array(values) if kind is None else values.astype(kind)
    if kind == "string":
        return np.array([value.decode() for value in values])
    if kind == "bytes":
        return np.array(values)
    width = max(map(len, values), default=0)
    joined = np.frombuffer(b"".join([value.ljust(width) for value in values]), np.uint8).copy()
    return joined if kind is None else joined.astype(kind)
