"""Searching: order statistics, insertion points in sorted rows, differences of lists."""

from __future__ import annotations

from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import Type, op
from torchspore.engine.parameters import Dimensions, Ints, TypeOf
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.overloads import documented
from torchspore.ops.array.sorting import bucketize, unique_with_pad

__all__ = [
    "Bucketize", "InvertPermutation", "ListDiff", "LowerBound", "NthElement", "UnravelIndex", "UpperBound",
]  # fmt: skip


@op(method="kthvalue")
def _kthvalue(self: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    """The `k`-th smallest elements along a dimension, and their int64 indices.

    Args:
        k: the rank of the element, from 1.
        dim: the dimension. Default: -1.
        keepdim: whether to keep it, with size 1. Default: False.
    """
    values, indices = torch.kthvalue(self, k, dim, keepdim)
    return values, indices


@as_primitive
def NthElement(input: Tensor, n: int, *, reverse: bool = False) -> Tensor:
    """The `n`-th smallest elements along the last dimension, from 0; with `reverse` the `n`-th largest."""
    return torch.kthvalue(input, input.shape[-1] - n if reverse else n + 1).values


@as_primitive
def ListDiff(
    x: Annotated[Tensor, "N"], y: Annotated[Tensor, "M", TypeOf("x")], *, out_idx: Type = mstype.int32
) -> tuple[Tensor, Tensor]:
    """The elements of `x` that are not in `y`, in order, and their indices in `x`.

    Raises:
        TypeError: the dtypes differ.
    """
    indices = torch.isin(x, y, invert=True).nonzero().squeeze(1)
    return x[indices], indices.to(out_idx)


def _bound(name: str, right: bool, what: str) -> Any:
    def body(sorted_x: Tensor, values: Tensor, out_type: Type = mstype.int32) -> Tensor:
        if sorted_x.dim() != 2 or values.dim() != 2 or sorted_x.shape[0] != values.shape[0]:
            raise ValueError(
                f"For '{name}', 'sorted_x' and 'values' must be matrices with the same number of rows, but got "
                f"{describe([sorted_x, values])}."
            )
        if sorted_x.dtype is not values.dtype:
            raise TypeError(f"For '{name}', the dtypes must be equal, but got {describe([sorted_x, values])}.")
        return torch.searchsorted(sorted_x, values, right=right).to(out_type)

    doc = f"For each element of `values`, the first index in its sorted row whose element is {what}."
    return primitive(name, op(documented(body, name, doc)), out_type=mstype.int32)


@as_primitive
def UnravelIndex(indices: Annotated[Ints, TypeOf("dims"), Dimensions(0, 1)], dims: Annotated[Ints, "N"]) -> Tensor:
    """The coordinates of elements given by their indices in the flattened array.

    Args:
        indices: a Tensor of ints with at most one dimension.
        dims: the shape of the array, a Tensor of ints of one dimension.

    Returns:
        A Tensor with a row for each dimension of the array.
    """
    strides = dims.flip(0).cumprod(0).flip(0) // dims
    shape = (-1, *[1] * indices.dim())
    return (indices // strides.reshape(shape) % dims.reshape(shape)).to(indices.dtype)


def _invert_permutation(input_x: Any) -> tuple[int, ...]:
    """Return the inverse of a permutation, a tuple or list of the ints from 0, each once."""
    if not isinstance(input_x, (tuple, list)) or not all(type(index) is int for index in input_x):
        raise TypeError(f"For 'InvertPermutation', 'input_x' must be a tuple of ints, but got {describe(input_x)}.")
    if sorted(input_x) != list(range(len(input_x))):
        count = len(input_x)
        raise ValueError(f"For 'InvertPermutation', 'input_x' must hold each int in [0, {count}) once: {input_x}.")
    return tuple(sorted(range(len(input_x)), key=input_x.__getitem__))


@op(method="unique_with_pad")
def _unique_with_pad(self: Annotated[Tensor, Dimensions(1)], pad_num: Any) -> tuple[Tensor, Tensor]:
    """The unique elements, padded to the length of the tensor, and the index of each element among them."""
    return unique_with_pad.body(self, pad_num)


@as_primitive
def Bucketize(input: Tensor, *, boundaries: Any) -> Tensor:
    """The number of ascending `boundaries` that do not exceed each element, as int32; see `bucketize`."""
    return bucketize.body(input, boundaries, right=True)


InvertPermutation = primitive("InvertPermutation", _invert_permutation)
LowerBound = _bound("LowerBound", False, "not less")
UpperBound = _bound("UpperBound", True, "greater")
