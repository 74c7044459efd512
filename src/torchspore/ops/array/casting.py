"""Conversions between data types."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.conversion import converted
from torchspore.common.dtype import FROM_TORCH, to_torch
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.gradients.integer_gradients import cast as integer_cast
from torchspore.engine.gradients.integer_gradients import is_integer
from torchspore.engine.op import Operand, Type, attach, op
from torchspore.engine.primitive import primitive
from torchspore.ops.array.overloads import documented

__all__ = ["Cast", "cast", "type_as"]


def aligned(x: Operand, y: Operand) -> tuple[Operand, Operand]:
    """Return two tensors in the dtype that both promote to, where torch would not; anything else unchanged.

    MindSpore promotes by dtype alone; in torch a tensor with dimensions takes precedence. The gradient of `torch.where`
    fails for a real tensor and a complex one.
    """
    if not (isinstance(x, Tensor) and isinstance(y, Tensor)) or x.dtype is y.dtype:
        return x, y
    if (x.dim() == 0) is (y.dim() == 0) and x.is_complex() is y.is_complex():
        return x, y
    dtype = torch.promote_types(x.dtype, y.dtype)
    return x.to(dtype), y.to(dtype)


def _convert(input: Tensor, dtype: torch.dtype) -> Tensor:
    if input.requires_grad and is_integer(dtype):
        # Torch drops the imaginary part too, but with a warning.
        return integer_cast(input.real if input.is_complex() and dtype is not torch.bool else input, dtype)
    return converted(input, dtype)


@op
def cast(input: Operand, dtype: Type) -> Tensor:
    """Convert to another data type; a tensor that already has it shares the memory of the result.

    Args:
        input: a Tensor, or a number.
        dtype: the data type. Complex numbers keep their real part, and numbers are truncated to integers.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.cast(ms.Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]
    """
    if isinstance(input, torch.Tensor):
        return _convert(input, dtype)
    return torch.tensor(input, dtype=dtype, device=devices.current())


@op(method="type_as")
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Convert `input` to the data type of `other`."""
    return _convert(input, other.dtype)


Cast = primitive("Cast", cast)


# In `astype`, MindSpore takes Python's types and their names as NumPy does: 64 bits.
_NUMPY_TYPES = {
    float: torch.float64, "float": torch.float64, "float_": torch.float64, "int": torch.int64, "int_": torch.int64,
}  # fmt: skip


def _dtype_of(dtype: Any, api: str) -> torch.dtype:
    if isinstance(dtype, mstype.Type):
        return to_torch(dtype, api)
    return (_NUMPY_TYPES.get(dtype) if isinstance(dtype, (str, type)) else None) or to_torch(dtype, api)


@op(method="astype")
def _astype(self: Tensor, dtype: Any, copy: bool = True) -> Tensor:
    """Convert to another data type, given as a type, its name, or a NumPy or Python type.

    Args:
        dtype: the data type; `float` and `"float"` mean float64, `int` and `"int"` int64.
        copy: without effect: as in MindSpore, a tensor that already has the dtype is never copied.
    """
    return _convert(self, _dtype_of(dtype, "Tensor.astype"))


@op(method="type")
def _type(self: Tensor, dtype: Any = None) -> Any:
    """Convert to another data type, given as for `astype`; without one, return the name of the tensor's."""
    return str(FROM_TORCH[self.dtype]) if dtype is None else _convert(self, _dtype_of(dtype, "Tensor.type"))


def _moved(input: Tensor, device: Any, dtype: torch.dtype, non_blocking: bool, copy: bool) -> Tensor:
    result = _convert(input, dtype)
    return result.to(device, non_blocking=non_blocking, copy=copy and dtype is input.dtype)


@op(name="Tensor.to")
def _to_dtype(self: Tensor, dtype: Any, non_blocking: bool = False, copy: bool = False) -> Tensor:
    dtype = _dtype_of(dtype, "Tensor.to")
    return _moved(self, self.device, dtype, non_blocking, True) if copy else _convert(self, dtype)


@op(name="Tensor.to")
def _to_device(
    self: Tensor, device: Any = None, dtype: Any = None, non_blocking: bool = False, copy: bool = False
) -> Tensor:
    device = self.device if device is None else devices.parse(device, "Tensor.to")
    dtype = self.dtype if dtype is None else _dtype_of(dtype, "Tensor.to")
    return _moved(self, device, dtype, non_blocking, copy)


@op(name="Tensor.to")
def _to_other(self: Tensor, other: Tensor, non_blocking: bool = False, copy: bool = False) -> Tensor:
    return _moved(self, other.device, other.dtype, non_blocking, copy)


def _to(self: _Tensor, *args: Any, **named: Any) -> _Tensor:
    """Convert to a data type, a device or both.

    Three forms: `to(dtype)`, `to(device=None, dtype=None)` and `to(other)`, each with `non_blocking=False, copy=False`.

    Args:
        dtype: the data type. Default: the tensor's.
        device: "CPU", "GPU", "GPU:1" or "Ascend". Default: the tensor's.
        other: a Tensor whose data type and device to use.
        non_blocking: whether to copy to another device asynchronously. Default: False.
        copy: whether to copy even if nothing changes. Default: False.

    Raises:
        ValueError: there is no device of that name.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.Tensor([1.5, 2.5]).to(ms.int32))
        [1 2]
    """
    first = args[0] if args else None
    if isinstance(first, _Tensor) or "other" in named:
        return _to_other(self, *args, **named)
    if first is None or isinstance(first, str):
        return _to_device(self, *args, **named)
    return _to_dtype(self, *args, **named)


attach(_to, "to")


def _convert_method(name: str, dtype: torch.dtype) -> None:
    def convert(self: Tensor) -> Tensor:
        return _convert(self, dtype)

    op(documented(convert, name, f"Convert to {FROM_TORCH[dtype].name}."), method=name)


for _name, _dtype in {
    "bool": torch.bool, "byte": torch.uint8, "short": torch.int16, "int": torch.int32, "long": torch.int64,
    "half": torch.float16, "float": torch.float32, "double": torch.float64, "bfloat16": torch.bfloat16,
}.items():  # fmt: skip
    _convert_method(_name, _dtype)
