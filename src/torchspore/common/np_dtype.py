"""Types of NumPy: arrays, and bfloat16, which the package ml_dtypes has."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Array", "bfloat16_type", "np_dtype_valid", "standard_array"]

Array: TypeAlias = np.ndarray[Any, Any]


@cache
def bfloat16_type() -> Any:
    """Return NumPy's type of bfloat16, or None without the package ml_dtypes."""
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        return None
    return bfloat16


def standard_array(value: Any) -> Any:
    """Return the array of a Tensor, in float32 if its type is bfloat16, which NumPy does not count as a float."""
    array = value.asnumpy()
    return array.astype("float32") if array.dtype.name == "bfloat16" else array


def np_dtype_valid(is_bfloat16: bool) -> bool:
    """Return whether NumPy has the type here."""
    return bfloat16_type() is not None


def __getattr__(name: str) -> Any:
    if name == "bfloat16" and np_dtype_valid(True):
        return bfloat16_type()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}: bfloat16 needs the package ml_dtypes.")
