"""Values in messages: numbers, texts, sequences, tensors and data types."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.common.dtype import FROM_TORCH
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.storage.files import DamagedFileError
from torchspore.serialization.mindir.messages import AttributeKind, DataType, new_message
from torchspore.serialization.tensors import as_bytes, check_bools, check_bytes, naming

__all__ = ["MONAD", "NUMBERS_OF_TYPES", "TYPES", "Monad", "attribute", "dtype_of", "tensor_message", "value_of"]

TYPES = {
    DataType.FLOAT: torch.float32, DataType.UINT8: torch.uint8, DataType.INT8: torch.int8,
    DataType.UINT16: torch.uint16, DataType.INT16: torch.int16, DataType.INT32: torch.int32,
    DataType.INT64: torch.int64, DataType.BOOL: torch.bool, DataType.FLOAT16: torch.float16,
    DataType.UINT32: torch.uint32, DataType.UINT64: torch.uint64, DataType.COMPLEX64: torch.complex64,
    DataType.COMPLEX128: torch.complex128, DataType.BFLOAT16: torch.bfloat16, DataType.FLOAT64: torch.float64,
    DataType.DOUBLE: torch.float64,
}  # fmt: skip
NUMBERS_OF_TYPES = {dtype: number for number, dtype in TYPES.items()}
_INTEGERS = {
    AttributeKind.UINT8, AttributeKind.INT8, AttributeKind.UINT16, AttributeKind.INT16, AttributeKind.INT32,
    AttributeKind.INT64, AttributeKind.UINT32, AttributeKind.UINT64,
}  # fmt: skip
_REALS = {AttributeKind.FLOAT, AttributeKind.FLOAT16, AttributeKind.BFLOAT16}
_SEQUENCES = {AttributeKind.TUPLE: tuple, AttributeKind.LIST: list}


@dataclass(frozen=True)
class Monad:
    """What orders the operations of a graph in MindSpore's compiler; the order of the nodes does it here."""


MONAD = Monad()


def dtype_of(message: Any) -> torch.dtype:
    """Return the data type of a tensor's message.

    Raises:
        DamagedFileError: tensors cannot have it.
    """
    found = TYPES.get(message.data_type)
    if found is None:
        raise DamagedFileError(f"a tensor in it has the data type {message.data_type}, which is not supported")
    return found


def _constant(message: Any) -> Tensor:
    """Return the tensor whose bytes are in a message."""
    dtype, dims = dtype_of(message), list(message.dims)
    with naming(message.name):
        check_bytes(dims, dtype, len(message.raw_data))
    if not message.raw_data:
        return wrap(torch.zeros(dims, dtype=dtype, device=devices.current()))
    tensor = torch.frombuffer(bytearray(message.raw_data), dtype=dtype).reshape(dims)
    check_bools(tensor)
    return wrap(tensor.to(devices.current()))


def value_of(message: Any) -> Any:
    """Return the value in a message of an attribute or a constant.

    Raises:
        DamagedFileError: it is of a kind that graphs do not have here.
    """
    kind = message.type
    if kind == AttributeKind.BOOL:
        return bool(_only(message.ints, message.i))
    if kind in _INTEGERS:
        return int(_only(message.ints, message.i))
    if kind in _REALS:
        return float(_only(message.floats, message.f))
    if kind == AttributeKind.DOUBLE:
        return float(_only(message.doubles, message.d))
    if kind == AttributeKind.STRING:
        return _only(message.strings, message.s).decode("utf-8", "replace")
    if kind in _SEQUENCES:
        return _SEQUENCES[kind](map(value_of, message.values))
    if kind == AttributeKind.DICT:
        return {each.name: value_of(each.values[0] if len(each.values) else each) for each in message.values}
    if kind in (AttributeKind.TENSOR, AttributeKind.TENSORS) and len(message.tensors) == 1:
        tensor = message.tensors[0]
        # A tensor without bytes that would have some stands for its data type.
        has_value = tensor.raw_data or (tensor.dims and 0 in tensor.dims)
        return _constant(tensor) if has_value else FROM_TORCH[dtype_of(tensor)]
    if kind in (AttributeKind.UMONAD, AttributeKind.IOMONAD):
        return MONAD
    if kind in (AttributeKind.NONE, AttributeKind.TYPE_NULL):
        return None
    raise DamagedFileError(f"it has a value of the kind {kind}, which is not supported")


def _only(values: Any, single: Any) -> Any:
    """Return the value: elements of sequences are in lists of one."""
    return values[0] if len(values) else single


def attribute(name: str, value: Any) -> Any:
    """Return the message of an attribute or a constant: None, a bool, a number, text, a tensor or a nested sequence."""
    message = new_message("AttributeProto", name=name)
    _fill(message, value)
    return message


def _fill(message: Any, value: Any, within: bool = False) -> None:
    if value is None:
        message.type = AttributeKind.NONE
    elif isinstance(value, Monad):
        message.type = AttributeKind.UMONAD
    elif isinstance(value, (bool, int)):
        message.type = AttributeKind.BOOL if isinstance(value, bool) else AttributeKind.INT64
        _put(message, "ints", "i", int(value), within)
    elif isinstance(value, float):
        message.type = AttributeKind.FLOAT
        _put(message, "floats", "f", value, within)
    elif isinstance(value, str):
        message.type = AttributeKind.STRING
        _put(message, "strings", "s", value.encode(), within)
    elif isinstance(value, (tuple, list)):
        message.type = AttributeKind.TUPLE if isinstance(value, tuple) else AttributeKind.LIST
        for part in value:
            _fill(message.values.add(), part, within=True)
        message.seq_info.is_dyn_len = False
    elif isinstance(value, (torch.Tensor, torch.dtype)):
        message.type = AttributeKind.TENSORS
        message.tensors.append(tensor_message(value, name="value0"))
    else:
        raise TypeError(f"a MINDIR file has no form for {value!r}")


def _put(message: Any, several: str, single: str, value: Any, within: bool) -> None:
    if within:
        getattr(message, several).append(value)
    else:
        setattr(message, single, value)


def tensor_message(
    value: torch.Tensor | torch.dtype, name: str = "", shape: tuple[int, ...] | None = None, stored: bool = True
) -> Any:
    """Return the message of a tensor, or of a data type.

    Args:
        value: the tensor, or the type.
        name: its name. Default: none.
        shape: the sizes to write, with -1 for open ones. Default: the tensor's.
        stored: whether its bytes are written. Default: True.
    """
    dtype = value if isinstance(value, torch.dtype) else value.dtype
    message = new_message("TensorProto", data_type=NUMBERS_OF_TYPES[dtype])
    if name:
        message.name = name
    if isinstance(value, torch.Tensor):
        message.dims.extend(value.shape if shape is None else shape)
        if stored:
            message.raw_data = bytes(as_bytes(value))
    return message
