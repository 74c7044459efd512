"""Writing MindRecord files.

MindSpore: `mindspore.mindrecord`.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Annotated, Any, TypeAlias, cast

from torchspore import log
from torchspore.common.error_classes import also
from torchspore.engine.parameters import Limits, take_as
from torchspore.engine.storage.files import DamagedFileError
from torchspore.engine.storage.writing import replacing_several
from torchspore.mindrecord.errors import (
    MRMAddSchemaError,
    MRMDefineIndexError,
    MRMGetMetaError,
    ParamTypeError,
    ParamValueError,
)
from torchspore.mindrecord.header import HEADER_SIZES, PAGE_SIZES, Header
from torchspore.mindrecord.pages import FileInProgress, TooLargeError
from torchspore.mindrecord.records import RecordFile, shards_of
from torchspore.mindrecord.schema import Schema
from torchspore.mindrecord.values import pack_blobs, pack_map

__all__ = ["FileWriter"]

_FORBIDDEN = re.compile(r"[\\:*?\"<>|`&;']")
_MAX_SHARDS = 1000
_MAX_FIELDS = 900  # of an index: a table of SQLite has at most 2000 columns


_Shards: TypeAlias = Annotated[int, Limits(1, _MAX_SHARDS)]


class FileWriter:
    """Writes rows, dicts of values, into a MindRecord file, or several that have a part of the rows each.

    The files, and the index `file_name.db` of each, replace files of the same names when `commit` is called, and not
    before. What is written until then is in a temporary folder beside them.

    Args:
        file_name: the file; of several shards the beginning of their names, to which their numbers are added.
        shard_num: the number of files, in [1, 1000]. Default: 1.
        overwrite: whether files of the same names may be replaced. Default: False.

    Raises:
        ParamValueError: an argument has another type, or is out of range.

    Examples:
        >>> import os, tempfile
        >>> import numpy as np
        >>> from torchspore.mindrecord import FileReader, FileWriter
        >>> folder = tempfile.TemporaryDirectory()
        >>> writer = FileWriter(os.path.join(folder.name, "images.mindrecord"))
        >>> fields = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "box": {"type": "int64", "shape": [4]}}
        >>> writer.add_schema(fields, "images with boxes")
        >>> writer.add_index(["label"])
        >>> writer.write_raw_data([{"label": 3, "image": b"...", "box": np.array([0, 0, 8, 9])}])
        >>> writer.commit()
        >>> sorted(os.listdir(folder.name))
        ['images.mindrecord', 'images.mindrecord.db']
        >>> folder.cleanup()
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        path = _checked_path("FileWriter", file_name)
        try:
            count = take_as(_Shards, shard_num, "shard_num", "FileWriter")
            self._overwrite = take_as(bool, overwrite, "overwrite", "FileWriter")
        except (TypeError, ValueError) as error:
            raise ParamValueError.saying(str(error)) from None
        self._paths = [path] if count == 1 else [f"{path}{number}" for number in range(count)]
        self._columns_of_user: Schema | None = None
        self._index_fields: list[str] | None = None
        self._header_size, self._page_size = Header.header_size, Header.page_size
        self._files: list[FileInProgress] = []
        self._folder = ExitStack()
        self._committed = False
        self._next = 0  # the shard for the next rows of a parallel writer

    def __del__(self) -> None:
        for file in getattr(self, "_files", ()):  # there are none if the constructor has failed
            file.abandon()

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """Return a writer that adds rows to a file, or to all shards of which it is one.

        Args:
            file_name: the file.

        Raises:
            ParamValueError: it is not a str.
            RuntimeError: it is missing or damaged.
        """
        paths = shards_of("open_for_append", _checked_path("open_for_append", file_name))
        old = [RecordFile("open_for_append", path) for path in paths]
        writer = cls(paths[0], overwrite=True)
        header = old[0].header
        writer._paths, writer._columns_of_user, writer._index_fields = paths, header.schema, header.index_fields
        writer._header_size, writer._page_size = header.header_size, header.page_size
        try:
            writer._begin()
            for file, before in zip(writer._files, old):
                file.copy_from(before)
        except (OSError, DamagedFileError) as error:
            writer._abandon()
            raise RuntimeError(f"For 'open_for_append', the file {file_name!r} cannot be read: {error}.") from error
        finally:
            for before in old:
                before.close()
        return writer

    def add_schema(self, content: dict[str, Any], desc: str | None = None) -> None:
        """Set the fields of the rows, before any rows are written.

        Args:
            content: a dict from the name of each field, which consists of letters, digits and "_", to a dict with its
                "type", one of int32, int64, float32, float64, string and bytes, and for an array of numbers its
                "shape", in which one dimension may be -1, any length.
            desc: a description. Default: None.

        Raises:
            MRMInvalidSchemaError, MRMBuildSchemaError: `content` is something else.
            MRMAddSchemaError: there is a schema already.
            TypeError: `desc` is not a str.
        """
        if desc is not None and not isinstance(desc, str):
            raise TypeError(f"For 'add_schema', 'desc' must be a str or None, but got {type(desc).__name__}.")
        schema = Schema.of_user("add_schema", content, desc)
        if self._columns_of_user is not None:
            raise MRMAddSchemaError.saying("For 'add_schema', there is a schema already: call it only once.")
        self._columns_of_user = schema

    def add_index(self, index_fields: list[str]) -> None:
        """Set the fields by which rows can be found: without it, all that are neither bytes nor arrays.

        Args:
            index_fields: their names.

        Raises:
            ParamTypeError: it is not a list of strs, or empty.
            MRMGetMetaError: there is no schema yet.
            MRMDefineIndexError: a field is bytes or an array.
            RuntimeError: there is no such field, or it has an index already.
        """
        if not isinstance(index_fields, list) or not index_fields:
            raise ParamTypeError.saying(
                f"For 'add_index', 'index_fields' must be a list of names, not empty, but got {index_fields!r}."
            )
        if self._columns_of_user is None:
            raise MRMGetMetaError.saying("For 'add_index', there must be a schema: call 'add_schema' first.")
        chosen = [] if self._files or self._index_fields is None else self._index_fields
        taken = list(self._index_fields or []) if self._files else list(chosen)
        for name in index_fields:
            if not isinstance(name, str):
                raise ParamTypeError.saying(f"For 'add_index', 'index_fields' must be names, but got {name!r}.")
            field = self._columns_of_user.by_name.get(name)
            if field is None:
                raise RuntimeError(f"For 'add_index', there is no field {name!r}: {[*self._columns_of_user.by_name]}.")
            if field.is_blob:
                raise MRMDefineIndexError.saying(
                    f"For 'add_index', a field of bytes or an array cannot be in the index, but got {name!r}."
                )
            if name in taken:
                raise RuntimeError(f"For 'add_index', the field {name!r} is in the index already.")
            taken.append(name)
        if self._files:
            raise RuntimeError("For 'add_index', rows are written already: call it before 'write_raw_data'.")
        self._index_fields = taken

    def set_header_size(self, header_size: int) -> None:
        """Set the number of bytes of the header, before any rows are written; 16 MiB without it.

        Args:
            header_size: a multiple of 4 in [16384, 134217728].

        Raises:
            RuntimeError: it is out of range, or rows are written already.
        """
        self._header_size = self._checked_size("set_header_size", "header_size", header_size, HEADER_SIZES)

    def set_page_size(self, page_size: int) -> None:
        """Set the bytes of a page, which limit the bytes of a row, before any are written; 32 MiB without it.

        Args:
            page_size: a multiple of 4 in [32768, 268435456].

        Raises:
            RuntimeError: it is out of range, or rows are written already.
        """
        self._page_size = self._checked_size("set_page_size", "page_size", page_size, PAGE_SIZES)

    def _checked_size(self, api: str, name: str, size: Any, limits: tuple[int, int]) -> int:
        number = take_as(int, size, name, api)
        if not limits[0] <= number <= limits[1] or number % 4:
            raise RuntimeError(f"For '{api}', '{name}' must be a multiple of 4 in {[*limits]}, but got {number}.")
        if self._files:
            log.warning(f"For '{api}', rows are written already: the size stays what it is.")
            return self._header_size if name == "header_size" else self._page_size
        return number

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Write rows, which are divided among the shards.

        Rows that do not fit the schema are left out, with a warning.

        Args:
            raw_data: a list of dicts from the names of the fields to values: ints, floats, strs, bytes, and NumPy
                arrays of exactly the type of the field.
            parallel_writer: write the rows into one shard, the next one for the next call, instead of dividing them.
                Default: False.

        Raises:
            ParamTypeError: `raw_data` is not a list of dicts.
            RuntimeError: no row fits the schema, a row is larger than a page, the files exist and may not be replaced
                or cannot be written, or `commit` was called.
        """
        api = "write_raw_data"
        if self._committed:
            raise RuntimeError(f"For '{api}', the files are committed: use 'open_for_append' to add rows.")
        if not isinstance(raw_data, list):
            raise ParamTypeError.saying(f"For '{api}', 'raw_data' must be a list, but got {type(raw_data).__name__}.")
        for row in raw_data:
            if not isinstance(row, dict):
                raise ParamTypeError.saying(f"For '{api}', 'raw_data' must have dicts, but has a {type(row).__name__}.")
        take_as(bool, parallel_writer, "parallel_writer", api)
        rows = self._fitting(raw_data)
        with self._writing(api):
            self._begin()
        raw_packer, blob_packer = self._packers
        packed = [(raw_packer(row), *blob_packer(row)) for row in rows]
        largest = max(max(len(raw), len(blob)) for raw, blob, _ in packed)
        if largest > self._page_size:
            raise RuntimeError(
                f"For '{api}', a row has {largest} bytes, but a page has {self._page_size}: call 'set_page_size' with "
                f"more before rows are written."
            )
        start = 0
        with self._writing(api):
            for file, count in self._divided(len(rows), parallel_writer):
                file.add(rows[start : start + count], packed[start : start + count])
                start += count

    def _fitting(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the rows that fit the schema."""
        if self._columns_of_user is None:
            raise RuntimeError("For 'write_raw_data', there must be a schema: call 'add_schema' first.")
        checks = [(field, field.fits()) for field in self._columns_of_user.fields]
        names = self._columns_of_user.by_name.keys()
        fitting = [row for row in rows if row.keys() >= names and all(fits(row[field.name]) for field, fits in checks)]
        if len(fitting) == len(rows) and rows:
            return fitting
        message = f"For 'write_raw_data', {len(rows) - len(fitting)} of {len(rows)} rows do not fit the schema"
        if rows:
            accepted = {id(row) for row in fitting}
            message += f": {self._misfit(next(row for row in rows if id(row) not in accepted))}"
        if not fitting:
            raise RuntimeError(f"{message}. There is nothing to write.")
        log.warning(f"{message}. They are left out.")
        return fitting

    def _misfit(self, row: dict[str, Any]) -> str:
        """Return what is wrong with a row."""
        schema = cast(Schema, self._columns_of_user)
        if not row.keys() >= schema.by_name.keys():
            return f"a row has the fields {sorted(map(str, row))}, but needs {[*schema.by_name]}"
        wrong = next(field for field in schema.fields if not field.fits()(row[field.name]))
        value = row[wrong.name]
        kind = f"{value.dtype} of shape {value.shape}" if hasattr(value, "dtype") else type(value).__name__
        return f"the field '{wrong.name}' must be {wrong.described()}, but a row has {kind}"

    def _divided(self, count: int, parallel: bool) -> list[tuple[FileInProgress, int]]:
        """Return how many rows each file gets; those with the fewest get one more where they cannot be equal."""
        if parallel:
            self._next += 1
            return [(self._files[(self._next - 1) % len(self._files)], count)]
        each, more = divmod(count, len(self._files))
        fewest = sorted(range(len(self._files)), key=lambda number: self._files[number].count)[:more]
        return [(file, each + (number in fewest)) for number, file in enumerate(self._files)]

    def _begin(self) -> None:
        """Make the files, when the first rows are written."""
        if self._files:
            return
        existing = [path for path in self._paths if os.path.lexists(path) or os.path.lexists(f"{path}.db")]
        if existing and not self._overwrite:
            raise RuntimeError(
                f"For 'FileWriter', the file {existing[0]!r} exists: remove it, or set 'overwrite' to True."
            )
        schema = cast(Schema, self._columns_of_user)
        if self._index_fields is None:
            self._index_fields = [field.name for field in schema.raw]
        _check_index(self._index_fields)
        self._packers = pack_map(schema.raw), pack_blobs(schema.blobs)
        names = [os.path.basename(path) for path in self._paths]
        folder = self._folder.enter_context(replacing_several(f"{self._paths[0]}.db"))
        for number, name in enumerate(names):
            header = Header(schema, self._index_fields, names, number, self._header_size, self._page_size)
            self._files.append(FileInProgress(os.path.join(folder, name), header))

    def commit(self) -> None:
        """Complete the files, and put them in their places.

        Raises:
            RuntimeError: there is no schema, `commit` was called before, the files exist and may not be replaced, or
                the header is too small for the number of pages.
        """
        if self._committed:
            raise RuntimeError("For 'commit', the files are committed already.")
        if self._columns_of_user is None:
            raise RuntimeError("For 'commit', there must be a schema: call 'add_schema' first.")
        try:
            with self._writing("commit"):
                self._begin()
                for file, path in zip(self._files, self._paths):
                    file.finish(os.path.basename(path))
                self._folder.close()
        except BaseException as error:
            self._abandon()
            if isinstance(error, TooLargeError):
                raise RuntimeError(f"For 'commit', {error}.") from None
            raise
        self._committed = True

    @contextmanager
    def _writing(self, api: str) -> Iterator[None]:
        """Raise a RuntimeError, and remove the temporary files, if the files cannot be written."""
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            self._abandon()
            kind: Any = type(error) if isinstance(error, OSError) else OSError
            raise also(RuntimeError, kind)(
                f"For '{api}', the file {self._paths[0]!r} cannot be written: {error}."
            ) from error

    def _abandon(self) -> None:
        """Remove the temporary files."""
        self._committed = True
        for file in self._files:
            file.abandon()
        self._folder.__exit__(_AbandonedError, _AbandonedError(), None)


