"""Conversions between data types."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.dtype import FROM_TORCH, Type, to_torch
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.op import Operand, op
from torchspore.engine.primitive import primitive

__all__ = ["Cast", "cast", "type_as"]


def _convert(input: Tensor, dtype: torch.dtype) -> Tensor:
    if input.is_complex() and not dtype.is_complex and dtype is not torch.bool:
        input = input.real  # what torch does too, but with a warning
    return input.to(dtype)


@op
def cast(input: Operand, dtype: Type) -> Tensor:
    """Convert to another data type; a tensor of that type already is returned over the same memory.

    Args:
        input: a Tensor, or a number.
        dtype: the data type. Real parts are kept of complex numbers, fractions are cut off for integer types.

    Returns:
        A Tensor of the shape of `input`.

    Raises:
        TypeError: `input` is neither a Tensor nor a number, or `dtype` is no data type.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore import ops
        >>> print(ops.cast(ms.Tensor([1.7, -1.7]), ms.int32))
        [ 1 -1]
    """
    if isinstance(input, torch.Tensor):
        return _convert(input, dtype)
    return torch.tensor(input, dtype=dtype, device=devices.current())


@op
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """Convert `input` to the data type of `other`."""
    return _convert(input, other.dtype)


Cast = primitive("Cast", cast)
_Tensor.type_as = type_as  # type: ignore[attr-defined]


@op(method="astype")
def _astype(self: Tensor, dtype: Type, copy: bool = True) -> Tensor:
    """Convert to another data type, given as a type, its name, or a NumPy or Python type.

    `copy` is there for NumPy's sake: as in MindSpore, a tensor that has the type already is not copied.
    """
    return _convert(self, dtype)


@op(method="type")
def _type(self: Tensor, dtype: Type | None = None) -> Any:
    """Convert to another data type; without one, return the name of the tensor's."""
    return str(FROM_TORCH[self.dtype]) if dtype is None else _convert(self, dtype)


@op(method="to")
def _to(self: Tensor, dtype: Any = None) -> Tensor:
    return _convert(self, to_torch(dtype, "Tensor.to"))


def _to_dtype(name: str, dtype: torch.dtype) -> None:
    def convert(self: Tensor) -> Tensor:
        return _convert(self, dtype)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"Convert to {FROM_TORCH[dtype].name}."
    op(convert, method=name)


for _name, _dtype in {
    "bool": torch.bool,
    "byte": torch.uint8,
    "short": torch.int16,
    "int": torch.int32,
    "long": torch.int64,
    "half": torch.float16,
    "float": torch.float32,
    "double": torch.float64,
    "bfloat16": torch.bfloat16,
}.items():
    _to_dtype(_name, _dtype)
