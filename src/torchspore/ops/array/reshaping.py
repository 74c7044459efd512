"""Shapes: views, permutations, broadcasting and copies."""

from __future__ import annotations

import math
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_int, as_size
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.gradients.differentiate import stop_gradient
from torchspore.engine.op import Size, Type, attach, op
from torchspore.engine.parameters import Dimensions
from torchspore.engine.primitive import Primitive, as_primitive, primitive
from torchspore.ops.array.overloads import documented, renaming_method

__all__ = [
    "BroadcastTo", "Expand", "ExpandDims", "Flatten", "Identity", "IdentityN", "Reshape", "SelectView", "Squeeze",
    "StopGradient", "TensorToTuple", "Transpose", "TransposeExtView", "TransposeView", "atleast_1d", "atleast_2d",
    "atleast_3d", "broadcast_to", "deepcopy", "expand", "expand_as", "expand_dims", "flatten", "identity", "moveaxis",
    "movedim", "permute", "ravel", "reshape", "squeeze", "swapaxes", "swapdims", "t", "transpose", "unsqueeze",
    "view_as",
]  # fmt: skip


@op
def reshape(input: Tensor, shape: Size) -> Tensor:
    """Return a tensor with another shape, over the same memory where the layout allows it.

    Args:
        input: a Tensor.
        shape: the sizes; one may be -1, which is inferred.

    Raises:
        ValueError: the number of elements differs.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.reshape(ms.Tensor([1, 2, 3, 4, 5, 6]), (2, -1)))
        [[1 2 3]
         [4 5 6]]
    """
    return torch.reshape(input, shape)


