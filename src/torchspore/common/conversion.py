"""Conversions to torch tensors: from numbers, nested lists, NumPy arrays and bytes, and between data types."""

from __future__ import annotations

import math
import operator
import reprlib
from typing import Any

import numpy as np
import torch
from torch import Tensor as TorchTensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common import hifloat8

__all__ = [
    "as_shape", "as_torch", "converted", "fitted", "from_bytes", "packed", "readable", "saturated", "share_numpy",
    "unpacked",
]  # fmt: skip


def as_torch(data: Any, dtype: torch.dtype | None, device: torch.device | None = None) -> TorchTensor:
    """Return `data` as a torch tensor on a device, by default the one in use. Only tensors share memory."""
    if isinstance(data, TorchTensor):
        value = data
    elif isinstance(getattr(data, "_t", None), TorchTensor):  # a Tensor
        value = data._t
    elif isinstance(data, (np.ndarray, np.generic)):
        value = share_numpy(np.array(data))
    elif type(data) in _SYMBOLS:
        value = torch.full((), data, dtype=_SYMBOLS[type(data)])
    elif isinstance(data, (int, float, complex, list, tuple, range)):
        value, dtype = _from_numbers(data, dtype)
    else:
        raise TypeError(
            f"For 'Tensor', 'input_data' must be a number, a list or tuple of numbers, a NumPy array or a Tensor, "
            f"but got {type(data).__name__}."
        )
    return converted(value, dtype).to(device or devices.current())


def readable(value: TorchTensor) -> TorchTensor:
    """Return a torch tensor whose elements torch can read: the numbers of codes of hifloat8."""
    return hifloat8.decoded(value) if value.dtype is torch.bits8 else value


def converted(value: TorchTensor, dtype: torch.dtype | None) -> TorchTensor:
    """Return a torch tensor in a data type, without torch's warning that a real type keeps the real parts alone."""
    if dtype is None or value.dtype is dtype:
        return value
    value = readable(value)
    if dtype is torch.bits8:
        return hifloat8.encoded(value)
    if value.is_complex() and not dtype.is_complex and dtype is not torch.bool:
        value = value.real
    if dtype is torch.float8_e4m3fn:
        value = value.float()
        value = value.masked_fill(value.abs() > _LARGEST_E4M3FN, math.nan)
    return value.to(dtype)


# Greater numbers are not rounded to 448, the maximum of float8_e4m3fn, which has no infinity: they are nan. In torch
# that depends on the version: 2.13 makes them 448.
_LARGEST_E4M3FN = 464


def fitted(number: Any, dtype: torch.dtype) -> Any:
    """Return a number as a data type holds it: beyond its range, a float is infinite and an int wraps around.

    torch's kernels refuse such numbers; those that are in the range are returned unchanged.
    """
    if number.__class__ is complex:
        return complex(fitted(number.real, dtype), fitted(number.imag, dtype)) if dtype.is_complex else number
    if dtype is torch.float8_e4m3fn:
        return math.nan if not abs(number) <= _LARGEST_E4M3FN else max(-448.0, min(number, 448.0))
    if dtype.is_floating_point or dtype.is_complex:
        limits = torch.finfo(dtype)
        if limits.min <= number <= limits.max or number != number:
            return number
        half_ulp = limits.eps * 2.0 ** (math.frexp(limits.max)[1] - 2)
        largest = limits.max if abs(number) < limits.max + half_ulp else math.inf
        return largest if number > 0 else -largest
    if dtype is torch.bool:
        return bool(number)
    bounds = torch.iinfo(dtype)
    if bounds.min <= number <= bounds.max:
        return number
    if not abs(number) < 2**31 and number.__class__ is float:
        number = -(2 ** max(bounds.bits - 1, 31))  # as processors convert it to int32
    return (int(number) - bounds.min) % 2**bounds.bits + bounds.min


def saturated(number: Any, dtype: torch.dtype) -> Any:
    """Return a number that limits elements of a data type: for integers an int in the range of the type."""
    if number.__class__ is int and 0 <= number < 128:  # in the range of all types
        return number
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return number
    bounds = torch.iinfo(dtype)
    return int(min(max(bounds.min, number), bounds.max))  # nan is the minimum


_MOST_DIMS = 64  # of NumPy's arrays

# The data types of numbers that are inputs of a graph.
_SYMBOLS: dict[Any, torch.dtype] = {
    torch.SymInt: torch.int64, torch.SymFloat: torch.float32, torch.SymBool: torch.bool
}  # fmt: skip

