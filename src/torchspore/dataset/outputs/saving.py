"""save: the rows of a pipeline as a MindRecord file."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np

from torchspore.dataset.parameters import FileCount, FileType, checked
from torchspore.dataset.pipeline.dataset import Dataset, attach
from torchspore.mindrecord.schema import SCALARS
from torchspore.mindrecord.writer import FileWriter

__all__: list[str] = []

_BATCH = 256  # rows that are written at a time
_MAX_FILES = 1000
_TYPES = {"uint32": "int64", "int64": "int64", "uint64": "int64", "float16": "float32", "float32": "float32",
          "float64": "float64"}  # fmt: skip


@attach("save")
@checked(api="save")
def _save(self: Dataset, file_name: str, num_files: FileCount = 1, file_type: FileType = "mindrecord") -> None:
    """Write the rows of one epoch into a MindRecord file, which replaces none.

    Integers of up to 32 bits and bools become int32, or int64 if they are unsigned or larger, and floats of 16 bits
    float32. The first dimension of a column may vary.

    Args:
        file_name: the file; of several the beginning of their names, to which their numbers are added.
        num_files: the number of files, in [1, 1000]. Default: 1.
        file_type: "mindrecord". Default: "mindrecord".

    Raises:
        RuntimeError: the file exists, there are no rows, a column has arrays of strings or dicts, or a row has other
            types than the first one.

    Examples:
        >>> import os, tempfile
        >>> import torchspore.dataset as ds
        >>> folder = tempfile.TemporaryDirectory()
        >>> path = os.path.join(folder.name, "squares.mindrecord")
        >>> ds.NumpySlicesDataset({"n": [1, 2, 3]}, shuffle=False).map(lambda n: n**2).save(path)
        >>> [int(row["n"]) for row in ds.MindDataset(path, shuffle=False).create_dict_iterator(num_epochs=1)]
        [1, 4, 9]
        >>> folder.cleanup()

    MindSpore: `mindspore.dataset.Dataset.save`.
    """
    rows = (row for row in self.create_dict_iterator(num_epochs=1, output_numpy=True))
    batch = list(islice(rows, _BATCH))
    if not batch:
        raise RuntimeError("For 'save', there must be rows, but the dataset has none.")
    fields = {name: _field(name, value) for name, value in batch[0].items()}
    converters = {name: _converter(field) for name, field in fields.items()}
    writer = FileWriter(file_name, num_files)
    writer.add_schema(fields, "mindrecord")
    while batch:
        try:
            values = [{name: convert(row[name]) for name, convert in converters.items()} for row in batch]
        except (ValueError, TypeError, AttributeError) as error:
            raise RuntimeError(f"For 'save', the rows of a column must have one type: {error}.") from error
        writer.write_raw_data(values)
        batch = list(islice(rows, _BATCH))
    writer.commit()


def _field(name: str, value: Any) -> dict[str, Any]:
    """Return the description of the field for a column, from its first value."""
    if not isinstance(value, np.ndarray) or (value.dtype.kind in "US" and value.size != 1):
        raise RuntimeError(
            f"For 'save', a column must have numbers, or one str or bytes in each row, but '{name}' has {value!r:.100}."
        )
    if value.dtype.kind in "US":
        return {"type": "string" if value.dtype.kind == "U" else "bytes"}
    kind = _TYPES.get(value.dtype.name, "int32")
    return {"type": kind, "shape": [-1, *value.shape[1:]]} if value.ndim else {"type": kind}


def _converter(field: dict[str, Any]) -> Callable[[Any], Any]:
    """Return the function that converts a column's value into a value of a field."""
    kind, inner = field["type"], tuple(field.get("shape", [-1])[1:])

    def convert(value: Any) -> Any:
        if _field("x", value)["type"] != kind or value.shape[1:] != inner:
            raise ValueError(f"one is {kind}, and another one {value.dtype} of the shape {value.shape}")
        if kind == "string":
            return str(value.reshape(-1)[0])
        if kind == "bytes":
            return value.tobytes()
        number = value.astype(SCALARS[kind])
        return number if "shape" in field else number.item()

    return convert
