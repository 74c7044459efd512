"""Layers and primitives whose results were others: the classes of their time."""

from __future__ import annotations

from typing import Any

from torchspore import nn, ops
from torchspore.common.dtype import Type, float32
from torchspore.common.tensor import Tensor
from torchspore.earlier.forms import form
from torchspore.earlier.meanings import operations

__all__ = []


@form("nn.Dropout", until="1.10", now="mindspore.nn.Dropout(p=1 - {keep_prob}[, dtype={dtype}])")
class Dropout(nn.Dropout):
    """Shows the probability to keep an element."""

    def __init__(self, keep_prob: float = 0.5, dtype: Type = float32) -> None:
        super().__init__(p=1 - keep_prob, dtype=dtype)
        self.keep_prob, self.p = keep_prob, None


@form("ops.AdaptiveMaxPool2D", until="1.10", now="mindspore.ops.AdaptiveMaxPool2D, which returns indices, too")
class AdaptiveMaxPool2D(ops.AdaptiveMaxPool2D):
    """Returns indices only if they are asked for."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def __call__(self, input: Tensor) -> Any:
        """Return the maxima, and their indices if they are asked for."""
        maxima, indices = super().__call__(input)
        return (maxima, indices) if self.return_indices else maxima


@form("ops.ApplyAdagradDA", until="2.0", now="mindspore.ops.ApplyAdagradDA, which returns 'var' alone")
class ApplyAdagradDA(ops.ApplyAdagradDA):
    """Returns all that it updates."""

    def __call__(self, var: Any, gradient_accumulator: Any, gradient_squared_accumulator: Any, *others: Any) -> Any:
        """Update the parameters, and return them."""
        updated = super().__call__(var, gradient_accumulator, gradient_squared_accumulator, *others)
        return updated, gradient_accumulator.value(), gradient_squared_accumulator.value()


@form("ops.ScalarCast", until="2.0", now="mindspore.ops.ScalarCast with mindspore.int64, float64 or bool_")
class ScalarCast(ops.ScalarCast):
    """Takes types of numbers of any size."""

    def __call__(self, input_x: Any, input_y: Any) -> Any:
        """Return the number as one of another type."""
        return operations.scalar_cast(input_x, input_y)
