"""The data types under the names of MindSpore's runtime, `mindspore._c_expression.typing`, and their numbers there."""

from __future__ import annotations

from typing import Any

from torchspore.common import dtype
from torchspore.common.dtype import TensorType, Type, _issubclass_
from torchspore.common.dtype import type_size_in_bytes as _type_size_in_bytes

__all__: list[str] = []

# Types that only MindSpore's compiler has.
_OTHERS = {
    "kTypeNull": Type("_null", "Null"),
    "kRowTensorType": Type("index_slices", "RowTensor"),
    "kCOOTensorType": Type("coo_tensor", "COOTensor"),
    "kCSRTensorType": Type("csr_tensor", "CSRTensor"),
    "kTypeEnv": Type("env_type", "Object:EnvType"),
    "kRefKeyType": Type("type_refkey", "Object:RefKey"),
}
_NUMBERS: dict[Type, int] = {
    dtype.type_type: 4, dtype.type_none: 7, dtype.number: 11, dtype.string: 12, dtype.list_: 13, dtype.tuple_: 14,
    dtype.tensor_type: 17, dtype.function: 23, dtype.bool_: 30, dtype.int_: 31, dtype.int8: 32, dtype.int16: 33,
    dtype.int32: 34, dtype.int64: 35, dtype.uint: 36, dtype.uint8: 37, dtype.uint16: 38, dtype.uint32: 39,
    dtype.uint64: 40, dtype.float_: 41, dtype.float16: 42, dtype.float32: 43, dtype.float64: 44, dtype.bfloat16: 45,
    dtype.float8_e4m3fn: 46, dtype.float8_e5m2: 47, dtype.hifloat8: 48, dtype.complex64: 51, dtype.complex128: 52,
    dtype.qint4x2: 53, **dict(zip(_OTHERS.values(), (8, 18, 19, 60, 26, 27))),
}  # fmt: skip
_BY_NUMBER = {number: type_ for type_, number in _NUMBERS.items()} | {31: dtype.int32, 41: dtype.float32}
_PLAIN = ("None", "Tensor", "TypeType")
globals().update({f"k{type_.title}": type_ for type_ in _NUMBERS if type_.title not in _PLAIN} | _OTHERS)
kTypeType, kTypeNone = dtype.type_type, dtype.type_none
kTensorType, kBFloat = dtype.tensor_type, dtype.bfloat16


def type_to_type_id(type_: Type) -> int:
    """Return the number of a data type.

    Raises:
        TypeError: it is not a data type.
    """
    if isinstance(type_, TensorType):
        type_ = dtype.tensor_type
    if type_ not in _NUMBERS:
        raise TypeError(f"For 'type_to_type_id', the argument must be a data type, but got {type_!r}.")
    return _NUMBERS[type_]


def type_id_to_type(number: int) -> Type:
    """Return the data type that has a number.

    Raises:
        ValueError: there is none.
    """
    if number not in _BY_NUMBER:
        raise ValueError(f"For 'type_id_to_type', there is no data type with the number {number!r}.")
    return _BY_NUMBER[number]


def str_to_type(name: str) -> Type:
    """Return the data type of a name such as "Int8" or "int8", as types are printed.

    Raises:
        RuntimeError: there is none.
    """
    for type_ in _NUMBERS:
        if name in (type_.title, type_.name) or name.partition("[")[0] == type_.title:
            return type_
    raise RuntimeError(f"For 'str_to_type', there is no data type {name!r}.")


def is_subclass(type_: Type, kind: Type) -> bool:
    """Return whether a data type is of a general one."""
    if isinstance(kind, TensorType) and kind.element is None:
        return isinstance(type_, TensorType)
    if kind is dtype.number:
        return isinstance(type_, dtype.Number)
    return _issubclass_(type_, kind)


def type_size_in_bytes(type_: Type) -> int:
    """Return the bytes that one element takes: 0 of what is not a number, 1 of a general type of numbers."""
    if type_ in (dtype.number, dtype.int_, dtype.uint, dtype.float_):
        return 1
    return _type_size_in_bytes(type_) if isinstance(type_, dtype.Number) else 0


def __getattr__(name: str) -> Any:
    return getattr(dtype, name)
