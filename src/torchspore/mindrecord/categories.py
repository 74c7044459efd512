"""Reading the rows of MindRecord files that have a value in an index field.

MindSpore: `mindspore.mindrecord`.
"""

from __future__ import annotations

import json
from typing import Any

from torchspore.engine.parameters import NotNegative, Positive, take_as
from torchspore.mindrecord.errors import MRMDefineCategoryError, ParamTypeError, ParamValueError
from torchspore.mindrecord.reader import check_consumers, checked_paths
from torchspore.mindrecord.records import Records

__all__ = ["MindPage"]


class MindPage:
    """Reads the rows that have equal values in a field, some at a time.

    Args:
        file_name: the file, of several shards any one; or a list of files, which alone are read.
        num_consumer: has no effect: rows are read when they are asked for. Default: 4.

    Raises:
        ParamValueError: an argument has another type, or is out of range.
        RuntimeError: a file is missing or damaged.

    Examples:
        >>> import os, tempfile
        >>> from torchspore.mindrecord import FileWriter, MindPage
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "pets.mindrecord")
        >>> writer = FileWriter(path)
        >>> writer.add_schema({"kind": {"type": "string"}, "age": {"type": "int32"}})
        >>> writer.write_raw_data([{"kind": "cat", "age": 3}, {"kind": "dog", "age": 1}, {"kind": "cat", "age": 9}])
        >>> writer.commit()
        >>> page = MindPage(path)
        >>> page.category_field = "kind"
        >>> page.read_category_info()
        '{"categories":[{"count":2,"id":0,"name":"cat"},{"count":1,"id":1,"name":"dog"}],"key":"kind_0"}'
        >>> page.read_at_page_by_name("cat", page=1, num_row=1)
        [{'age': 9, 'kind': 'cat'}]
        >>> folder.cleanup()
    """

    def __init__(self, file_name: str | list[str], num_consumer: int = 4) -> None:
        check_consumers("MindPage", num_consumer)
        self._records = Records("MindPage", checked_paths("MindPage", file_name))
        self._field: str | None = None
        self._rows: dict[Any, list[int]] = {}

    @property
    def candidate_fields(self) -> list[str]:
        """The names of the fields that can be the category: those in the index."""
        return list(self._records.files[0].header.index_fields)

    @property
    def category_field(self) -> str | None:
        """The field whose values are the categories, None at first; set it to one of `candidate_fields`.

        Raises:
            ParamTypeError: the new value is not a str, or empty (when set).
            MRMDefineCategoryError: it is not in the index (when set).
        """
        return self._field

    @category_field.setter
    def category_field(self, category_field: str) -> None:
        if not isinstance(category_field, str) or not category_field:
            raise ParamTypeError.saying(f"For 'category_field', the value must be a name, but got {category_field!r}.")
        if category_field not in self.candidate_fields:
            raise MRMDefineCategoryError.saying(
                f"For 'category_field', the value must be one of {self.candidate_fields}, but got {category_field!r}."
            )
        values = [value for file in self._records.files for value in file.values(category_field)]
        self._rows = {}
        for position, value in enumerate(values):
            self._rows.setdefault(value, []).append(position)
        kinds = sorted(self._rows, key=lambda value: (str(type(value)), value))
        self._rows = {value: self._rows[value] for value in kinds}
        self._field = category_field

    def read_category_info(self) -> str:
        """Return the categories as JSON, each with its number, name, and number of rows.

        Raises:
            RuntimeError: `category_field` is not set.
        """
        self._check_field("read_category_info")
        categories = [
            {"count": len(rows), "id": number, "name": str(value)}
            for number, (value, rows) in enumerate(self._rows.items())
        ]
        content = {"categories": categories, "key": f"{self._field}_0"}
        return json.dumps(content, separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id: int, page: int, num_row: int) -> list[dict[str, Any]]:
        """Return some rows of a category.

        Args:
            category_id: the number of the category.
            page: which of its parts of `num_row` rows, from 0 on.
            num_row: the maximum number of rows.

        Raises:
            ParamValueError: an argument is not an int, or out of range.
            RuntimeError: there is no such category or part, or `category_field` is not set.
        """
        api = "read_at_page_by_id"
        self._check_field(api)
        number = _taken("category_id", category_id, api)
        if number >= len(self._rows):
            raise RuntimeError(f"For '{api}', 'category_id' must be below {len(self._rows)}, but got {number}.")
        return self._read(api, list(self._rows.values())[number], page, num_row)

    def read_at_page_by_name(self, category_name: str, page: int, num_row: int) -> list[dict[str, Any]]:
        """Return some rows of a category.

        Args:
            category_name: its value in the field, as a str.
            page, num_row: as for `read_at_page_by_id`.

        Raises:
            ParamValueError, RuntimeError: as for `read_at_page_by_id`.
        """
        api = "read_at_page_by_name"
        self._check_field(api)
        rows = next((rows for value, rows in self._rows.items() if str(value) == str(category_name)), None)
        if rows is None:
            raise RuntimeError(f"For '{api}', there is no category {category_name!r:.100}.")
        return self._read(api, rows, page, num_row)

    def _read(self, api: str, rows: list[int], page: Any, num_row: Any) -> list[dict[str, Any]]:
        start = _taken("page", page, api) * _taken("num_row", num_row, api, Positive)
        if start >= len(rows):
            raise RuntimeError(f"For '{api}', the category has {len(rows)} rows, but got page {page} of {num_row}.")
        return [self._records.row(position) for position in rows[start : start + num_row]]

    def _check_field(self, api: str) -> None:
        if self._field is None:
            raise RuntimeError(f"For '{api}', 'category_field' must be set first: one of {self.candidate_fields}.")

    def _close(self) -> None:
        self._records.close()


def _taken(name: str, value: Any, api: str, annotation: Any = NotNegative) -> int:
    try:
        return int(take_as(annotation, value, name, api))
    except (TypeError, ValueError) as error:
        raise ParamValueError.saying(str(error)) from None
