"""Tensor creation: filled tensors, ranges, and tensors like others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.conversion import as_torch, converted, fitted
from torchspore.common.frames.user_lines import warn_user
from torchspore.engine.arguments.conversions import NUMBERS, as_operand
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Operand, Size, Type, op
from torchspore.engine.parameters import NotNegative, Positive
from torchspore.engine.primitive import as_primitive, primitive

__all__ = [
    "Eye", "Fill", "FillV2", "LinSpace", "LogSpace", "Ones", "OnesLike", "Range", "ScalarToTensor", "TupleToArray",
    "Zeros", "ZerosLike", "arange", "eye", "fill", "full", "full_like", "linspace", "logspace", "ones",
    "ones_like", "range", "scalar_to_tensor", "tuple_to_array", "zeros", "zeros_like",
]  # fmt: skip


@op
def zeros(size: Size, dtype: Type | None = None) -> Tensor:
    """A tensor of zeros.

    Args:
        size: the shape: an int, or a tuple, list or Tensor of ints.
        dtype: the data type. Default: None: float32.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.zeros((2, 2)))
        [[0. 0.]
         [0. 0.]]
    """
    return torch.zeros(size, dtype=dtype or torch.float32, device=devices.current())


@op
def ones(shape: Size, dtype: Type | None = None) -> Tensor:
    """A tensor of ones; arguments as for `zeros`."""
    return torch.ones(shape, dtype=dtype or torch.float32, device=devices.current())


def _filled(size: Any, value: Any, dtype: torch.dtype | None, device: torch.device) -> Tensor:
    if isinstance(value, torch.Tensor):
        return converted(value, dtype).to(device).expand(size).clone()
    if value.__class__ is complex and dtype is not None and not dtype.is_complex:
        if value.imag:
            warn_user("A complex number fills a tensor of real numbers: its imaginary part is dropped.")
        value = bool(value) if dtype is torch.bool else value.real
    if dtype is torch.float8_e4m3fn:
        value = fitted(value, dtype)
    return torch.full(size, value, dtype=dtype, device=device)


def _typed(value: Any, api: str, parameter: str) -> tuple[Any, torch.dtype | None]:
    """Return a number or a tensor, and the data type that it has itself: None for Python's ints, floats and complex."""
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        tensor = as_torch(value, None)
        return value.item() if tensor.is_complex() else tensor, tensor.dtype
    if value.__class__ in NUMBERS:
        return value, torch.bool if value is True or value is False else None
    value = as_operand(getattr(value, "_t", value), api, parameter)
    return value, getattr(value, "dtype", None)


@op
def full(size: Size, fill_value: Any, *, dtype: Type | None = None) -> Tensor:
    """A tensor filled with a number.

    Args:
        size: the shape: a tuple or list of ints.
        fill_value: the number; converted to `dtype`, so Python's numbers are truncated to an integer by default, with a
            warning.
        dtype: the data type. Default: None: the type of a NumPy number, a bool or a Tensor; int64 for Python's ints and
            floats, as in MindSpore.
    """
    value, own = _typed(fill_value, "full", "fill_value")
    dtype = dtype or own
    if dtype is None and value.__class__ is float and not value.is_integer():
        warn_user(f"'full' without 'dtype' makes a tensor of int64, so {value} is truncated. Give the dtype.")
    return _filled(size, value, dtype or torch.int64, devices.current())


@op
def zeros_like(input: Tensor, *, dtype: Type | None = None) -> Tensor:
    """Zeros in the shape of `input`, of its data type or of `dtype`."""
    return torch.zeros_like(input, dtype=dtype)


@op
def ones_like(input: Tensor, *, dtype: Type | None = None) -> Tensor:
    """Ones in the shape of `input`, of its data type or of `dtype`."""
    return torch.ones_like(input, dtype=dtype)


