"""Reading rows of MindRecord files by number, one file or all shards, which stay on the disk.

Files are opened when a row of them is read, by each process itself; only some stay open. Each row is read by its place,
which the index tells, so that files may be larger than the memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from torchspore.engine.storage.files import DamagedFileError, read
from torchspore.engine.storage.reading import check_regular
from torchspore.mindrecord import encryption
from torchspore.mindrecord.header import Header, read_header
from torchspore.mindrecord.index import Places, read_places, read_values
from torchspore.mindrecord.schema import Schema
from torchspore.mindrecord.values import unpack_blobs, unpack_map

__all__ = ["RecordFile", "Records", "part_of", "shards_of"]

_MAX_OPEN = 64  # files that stay open


def shards_of(api: str, path: str) -> list[str]:
    """Return the paths of all shards of which a file is one.

    Raises:
        RuntimeError: there is no file, it is damaged, or renamed.
    """
    header = RecordFile(api, path).header
    folder, name = os.path.split(path)
    if len(header.addresses) == 1:
        return [path]
    if name not in header.addresses:
        raise RuntimeError(
            f"For '{api}', the file {path!r} is one of {len(header.addresses)} shards, but none of the names "
            f"{header.addresses[:3]} ... that it lists. Do not rename the files of shards."
        )
    return [os.path.join(folder, each) for each in header.addresses]


class RecordFile:
    """One file.

    Args:
        api: the name for messages.
        path: the file, beside which is its index.
        stays_open: whether the file stays open after a row was read. Default: True.

    Raises:
        RuntimeError: there is no file or index, or one of them is damaged.
    """

    _file: BinaryIO | None = None

    def __init__(self, api: str, path: str, stays_open: bool = True) -> None:
        self.api, self.path, self.stays_open = api, path, stays_open
        self._process = 0
        self._places: Places | None = None
        for each in (path, f"{path}.db"):
            if not os.path.exists(each):
                kind = "index of the file" if each != path else "file"
                raise RuntimeError(f"For '{api}', there is no {kind} at {each!r}.")
        self.header: Header = self._guarded(path, self._header)

    def _header(self) -> Header:
        with self._opened() as file:
            return read_header(file)

    def _guarded(self, path: str, function: Any) -> Any:
        try:
            return function()
        except (OSError, DamagedFileError) as error:
            raise RuntimeError(f"For '{self.api}', the file {path!r} cannot be read: {error}.") from error

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        if self._file is not None and self._process == os.getpid():  # after a fork, the position would be shared
            yield self._file
            return
        check_regular(self.path)
        with open(self.path, "rb", buffering=0) as plain:
            file = encryption.readable(plain)
            if file is plain and not self.stays_open:
                yield file
                return
        if file is plain:
            file = open(self.path, "rb", buffering=0)  # noqa: SIM115 - `close` closes it
        self._file, self._process = file, os.getpid()
        yield file

    def close(self) -> None:
        """Close the file; reading a row opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    __del__ = close  # users need not close what they read

    @property
    def places(self) -> Places:
        """Where the rows are."""
        if self._places is None:
            index = f"{self.path}.db"
            self._places = self._guarded(index, lambda: read_places(index, self.header))
        return self._places

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_file": None}

    def values(self, field: str) -> list[Any]:
        """Return the values of an index field in all rows."""
        index = f"{self.path}.db"
        return self._guarded(index, lambda: read_values(index, field, self.header))

    def row(self, number: int, raw: bool, blobs: Sequence[bool]) -> tuple[dict[str, Any], list[Any]]:
        """Return one row: the values in raw pages by name, and the blobs.

        Args:
            number: the number of the row.
            raw: whether to read the former.
            blobs: which of the latter to read.
        """
        try:
            raw_start, raw_length, blob_start, blob_length = self.places
            with self._opened() as file:
                values = unpack_map(part_of(file, raw_start[number], raw_length[number])) if raw else {}
                data = part_of(file, blob_start[number], blob_length[number]) if any(blobs) else b""
            return values, unpack_blobs(data, self.header.schema.blobs, blobs) if data else [None] * len(blobs)
        except (OSError, DamagedFileError) as error:
            raise RuntimeError(
                f"For '{self.api}', row {number} of the file {self.path!r} cannot be read, with its index "
                f"{os.path.basename(self.path) + '.db'!r}: {error}."
            ) from error


def part_of(file: BinaryIO, start: Any, length: Any) -> bytes:
    """Return the bytes at a position of a file; a shorter file raises `DamagedFileError`."""
    if hasattr(os, "pread"):
        data = os.pread(file.fileno(), int(length), int(start))
        if len(data) == length:
            return data
    return read(file, range(int(start), int(start) + int(length)))


class Records:
    """The rows of several files, in sequence.

    Args:
        api: the name for messages.
        paths: the files.
        columns: the names of the fields to read. Default: None, all.

    Raises:
        RuntimeError: a file is missing or damaged, the files have different fields, or there is no such field.
    """

    def __init__(self, api: str, paths: Sequence[str], columns: Sequence[str] | None = None) -> None:
        self.api = api
        self.files = [RecordFile(api, path, len(paths) <= _MAX_OPEN) for path in paths]
        self.schema: Schema = self.files[0].header.schema
        for file in self.files:
            if file.header.schema.fields != self.schema.fields or file.header.schema.blobs != self.schema.blobs:
                raise RuntimeError(
                    f"For '{api}', the files must have the same fields, but {file.path!r} has "
                    f"{file.header.schema.content()}, unlike {self.files[0].path!r}."
                )
        names = [field.name for field in self.schema.fields] if columns is None else list(columns)
        for name in names:
            if name not in self.schema.by_name:
                raise RuntimeError(
                    f"For '{api}', the files have the fields {[*self.schema.by_name]}, but not {name!r:.100}."
                )
        self.raw = [field for field in self.schema.raw if field.name in names]
        self.blobs = [field.name in names for field in self.schema.blobs]
        self.ends = np.cumsum([len(file.places) for file in self.files])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def row(self, position: int) -> dict[str, Any]:
        """Return the values of a row by name: first the values of raw pages, then the blobs."""
        number = int(np.searchsorted(self.ends, position, "right")) if len(self.files) > 1 else 0
        file = self.files[number]
        values, blobs = file.row(position - (int(self.ends[number - 1]) if number else 0), bool(self.raw), self.blobs)
        try:
            result = {field.name: _checked(field.type, values[field.name]) for field in self.raw}
        except (KeyError, TypeError) as error:
            raise RuntimeError(
                f"For '{self.api}', row {position} of the file {file.path!r}, with its index "
                f"{os.path.basename(file.path) + '.db'!r}, does not fit the schema: {error!r}."
            ) from None
        for field, wanted, blob in zip(self.schema.blobs, self.blobs, blobs):
            if wanted:
                result[field.name] = blob
        return result

    def close(self) -> None:
        """Close all files; reading a row opens them again."""
        for file in self.files:
            file.close()


_KINDS: dict[str, Any] = {
    "int32": int, "int64": int, "float32": (int, float), "float64": (int, float), "string": str,
}  # fmt: skip


def _checked(kind: str, value: Any) -> Any:
    if not isinstance(value, _KINDS[kind]):
        raise TypeError(f"a field of {kind} has the value {value!r:.50}")
    return value
