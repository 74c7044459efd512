"""Tensor methods that write into the tensor itself and return it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.scope import writable
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.op import Operand, op
from torchspore.ops.gathering import check_indices
from torchspore.ops.scattering import as_indices

__all__: list[str] = []


def _in_place(body: Callable[..., None]) -> None:
    """Make a function that writes into a torch tensor the Tensor method of the same name."""
    write = op(body, name=body.__name__)

    def method(self: _Tensor, *args: Any, **named: Any) -> _Tensor:
        writable(self)  # inside a differentiation scope the tensor gets a copy to write into
        write(self, *args, **named)
        return self

    method.__name__ = method.__qualname__ = body.__name__
    method.__doc__ = body.__doc__
    setattr(_Tensor, body.__name__, method)


@_in_place
def fill_(self: Tensor, value: Operand) -> None:
    """Fill the tensor with a number, or a Tensor of one."""
    self.fill_(value.reshape(()) if isinstance(value, torch.Tensor) else value)


@_in_place
def zero_(self: Tensor) -> None:
    """Fill the tensor with zeros."""
    self.zero_()


@_in_place
def copy_(self: Tensor, src: Tensor, non_blocking: bool = False) -> None:
    """Copy the elements of `src`, broadcast and converted, into the tensor.

    Args:
        src: a Tensor.
        non_blocking: whether the program may go on while a copy from another device is made. Default: False.

    Raises:
        ValueError: `src` cannot be broadcast to the shape of the tensor.
    """
    self.copy_(src, non_blocking)


@_in_place
def masked_fill_(self: Tensor, mask: Tensor, value: Operand) -> None:
    """Replace the elements where a mask is true by `value`; see `ops.masked_fill`."""
    self.masked_fill_(mask, value)


@_in_place
def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> None:
    """Replace the elements where a mask is true by those of `source`, one after the other."""
    self.masked_scatter_(mask, source)


@_in_place
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Operand) -> None:
    """Fill the slices at some indices of dimension `dim`; see `ops.index_fill`."""
    check_indices(index, "index_fill_")
    self.index_fill_(dim, index.long(), value)


@_in_place
def index_copy_(self: Tensor, dim: int, index: Tensor, tensor: Tensor) -> None:
    """Replace the slices at some indices of dimension `dim` by those of `tensor`."""
    check_indices(index, "index_copy_")
    self.index_copy_(dim, index.long(), tensor)


@_in_place
def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Operand = 1) -> None:
    """Add `alpha` times the slices of `source` at some indices of dimension `dim`; see `ops.index_add`."""
    check_indices(index, "index_add_")
    self.index_add_(dim, index, source, alpha=alpha)


@_in_place
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> None:
    """Replace the elements that `x[indices]` names by `values`, or add those with `accumulate`.

    Args:
        indices: a list or tuple of Tensors of ints or bools, one for each of the first dimensions.
        values: a Tensor that can be broadcast to the shape of `x[indices]`.
        accumulate: whether to add instead. Default: False.
    """
    self.index_put_(as_indices(indices, "index_put_"), values, accumulate)


@_in_place
def put_(self: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> None:
    """Replace elements by their places in the flattened tensor, or add to them with `accumulate`."""
    check_indices(index, "put_")
    self.put_(index.long(), source, accumulate)


@_in_place
def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Operand | None = None, value: Any = None, *, reduce: str | None = None
) -> None:
    """Put single elements into the tensor: `x[index[i][j]][j] = src[i][j]` for `dim` 0, and so on.

    Args:
        dim: the dimension that `index` chooses in.
        index: a Tensor of ints with as many dimensions as the tensor.
        src: a Tensor at least as large as `index`, or a number.
        value: a number, instead of `src`. Default: None.
        reduce: "add" or "multiply" to combine instead of replacing. Default: None.

    Raises:
        TypeError: the indices are no ints, or there is nothing to put.
        ValueError: the shapes do not fit, `dim` or an index is out of range, or another `reduce`.
    """
    check_indices(index, "scatter_")
    if (src is None) is (value is None):
        raise TypeError("For 'scatter_', give either 'src', a Tensor or a number, or 'value', a number.")
    if reduce not in (None, "add", "multiply"):
        raise ValueError(f"For 'scatter_', 'reduce' must be None, 'add' or 'multiply', but got {reduce!r}.")
    source = value if src is None else src
    if reduce is None:
        self.scatter_(dim, index.long(), source)
        return
    if not isinstance(source, torch.Tensor):
        source = torch.full(index.shape, source, dtype=self.dtype, device=self.device)
    self.scatter_reduce_(dim, index.long(), source, "sum" if reduce == "add" else "prod")


@_in_place
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> None:
    """Add single elements to the tensor: `x[index[i][j]][j] += src[i][j]` for `dim` 0, and so on."""
    check_indices(index, "scatter_add_")
    self.scatter_add_(dim, index.long(), src)
