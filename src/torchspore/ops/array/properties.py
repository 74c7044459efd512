"""Properties of a tensor: shape, data type, number of elements."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.common.dtype import FROM_TORCH, Type
from torchspore.common.tensor import is_tensor
from torchspore.engine.op import op
from torchspore.engine.primitive import primitive

__all__ = [
    "DType", "Rank", "Shape", "Size", "TensorShape", "dtype", "dyn_shape", "is_complex", "is_floating_point",
    "is_tensor", "numel", "rank", "shape", "size",
]  # fmt: skip


@op
def shape(input_x: Tensor) -> tuple[int, ...]:
    """Return the size of every dimension, as a tuple."""
    return tuple(input_x.shape)


@op
def dyn_shape(input_x: Tensor) -> Tensor:
    """Return the size of every dimension, as an int64 Tensor."""
    return torch.tensor(input_x.shape, dtype=torch.int64, device=input_x.device)


@op
def rank(input_x: Tensor) -> int:
    """Return the number of dimensions."""
    return input_x.dim()


@op
def size(input_x: Tensor) -> int:
    """Return the number of elements."""
    return input_x.numel()


@op
def numel(input: Tensor) -> int:
    """Return the number of elements."""
    return input.numel()


@op
def is_floating_point(input: Tensor) -> bool:
    """Return whether the data type is a floating-point type."""
    return input.is_floating_point()


@op
def is_complex(input: Tensor) -> bool:
    """Return whether the data type is complex."""
    return input.is_complex()


@op
def dtype(x: Tensor) -> Type:
    """Return the data type."""
    return FROM_TORCH[x.dtype]


Shape = primitive("Shape", shape)
TensorShape = primitive("TensorShape", dyn_shape)
Rank = primitive("Rank", rank)
Size = primitive("Size", size)
DType = primitive("DType", dtype)
