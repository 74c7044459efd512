"""Joining, splitting, reshaping, and elements by index, with torch's signatures."""

from __future__ import annotations

from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.engine.arguments.conversions import as_tensors
from torchspore.engine.op import Operand, Size, op
from torchspore.engine.parameters import Dimensions, Ints, Positive
from torchspore.ops.array import gathering, joining, reshaping, scattering
from torchspore.ops.array.rearranging import _repeat_interleave

__all__ = [
    "cat", "chunk", "concat", "diag", "flatten", "index_add", "index_select", "meshgrid", "narrow", "permute",
    "repeat_interleave", "scatter", "scatter_add", "select", "split", "squeeze", "stack", "t", "transpose",
]  # fmt: skip

# Joining and splitting


@op
def cat(tensors: list[Tensor], dim: int = 0) -> Tensor:
    """Concatenate a list or tuple of tensors along `dim`; their shapes agree but for that dimension."""
    return joining.concat.body(tensors, dim)


concat = cat


@op
def stack(tensors: list[Tensor], dim: int = 0) -> Tensor:
    """Stack tensors of one shape along a new dimension `dim`."""
    return torch.stack(tensors, dim)


@op
def split(tensor: Tensor, split_size_or_sections: int | tuple[int, ...], dim: int = 0) -> tuple[Tensor, ...]:
    """Cut a tensor along `dim` into pieces of one size (the last may be smaller), or of the sizes in a list."""
    return joining.split.body(tensor, split_size_or_sections, dim)


@op
def chunk(input: Tensor, chunks: Positive, dim: int = 0) -> tuple[Tensor, ...]:
    """Cut a tensor along `dim` into at most `chunks` pieces of one size; the last may be smaller."""
    return joining.chunk.body(input, chunks, dim)


@op
def meshgrid(*tensors: Any, indexing: Any = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: each vector, repeated along the dimensions of the others.

    Args:
        tensors: vectors, or numbers as Tensors without dimensions; or one list or tuple of them.
        indexing: "ij": the first vector runs along the first dimension; "xy": along the second. Default: None, "ij".
    """
    indexing = "ij" if indexing is None else indexing
    if indexing not in ("ij", "xy"):
        raise ValueError("'indexing' must be 'ij' or 'xy'")
    vectors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    return torch.meshgrid(*as_tensors(vectors, "meshgrid", "tensors"), indexing=indexing)


# Shapes


@op
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` into one."""
    return torch.flatten(input, start_dim, end_dim)


@op
def permute(input: Tensor, dims: Size) -> Tensor:
    """Reorder the dimensions: dimension i of the result is dimension `dims[i]` of `input`."""
    return reshaping.permute.body(input, dims)


@op
def t(input: Tensor) -> Tensor:
    """Exchange the first two dimensions; a tensor of fewer is returned unchanged."""
    return input.transpose(0, 1) if input.dim() > 1 else input


@op
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dimensions."""
    return torch.transpose(input, dim0, dim1)


@op
def squeeze(input: Tensor, dim: int | tuple[int, ...]) -> Tensor:
    """Remove the dimensions among `dim` that have size 1, or among all dimensions if `dim` is ()."""
    return torch.squeeze(input) if dim == () else torch.squeeze(input, dim)


@op
def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Repeat every element along a dimension.

    Args:
        input: a Tensor.
        repeats: the number of repetitions, an int, or one for each index along the dimension as a tuple, list or
            Tensor.
        dim: the dimension. Default: None: of the flattened tensor.
        output_size: the resulting size of the dimension, which avoids a synchronization with a GPU. Default: None.
    """
    return _repeat_interleave.body(input, repeats, dim, output_size=output_size)


@op
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Put a vector on the diagonal of a matrix of zeros, or take the diagonal of a matrix.

    Args:
        input: a Tensor of 1 or 2 dimensions.
        diagonal: the offset above the main diagonal; negative: below. Default: 0.
    """
    return torch.diag(input, diagonal)


# Elements by index


@op
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return the slice of `length` from `start` on along `dim`."""
    return torch.narrow(input, dim, start, length)


@op
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return the slice at `index` along `dim`, without that dimension."""
    return torch.select(input, dim, index)


@op
def index_select(input: Tensor, dim: int, index: Annotated[Ints, Dimensions(1)]) -> Tensor:
    """Return the slices at the indices `index`, a vector of ints, along `dim`."""
    return gathering.index_select.body(input, dim, index)


@op
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Operand = 1) -> Tensor:
    """Add `alpha` times the slices of `source` at the indices `index` along `dim`; `input` does not change."""
    return torch.index_add(input, dim, index, source, alpha=alpha)


@op
def scatter(input: Tensor, dim: int, index: Ints, src: Operand) -> Tensor:
    """Replace single elements in a copy of `input`.

    Args:
        input: a Tensor.
        dim: the dimension that `index` chooses in.
        index: a Tensor of ints with the same number of dimensions: `result[index[i][j]][j] = src[i][j]` for `dim` 0,
            and so on.
        src: a Tensor at least as large as `index`, or a number.
    """
    return scattering.scatter.body(input, dim, index, src)


@op
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add single elements: `result[index[i][j]][j] += src[i][j]` for `dim` 0, and so on; `input` does not change."""
    index = index if index.dtype is torch.int64 else index.long()
    return torch.scatter_add(input, dim, index, scattering.part_read(src, index))
