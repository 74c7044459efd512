"""Concatenating, stacking and splitting tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.frames.user_lines import warn_user
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_tensors
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import op
from torchspore.engine.parameters import Positive
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.overloads import documented, renaming_method

__all__ = [
    "Concat", "Meshgrid", "Pack", "ParallelConcat", "Split", "SplitV", "Stack", "Unpack", "Unstack", "block_diag",
    "cartesian_prod", "cat", "chunk", "column_stack", "combinations", "concat", "dsplit", "dstack", "hsplit", "hstack",
    "meshgrid", "row_stack", "split", "stack", "tensor_split", "unbind", "unstack", "vsplit", "vstack",
]  # fmt: skip


@op
def concat(tensors: list[Tensor], axis: int = 0) -> Tensor:
    """Concatenate tensors along an existing dimension.

    Args:
        tensors: a list or tuple of Tensors whose shapes agree except in dimension `axis`.
        axis: the dimension. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.concat((ms.Tensor([1, 2]), ms.Tensor([3]))))
        [1 2 3]
    """
    return torch.cat(tensors, axis)


cat = concat


@op
def stack(tensors: Any, axis: int = 0) -> Tensor:
    """Stack tensors of one shape along a new dimension.

    Args:
        tensors: a list or tuple of Tensors of one shape; a single Tensor counts as a list of itself.
        axis: the new dimension of the result. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.stack((ms.Tensor([1, 2]), ms.Tensor([3, 4])), axis=1))
        [[1 3]
         [2 4]]
    """
    given = [tensors._t] if isinstance(tensors, _Tensor) else as_tensors(tensors, "stack", "tensors")
    return torch.stack(given, axis)


def _joined(torch_function: Callable[[list[Tensor]], Tensor], summary: str) -> Any:
    """Make an operation of a torch function of a list of tensors."""

    def body(tensors: list[Tensor]) -> Tensor:
        return torch_function(tensors)

    return op(documented(body, torch_function.__name__, summary))


hstack = _joined(torch.hstack, "Concatenate tensors horizontally: along dimension 1, or 0 if they have only one.")
vstack = _joined(torch.vstack, "Concatenate tensors vertically, along dimension 0; tensors of one dimension are rows.")
row_stack = vstack
dstack = _joined(torch.dstack, "Concatenate tensors along dimension 2, which is added where it is missing.")
column_stack = _joined(torch.column_stack, "Concatenate tensors horizontally; tensors of one dimension are columns.")


@op
def block_diag(*inputs: Tensor) -> Tensor:
    """A block-diagonal matrix of matrices; a tensor of one dimension is a row."""
    return torch.block_diag(*inputs)


@op
def meshgrid(*inputs: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of all points of a grid, one tensor per axis.

    Args:
        inputs: the positions along each axis, Tensors of one dimension.
        indexing: "ij" keeps the order of the arguments, "xy" swaps the first two dimensions of the results.
            Default: "xy".

    Raises:
        ValueError: there are no inputs.

    Examples:
        >>> import torchspore as ms
        >>> for coordinates in ms.ops.meshgrid(ms.Tensor([1, 2, 3]), ms.Tensor([4, 5, 6]), indexing="ij"):
        ...     print(coordinates)
        [[1 1 1]
         [2 2 2]
         [3 3 3]]
        [[4 5 6]
         [4 5 6]
         [4 5 6]]
    """
    if indexing not in ("xy", "ij") or not inputs:
        raise ValueError(
            f"give at least one Tensor and 'indexing' as 'xy' or 'ij', but got {len(inputs)} inputs and {indexing!r}"
        )
    if any(tensor.dim() > 1 for tensor in inputs):
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in inputs)
        raise ValueError(f"every Tensor must have one dimension, but the shapes are {shapes}")
    return torch.meshgrid(list(inputs), indexing=indexing)


@op
def cartesian_prod(*inputs: Tensor) -> Tensor:
    """Return the Cartesian product of tensors of one dimension, a combination per row."""
    product = torch.cartesian_prod(*inputs)
    return product if product.dim() == 2 else product.unsqueeze(-1)


@op
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of `r` elements of a tensor of one dimension, a combination per row.

    Args:
        input: a Tensor of one dimension.
        r: the number of elements in a combination. Default: 2.
        with_replacement: whether an element may occur repeatedly. Default: False.
    """
    return torch.combinations(input, r, with_replacement)


# Splitting


@op
def split(tensor: Tensor, split_size_or_sections: int | tuple[int, ...], axis: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along one dimension into parts that share its memory.

    Args:
        tensor: a Tensor.
        split_size_or_sections: the size of every part (the last may be smaller), or the sizes of all.
        axis: the dimension. Default: 0.

    Raises:
        ValueError: the sizes do not add up.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.split(ms.Tensor([1, 2, 3, 4, 5]), 2))
        [1 2] [3 4] [5]
    """
    if split_size_or_sections.__class__ is int and split_size_or_sections < 1:
        raise ValueError("the size of the parts must be positive")
    return tensor.split(split_size_or_sections, axis)


renaming_method("split", split, split_size="split_size_or_sections", dim="axis")