@op
def full_like(input: Tensor, fill_value: Operand, *, dtype: Type | None = None) -> Tensor:
    """A tensor filled with a number, of the shape of `input`, of its data type or of `dtype`."""
    return _filled(input.shape, fill_value, dtype or input.dtype, input.device)


def _progression(start: Any, end: Any, step: Any) -> Tensor:
    if step == 0 or (end - start) * step < 0:
        raise ValueError("'step' must lead from 'start' to 'end'")
    return torch.arange(start, end, step, device=devices.current())


@op
def arange(start: float = 0, end: float | None = None, step: float = 1, *, dtype: Type | None = None) -> Tensor:
    """The numbers from `start` to `end`, exclusive, in steps of `step`.

    Args:
        start: the first number; a single argument is `end`, and `start` is 0. Default: 0.
        end: the end, exclusive. Default: None.
        step: the step; negative to count down. Default: 1.
        dtype: the data type. Default: None: int64, or float32 when an argument is a float.

    Raises:
        ValueError: `step` is 0 or leads away from `end`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.arange(1, 7, 2))
        [1 3 5]
    """
    if end is None:
        start, end = 0, start
    numbers = _progression(start, end, step)
    return numbers if dtype is None else numbers.to(dtype)


@op
def range(start: float, end: float, step: float, maxlen: Positive = 1000000) -> Tensor:
    """The numbers from `start` to `end`, exclusive, in steps of `step`.

    Args:
        start, end, step: as for `arange`, or Tensors of one element.
        maxlen: the number of elements that MindSpore allocates, at least 1; a longer result is not an error here.
            Default: 1000000.

    Raises:
        TypeError: the numbers are neither all ints nor all floats.
        ValueError: `step` is 0 or leads away from `end`.
    """
    if len({isinstance(number, (float, torch.SymFloat)) for number in (start, end, step)}) > 1:
        raise TypeError("the numbers must be all ints or all floats")
    return _progression(start, end, step)


def _float_dtype(*bounds: Any) -> torch.dtype:
    return torch.float64 if any(getattr(bound, "dtype", None) is torch.float64 for bound in bounds) else torch.float32


@op
def linspace(start: Operand, end: Operand, steps: Positive) -> Tensor:
    """`steps` evenly spaced numbers from `start` to `end`, inclusive.

    Args:
        start, end: numbers or scalar Tensors.
        steps: the number of elements, at least 1.

    Returns:
        A float32 Tensor, or float64 if `start` or `end` is a float64 Tensor.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.linspace(0, 1, 3))
        [0.  0.5 1. ]
    """
    return torch.linspace(start, end, steps, dtype=_float_dtype(start, end), device=devices.current())


@op
def logspace(
    start: Operand, end: Operand, steps: NotNegative, base: float = 10, *, dtype: Type = mstype.float32
) -> Tensor:
    """`base` to the power of `steps` evenly spaced numbers from `start` to `end`, inclusive.

    Args:
        start, end: the first and the last exponent, numbers or scalar Tensors.
        steps: the number of elements, at least 0.
        base: the base. Default: 10.
        dtype: the data type. Default: float32.
    """
    exact = torch.logspace(start, end, steps, base, dtype=torch.float64, device=devices.current())
    return exact.to(dtype)


@op
def eye(n: NotNegative, m: NotNegative | None = None, dtype: Type | None = None) -> Tensor:
    """A matrix of `n` rows and `m` columns with ones on the diagonal and zeros elsewhere.

    Args:
        n: the number of rows.
        m: the number of columns. Default: None: `n`.
        dtype: the data type. Default: None: float32.
    """
    columns = n if m is None else m
    return torch.eye(n, columns, dtype=dtype or torch.float32, device=devices.current())


