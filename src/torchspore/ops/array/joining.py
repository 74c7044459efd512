"""Joining tensors, and taking them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments import as_tensors
from torchspore.engine.naming import named
from torchspore.engine.op import op
from torchspore.engine.primitive import Primitive, as_primitive, primitive
from torchspore.ops.array.overloads import renaming_method

__all__ = [
    "Concat", "Meshgrid", "Pack", "ParallelConcat", "Split", "SplitV", "Stack", "Unpack", "Unstack", "block_diag",
    "cartesian_prod", "cat", "chunk", "column_stack", "combinations", "concat", "dsplit", "dstack", "hsplit", "hstack",
    "meshgrid", "row_stack", "split", "stack", "tensor_split", "unbind", "unstack", "vsplit", "vstack",
]  # fmt: skip


@op
def concat(tensors: list[Tensor], axis: int = 0) -> Tensor:
    """Join tensors along a dimension that they have.

    Args:
        tensors: a list or tuple of Tensors whose shapes agree but for dimension `axis`.
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
    """Join tensors of one shape along a new dimension.

    Args:
        tensors: a list or tuple of Tensors of one shape; a single Tensor counts as a list of itself.
        axis: the place of the new dimension in the result. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.stack((ms.Tensor([1, 2]), ms.Tensor([3, 4])), axis=1))
        [[1 3]
         [2 4]]
    """
    one = isinstance(tensors, _Tensor)
    return torch.stack([tensors._t] if one else as_tensors(tensors, "stack", "tensors"), axis)


def _joined(torch_function: Callable[[list[Tensor]], Tensor], summary: str, name: str | None = None) -> Any:
    """Make a torch function of a list of tensors an operation."""

    def body(tensors: list[Tensor]) -> Tensor:
        return torch_function(tensors)

    body.__name__ = body.__qualname__ = name or torch_function.__name__
    body.__doc__ = (
        f"{summary}\n\nArgs:\n    tensors: a list or tuple of Tensors.\n\n"
        "Raises:\n    TypeError: `tensors` is not a list or tuple of Tensors.\n"
        "    ValueError: the shapes do not fit together, or there are no tensors.\n"
    )
    return op(body)


hstack = _joined(torch.hstack, "Join tensors side by side: along dimension 1, or 0 if they have only one.")
vstack = _joined(torch.vstack, "Join tensors one below the other; tensors of one dimension are rows.")
row_stack = vstack
dstack = _joined(torch.dstack, "Join tensors along dimension 2, which those of fewer dimensions get at the end.")
column_stack = _joined(torch.column_stack, "Join tensors side by side; tensors of one dimension are columns.")


@op
def block_diag(*inputs: Tensor) -> Tensor:
    """Put matrices along the diagonal of one that is zero elsewhere; a tensor of one dimension is a row."""
    return torch.block_diag(*inputs)


@op
def meshgrid(*inputs: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Return the coordinates of all points of a grid, one tensor per axis.

    Args:
        inputs: the positions along each axis, Tensors of one dimension.
        indexing: "xy" swaps the first two dimensions of the results, as plots want it; "ij" keeps the order of the
            arguments. Default: "xy".

    Raises:
        ValueError: an argument has more than one dimension, there is none, or another `indexing`.

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
            f"For 'meshgrid', give at least one Tensor and 'indexing' as 'xy' or 'ij', but got {len(inputs)} inputs "
            f"and {indexing!r}."
        )
    if any(tensor.dim() > 1 for tensor in inputs):
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in inputs)
        raise ValueError(f"For 'meshgrid', every Tensor must have one dimension, but the shapes are {shapes}.")
    return torch.meshgrid(list(inputs), indexing=indexing)


@op
def cartesian_prod(*inputs: Tensor) -> Tensor:
    """Return all combinations of one element of each tensor of one dimension, a combination per row."""
    product = torch.cartesian_prod(*inputs)
    return product if product.dim() == 2 else product.unsqueeze(-1)


