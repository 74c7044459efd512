"""Names of data types, and the rules of type promotion."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from torchspore.common.dtype import (
    FROM_TORCH,
    Type,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    to_torch,
    uint8,
    uint16,
    uint32,
    uint64,
)
from torchspore.engine.failures.errors import explain
from torchspore.engine.failures.naming import named
from torchspore.numpy.arrays import array, common_type

__all__ = [
    "NINF", "PINF", "bool_", "float16", "float32", "float64", "float_", "inf", "int8", "int16", "int32", "int64",
    "int_", "nan", "numeric_types", "pi", "promote_types", "result_type", "uint", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip

int_ = int32
uint = uint32
float_ = float32
inf = PINF = float("inf")
NINF = -inf
nan = float("nan")
pi = np.pi
numeric_types = [
    "int_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float_", "float16", "float32",
    "float64", "bool_",
]  # fmt: skip


def promote_types(type1: Any, type2: Any) -> Type:
    """Return the smallest type that both types can be converted to, 32 bits being preferred to 64.

    Args:
        type1, type2: data types, or names of them.

    Examples:
        >>> import torchspore.numpy as np
        >>> np.promote_types(np.int8, "uint8") == np.int16, np.promote_types(np.float16, np.int64) == np.float16
        (True, True)
    """
    named = [int32 if kind is int else kind for kind in (type1, type2)]  # Python's ints are of 32 bits here
    return FROM_TORCH[common_type(*[to_torch(kind, "promote_types") for kind in named])]


@named
def result_type(*arrays_and_dtypes: Any) -> Type:
    """Return the type that arrays, numbers and data types promote to.

    Examples:
        >>> import torchspore.numpy as np
        >>> np.result_type(np.array([1, 2]), np.float16) == np.float16
        True
    """
    if not arrays_and_dtypes:
        raise TypeError("at least one array or data type is needed")
    found = [_type_of(given) for given in arrays_and_dtypes]
    return FROM_TORCH[functools.reduce(common_type, found)]


def _type_of(given: Any) -> Any:
    if isinstance(given, str):
        try:
            return to_torch(np.dtype(given), "result_type")  # also short names, such as "i2"
        except TypeError:
            return to_torch(given, "result_type")
    if isinstance(given, (Type, type, np.dtype)):
        return to_torch(given, "result_type")
    try:
        return array(given).dtype
    except TypeError as error:
        raise explain(error, "result_type", {"arrays_and_dtypes": given}) from None
