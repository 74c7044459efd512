"""Conversions and errors, under names that packages import from MindSpore's `numpy.utils` and `numpy.utils_const`."""

from __future__ import annotations

from typing import Any, NoReturn

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.numpy.creation import asarray

__all__: list[str] = []


def _to_tensor(*args: Any) -> Any:
    """Return arguments as Tensors, of int32 and float32 where NumPy has 64 bits."""
    converted = tuple(_in_32_bits(arg) for arg in args)
    return converted[0] if len(converted) == 1 else converted


def _in_32_bits(value: Any) -> Tensor:
    if isinstance(value, Tensor):
        return value
    tensor = asarray(value)
    narrow = {mstype.int64: mstype.int32, mstype.float64: mstype.float32}.get(tensor.dtype)
    return tensor if narrow is None else tensor.astype(narrow)


def _text(info: Any, param: Any) -> str:
    return f"{info}{'' if param is None else param}"


def _raise_value_error(info: Any, param: Any = None) -> NoReturn:
    """Raise ValueError."""
    raise ValueError(_text(info, param))


def _raise_type_error(info: Any, param: Any = None) -> NoReturn:
    """Raise TypeError."""
    raise TypeError(_text(info, param))


def _raise_runtime_error(info: Any, param: Any = None) -> NoReturn:
    """Raise RuntimeError."""
    raise RuntimeError(_text(info, param))


def _raise_unimplemented_error(info: Any, param: Any = None) -> NoReturn:
    """Raise NotImplementedError."""
    raise NotImplementedError(_text(info, param))
