"""In-place methods of tensors that write elements by index or mask; some are also functions of `ops`.

Inside a differentiated function they follow the rules of `torchspore.ops.array.assignment`.
"""

from __future__ import annotations

import inspect
from typing import Any

import torch

from torchspore.common.scopes.scope import scope, stored_value
from torchspore.common.tensor import Tensor
from torchspore.engine.arguments.conversions import refuse_as_tensor
from torchspore.engine.failures.naming import named
from torchspore.engine.op import attach
from torchspore.ops.array.assignment import update
from torchspore.ops.array.gathering import check_indices, check_mask
from torchspore.ops.array.overloads import documented
from torchspore.ops.array.scattering import as_indices, part_read

__all__ = ["clamp_", "erfinv_", "inplace_sigmoid", "put_", "stop_gradient_", "zero_"]


def _index(index: Any, api: str) -> torch.Tensor:
    if not isinstance(index, Tensor):
        refuse_as_tensor(index, api, "index")
    check_indices(index._t, api)
    return index._t.long()


def _mask(mask: Any, api: str) -> Any:
    if not isinstance(mask, Tensor):
        refuse_as_tensor(mask, api, "mask")
    check_mask(mask._t, api)
    return mask


def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Replace the elements where a mask is true by a number; see `ops.masked_fill`."""
    return update(self, "masked_fill_", _mask(mask, "masked_fill_"), value)


def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Replace the elements where a mask is true by the elements of `source`, in order."""
    return update(self, "masked_scatter_", _mask(mask, "masked_scatter_"), source)


def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Fill the slices at indices of dimension `dim` with a number; see `ops.index_fill`."""
    return update(self, "index_fill_", dim, _index(index, "index_fill_"), value)


def index_copy_(self: Tensor, dim: int, index: Tensor, tensor: Tensor) -> Tensor:
    """Replace the slices at indices of dimension `dim` by the slices of `tensor`."""
    return update(self, "index_copy_", dim, _index(index, "index_copy_"), tensor)


def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """Add `alpha` times the slices of `source` at indices of dimension `dim`; see `ops.index_add`."""
    return update(self, "index_add_", dim, _index(index, "index_add_"), source, alpha=alpha)


def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """Replace the elements `x[indices]` by `values`, or add them with `accumulate`; see `Tensor.index_put`."""
    return update(self, "index_put_", as_indices(indices, "index_put_"), values, accumulate)


def put_(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Replace elements by their indices in the flattened tensor, or add to them with `accumulate`."""
    return update(input, "put_", _index(index, "put_"), source, accumulate)


def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add elements to the tensor: `x[index[i][j]][j] += src[i][j]` for `dim` 0, and so on."""
    positions = _index(index, "scatter_add_")
    return update(self, "scatter_add_", dim, positions, part_read(getattr(src, "_t", src), positions))


def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Any = None, value: Any = None, *, reduce: str | None = None
) -> Tensor:
    """Write elements into the tensor: `x[index[i][j]][j] = src[i][j]` for `dim` 0, and so on.

    Args:
        dim: the dimension that is indexed.
        index: a Tensor of ints with the same number of dimensions as the tensor.
        src: a Tensor at least as large as `index`, or a number.
        value: a number, instead of `src`. Default: None.
        reduce: "add" or "multiply" to combine instead of replacing. Default: None.

    Raises:
        TypeError: both or neither of `src` and `value` are given.
    """
    positions = _index(index, "scatter_")
    if (src is None) is (value is None):
        raise TypeError("For 'scatter_', give either 'src', a Tensor or a number, or 'value', a number.")
    if reduce not in (None, "add", "multiply"):
        raise ValueError(f"For 'scatter_', 'reduce' must be None, 'add' or 'multiply', but got {reduce!r}.")
    source = part_read(value if src is None else getattr(src, "_t", src), positions)
    if reduce is None:
        return update(self, "scatter_", dim, positions, source)
    if not isinstance(source, torch.Tensor):
        source = torch.full(positions.shape, source, dtype=self._t.dtype, device=self._t.device)
    return update(self, "scatter_reduce_", dim, positions, source, reduce="sum" if reduce == "add" else "prod")


for _method in (
    masked_fill_, masked_scatter_, index_fill_, index_copy_, index_add_, index_put_, put_, scatter_add_, scatter_,
):  # fmt: skip
    attach(named(_method), _method.__name__)


def _function(name: str, method: str, summary: str) -> Any:
    """Make a function of a method."""
    called = getattr(Tensor, method)

    def function(input: Tensor, *args: Any, **named: Any) -> Tensor:
        if not isinstance(input, Tensor):
            refuse_as_tensor(input, name, "input")
        return called(input, *args, **named)

    signature = inspect.signature(called)
    first, *others = signature.parameters.values()
    function.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="input", annotation=Tensor), *others]
    )
    return documented(function, name, f"{summary}, in place; return it. See `Tensor.{method}`.")


clamp_ = _function("clamp_", "clamp_", "Clamp the elements of a tensor")
erfinv_ = _function("erfinv_", "erfinv_", "Replace the elements of a tensor by the inverse of the error function")
zero_ = _function("zero_", "zero_", "Set all elements of a tensor to 0")
inplace_sigmoid = _function("inplace_sigmoid", "sigmoid_", "Replace the elements of a tensor by their sigmoid")


def stop_gradient_(input: Tensor) -> Tensor:
    """Stop gradients through a tensor from here on, and return it."""
    if not isinstance(input, Tensor):
        refuse_as_tensor(input, "stop_gradient_", "input")
    if scope.depth:
        if input._t.is_leaf:
            scope.writes.setdefault(input, stored_value(input))
        input._t = input._t.detach()
    return input
