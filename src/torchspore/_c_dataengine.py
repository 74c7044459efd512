"""The types of values in MindSpore's data engine, by which programs compare them."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.dataset.text.vocabulary import Vocab

__all__ = [
    "DataType", "Tensor", "TensorShape", "Vocab", "mstype_to_detype", "mstypelist_to_detypelist", "nptype_to_detype",
]  # fmt: skip

_NUMBERS = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
)  # fmt: skip


class DataType:
    """The type of the numbers of a column.

    Args:
        name: its name; another than those known means "unknown".
    """

    def __init__(self, name: str = "") -> None:
        self._name = name if name in (*_NUMBERS, "string", "bytes", "python") else "unknown"

    def is_python(self) -> bool:
        """Return whether it is the type of Python objects, such as dicts."""
        return self._name == "python"

    def __str__(self) -> str:
        return self._name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DataType) and other._name == self._name

    def __hash__(self) -> int:
        return hash(self._name)


class TensorShape:
    """The shape of a value.

    Args:
        sizes: its sizes; -1 for one that is not known.
    """

    def __init__(self, sizes: list[int]) -> None:
        self._sizes = list(sizes)

    def as_list(self) -> list[int]:
        """Return the sizes."""
        return list(self._sizes)

    def is_known(self) -> bool:
        """Return whether all sizes are known."""
        return -1 not in self._sizes

    def __str__(self) -> str:
        return f"<{','.join('*' if size == -1 else str(size) for size in self._sizes)}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorShape) and other._sizes == self._sizes

    def __hash__(self) -> int:
        return hash(tuple(self._sizes))


class Tensor:
    """A value of a column.

    Args:
        value: a NumPy array, or a dict.
    """

    def __init__(self, value: Any) -> None:
        self._value: Any = value if isinstance(value, dict) else np.array(value)

    def as_array(self) -> np.ndarray[Any, Any]:
        """Return the array."""
        return np.asarray(self._value)

    def as_python(self) -> Any:
        """Return the value as a Python object."""
        return self._value if isinstance(self._value, dict) else self._value.tolist()

    def type(self) -> DataType:
        """Return the type of its numbers."""
        return DataType("python") if isinstance(self._value, dict) else _of_numpy(self._value.dtype)

    def shape(self) -> TensorShape:
        """Return its shape."""
        return TensorShape(list(np.shape(self._value)))


def _of_numpy(dtype: np.dtype[Any]) -> DataType:
    return DataType({"U": "string", "S": "bytes"}.get(dtype.kind, dtype.name))


def nptype_to_detype(type_: Any) -> DataType | None:
    """Return the type for one of NumPy's, or None."""
    found = _of_numpy(np.dtype(type_))
    return None if str(found) in ("unknown", "bytes") else found


def mstype_to_detype(type_: Any) -> DataType:
    """Return the type for one of MindSpore's.

    Raises:
        NotImplementedError: it is not one of MindSpore's types.
    """
    if not isinstance(type_, mstype.Type):
        raise NotImplementedError(f"For 'mstype_to_detype', 'type_' must be a MindSpore data type, but got {type_!r}.")
    return DataType("string") if type_ == mstype.string else _of_numpy(np.dtype(mstype.dtype_to_nptype(type_)))


def mstypelist_to_detypelist(type_list: list[Any]) -> list[Any]:
    """Replace MindSpore's types in a list, and return it; None is of unknown type."""
    for at, type_ in enumerate(type_list):
        type_list[at] = DataType() if type_ is None else mstype_to_detype(type_)
    return type_list