@op(method="reshape")
def _reshape(self: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """Return the tensor with another shape: `x.reshape(2, 3)` or `x.reshape((2, 3))`; one size may be -1."""
    return torch.reshape(self, as_size(sizes if shape is None else shape, "reshape", "shape"))


@op(method="view")
def _view(self: Tensor, *sizes: Any, shape: Any = None, dtype: Type | None = None) -> Tensor:
    """Return the tensor with another shape, as `reshape`; `x.view(dtype)` reads its bytes as another dtype."""
    if len(sizes) == 1 and isinstance(sizes[0], mstype.Type):
        dtype = sizes[0].torch
    if dtype is not None:
        return self.view(dtype)
    return torch.reshape(self, as_size(sizes if shape is None else shape, "view", "shape"))


@op(method=("view_as", "reshape_as"))
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """Reshape `input` to the shape of `other`."""
    return input.reshape(other.shape)


# Permutations


@op
def transpose(input: Tensor, dims: Size) -> Tensor:
    """Permute the dimensions.

    Args:
        input: a Tensor.
        dims: for every dimension of the result, the dimension of `input`; negative ones count from the end.

    Raises:
        ValueError: `dims` does not name every dimension once.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.transpose(ms.Tensor([[[1, 2, 3]]]), (2, 0, 1)).shape
        (3, 1, 1)
    """
    return torch.permute(input, dims)


@op
def permute(input: Tensor, axis: Size) -> Tensor:
    """Permute the dimensions to the order `axis`; see `transpose`."""
    return torch.permute(input, axis)


@op(method="permute")
def _permute(self: Tensor, *order: Size, axis: Any = None, dims: Any = None) -> Tensor:
    """Permute the dimensions: `x.permute(2, 0, 1)`, `x.permute((2, 0, 1))`, `axis` or `dims`."""
    named = axis if dims is None else dims
    if named is not None and (order or None not in (axis, dims)):
        raise TypeError("give the order once: as x.permute(1, 0), 'axis' or 'dims'")
    return torch.permute(self, order if named is None else as_size(named, "permute", "dims"))


def _reversed(input: Tensor) -> Tensor:
    return input.t() if input.dim() == 2 else input.permute(tuple(range(input.dim() - 1, -1, -1)))


@op(method="transpose")
def _transpose(self: Tensor, *axes: Any, dim0: int | None = None, dim1: int | None = None) -> Tensor:
    """Swap two dimensions, or permute all.

    `x.transpose(0, 2)` (or `dim0=0, dim1=2`) swaps, `x.transpose(2, 0, 1)` or `x.transpose((2, 0, 1))` permutes, and
    `x.transpose()` reverses the dimensions.
    """
    if len(axes) == 2:
        dim0, dim1 = axes
    if dim0 is not None and dim1 is not None:
        return torch.transpose(self, dim0, dim1)
    if axes in ((), (None,)):
        return _reversed(self)
    return torch.permute(self, as_size(axes, "transpose", "axes"))


@op(name="Tensor.T")
def _all_swapped(self: Tensor) -> Tensor:
    """The tensor with its dimensions in reverse order."""
    return _reversed(self)


@op(name="Tensor.mT")
def _matrices_swapped(self: Tensor) -> Tensor:
    """The tensor with its last two dimensions swapped."""
    return self.transpose(-2, -1)


@op(name="Tensor.H")
def _adjoint(self: Annotated[Tensor, Dimensions(2)]) -> Tensor:
    """The conjugate transpose of a matrix."""
    return self.transpose(0, 1).conj()


@op(name="Tensor.mH")
def _adjoints(self: Tensor) -> Tensor:
    """The conjugate of the tensor with its last two dimensions swapped."""
    return self.transpose(-2, -1).conj()


attach(property(_all_swapped), "T")
attach(property(_matrices_swapped), "mT")
attach(property(_adjoint), "H")
attach(property(_adjoints), "mH")


@op(method="swapaxes")
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Swap two dimensions."""
    return input.transpose(axis0, axis1)


@op(method="swapdims")
def swapdims(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dimensions."""
    return input.transpose(dim0, dim1)


@op(method=("movedim", "moveaxis"))
def movedim(x: Tensor, source: int | tuple[int, ...], destination: int | tuple[int, ...]) -> Tensor:
    """Move dimensions to other positions; the others keep their order.

    Args:
        x: a Tensor.
        source: the dimension, or several.
        destination: the position of each in the result.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.movedim(ms.ops.zeros((2, 3, 4)), 0, 2).shape
        (3, 4, 2)
    """
    sources, destinations = [(dim,) if dim.__class__ is int else dim for dim in (source, destination)]
    return x.movedim(sources, destinations)  # type: ignore[arg-type]  # torch's stub mixes the two forms


moveaxis = movedim


@op(method="t")
def t(input: Tensor) -> Tensor:
    """Transpose a matrix; a tensor of other dimensions is returned unchanged."""
    return input.t() if input.dim() == 2 else input


# Dimensions of size 1, merged dimensions


@op(method="expand_dims")
def expand_dims(input_x: Tensor, axis: int) -> Tensor:
    """Insert a dimension of size 1.

    Args:
        input_x: a Tensor.
        axis: its position in the result; negative ones count from the end.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.expand_dims(ms.Tensor([1.0, 2.0]), -1).shape
        (2, 1)
    """
    return input_x.unsqueeze(axis)


@op
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Insert a dimension of size 1 at `dim`; see `expand_dims`."""
    return input.unsqueeze(dim)


renaming_method("unsqueeze", unsqueeze, axis="dim")


@op(method="squeeze")
def squeeze(input: Tensor, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Remove dimensions of size 1.

    Args:
        input: a Tensor.
        axis: the dimensions to remove; dimensions of other sizes are kept. Default: None, all of size 1.
    """
    return input.squeeze() if axis is None or axis == () else input.squeeze(axis)


@op
def flatten(input: Tensor, order: str = "C", *, start_dim: int = 1, end_dim: int = -1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` into one.

    Args:
        input: a Tensor.
        order: "C" for row-major order; "F" merges the dimensions of the transposed tensor. Default: "C".
        start_dim, end_dim: the first and the last dimension to merge. Default: 1, -1.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.flatten(ms.ops.zeros((2, 3, 4))).shape
        (2, 12)
    """
    if order not in ("C", "F"):
        raise ValueError("'order' must be 'C' or 'F'")
    if order == "F":
        input = _reversed(input)
    dims = input.dim()
    if dims < 2:
        return input.reshape(-1)
    if start_dim % dims > end_dim % dims:
        raise ValueError(
            f"'start_dim' must not come after 'end_dim', but got {start_dim} and {end_dim} for {dims} dimensions"
        )
    return input.flatten(start_dim, end_dim)


@op(method="flatten")
def _flatten(self: Tensor, *dims: Any, order: str = "C", start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge dimensions into one: `x.flatten()`, `x.flatten(1)`, `x.flatten(0, 1)`, `x.flatten("F")`."""
    if dims and isinstance(dims[0], str):
        order, dims = dims[0], dims[1:]
    bounds = [as_int(bound, "flatten", "dims") for bound in (*dims, *(start_dim, end_dim)[len(dims) :])]
    start_dim, end_dim = bounds
    return flatten.body(self, order, start_dim=start_dim, end_dim=end_dim)


@op(method="ravel")
def ravel(input: Tensor) -> Tensor:
    """Merge all dimensions into one."""
    return input.reshape(-1)


# Broadcasting


@op
def broadcast_to(input: Tensor, shape: Size) -> Tensor:
    """Broadcast a tensor to a shape, without copying.

    Args:
        input: a Tensor.
        shape: the shape of the result; -1 keeps the size of a dimension that `input` has.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.broadcast_to(ms.Tensor([1, 2]), (2, -1)))
        [[1 2]
         [1 2]]
    """
    return torch.broadcast_to(input, shape)


@op
def expand(input_x: Tensor, size: Size) -> Tensor:
    """Broadcast `input_x` to the shape `size`; see `broadcast_to`."""
    return torch.broadcast_to(input_x, size)


@op(method=("broadcast_to", "expand"))
def _broadcast_to(self: Tensor, *sizes: Size, shape: Any = None) -> Tensor:
    """Broadcast to a shape, given as `(2, 3)` or `2, 3`; see `ops.broadcast_to`."""
    return torch.broadcast_to(self, sizes if shape is None else as_size(shape, "broadcast_to", "shape"))


@op
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Broadcast `input` to the shape of `other`."""
    return input.expand_as(other)


renaming_method("expand_as", expand_as, x="other")


def _at_least(torch_function: Any, dimensions: int) -> Any:
    """Make the operation that expands one or several tensors to a minimum number of dimensions."""
    name = torch_function.__name__

    def body(input: Tensor) -> Tensor:
        return torch_function(input)

    convert = op(body, name=name)

    def function(inputs: _Tensor | list[_Tensor] | tuple[_Tensor, ...]) -> Any:
        if isinstance(inputs, (list, tuple)):
            return tuple([convert(input) for input in inputs])
        return convert(inputs)

    doc = f"Expand a tensor, or each tensor of a list, to at least {dimensions} dimensions with new ones of size 1."
    return documented(function, name, doc)


atleast_1d = _at_least(torch.atleast_1d, 1)
atleast_2d = _at_least(torch.atleast_2d, 2)
atleast_3d = _at_least(torch.atleast_3d, 3)


# Copies


@op(method=("copy", "clone"))
def deepcopy(input_x: Tensor) -> Tensor:
    """Return a copy with its own memory; gradients flow through it."""
    return input_x.clone()


def identity(x: Any) -> Any:
    """Return `x` itself."""
    return x


@op(method="contiguous")
def _contiguous(self: Tensor) -> Tensor:
    """Return the tensor in row-major order: itself if it already is, else a copy."""
    return self.contiguous()


@op(method="resize")
def _resize(self: Tensor, *new_shape: Size) -> Tensor:
    """Return the elements in another shape, cropped or padded with zeros; without a shape, the tensor."""
    if not new_shape:
        return self
    count = math.prod(new_shape)
    kept = self.reshape(-1)[:count]
    return torch.nn.functional.pad(kept, (0, count - kept.numel())).reshape(new_shape)


Reshape = primitive("Reshape", reshape)
Transpose = primitive("Transpose", transpose)
ExpandDims = primitive("ExpandDims", expand_dims)
Squeeze = primitive("Squeeze", squeeze, axis=())
BroadcastTo = primitive("BroadcastTo", broadcast_to, "shape")
Identity = primitive("Identity", deepcopy)


@as_primitive
def IdentityN(x: list[Tensor]) -> tuple[Tensor, ...]:
    """A copy of every tensor in a list."""
    return tuple([tensor.clone() for tensor in x])


@as_primitive
def SelectView(input: Tensor, input_indices: int, axis: int) -> Tensor:
    """The slice at an index of a dimension, which is removed."""
    return input.select(axis, input_indices)


def _elements(input_tensor: _Tensor) -> tuple[Any, ...]:
    """Return the elements of a tensor of one dimension as numbers."""
    if input_tensor.ndim != 1:
        raise ValueError(f"For 'TensorToTuple', the tensor must have one dimension, but got {input_tensor.shape}.")
    return tuple(input_tensor.tolist())


TensorToTuple = primitive("TensorToTuple", _elements)
Expand = primitive("Expand", broadcast_to)
TransposeView = primitive("TransposeView", transpose)
TransposeExtView = primitive("TransposeExtView", swapaxes)


class StopGradient(Primitive):
    """Return the input unchanged, but detached from the graph: no gradient flows back through it."""

    def __call__(self, x: Any) -> Any:
        """Return `x`."""
        return stop_gradient(x)


@as_primitive
def Flatten(input_x: Tensor) -> Tensor:
    """Merge all dimensions but the first; a tensor of one dimension becomes a column."""
    return input_x.flatten(1) if input_x.dim() > 1 else input_x.unsqueeze(-1)


rules.cut_by(rules.aligned, BroadcastTo, ExpandDims, Squeeze, Transpose)
