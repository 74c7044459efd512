"""The index of a MindRecord file, an SQLite database beside it: where each row is, and the values of index fields.

What a database of unknown origin could do is limited: it is read only, its functions are not trusted, and it may not
have more rows than the file has room for.
"""

from __future__ import annotations

import os
import sqlite3
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import numpy as np

from torchspore.engine.storage.files import DamagedFileError
from torchspore.engine.storage.reading import check_regular
from torchspore.mindrecord.encryption import readable_path
from torchspore.mindrecord.header import BLOB, RAW, Header
from torchspore.mindrecord.schema import Schema

__all__ = ["IndexWriter", "Places", "read_places", "read_values"]

_SQL_TYPES = {"int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL", "string": "TEXT"}
_PLACES = (
    "ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "ROW_GROUP_ID", "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip
_MIN_RAW = 9  # bytes of a row in a raw page
_CHUNK = 10_000


class IndexWriter:
    """Writes the index of a new file.

    Args:
        path: the database, which is written in full by `close`, to a temporary file of the caller.
        schema: the fields.
        index_fields: the names of those to index.
    """

    def __init__(self, path: str, schema: Schema, index_fields: Sequence[str]) -> None:
        columns = ", ".join(f"{name} INT NOT NULL" for name in _PLACES)
        fields = "".join(
            f", INC_{number} INT, {name}_0 {_SQL_TYPES[schema.by_name[name].type]}"
            for number, name in enumerate(index_fields)
        )
        key = ", ".join(["ROW_ID", *(f"INC_{number}" for number in range(len(index_fields)))])
        self._index_fields = list(index_fields)
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        for statement in (
            "PRAGMA journal_mode = OFF",
            "PRAGMA synchronous = OFF",
            f"CREATE TABLE INDEXES({columns}{fields}, PRIMARY KEY({key}))",
            "CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)",
            "BEGIN",
        ):
            self._database.execute(statement)
        self._insert = f"INSERT INTO INDEXES VALUES({', '.join('?' * (len(_PLACES) + 2 * len(index_fields)))})"

    def add(self, places: Iterable[Sequence[int]], rows: Iterable[dict[str, Any]]) -> None:
        """Add rows, with their places in the order of the columns."""
        names = self._index_fields
        self._database.executemany(
            self._insert,
            ((*place, *[each for name in names for each in (0, _sql(row[name]))]) for place, row in zip(places, rows)),
        )

    def close(self, shard_name: str) -> None:
        """Complete the database of the file of that name."""
        self._database.execute("INSERT INTO SHARD_NAME VALUES(?)", (shard_name,))
        self._database.execute("COMMIT")
        self._database.close()

    def abandon(self) -> None:
        """Close the database, which is not needed."""
        self._database.close()


def _sql(value: Any) -> Any:
    return value if isinstance(value, (int, str)) else value.item() if isinstance(value, np.generic) else value


class Places(NamedTuple):
    """Where the rows of a file are, as arrays: the position and the length of each in raw and in blob pages."""

    raw: np.ndarray[Any, Any]
    raw_length: np.ndarray[Any, Any]
    blob: np.ndarray[Any, Any]
    blob_length: np.ndarray[Any, Any]

    def __len__(self) -> int:
        return len(self.raw)


def read_places(path: str, header: Header) -> Places:
    """Return where the rows are.

    Args:
        path: the database.
        header: the header of the file.

    Raises:
        OSError: there is no database.
        DamagedFileError: it is not an index, or not of that file.
    """
    chunks = [np.array(chunk) for chunk in _selected(path, _PLACES, header)]
    if any(chunk.dtype.kind != "i" for chunk in chunks):
        raise DamagedFileError("it has places that are not ints")
    table = np.concatenate(chunks) if chunks else np.zeros((0, len(_PLACES)), np.int64)
    row, raw, raw_begin, raw_end, _, blob, blob_begin, blob_end = table[np.argsort(table[:, 0], kind="stable")].T
    if not np.array_equal(row, np.arange(len(row))):
        raise DamagedFileError("it does not number the rows from 0 on")
    raw_start = _starts(header, RAW, raw, raw_begin, raw_end)
    blob_start = _starts(header, BLOB, blob, blob_begin, blob_end)
    return Places(
        raw_start, (raw_end - raw_begin).astype(np.uint32), blob_start, (blob_end - blob_begin).astype(np.uint32)
    )


def _starts(header: Header, kind: str, pages: Any, begins: Any, ends: Any) -> np.ndarray[Any, Any]:
    """Return the positions in the file of the rows of one kind."""
    used = np.array([page.used if page.kind == kind else -1 for page in header.pages], np.int64)
    inside = (pages >= 0) & (pages < len(used))
    if not inside.all() or (begins < 0).any() or (ends <= begins).any() or (ends > used[pages]).any():
        raise DamagedFileError("it has rows outside the pages of the file")
    return header.header_size + pages * header.page_size + begins


def read_values(path: str, field: str, header: Header) -> list[Any]:
    """Return the values of an index field, in the order of the rows; arguments and errors as for `read_places`."""
    pairs = [pair for chunk in _selected(path, ("ROW_ID", f"{field}_0"), header) for pair in chunk]
    if not all(type(row) is int for row, _ in pairs):
        raise DamagedFileError("it has places that are not ints")
    return [value for _, value in sorted(pairs, key=lambda pair: pair[0])]


def _selected(path: str, columns: Sequence[str], header: Header) -> Iterator[list[tuple[Any, ...]]]:
    """Yield rows of the table of places, many at a time."""
    limit = sum(page.used for page in header.pages if page.kind == RAW) // _MIN_RAW
    with _opened(path) as database:
        kinds = database.execute("SELECT type, sql FROM sqlite_master WHERE name = 'INDEXES'").fetchall()
        if len(kinds) != 1 or kinds[0][0] != "table" or not str(kinds[0][1]).upper().startswith("CREATE TABLE"):
            raise DamagedFileError("it has no table of rows")
        cursor = database.execute(f"SELECT {', '.join(columns)} FROM INDEXES")
        while chunk := cursor.fetchmany(_CHUNK):
            limit -= len(chunk)
            if limit < 0:
                raise DamagedFileError("it has more rows than the file has room for")
            yield chunk


@contextmanager
def _opened(path: str) -> Iterator[sqlite3.Connection]:
    """Open a database for reading; that it may change, or have a journal, is ignored."""
    check_regular(path)
    try:
        with readable_path(path) as plain, closing(_connected(plain)) as database:
            database.execute("PRAGMA trusted_schema = OFF")
            database.execute("PRAGMA cell_size_check = ON")
            yield database
    except sqlite3.Error as error:
        raise DamagedFileError(f"it is not an index, or damaged: {error}") from error


def _connected(path: str) -> sqlite3.Connection:
    address = urllib.request.pathname2url(os.path.abspath(path))
    return sqlite3.connect(f"file:{address}?mode=ro&immutable=1", uri=True)