@op
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all choices of `r` elements of a tensor of one dimension, a choice per row.

    Args:
        input: a Tensor of one dimension.
        r: how many to choose. Default: 2.
        with_replacement: whether an element may be chosen again. Default: False.
    """
    return torch.combinations(input, r, with_replacement)


# Apart


@op
def split(tensor: Tensor, split_size_or_sections: int | tuple[int, ...], axis: int = 0) -> tuple[Tensor, ...]:
    """Cut a tensor into parts along one dimension; they share its memory.

    Args:
        tensor: a Tensor.
        split_size_or_sections: the size of every part (the last may be smaller), or the sizes of all.
        axis: the dimension. Default: 0.

    Raises:
        ValueError: a size is not positive, the sizes do not add up, or `axis` is out of range.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.split(ms.Tensor([1, 2, 3, 4, 5]), 2))
        [1 2] [3 4] [5]
    """
    if split_size_or_sections.__class__ is int and split_size_or_sections < 1:
        raise ValueError(f"For 'split', the size of the parts must be positive, but got {split_size_or_sections}.")
    return tensor.split(split_size_or_sections, axis)


renaming_method("split", split, split_size="split_size_or_sections", dim="axis")


@op
def chunk(input: Tensor, chunks: int, axis: int = 0) -> tuple[Tensor, ...]:
    """Cut a tensor into at most `chunks` parts of equal size along one dimension; the last may be smaller."""
    if chunks < 1:
        raise ValueError(f"For 'chunk', 'chunks' must be positive, but got {chunks}.")
    return input.chunk(chunks, axis)


renaming_method("chunk", chunk, dim="axis")


@op(method="tensor_split")
def tensor_split(input: Tensor, indices_or_sections: int | tuple[int, ...], axis: int = 0) -> tuple[Tensor, ...]:
    """Cut a tensor along one dimension into so many parts, whose sizes differ by 1 at most, or at the given indices.

    Args:
        input: a Tensor.
        indices_or_sections: the number of parts, or the indices where parts after the first begin.
        axis: the dimension. Default: 0.

    Raises:
        ValueError: the number is not positive, `axis` is out of range, or `input` has no dimension.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.tensor_split(ms.Tensor([1, 2, 3, 4, 5]), (1, 3)))
        [1] [2 3] [4 5]
    """
    if indices_or_sections.__class__ is int and indices_or_sections < 1:
        raise ValueError(f"For 'tensor_split', the number of parts must be positive, but got {indices_or_sections}.")
    return input.tensor_split(indices_or_sections, axis)


def _split_along(name: str, axis: int, least: int, direction: str) -> Any:
    """Make the operation that is `tensor_split` along one dimension."""

    def body(input: Tensor, indices_or_sections: int | tuple[int, ...]) -> tuple[Tensor, ...]:
        if input.dim() < least:
            raise ValueError(
                f"For '{name}', the tensor must have at least {least} dimension(s), but got shape {tuple(input.shape)}."
            )
        return tensor_split.body(input, indices_or_sections, min(axis, input.dim() - 1))

    body.__name__ = body.__qualname__ = name
    body.__doc__ = (
        f"Cut a tensor {direction}; see `tensor_split`.\n\n"
        "Raises:\n    ValueError: the tensor has too few dimensions, or the number of parts is not positive.\n"
    )
    return op(body, method=name)


hsplit = _split_along("hsplit", 1, 1, "along dimension 1, or 0 if it has only one")
vsplit = _split_along("vsplit", 0, 1, "along dimension 0")
dsplit = _split_along("dsplit", 2, 3, "along dimension 2")


@op
def unstack(input_x: Tensor, axis: int = 0) -> tuple[Tensor, ...]:
    """Return the slices of a tensor along one dimension, each without it.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.unstack(ms.Tensor([[1, 2], [3, 4]]), axis=1))
        [1 3] [2 4]
    """
    return input_x.unbind(axis)


@op(method="unbind")
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the slices of a tensor along dimension `dim`, each without it; see `unstack`."""
    return input.unbind(dim)


Concat = primitive("Concat", concat, axis=0)
Stack = primitive("Stack", stack, axis=0)