@op
def chunk(input: Tensor, chunks: Positive, axis: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor into at most `chunks` parts of equal size along one dimension; the last may be smaller."""
    return input.chunk(chunks, axis)


renaming_method("chunk", chunk, dim="axis")


@op(method="tensor_split")
def tensor_split(input: Tensor, indices_or_sections: int | tuple[int, ...], axis: int = 0) -> tuple[Tensor, ...]:
    """Split a tensor along one dimension into parts whose sizes differ by 1 at most, or at the given indices.

    Args:
        input: a Tensor.
        indices_or_sections: the number of parts, or the indices where parts after the first begin.
        axis: the dimension. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.tensor_split(ms.Tensor([1, 2, 3, 4, 5]), (1, 3)))
        [1] [2 3] [4 5]
    """
    if indices_or_sections.__class__ is int and indices_or_sections < 1:
        raise ValueError("the number of parts must be positive")
    return input.tensor_split(indices_or_sections, axis)


def _split_along(name: str, axis: int, min_dims: int, direction: str) -> Any:
    """Make the operation `tensor_split` along a fixed dimension."""

    def body(input: Tensor, indices_or_sections: int | tuple[int, ...]) -> tuple[Tensor, ...]:
        if input.dim() < min_dims:
            raise ValueError(
                f"For '{name}', the tensor must have at least {min_dims} dimension(s), but got shape "
                f"{tuple(input.shape)}."
            )
        return tensor_split.body(input, indices_or_sections, min(axis, input.dim() - 1))

    return op(documented(body, name, f"Split a tensor {direction}; see `tensor_split`."), method=name)


hsplit = _split_along("hsplit", 1, 1, "along dimension 1, or 0 if it has only one")
vsplit = _split_along("vsplit", 0, 1, "along dimension 0")
dsplit = _split_along("dsplit", 2, 3, "along dimension 2")


@op
def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the slices of a tensor along one dimension, which is removed.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.unstack(ms.Tensor([[1, 2], [3, 4]]), axis=1))
        [1 3] [2 4]
    """
    return input_x.unbind(axis)


@op(method="unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the slices of a tensor along dimension `dim`, which is removed; see `unstack`."""
    return input.unbind(dim)


Concat = primitive("Concat", concat, axis=0)
Stack = primitive("Stack", stack, axis=0)


@as_primitive
def Unstack(input_x: Tensor, *, axis: int = 0, num: int | None = None) -> tuple[Tensor, ...]:
    """`unstack` with fixed attributes; another number of slices than `num` has a warning."""
    slices = input_x.unbind(axis)
    if num is not None and num != len(slices):
        warn_user(
            f"For 'Unstack', dimension {axis} of shape {tuple(input_x.shape)} has the size {len(slices)}, but 'num' is "
            f"{num}. As in MindSpore, there is a slice for each element."
        )
    return slices


@as_primitive
def Split(input_x: Tensor, *, axis: int = 0, output_num: int = 1) -> tuple[Tensor, ...]:
    """Split a tensor into `output_num` parts of equal size along dimension `axis`."""
    size = input_x.shape[axis]
    if output_num < 1 or size % output_num:
        raise ValueError(
            f"dimension {axis} of shape {tuple(input_x.shape)} cannot be split into {output_num} equal parts, the "
            "given 'output_num'"
        )
    return input_x.split(max(size // output_num, 1), axis)


@as_primitive
def Meshgrid(inputs: list[Tensor], *, indexing: str = "xy") -> tuple[Tensor, ...]:
    """`meshgrid` of a tuple of Tensors."""
    return meshgrid.body(*inputs, indexing=indexing)


@as_primitive
def SplitV(
    input_x: Tensor, *, size_splits: int | tuple[int, ...], split_dim: int, num_split: int
) -> tuple[Tensor, ...]:
    """Split a tensor into `num_split` parts of sizes `size_splits` along `split_dim`; one may be -1, the rest."""
    sizes = list(size_splits) if isinstance(size_splits, tuple) else [size_splits]
    total = input_x.shape[split_dim]
    if -1 in sizes:
        sizes[sizes.index(-1)] = total - sum(sizes) - 1
    if len(sizes) != num_split or sum(sizes) != total or min(sizes) < 0:
        raise ValueError(
            f"dimension {split_dim} of shape {tuple(input_x.shape)} cannot be split into {num_split} parts of the "
            f"sizes {size_splits}"
        )
    return input_x.split(sizes, split_dim)


@as_primitive
def ParallelConcat(values: list[Tensor]) -> Tensor:
    """Concatenate tensors of one shape (1, ...) along dimension 0."""
    if any(value.shape[:1] != (1,) or value.shape != values[0].shape for value in values):
        shapes = [tuple(value.shape) for value in values]
        raise ValueError(f"the tensors must be of one shape (1, ...), but got {shapes}")
    return torch.cat(values)


Pack = primitive("Pack", stack, axis=0)
Unpack = primitive("Unpack", unstack, axis=0)
rules.cut_by(rules.along_axis, Concat, Split)
rules.cut_by(rules.aligned, Stack)
