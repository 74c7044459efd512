"""The schema of a MindRecord file: its fields, and which Python values fit them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from torchspore.mindrecord.errors import MRMBuildSchemaError, MRMInvalidSchemaError

__all__ = ["SCALARS", "Field", "Schema"]

SCALARS = {"int32": np.int32, "int64": np.int64, "float32": np.float32, "float64": np.float64}
_TYPES = (*SCALARS, "string", "bytes")
_NAME = re.compile(r"[0-9A-Za-z_]+\Z", re.ASCII)
_LIMIT = 2**63


class Field(NamedTuple):
    """One field.

    Args:
        name: its name.
        type: int32, int64, float32, float64, string or bytes.
        shape: the shape of an array, at most one dimension of which is -1, any length. Default: None, not an array.
    """

    name: str
    type: str
    shape: tuple[int, ...] | None = None

    @property
    def is_blob(self) -> bool:
        """Whether its values are in the blob pages, as bytes and arrays are."""
        return self.shape is not None or self.type == "bytes"

    def described(self) -> dict[str, Any]:
        """Return the description of the field, as users give it."""
        return {"type": self.type} if self.shape is None else {"shape": list(self.shape), "type": self.type}

    def fits(self) -> Callable[[Any], bool]:
        """Return the function that says whether a value is one of the field."""
        if self.shape is not None:
            dtype, shape = np.dtype(SCALARS[self.type]), self.shape
            return lambda value: isinstance(value, np.ndarray) and value.dtype == dtype and _reshapes(value, shape)
        if self.type in ("int32", "int64"):
            whole: Any = (int, SCALARS[self.type])
            return lambda value: (
                isinstance(value, whole) and not isinstance(value, bool) and -_LIMIT <= int(value) < _LIMIT
            )
        kinds: dict[str, Any] = {"string": str, "bytes": bytes, "float32": (float, np.float32), "float64": float}
        kind = kinds[self.type]
        return lambda value: isinstance(value, kind)


def _reshapes(value: np.ndarray[Any, Any], shape: tuple[int, ...]) -> bool:
    """Return whether an array has the number of elements of a shape, in which one dimension may be -1."""
    known = 1
    for size in shape:
        known *= 1 if size == -1 else size
    return bool(shape) and (value.size % known == 0 if -1 in shape else value.size == known)


class Schema:
    """The fields of a file, in the order of their names.

    Args:
        fields: the fields.
        description: the user's text.
        blob_fields: the names of the fields in blob pages, in their order there. Default: None, the order of the names.
    """

    def __init__(self, fields: list[Field], description: str = "", blob_fields: list[str] | None = None) -> None:
        self.fields = sorted(fields)
        self.description = description
        self.by_name = {field.name: field for field in self.fields}
        self.raw = [field for field in self.fields if not field.is_blob]
        blobs = [field.name for field in self.fields if field.is_blob] if blob_fields is None else blob_fields
        self.blobs = [self.by_name[name] for name in blobs]

    def content(self) -> dict[str, Any]:
        """Return the descriptions of the fields by name."""
        return {field.name: field.described() for field in self.fields}

    def as_json(self) -> dict[str, Any]:
        """Return the schema as a header contains it."""
        blobs = [field.name for field in self.blobs]
        return {"blob_fields": blobs, "desc": self.description, "schema": self.content()}

    @classmethod
    def of_user(cls, api: str, content: Any, description: str | None) -> Schema:
        """Return the schema that a user describes.

        Raises:
            MRMInvalidSchemaError: it is not a dict, empty, or a field has another type or further entries.
            MRMBuildSchemaError: a shape is not one.
        """
        if not isinstance(content, dict) or not content:
            raise MRMInvalidSchemaError.saying(
                f"For '{api}', 'content' must be a dict from names of fields to their types, not empty, but got "
                f"{content!r:.100}."
            )
        try:
            return cls([_field(name, each) for name, each in content.items()], description or "")
        except _BadShapeError as error:
            raise MRMBuildSchemaError.saying(f"For '{api}', {error}.") from None
        except ValueError as error:
            raise MRMInvalidSchemaError.saying(f"For '{api}', {error}.") from None

    @classmethod
    def of_json(cls, value: Any) -> Schema:
        """Return the schema in a header.

        Raises:
            ValueError: it is not a schema.
        """
        content = value.get("schema") if isinstance(value, dict) else None
        blobs = value.get("blob_fields") if isinstance(value, dict) else None
        if not isinstance(content, dict) or not content or not isinstance(blobs, list):
            raise ValueError("its schema must have 'schema' and 'blob_fields'")
        fields = [_field(name, each) for name, each in content.items()]
        wanted = [field.name for field in fields if field.is_blob]
        if not all(isinstance(name, str) for name in blobs) or sorted(blobs) != sorted(wanted):
            raise ValueError(f"its 'blob_fields' must be {sorted(wanted)}, but are {blobs!r:.100}")
        return cls(fields, str(value.get("desc", "")), blobs)


class _BadShapeError(ValueError):
    """A shape has a dimension that is not a size."""


def _field(name: Any, described: Any) -> Field:
    if not isinstance(name, str) or not _NAME.match(name):
        raise ValueError(f"the name of a field must consist of letters, digits and '_', but got {name!r:.100}")
    if not isinstance(described, dict) or "type" not in described:
        raise ValueError(f"the field '{name}' must be a dict with a 'type', but got {described!r:.100}")
    kind, shape = described["type"], described.get("shape")
    if not isinstance(kind, str) or kind not in _TYPES:
        raise ValueError(f"the type of the field '{name}' must be one of {list(_TYPES)}, but got {kind!r:.100}")
    if set(described) - {"type", "shape"}:
        raise ValueError(f"the field '{name}' must have only 'type' and 'shape', but has {sorted(described)!r:.100}")
    if "shape" not in described:
        return Field(name, kind)
    if kind not in SCALARS or not isinstance(shape, (list, tuple)):
        raise ValueError(
            f"only a field of {list(SCALARS)} can have a 'shape', a list, but '{name}' has {shape!r:.100} with {kind}"
        )
    sizes = [isinstance(size, int) and not isinstance(size, bool) and (size > 0 or size == -1) for size in shape]
    if not all(sizes) or list(shape).count(-1) > 1 or any(size >= _LIMIT for size in shape):
        raise _BadShapeError(
            f"the shape of the field '{name}' must be positive ints, at most one of them -1, but got {shape!r:.100}"
        )
    return Field(name, kind, tuple(shape))