class Unstack(Primitive):
    """Return the slices of a tensor along one dimension, each without it.

    Args:
        axis: the dimension. Default: 0.
        num: the size of that dimension, if it is to be checked. Default: None.

    MindSpore: `mindspore.ops.Unstack`.
    """

    def __init__(self, axis: int = 0, num: int | None = None) -> None:
        super().__init__()
        self.axis = axis
        self.num = num

    def __call__(self, input_x: Any) -> Any:
        """Return the slices.

        Raises:
            ValueError: there are not `num`.
        """
        slices = unstack(input_x, self.axis)
        if self.num is not None and self.num != len(slices):
            raise ValueError(
                f"For 'Unstack', dimension {self.axis} of shape {input_x.shape} has the size {len(slices)}, "
                f"but 'num' is {self.num}."
            )
        return slices


class Split(Primitive):
    """Cut a tensor into parts of equal size.

    Args:
        axis: the dimension. Default: 0.
        output_num: the number of parts; it divides the size of the dimension. Default: 1.

    MindSpore: `mindspore.ops.Split`.
    """

    def __init__(self, axis: int = 0, output_num: int = 1) -> None:
        super().__init__()
        self.axis = axis
        self.output_num = output_num

    def __call__(self, input_x: Any) -> Any:
        """Return the parts.

        Raises:
            ValueError: the dimension cannot be cut into so many equal parts.
        """
        return _split_equally(input_x, self.axis, self.output_num)


@op(name="Split")
def _split_equally(input_x: Tensor, axis: int, output_num: int) -> tuple[Tensor, ...]:
    size = input_x.shape[axis]
    if output_num < 1 or size % output_num:
        raise ValueError(
            f"For 'Split', dimension {axis} of shape {tuple(input_x.shape)} cannot be cut into {output_num} equal "
            f"parts, the given 'output_num'."
        )
    return input_x.split(max(size // output_num, 1), axis)


class Meshgrid(Primitive):
    """Return the coordinates of all points of a grid; see `ops.meshgrid`.

    Args:
        indexing: "xy" or "ij". Default: "xy".

    MindSpore: `mindspore.ops.Meshgrid`.
    """

    def __init__(self, indexing: str = "xy") -> None:
        super().__init__()
        self.indexing = indexing

    @named
    def __call__(self, inputs: Any) -> Any:
        """Return one tensor per axis, from a tuple of Tensors of one dimension."""
        return meshgrid(*inputs, indexing=self.indexing)


@as_primitive
def SplitV(
    input_x: Tensor, *, size_splits: int | tuple[int, ...], split_dim: int, num_split: int
) -> tuple[Tensor, ...]:
    """Cut a tensor into parts of the sizes `size_splits` along dimension `split_dim`; one of them may be -1: the rest.

    Raises:
        ValueError: there are not `num_split` sizes, or they do not fit.
    """
    sizes = list(size_splits) if isinstance(size_splits, tuple) else [size_splits]
    total = input_x.shape[split_dim]
    if -1 in sizes:
        sizes[sizes.index(-1)] = total - sum(sizes) - 1
    if len(sizes) != num_split or sum(sizes) != total or min(sizes) < 0:
        raise ValueError(
            f"For 'SplitV', dimension {split_dim} of shape {tuple(input_x.shape)} cannot be cut into {num_split} parts "
            f"of the sizes {size_splits}."
        )
    return input_x.split(sizes, split_dim)


@as_primitive
def ParallelConcat(values: list[Tensor]) -> Tensor:
    """Put tensors of one shape (1, ...) together along dimension 0.

    Raises:
        ValueError: the shapes differ, or are not (1, ...).
    """
    if any(value.shape[:1] != (1,) or value.shape != values[0].shape for value in values):
        shapes = [tuple(value.shape) for value in values]
        raise ValueError(f"For 'ParallelConcat', the tensors must be of one shape (1, ...), but got {shapes}.")
    return torch.cat(values)


Pack = primitive("Pack", stack, axis=0)
Unpack = primitive("Unpack", unstack, axis=0)
