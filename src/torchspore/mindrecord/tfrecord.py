"""The converter of TFRecord files into MindRecord files.

MindSpore: `mindspore.mindrecord`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from torchspore.engine.storage.files import DamagedFileError
from torchspore.mindrecord.converters import existing_path, write_rows
from torchspore.mindrecord.errors import ParamTypeError, ParamValueError
from torchspore.mindrecord.tfrecord_file import read_records, unpack_example
from torchspore.mindrecord.writer import FileWriter

__all__ = ["TFRecordToMR"]

_TYPES = {"int8": "int32", "int16": "int32", "int32": "int32", "int64": "int64", "uint8": "int32", "uint16": "int32",
          "uint32": "int64", "float16": "float32", "float32": "float32", "float64": "float64", "string": "string",
          "bytes": "bytes"}  # fmt: skip


class TFRecordToMR:
    """Converts a TFRecord file, which is read without TensorFlow.

    Args:
        source: the file, of records that are `tf.train.Example`.
        destination: the file to write.
        feature_dict: a dict from the names of the features to objects with a `shape` and a `dtype`, for example
            `tf.io.FixedLenFeature`. In names of fields "_" stands for characters other than letters and digits.
        bytes_fields: the names of features of strings that become bytes. Default: None.

    Raises:
        ParamTypeError, ParamValueError: an argument is of another type, or out of range.
        PathNotExistsError: there is no such file.

    Examples:
        >>> import tempfile
        >>> from types import SimpleNamespace
        >>> import numpy as np
        >>> from torchspore.mindrecord import FileReader, TFRecordToMR
        >>> from torchspore.mindrecord.tfrecord_file import pack_example, write_records
        >>> folder = tempfile.TemporaryDirectory()
        >>> with open(f"{folder.name}/a.tfrecord", "wb") as file:
        ...     write_records(file, [pack_example({"n": np.array([n]), "name": [b"x"]}) for n in range(2)])
        >>> kinds = {"n": "int64", "name": "string"}
        >>> features = {name: SimpleNamespace(shape=[], dtype=kind) for name, kind in kinds.items()}
        >>> TFRecordToMR(f"{folder.name}/a.tfrecord", f"{folder.name}/a.mindrecord", features).transform()
        >>> for row in FileReader(f"{folder.name}/a.mindrecord").get_next():
        ...     print(row)
        {'n': 0, 'name': 'x'}
        {'n': 1, 'name': 'x'}
        >>> folder.cleanup()
    """

    def __init__(
        self, source: str, destination: str, feature_dict: dict[str, Any], bytes_fields: list[str] | None = None
    ) -> None:
        self.source = existing_path("TFRecordToMR", "source", source)
        self._writer = FileWriter(destination)
        if not isinstance(feature_dict, dict) or not feature_dict:
            raise ParamTypeError.saying(
                f"For 'TFRecordToMR', 'feature_dict' must be a dict, not empty, but got {feature_dict!r:.100}."
            )
        listed = [] if bytes_fields is None else bytes_fields
        if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
            raise ParamTypeError.saying(
                f"For 'TFRecordToMR', 'bytes_fields' must be a list of names or None, but got {bytes_fields!r}."
            )
        unknown = [name for name in listed if name not in feature_dict]
        if unknown:
            raise ParamValueError.saying(f"For 'TFRecordToMR', 'bytes_fields' has names without a feature: {unknown}.")
        self._features = {name: _described(name, each, name in listed) for name, each in feature_dict.items()}

    def transform(self) -> None:
        """Write the file.

        Raises:
            RuntimeError: the source is damaged or does not have the features, or the file to write exists.
        """
        fields = {_field_name(name): field for name, field in self._features.items()}
        if len(fields) != len(self._features):
            raise ParamValueError.saying(f"For 'TFRecordToMR', the features {[*self._features]} need different names.")
        self._writer.add_schema(fields, "TFRecord to MindRecord")
        write_rows(self._writer, self._rows())

    run = transform

    def _rows(self) -> Iterator[dict[str, Any]]:
        try:
            for number, record in enumerate(read_records(self.source)):
                example = unpack_example(record)
                yield {
                    _field_name(name): _value(f"the feature {name!r} of record {number}", example.get(name), field)
                    for name, field in self._features.items()
                }
        except (OSError, DamagedFileError) as error:
            raise RuntimeError(f"For 'TFRecordToMR', the file {self.source!r} cannot be read: {error}.") from error


def _field_name(name: str) -> str:
    return re.sub(r"[^0-9A-Za-z_]", "_", name)


def _described(name: str, feature: Any, is_bytes: bool) -> dict[str, Any]:
    """Return the description of the field for a feature."""
    if not hasattr(feature, "dtype") or not hasattr(feature, "shape"):
        raise ParamTypeError.saying(
            f"For 'TFRecordToMR', a feature must have a 'shape' and a 'dtype', as tf.io.FixedLenFeature has, but "
            f"{name!r} is {feature!r:.100}."
        )
    dtype = feature.dtype
    found = dtype if isinstance(dtype, str) else getattr(dtype, "name", None) or getattr(dtype, "__name__", str(dtype))
    if found not in _TYPES:
        raise ParamValueError.saying(
            f"For 'TFRecordToMR', the type of a feature must be one of {[*_TYPES]}, but {name!r} has {found!r}."
        )
    kind = _TYPES[found]
    if kind in ("string", "bytes"):
        return {"type": "bytes" if is_bytes or kind == "bytes" else "string"}
    shape = [int(size) for size in (feature.shape if hasattr(feature.shape, "__iter__") else [feature.shape])]
    return {"type": kind, "shape": shape} if shape else {"type": kind}


def _value(what: str, values: Any, field: dict[str, Any]) -> Any:
    """Return the value of a field for the values of a feature."""
    kind = field["type"]
    given = "none" if values is None else "text" if isinstance(values, list) else values.dtype.kind
    if given != {"s": "text", "b": "text"}.get(kind[0], kind[0]):
        raise DamagedFileError(f"{what} must have the type {kind}")
    if "shape" in field:
        try:
            return values.astype(kind).reshape(field["shape"])
        except ValueError:
            raise DamagedFileError(f"{what} has {len(values)} values, not the shape {field['shape']}") from None
    if len(values) != 1:
        raise DamagedFileError(f"{what} must have one value, but has {len(values)}")
    if kind == "bytes":
        return values[0]
    if kind == "string":
        try:
            return values[0].decode()
        except UnicodeDecodeError:
            raise DamagedFileError(f"{what} is not text: name it in 'bytes_fields'") from None
    return np.asarray(values)[0].astype(kind).item()
