"""Tensors, parameters, data types, initializers and random state."""

from __future__ import annotations

from torchspore.common import (
    dtype,
    initializer,
    open_shape,  # noqa: F401 - tensors without elements are made there
    string_tensor,  # noqa: F401 - and tensors of strings there
)
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.random import get_seed, set_seed
from torchspore.common.sparse import COOTensor, CSRTensor, RowTensor, SparseTensor
from torchspore.common.tensor import Tensor, tensor

__all__ = [
    "COOTensor", "CSRTensor", "Parameter", "ParameterTuple", "RowTensor", "SparseTensor", "Tensor", "dtype", "get_seed",
    "initializer", "set_seed", "tensor",
]  # fmt: skip

_suggest_names(globals())