# The types of numbers in Python sequences, if they differ from NumPy's.
_IN_SEQUENCES = {np.dtype(np.float64): torch.float32, np.dtype(np.int32): torch.int64}


def _from_numbers(data: Any, dtype: torch.dtype | None) -> tuple[TorchTensor, torch.dtype | None]:
    """Return numbers in (nested) sequences as a torch tensor, and the type to convert it to: `dtype`, or a default."""
    first = data
    for _ in range(_MOST_DIMS):  # a list may also hold itself
        if not (isinstance(first, (list, tuple)) and first):
            break
        first = first[0]
    try:
        if isinstance(first, TorchTensor) or isinstance(getattr(first, "_t", None), TorchTensor):
            return torch.stack([as_torch(element, None) for element in data]), dtype
        array = np.asarray(data)
        if array.dtype.kind == "O" and any(type(number) in _SYMBOLS for number in array.flat):
            return torch.stack([as_torch(element, None) for element in data]), dtype
        return share_numpy(array), dtype or _IN_SEQUENCES.get(array.dtype)
    except (ValueError, TypeError, RuntimeError) as error:
        raise TypeError(
            "For 'Tensor', 'input_data' must be numbers in nested lists of equal lengths, but got "
            f"{reprlib.repr(data)}."
        ) from error


def share_numpy(array: np.ndarray[Any, Any]) -> TorchTensor:
    """Return a NumPy array as a torch tensor over the same memory if torch supports its layout, else over a copy.

    Raises:
        TypeError: the array holds neither numbers nor bools.
    """
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.name == "bfloat16":  # of the package ml_dtypes; torch reads its bits
        return share_numpy(array.view(np.int16)).view(torch.bfloat16)
    if array.dtype.kind in "iu":  # C's long and long long have the same bits; torch knows one of them
        array = array.view(f"{array.dtype.kind}{array.itemsize}")
    if not array.flags.writeable or any(step < 0 for step in array.strides):
        array = array.copy()  # torch supports neither read-only memory nor negative strides
    try:
        return torch.from_numpy(array)
    except TypeError:
        raise TypeError(
            f"For 'Tensor', a NumPy array must hold numbers or bools, but got dtype {array.dtype}."
        ) from None


def as_shape(shape: Any, api: str) -> tuple[int, ...]:
    """Return a shape given as an int, a list or tuple of ints, or a Tensor.

    Raises:
        TypeError: something else, or a dimension that is not an int.
        ValueError: a negative dimension.
    """
    try:
        sizes: tuple[int, ...] = (operator.index(shape),)
    except TypeError:
        try:
            sizes = tuple(operator.index(size) for size in shape)
        except TypeError:
            raise TypeError(f"For '{api}', 'shape' must be an int or a tuple of ints, but got {shape!r}.") from None
    if any(size < 0 for size in sizes):
        raise ValueError(f"For '{api}', every dimension of 'shape' must be >= 0, but got {sizes}.")
    return sizes


_BITS = {1: torch.int8, 2: torch.int16}  # same-sized integers carry the types that NumPy lacks


def packed(value: TorchTensor) -> tuple[np.ndarray[Any, Any], mstype.Type]:
    """Return the elements as a NumPy array (of integers of the same size where NumPy lacks the type), and the type."""
    value = value.detach().resolve_conj().resolve_neg().cpu().contiguous()
    named = mstype.FROM_TORCH[value.dtype]
    return (value.numpy() if named.numpy is not None else value.view(_BITS[value.itemsize]).numpy()), named


def unpacked(array: np.ndarray[Any, Any], dtype: mstype.Type) -> TorchTensor:
    """Return the tensor that `packed` converted, on the device in use."""
    value = torch.from_numpy(np.array(array))
    return (value if dtype.numpy is not None else value.view(mstype.to_torch(dtype))).to(devices.current())


def from_bytes(data: bytes, shape: Any, dtype: Any, api: str) -> TorchTensor:
    """Return the torch tensor whose elements in row-major order are the given bytes.

    Raises:
        ValueError: such a tensor has another number of bytes.
    """
    torch_dtype = mstype.to_torch(dtype, api)
    sizes = as_shape(shape, api)
    expected = math.prod(sizes) * torch_dtype.itemsize
    if len(data) != expected:
        raise ValueError(
            f"For '{api}', a tensor of shape {sizes} and dtype {mstype.FROM_TORCH[torch_dtype]} has {expected} bytes, "
            f"but got {len(data)}."
        )
    value = torch.frombuffer(bytearray(data), dtype=torch_dtype) if expected else torch.empty(0, dtype=torch_dtype)
    return value.reshape(sizes).to(devices.current())
