"""Parts of a tensor that follow a pattern: ranges, diagonals, triangles."""

from __future__ import annotations

import builtins

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common import indexing
from torchspore.engine.op import Size, Type, op
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.overloads import renaming_method

__all__ = [
    "Diag", "DiagPart", "Slice", "StridedSlice", "Tril", "TrilIndices", "Triu", "TriuIndices", "diag", "diag_embed",
    "diagflat", "diagonal", "narrow", "slice", "strided_slice", "tril", "tril_indices", "triu", "triu_indices",
]  # fmt: skip


@op
def narrow(input: Tensor, axis: int, start: int, length: int) -> Tensor:
    """Return `length` slices of a dimension, from `start` on, over the same memory.

    Raises:
        ValueError: the dimension does not exist, or does not have so many slices.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.narrow(ms.Tensor([1, 2, 3, 4]), 0, 1, 2))
        [2 3]
    """
    if length < 0:
        raise ValueError(f"For 'narrow', 'length' must not be negative, but got {length}.")
    return input.narrow(axis, start, length)


renaming_method("narrow", narrow, dim="axis")


@op
def slice(input_x: Tensor, begin: Size, size: Size) -> Tensor:
    """Return a block of a tensor.

    Args:
        input_x: a Tensor.
        begin: the first index in every dimension.
        size: the number of indices in every dimension; -1 takes all up to the end.

    Raises:
        ValueError: the block does not lie inside the tensor, or a dimension is not given.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.slice(ms.Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (-1, 2)))
        [[2 3]
         [5 6]]
    """
    if not len(begin) == len(size) == input_x.dim() or min(begin, default=0) < 0:
        raise ValueError(
            f"For 'slice', 'begin' (>= 0) and 'size' must be given for every dimension, but got {begin} and {size} "
            f"for shape {tuple(input_x.shape)}."
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
        end: the indices to stop before.
        strides: the steps, not 0; negative ones go backwards.
        begin_mask: bit i set: begin[i] is ignored, the slice starts at the end it comes from. Default: 0.
        end_mask: bit i set: end[i] is ignored, the slice goes as far as it can. Default: 0.
        ellipsis_mask: bit i set: item i is an Ellipsis; one bit at most. Default: 0.
        new_axis_mask: bit i set: item i is a new dimension of size 1. Default: 0.
        shrink_axis_mask: bit i set: item i is the index begin[i], its dimension disappears. Default: 0.

    Raises:
        ValueError: `begin`, `end` and `strides` differ in length, a stride is 0, or more than one Ellipsis.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.strided_slice(ms.Tensor([0, 1, 2, 3, 4]), (4,), (0,), (-2,)))
        [4 2]
    """
    if not len(begin) == len(end) == len(strides):
        raise ValueError(
            f"For 'strided_slice', 'begin', 'end' and 'strides' must be of one length, but got {begin}, {end} and "
            f"{strides}."
        )
    if ellipsis_mask & (ellipsis_mask - 1):
        raise ValueError(f"For 'strided_slice', 'ellipsis_mask' must have one bit at most, but got {ellipsis_mask:#b}.")
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
    """Put the elements of a tensor of shape S on the diagonal of one of shape S + S that is zero elsewhere.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.diag(ms.Tensor([1, 2])))
        [[1 0]
         [0 2]]
    """
    return input.reshape(-1).diag_embed().reshape(input.shape + input.shape)


@op(method="diag")
def _diag(self: Tensor, diagonal: int | None = None) -> Tensor:
    """Without an argument, as `ops.diag`; with one, the matrix of a vector or the vector of a matrix.

    `x.diag(k)` puts the vector x on the diagonal k of a matrix, or takes the diagonal k out of the matrix x.
    """
    return diag.body(self) if diagonal is None else self.diag(diagonal)


@as_primitive
def DiagPart(input_x: Tensor) -> Tensor:
    """Return the diagonal of a tensor of shape S + S, a tensor of shape S."""
    half = input_x.shape[: input_x.dim() // 2]
    if half + half != input_x.shape:
        raise ValueError(f"For 'DiagPart', the shape must consist of two equal halves, but got {tuple(input_x.shape)}.")
    return input_x.reshape(half.numel(), half.numel()).diagonal().reshape(half)


@op
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return the diagonals of the matrices in two dimensions; they form the last dimension of the result.

    Args:
        input: a Tensor of at least 2 dimensions.
        offset: which diagonal: 0 the main one, positive above it, negative below. Default: 0.
        dim1: the dimension of the rows. Default: 0.
        dim2: the dimension of the columns. Default: 1.

    Raises:
        ValueError: a dimension does not exist, or the two are the same.
    """
    return input.diagonal(offset, dim1, dim2)


@op(method="diagonal")
def _diagonal(self: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """Return the diagonals of the matrices in two dimensions; see `ops.diagonal`."""
    return self.diagonal(offset, axis1, axis2)


@op
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Make matrices whose diagonals are the last dimension of `input`, zero elsewhere.

    Args:
        input: a Tensor of at least 1 dimension.
        offset: which diagonal. Default: 0, the main one.
        dim1: the dimension of the rows in the result. Default: -2.
        dim2: the dimension of the columns in the result. Default: -1.

    Raises:
        ValueError: a dimension does not exist, or the two are the same.
    """
    return input.diag_embed(offset, dim1, dim2)


@op(method="diagflat")
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Make a matrix with all elements of `input` on the diagonal `offset`, zero elsewhere."""
    return input.diagflat(offset)


@op(method="tril")
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """Set the elements above a diagonal of matrices to zero.

    Args:
        input: a Tensor of at least 2 dimensions, the last two being the matrices.
        diagonal: the last diagonal to keep: 0 the main one, positive above it, negative below. Default: 0.

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
    """Return the indices of the lower triangle of a matrix: row numbers in row 0, column numbers in row 1.

    Args:
        row: the rows of the matrix.
        col: its columns.
        offset: the last diagonal of the triangle, as `diagonal` for `tril`. Default: 0.
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
