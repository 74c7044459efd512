"""Parts of tensors: slices, diagonals, triangles."""

from __future__ import annotations

import builtins

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common import indexing
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Size, Type, op
from torchspore.engine.parameters import NotNegative
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.overloads import renaming_method

__all__ = [
    "Diag", "DiagPart", "Slice", "StridedSlice", "Tril", "TrilIndices", "Triu", "TriuIndices", "diag", "diag_embed",
    "diagflat", "diagonal", "narrow", "slice", "strided_slice", "tril", "tril_indices", "triu", "triu_indices",
]  # fmt: skip


@op
def narrow(input: Tensor, axis: int, start: int, length: NotNegative) -> Tensor:
    """Return `length` slices of a dimension from `start`, over the same memory.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.narrow(ms.Tensor([1, 2, 3, 4]), 0, 1, 2))
        [2 3]
    """
    return input.narrow(axis, start, length)


renaming_method("narrow", narrow, dim="axis")


@op
def slice(input_x: Tensor, begin: Size, size: Size) -> Tensor:
    """Return a block of a tensor.

    Args:
        input_x: a Tensor.
        begin: the first index in every dimension.
        size: the size in every dimension; -1 extends to the end.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.slice(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (-1, 2)))
        [[2 3]
         [5 6]]
    """
    if not len(begin) == len(size) == input_x.dim() or min(begin, default=0) < 0:
        raise ValueError(
            f"'begin' (>= 0) and 'size' must be given for every dimension, but got {begin} and {size} for shape "
            f"{tuple(input_x.shape)}"
        )
    for dim, (start, length) in enumerate(zip(begin, size)):
        input_x = input_x.narrow(dim, start, input_x.shape[dim] - start if length == -1 else length)
    return input_x


