"""Methods of tensors as MindSpore 1 and 2.0 had them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torchspore import ops
from torchspore.common.tensor import Tensor
from torchspore.earlier.forms import form
from torchspore.earlier.meanings import operations
from torchspore.numpy import repeat as repeated_as_in_numpy

__all__ = []

_only_element, _max, _min = Tensor.item, Tensor.max, Tensor.min


@form("Tensor.split", until="1.10", now="mindspore.ops.Split({axis}, {output_num})({self})")
def split(self: Tensor, axis: int = 0, output_num: int = 1) -> tuple[Tensor, ...]:
    """Split the tensor into a number of parts."""
    return ops.Split(axis, output_num)(self)


@form("Tensor.norm", until="1.10", now="mindspore.ops.LpNorm({axis}, {p}, {keep_dims}, {epsilon})({self})")
def norm(
    self: Tensor, axis: int | Sequence[int], p: int = 2, keep_dims: bool = False, epsilon: float = 1e-12
) -> Tensor:
    """Return the norms of the tensor over axes."""
    return operations.norm(self, axis, p, keep_dims, epsilon)


@form("Tensor.median", until="1.10", now="mindspore.ops.Median({global_median}, {axis}, {keep_dims})({self})")
def median(self: Tensor, global_median: bool = False, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the medians and their indices."""
    return ops.Median(global_median, axis, keep_dims)(self)


@form("Tensor.clip", until="1.10", now="x.clip(min, max)")
def clip(self: Tensor, xmin: Any, xmax: Any, dtype: Any = None) -> Tensor:
    """Return the tensor with its elements between two bounds."""
    clipped = ops.clip(self, xmin, xmax)
    return clipped if dtype is None else clipped.astype(dtype)


@form("Tensor.bernoulli", until="2.0", now="mindspore.ops.bernoulli({self}, {p})")
def bernoulli(self: Tensor, p: Any = 0.5, seed: int = -1) -> Tensor:
    """Draw zeros and ones of the tensor's shape."""
    return ops.bernoulli(self, p, None if seed == -1 else seed)


@form("Tensor.item", until="2.0", now="x[index].item()")
def item(self: Tensor, index: Any = None) -> Any:
    """Return an element."""
    if index is None:
        return _only_element(self)
    return self.flatten()[index] if isinstance(index, int) else self[index]


@form("Tensor.argmax_with_value", until="1.10", now="mindspore.ops.ArgMaxWithValue({axis}, {keep_dims})({self})")
def argmax_with_value(self: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the indices of the largest elements, and the elements."""
    return operations.max_with_index(self, axis, keep_dims)


@form("Tensor.argmin_with_value", until="1.10", now="mindspore.ops.ArgMinWithValue({axis}, {keep_dims})({self})")
def argmin_with_value(self: Tensor, axis: int = 0, keep_dims: bool = False) -> tuple[Tensor, Tensor]:
    """Return the indices of the smallest elements, and the elements."""
    return operations.min_with_index(self, axis, keep_dims)


@form("Tensor.repeat", until="2.4", now="mindspore.ops.repeat_interleave({self}, {repeats}[, {axis}])")
def repeat(self: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    """Return the tensor with each element repeated, as NumPy does."""
    repeated: Tensor = repeated_as_in_numpy(self, repeats, axis)
    return repeated


@form("Tensor.to_tensor", until="1.10", now="{self}.init_data({slice_index}, {shape}, {opt_shard_group})")
def to_tensor(self: Tensor, slice_index: Any = None, shape: Any = None, opt_shard_group: Any = None) -> Tensor:
    """Draw the elements of a tensor that has an initializer."""
    return self.init_data(slice_index, shape, opt_shard_group)


@form("Tensor.max", until="2.4", now="x.max(axis=axis)")
def largest(self: Tensor, axis: Any = None, keepdims: bool = False, **others: Any) -> Any:
    """Return the largest elements, not their indices."""
    return _max(self, axis=axis, keepdims=keepdims, **others)


@form("Tensor.min", until="2.4", now="x.min(axis=axis)")
def smallest(self: Tensor, axis: Any = None, keepdims: bool = False, **others: Any) -> Any:
    """Return the smallest elements, not their indices."""
    return _min(self, axis=axis, keepdims=keepdims, **others)
