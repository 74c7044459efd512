"""The values of a row: NumPy arrays, or dicts of them; conversion from the user's values and to Tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import torch

from torchspore.common.error_classes import also
from torchspore.common.np_dtype import Array
from torchspore.common.tensor import Tensor, from_numpy
from torchspore.dataset.rows.failures import BadValue

__all__ = [
    "Array", "Row", "as_column", "as_numpy_output", "as_output", "is_held", "owned", "padded", "padded_batch",
    "stacked",
]  # fmt: skip

Row: TypeAlias = tuple[Any, ...]

_MISFIT = also(RuntimeError, ValueError)
_LONG_LONG = {"l": "q", "L": "Q"}
_HELD = frozenset("?bBhHiIlLqQefdSU")  # the kinds of arrays that a column may have
_COPY_BY_ROW = 1 << 16  # bytes of a row, from which copying row by row is faster


def as_column(value: Any) -> Any:
    """Convert a value that a function of the user returned into a value of a column.

    Raises:
        BadValue: it is None, or would become an array of Python objects, complex numbers or dates.
    """
    if type(value) is np.ndarray and value.dtype.char in _HELD:
        return value
    if isinstance(value, dict):
        return {key: _inside(each) for key, each in value.items()}
    if isinstance(value, Tensor):
        return value.asnumpy()
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().numpy()
    array = None if value is None else _as_array(value)
    if array is None or not is_held(array):
        raise BadValue(
            f"a value must be a real number, a bool, a str, bytes, a NumPy array of one of these, a Tensor, a PIL "
            f"image or a dict of them, but is {value!r:.100} of type {type(value).__name__}"
        )
    return array


def is_held(array: Array) -> bool:
    """Return whether an array is of numbers, bools or strings, as columns are."""
    return array.dtype.char in _HELD


def _inside(value: Any) -> Any:
    """Convert a value in a dict, where a list remains one, as of arrays of unequal shapes."""
    return [as_column(each) for each in value] if isinstance(value, (list, tuple)) else as_column(value)


def _as_array(value: Any) -> Array | None:
    try:
        return np.asarray(value)
    except ValueError:  # nested lists of unequal lengths
        return None


def owned(value: Any) -> Any:
    """Return a value that shares no memory with the user's objects."""
    if type(value) is np.ndarray and value.dtype.char in _HELD:
        return value.copy()
    column = as_column(value)
    return column.copy() if isinstance(column, np.ndarray) else column


def stacked(operation: str, column: str, values: Sequence[Any]) -> Any:
    """Stack the values of several rows along a new first dimension.

    Raises:
        RuntimeError: their shapes or types differ.
    """
    first = values[0]
    if isinstance(first, dict):
        return {key: stacked(operation, f"{column}[{key!r}]", [each[key] for each in values]) for key in first}
    if isinstance(first, list):
        return stacked(operation, column, [stacked(operation, column, each) for each in values])
    shape, dtype = first.shape, first.dtype
    text = dtype.kind in "US"
    for value in values:
        if value.shape != shape or (value.dtype != dtype and not (text and value.dtype.kind == dtype.kind)):
            raise _unequal(operation, column, values)
    if text or first.nbytes < _COPY_BY_ROW:
        return np.array(values)
    batch = np.empty((len(values), *shape), dtype)
    for position, value in enumerate(values):
        batch[position] = value
    return batch


def _unequal(operation: str, column: str, values: Sequence[Array]) -> RuntimeError:
    shapes = list(dict.fromkeys(value.shape for value in values))
    if len(shapes) > 1:
        shown = ", ".join(map(str, shapes[:4])) + (", ..." if len(shapes) > 4 else "")
        return RuntimeError(
            f"For '{operation}', the rows of a batch must have equal shapes, but column '{column}' has {shown}. "
            f"Use 'padded_batch' to pad them, or 'per_batch_map' to make their shapes equal."
        )
    types = ", ".join(dict.fromkeys(str(value.dtype) for value in values))
    return RuntimeError(
        f"For '{operation}', the rows of a batch must have one data type, but column '{column}' has {types}. Cast "
        f"them with 'transforms.TypeCast' in a 'map' before."
    )


def padded(api: str, value: Array, shape: Sequence[int], fill: Any) -> Array:
    """Cut and pad an array at the end of each dimension.

    Raises:
        ValueError: the number of dimensions differs, or a str would pad numbers, or a number strings.
    """
    if value.ndim != len(shape):
        raise _MISFIT(f"For '{api}', the shape {list(shape)} must have {value.ndim} dimensions, as the value has.")
    text = value.dtype.kind in "US"
    if fill is not None and text != isinstance(fill, (str, bytes)):
        raise _MISFIT(
            f"For '{api}', a value of type {value.dtype} must be padded with a {'str' if text else 'number'}, but got "
            f"{fill!r}."
        )
    dtype = np.result_type(value, np.array(fill)) if text and fill is not None else value.dtype
    result = np.zeros(shape, dtype) if fill is None else np.full(shape, np.array(fill).astype(dtype), dtype)
    inside = tuple([slice(0, min(*pair)) for pair in zip(value.shape, shape)])
    result[inside] = value[inside]
    return result


def padded_batch(operation: str, column: str, values: Sequence[Any], shape: Sequence[int], fill: Any) -> Any:
    """Return the values of several rows, cut and padded to one shape, and stacked; arguments as for `padded`."""
    first = values[0]
    api = f"{operation}' and column '{column}"
    if first.dtype.kind in "US" or any(value.dtype != first.dtype for value in values):
        return stacked(operation, column, [padded(api, value, shape, fill) for value in values])
    padded(api, first[:0], [0] * len(shape), fill)  # checks the value to pad with
    full = (len(values), *shape)
    batch = np.zeros(full, first.dtype) if fill is None else np.full(full, np.array(fill).astype(first.dtype))
    for row, value in zip(batch, values):
        if len(shape) == 1:
            row[: len(value)] = value[: len(row)]
        else:
            inside = tuple([slice(min(pair)) for pair in zip(value.shape, shape)])
            row[inside] = value[inside]
    return batch


def as_output(value: Any) -> Any:
    """Return a value as an iterator of Tensors yields it: a Tensor or, for strings, the NumPy array."""
    if isinstance(value, dict):
        return {key: as_output(each) for key, each in value.items()}
    if isinstance(value, list):
        return [as_output(each) for each in value]
    return value if value.dtype.kind in "US" else from_numpy(value)


def as_numpy_output(value: Any) -> Any:
    """Return a value as an iterator of arrays yields it: int64 is C's `long long`, which `repr` shows."""
    other = _LONG_LONG.get(value.dtype.char) if isinstance(value, np.ndarray) else None
    return value if other is None else value.view(other)