@op
def strided_slice(
    input_x: Tensor,
    begin: Size,
    end: Size,
    strides: Size,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """Return `x[begin[0]:end[0]:strides[0], begin[1]:..., ...]`, changed by masks.

    Args:
        input_x: a Tensor.
        begin: the first indices.
        end: the last indices, exclusive.
        strides: the strides, not 0; negative ones go backwards.
        begin_mask, end_mask: a set bit i ignores begin[i] or end[i]. Default: 0.
        ellipsis_mask: a set bit i makes item i an Ellipsis; at most one bit. Default: 0.
        new_axis_mask: a set bit i makes item i a new dimension of size 1. Default: 0.
        shrink_axis_mask: a set bit i makes item i the index begin[i] and removes its dimension. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.strided_slice(ms.Tensor([0, 1, 2, 3, 4]), (4,), (0,), (-2,)))
        [4 2]
    """
    if not len(begin) == len(end) == len(strides):
        raise ValueError("'begin', 'end' and 'strides' must be of one length")
    if ellipsis_mask & (ellipsis_mask - 1):
        raise ValueError("'ellipsis_mask' must have at most one bit")
    if min(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask) < 0:
        raise ValueError("masks must be >= 0")
    index: list[object] = []
    for i, (start, stop, step) in enumerate(zip(begin, end, strides)):
        bit = 1 << i
        if ellipsis_mask & bit:
            index.append(Ellipsis)
        elif new_axis_mask & bit:
            index.append(None)
        elif shrink_axis_mask & bit:
            index.append(start)
        else:
            index.append(builtins.slice(None if begin_mask & bit else start, None if end_mask & bit else stop, step))
    return indexing.get(input_x, tuple(index))


# Diagonals and triangles


@op
def diag(input: Tensor) -> Tensor:
    """A tensor of shape S + S with a tensor of shape S on its diagonal, zero elsewhere.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.diag(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    return input.reshape(-1).diag_embed().reshape(input.shape + input.shape)


@op(method="diag")
def _diag(self: Tensor, diagonal: int | None = None) -> Tensor:
    """`ops.diag`; with an argument k, a matrix with the vector on diagonal k, or diagonal k of the matrix."""
    return diag.body(self) if diagonal is None else self.diag(diagonal)


@as_primitive
def DiagPart(input_x: Tensor) -> Tensor:
    """Return the diagonal of a tensor of shape S + S, a tensor of shape S."""
    half = input_x.shape[: input_x.dim() // 2]
    if half + half != input_x.shape:
        raise ValueError("the shape must consist of two equal halves")
    return input_x.reshape(half.numel(), half.numel()).diagonal().reshape(half)


@op
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return the diagonals of the matrices in two dimensions as the last dimension of the result.

    Args:
        input: a Tensor of at least 2 dimensions.
        offset: the diagonal: 0 for the main one, positive above it, negative below. Default: 0.
        dim1, dim2: the dimensions of the rows and of the columns. Default: 0, 1.
    """
    return input.diagonal(offset, dim1, dim2)


@op(method="diagonal")
def _diagonal(self: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return the diagonals of the matrices in two dimensions; see `ops.diagonal`."""
    return self.diagonal(offset, axis1, axis2)


@op
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Matrices whose diagonals are the last dimension of `input`, zero elsewhere.

    Args:
        input: a Tensor of at least 1 dimension.
        offset: the diagonal, as for `diagonal`. Default: 0.
        dim1, dim2: the dimensions of the rows and of the columns in the result. Default: -2, -1.
    """
    return input.diag_embed(offset, dim1, dim2)


@op(method="diagflat")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """A matrix with all elements of `input` on the diagonal `offset`, zero elsewhere."""
    return input.diagflat(offset)


@op(method="tril")
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Set the elements above a diagonal of matrices to zero.

    Args:
        input: a Tensor of at least 2 dimensions, the last two being the matrices.
        diagonal: the last diagonal to keep, as `offset` of `diagonal`. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.tril(ms.Tensor([[1, 2], [3, 4]])))
        [[1 0]
         [3 4]]
    """
    return input.tril(diagonal)


@op(method="triu")
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """Set the elements below a diagonal of matrices to zero; see `tril`."""
    return input.triu(diagonal)


def _indices(name: str, row: int, col: int, offset: int, dtype: torch.dtype) -> Tensor:
    if row < 0 or col < 0:
        raise ValueError(f"For '{name}', 'row' and 'col' must not be negative, but got {row} and {col}.")
    return getattr(torch, name)(row, col, offset, dtype=dtype, device=devices.current())


@op
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: Type = mstype.int64) -> Tensor:
    """Return the indices of the lower triangle of a matrix: row indices in row 0, column indices in row 1.

    Args:
        row, col: the number of rows and columns of the matrix.
        offset: the last diagonal of the triangle, as `diagonal` of `tril`. Default: 0.
        dtype: int32 or int64. Default: int64.
    """
    return _indices("tril_indices", row, col, offset, dtype)


@op
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: Type = mstype.int64) -> Tensor:
    """Return the indices of the upper triangle of a matrix; see `tril_indices`."""
    return _indices("triu_indices", row, col, offset, dtype)


Slice = primitive("Slice", slice)
StridedSlice = primitive(
    "StridedSlice", strided_slice, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0
)
Diag = primitive("Diag", diag)
Tril = primitive("Tril", tril, diagonal=0)
Triu = primitive("Triu", triu, diagonal=0)


@as_primitive
def TrilIndices(*, row: int, col: int, offset: int = 0, dtype: Type = mstype.int32) -> Tensor:
    """The indices of the lower triangle of a matrix; see `tril_indices`."""
    return _indices("tril_indices", row, col, offset, dtype)


@as_primitive
def TriuIndices(*, row: int, col: int, offset: int = 0, dtype: Type = mstype.int32) -> Tensor:
    """The indices of the upper triangle of a matrix; see `tril_indices`."""
    return _indices("triu_indices", row, col, offset, dtype)


rules.cut_by(rules.slices, Slice)
rules.cut_by(rules.strided_slices, StridedSlice)
