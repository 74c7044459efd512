"""Reading all rows of MindRecord files in sequence.

MindSpore: `mindspore.mindrecord`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from torchspore.mindrecord.errors import ParamTypeError, ParamValueError
from torchspore.mindrecord.records import Records, shards_of

__all__ = ["FileReader"]


def checked_paths(api: str, file_name: Any) -> list[str]:
    """Return the files to read: the files of a list, or all shards of one.

    Raises:
        ParamValueError: it is neither a str nor a list of them.
    """
    listed = list(file_name) if isinstance(file_name, (list, tuple)) else [file_name]
    if not listed or not all(isinstance(each, (str, os.PathLike)) and os.fspath(each) for each in listed):
        raise ParamValueError.saying(
            f"For '{api}', 'file_name' must be a str or a list of them, but got {file_name!r}."
        )
    paths = [os.path.expanduser(os.fspath(each)) for each in listed]
    return paths if isinstance(file_name, (list, tuple)) else shards_of(api, paths[0])


def check_consumers(api: str, num_consumer: Any) -> None:
    """Check a number of threads, which has no effect."""
    if not isinstance(num_consumer, int) or isinstance(num_consumer, bool) or num_consumer < 1:
        raise ParamValueError.saying(f"For '{api}', 'num_consumer' must be an int > 0, but got {num_consumer!r}.")


class FileReader:
    """Yields the rows of MindRecord files in sequence, as dicts.

    Args:
        file_name: the file, of several shards any one; or a list of files, which alone are read.
        num_consumer: has no effect: rows are read when they are asked for. Default: 4.
        columns: the names of the fields to read. Default: None, all.
        operator: must be None.

    Raises:
        ParamValueError, ParamTypeError: an argument has another type, or is out of range.
        RuntimeError: a file is missing or damaged, or there is no such field.

    Examples:
        >>> import os, tempfile
        >>> from torchspore.mindrecord import FileReader, FileWriter
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "squares.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"n": {"type": "int32"}, "name": {"type": "string"}})
        >>> writer.write_raw_data([{"n": 1, "name": "one"}, {"n": 4, "name": "four"}])
        >>> writer.commit()
        >>> reader = FileReader(path)
        >>> for row in reader.get_next():
        ...     print(row)
        {'n': 1, 'name': 'one'}
        {'n': 4, 'name': 'four'}
        >>> reader.close()
        >>> folder.cleanup()
    """

    def __init__(
        self, file_name: str | list[str], num_consumer: int = 4, columns: list[str] | None = None, operator: None = None
    ) -> None:
        if columns is not None and not isinstance(columns, list):
            raise ParamTypeError.saying(f"For 'FileReader', 'columns' must be a list or None, but got {columns!r}.")
        if operator is not None:
            raise NotImplementedError("For 'FileReader', 'operator' is not supported: leave it out.")
        check_consumers("FileReader", num_consumer)
        self._records = Records("FileReader", checked_paths("FileReader", file_name), columns or None)
        self._position = 0

    def get_next(self) -> Iterator[dict[str, Any]]:
        """Yield the rows; another call continues after the last row that was yielded."""
        while self._position < len(self._records):
            self._position += 1
            yield self._records.row(self._position - 1)

    def len(self) -> int:
        """Return the number of rows."""
        return len(self._records)

    def schema(self) -> dict[str, Any]:
        """Return the descriptions of the fields by name."""
        return self._records.schema.content()

    def close(self) -> None:
        """Close the files; there are no further rows."""
        self._position = len(self._records)
        self._records.close()