@op
def tuple_to_array(input_x: Any) -> Tensor:
    """A tensor of the numbers of a tuple: int32 when the first is an int, else float32.

    Raises:
        ValueError: `input_x` is empty.
    """
    if not isinstance(input_x, Sequence) or not all(isinstance(number, (int, float)) for number in input_x):
        raise TypeError("'input_x' must be a tuple of numbers")
    if not input_x:
        raise ValueError("'input_x' must hold at least one number, but is empty")
    dtype = torch.int32 if isinstance(input_x[0], int) else torch.float32
    return torch.tensor(input_x, dtype=dtype, device=devices.current())


@op
def scalar_to_tensor(input_x: Any, dtype: Type = mstype.float32) -> Tensor:
    """A scalar tensor of the int, float or bool `input_x`, converted to `dtype`."""
    if not isinstance(input_x, (bool, int, float)):
        raise TypeError("'input_x' must be a bool, int or float")
    return torch.full((), input_x, dtype=dtype, device=devices.current())


@op
def fill(type: Type | None, shape: Size, value: Any) -> Tensor:
    """A tensor of `shape` filled with the number `value`, converted to `type`; None keeps the type of the number."""
    value, own = _typed(value, "fill", "value")
    if value.__class__ is complex:
        own = own or torch.complex128
    return _filled(shape, value, type or own, devices.current())


@op(method="fill")
def _fill(self: Tensor, value: Operand) -> Tensor:
    """A new tensor filled with a number, of the shape and data type of this one."""
    return _filled(self.shape, value, self.dtype, self.device)


@op(method="new_zeros")
def _new_zeros(self: Tensor, size: Size, dtype: Type | None = None) -> Tensor:
    """Zeros of shape `size`, of the tensor's data type and on its device."""
    return self.new_zeros(size, dtype=dtype)


@op(method="new_ones")
def _new_ones(self: Tensor, size: Size, dtype: Type | None = None) -> Tensor:
    """Ones of shape `size`, of the tensor's data type and on its device."""
    return self.new_ones(size, dtype=dtype)


@op(method="new_full")
def _new_full(self: Tensor, size: Size, fill_value: Operand, *, dtype: Type | None = None) -> Tensor:
    """A tensor of shape `size` filled with a number, of the tensor's data type and on its device."""
    return _filled(size, fill_value, dtype or self.dtype, self.device)


@op(method="new_empty")
def _new_empty(self: Tensor, size: Size, *, dtype: Type | None = None, device: str | None = None) -> Tensor:
    """A tensor of shape `size` with arbitrary content, of the tensor's data type and on its device."""
    where = self.device if device is None else devices.parse(device, "new_empty")
    return self.new_empty(size, dtype=dtype, device=where)


@as_primitive
def FillV2(shape: Size, value: Tensor) -> Tensor:
    """A tensor of `shape` filled with the only element of `value`."""
    return _filled(shape, value.reshape(()), value.dtype, value.device)


@as_primitive
def Fill(dtype: Type, dims: Size, x: Operand) -> Tensor:
    """A tensor of shape `dims` filled with the number `x`, converted to `dtype`."""
    return _filled(dims, x, dtype, devices.current())


@as_primitive
def ZerosLike(x: Tensor) -> Tensor:
    """Zeros in the shape and data type of `x`."""
    return torch.zeros_like(x)


@as_primitive
def OnesLike(x: Tensor) -> Tensor:
    """Ones in the shape and data type of `x`."""
    return torch.ones_like(x)


@as_primitive
def LinSpace(start: Operand, stop: Operand, num: Positive) -> Tensor:
    """`num` evenly spaced numbers from `start` to `stop`."""
    return linspace.body(start, stop, num)


Zeros = primitive("Zeros", zeros)
Ones = primitive("Ones", ones)
Eye = primitive("Eye", eye)
Range = primitive("Range", range, maxlen=1000000)
LogSpace = primitive("LogSpace", logspace, steps=10, base=10, dtype=mstype.float32)
TupleToArray = primitive("TupleToArray", tuple_to_array)
ScalarToTensor = primitive("ScalarToTensor", scalar_to_tensor)
rules.cut_by(rules.aligned, ZerosLike)
