"""Schema: the names, types and shapes of columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.error_classes import also
from torchspore.dataset.parameters import RowSize, take_as
from torchspore.engine.failures.naming import name_constructor
from torchspore.engine.storage.reading import read_json

__all__ = ["Schema", "column_type", "schema_of_records"]

_BAD_COLUMNS = also(TypeError, RuntimeError, ValueError)


@name_constructor
class Schema:
    """The columns of a dataset, with their types and shapes.

    Args:
        schema_file: a JSON file that describes them. Default: None, no columns yet.

    Raises:
        RuntimeError: the file cannot be read, or describes no columns.

    Examples:
        >>> import torchspore as ms
        >>> import torchspore.dataset as ds
        >>> schema = ds.Schema()
        >>> schema.add_column("x", de_type=ms.int64, shape=[])
        >>> data = ds.GeneratorDataset([1, 2], schema=schema)
        >>> data.get_col_names()
        ['x']
    """

    def __init__(self, schema_file: str | None = None) -> None:
        self.columns: list[dict[str, Any]] = []
        self.dataset_type = ""
        self.num_rows = 0
        if schema_file is not None:
            take_as(str, schema_file, "schema_file", "Schema")
            try:
                self.from_json(read_json(schema_file))
            except (OSError, ValueError, TypeError, RuntimeError) as error:
                raise also(RuntimeError, ValueError)(
                    f"For 'Schema', the file {schema_file!r} cannot be read: {error}"
                ) from error

    def add_column(self, name: str, de_type: Any, shape: Sequence[int] | None = None) -> None:
        """Add a column.

        Args:
            name: its name, not empty.
            de_type: its data type, or the name of that.
            shape: its shape. Default: None, any of one dimension.
        """
        if not isinstance(name, str) or not name:
            raise TypeError(f"For 'Schema.add_column', 'name' must be a str that is not empty, but got {name!r}.")
        column: dict[str, Any] = {"name": name, "type": _type_name(de_type)}
        if shape is not None:
            column["shape"] = [take_as(RowSize, size, "shape", "Schema.add_column") for size in shape]
        column["rank"] = 1 if shape is None else len(shape)
        self.columns.append(column)

    def parse_columns(self, columns: Any) -> None:
        """Add columns from dicts: a list with "name", or a dict by name, each with "type" and optionally "shape".

        A column without a shape is a scalar. Other keys, which files of other programs have, mean nothing here.

        Raises:
            RuntimeError: a name or type is missing.
        """
        if isinstance(columns, dict) and all(isinstance(column, dict) for column in columns.values()):
            columns = [{**column, "name": name} for name, column in columns.items()]
        if not isinstance(columns, list) or not all(isinstance(column, dict) for column in columns):
            raise _BAD_COLUMNS(
                f"For 'Schema.parse_columns', 'columns' must be a list or a dict, but got {columns!r:.200}."
            )
        for column in columns:
            if "name" not in column or "type" not in column:
                raise RuntimeError(
                    f"For 'Schema.parse_columns', a column must have 'name' and 'type', but got {column!r:.200}."
                )
            try:
                self.add_column(column["name"], column["type"], column.get("shape", []))
            except TypeError as error:
                raise _BAD_COLUMNS(
                    f"For 'Schema.parse_columns', the column {column!r:.200} is wrong: {error}"
                ) from None

    def from_json(self, json_obj: dict[str, Any]) -> None:
        """Add columns from a dict with "columns", "numRows" and "datasetType".

        Raises:
            RuntimeError: there are no columns, or a key is unknown.
        """
        if not isinstance(json_obj, dict):
            raise _BAD_COLUMNS(f"For 'Schema.from_json', 'json_obj' must be a dict, but got {type(json_obj).__name__}.")
        unknown = set(json_obj) - {"columns", "numRows", "datasetType"}
        if unknown or not json_obj.get("columns"):
            raise RuntimeError(
                f"For 'Schema.from_json', there must be 'columns', maybe 'numRows' and 'datasetType', and nothing "
                f"else, but got the keys {sorted(json_obj)!r:.200}."
            )
        dataset_type, num_rows = json_obj.get("datasetType", ""), json_obj.get("numRows", 0)
        if not isinstance(dataset_type, str) or not isinstance(num_rows, int) or num_rows < 0:
            raise _BAD_COLUMNS(
                f"For 'Schema.from_json', 'datasetType' must be a str and 'numRows' an int >= 0, but got "
                f"{dataset_type!r} and {num_rows!r}."
            )
        self.parse_columns(json_obj["columns"])
        self.dataset_type, self.num_rows = dataset_type, num_rows

    def get_num_rows(self) -> int:
        """Return the number of rows that `from_json` has set, 0 without it."""
        return self.num_rows

    def to_json(self) -> str:
        """Return the columns as JSON.

        Examples:
            >>> import torchspore.dataset as ds
            >>> schema = ds.Schema()
            >>> schema.add_column("x", "int32", [2])
            >>> schema.to_json().split()
            ['{', '"columns":', '[', '{', '"name":', '"x",', '"rank":', '1,', '"shape":', '[', '2', '],', '"type":',
            '"int32"', '}', ']', '}']
        """
        described: dict[str, Any] = {"columns": [dict(sorted(column.items())) for column in self.columns] or None}
        if self.dataset_type:
            described["datasetType"] = self.dataset_type
        if self.num_rows:
            described["numRows"] = self.num_rows
        return json.dumps(described, indent=2)

    def __str__(self) -> str:
        return self.to_json()


def schema_of_records(schema_file: str) -> Schema:
    """Return the schema in a file for records, which say the lengths of columns without a shape, except for scalars."""
    schema = Schema(schema_file)
    columns = read_json(schema_file)["columns"]
    described = columns if isinstance(columns, list) else columns.values()
    for column, given in zip(schema.columns, described):
        if "shape" not in given and given.get("rank") != 0:
            del column["shape"]
    return schema


def _type_name(given: Any) -> str:
    if isinstance(given, str) and given in ("string", "bytes"):
        return given
    if given is mstype.string:
        return "string"
    return column_type("Schema.add_column", given).name


def column_type(api: str, given: Any) -> np.dtype[Any]:
    """Return the NumPy type of a data type of numbers or bool, given as such or by name."""
    kind = given if isinstance(given, mstype.Type) else mstype._look_up(str(given))
    if kind is None or kind.numpy is None:
        raise TypeError(f"For '{api}', a type must be one of numbers or bool, but got {given!r}.")
    return np.dtype(kind.numpy)
