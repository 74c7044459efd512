"""Variants of operations that MindSpore generates, under its names."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.engine.op import Operand, Size, Type, op
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.casting import type_as
from torchspore.ops.array.reshaping import expand_dims
from torchspore.ops.array.scattering import part_read
from torchspore.ops.linalg.matrix_functions import inverse
from torchspore.ops.math.elementwise import clamp, xlogy

__all__ = [
    "ExpandDimsView", "InnerIndex", "InnerNonZero", "LinSpaceExt", "MaxDim", "MinDim", "NewOnes", "NewZeros",
    "ScatterAddExt", "SliceExt", "SliceExtView", "TensorCopySlices", "TypeAs", "XLogYScalarOther", "XLogYScalarSelf",
    "add_ext", "clamp_scalar", "clamp_tensor", "index", "matrix_inverse_ext", "sub_ext",
]  # fmt: skip

clamp_scalar = clamp_tensor = clamp
matrix_inverse_ext = inverse


@op
def add_ext(input: Operand, other: Operand, alpha: Operand = 1) -> Tensor:
    """`input + alpha * other`."""
    return input + other * alpha


@op
def sub_ext(input: Operand, other: Operand, alpha: Operand = 1) -> Tensor:
    """`input - alpha * other`."""
    return input - other * alpha


@op
def index(input: Tensor, indices: list[Tensor]) -> Tensor:
    """The elements that `input[indices]` names."""
    return input[tuple([index.long() if index.dtype is torch.int32 else index for index in indices])]


@as_primitive
def InnerNonZero(input: Tensor) -> Tensor:
    """The indices of the elements that are not zero, a row for each dimension."""
    return input.nonzero().t()


@as_primitive
def MaxDim(input: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The maxima along a dimension, and their indices."""
    values, indices = torch.max(input, dim, keepdim)
    return values, indices


@as_primitive
def MinDim(input: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The minima along a dimension, and their indices."""
    values, indices = torch.min(input, dim, keepdim)
    return values, indices


@as_primitive
def NewOnes(input: Tensor, size: Size, dtype: Type | None = None) -> Tensor:
    """Ones of a size, by default in the dtype of `input`."""
    return input.new_ones(size, dtype=dtype)


@as_primitive
def NewZeros(input: Tensor, size: Size, dtype: Type | None = None) -> Tensor:
    """Zeros of a size, by default in the dtype of `input`."""
    return input.new_zeros(size, dtype=dtype)


@as_primitive
def LinSpaceExt(start: Operand, end: Operand, steps: int, dtype: Type = mstype.float32) -> Tensor:
    """Evenly spaced numbers from `start` to `end`."""
    return torch.linspace(start, end, steps, dtype=dtype, device=devices.current())


@as_primitive
def ScatterAddExt(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add elements along a dimension of a copy."""
    return input.scatter_add(dim, index.long(), part_read(src, index))


@op(name="SliceExt")
def _slice(input: Tensor, dim: int, start: int, end: int, step: int = 1) -> Tensor:
    """The slice from `start` to `end` of a dimension, every `step`-th element."""
    return input[(slice(None),) * range(input.dim())[dim] + (slice(start, end, step),)]


@as_primitive
def TensorCopySlices(x: Tensor, value: Tensor, begin: Size, end: Size, strides: Size) -> Tensor:
    """Write `value` into the slices from `begin` to `end` of a copy of `x`."""
    result = x.clone()
    result[tuple([slice(*ends) for ends in zip(begin, end, strides)])] = value.to(x.dtype)
    return result


ExpandDimsView = primitive("ExpandDimsView", expand_dims)
InnerIndex = primitive("InnerIndex", index)
SliceExt = primitive("SliceExt", _slice)
SliceExtView = primitive("SliceExtView", _slice)
TypeAs = primitive("TypeAs", type_as)
XLogYScalarOther = primitive("XLogYScalarOther", xlogy)
XLogYScalarSelf = primitive("XLogYScalarSelf", xlogy)