class _AbandonedError(Exception):
    """Ends the block of temporary files without putting them in place."""


def _checked_path(api: str, file_name: Any) -> str:
    """Return the path of a file to write.

    Raises:
        ParamValueError: it is not a str, empty, or has a character that MindSpore does not accept.
    """
    if isinstance(file_name, os.PathLike):
        file_name = os.fspath(file_name)
    if not isinstance(file_name, str) or not file_name or file_name.endswith("/"):
        raise ParamValueError.saying(f"For '{api}', 'file_name' must be the path of a file, but got {file_name!r}.")
    name = os.path.basename(file_name)
    if _FORBIDDEN.search(name) or "\0" in file_name:
        raise ParamValueError.saying(
            f"For '{api}', 'file_name' must not contain any of \\:*?\"<>|`&;', but got {name!r}."
        )
    return os.path.expanduser(file_name)


def _check_index(names: list[str]) -> None:
    """Check that SQLite can tell the columns of the index apart, which ignores case."""
    lower = [name.lower() for name in names]
    clashing = [name for name in names if lower.count(name.lower()) > 1 or name.lower() == "inc"]
    if clashing or len(names) > _MAX_FIELDS:
        raise RuntimeError(
            f"For 'add_index', the index can have at most {_MAX_FIELDS} fields, whose names differ in more than case, "
            f"and none 'inc', but got {(clashing or names)[:5]}: choose other fields."
        )
