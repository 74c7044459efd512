"""Repeating, reversing and regrouping elements."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeAlias

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.arguments.conversions import as_size
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.failures.errors import of_value
from torchspore.engine.op import Size, op
from torchspore.engine.parameter_names import with_parameters
from torchspore.engine.parameters import Limits, take_as
from torchspore.engine.primitive import Primitive, as_primitive, primitive

__all__ = [
    "BatchToSpace", "BatchToSpaceND", "BatchToSpaceNDV2", "DataFormatDimMap", "DataFormatVecPermute", "DepthToSpace",
    "ReverseSequence", "ReverseV2", "Roll", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth", "Tile",
    "batch_to_space_nd", "flip", "fliplr", "flipud", "repeat_elements", "repeat_interleave", "reverse",
    "reverse_sequence", "roll", "rot90", "space_to_batch_nd", "tile",
]  # fmt: skip


_BlockSize: TypeAlias = Annotated[int, Limits(2)]


@op
def tile(input: Tensor, dims: Size) -> Tensor:
    """Repeat a tensor as a whole along its dimensions.

    Args:
        input: a Tensor.
        dims: the number of repetitions along each dimension; 1 for missing leading ones; extra ones add dimensions.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.tile(ms.Tensor([1, 2]), (2, 2)))
        [[1 2 1 2]
         [1 2 1 2]]
    """
    return torch.tile(input, dims)


@op(method="tile")
def _tile(self: Tensor, *times: Any, reps: Any = None, dims: Any = None) -> Tensor:
    """Repeat the tensor as a whole: `x.tile(2, 1)`, `x.tile((2, 1))`, `reps` or `dims`; see `ops.tile`."""
    forms = (times[0] if len(times) == 1 else times or None, reps, dims)
    given = [form for form in forms if form is not None]
    if len(given) != 1:
        raise TypeError("give the numbers of repetitions once: as x.tile(2, 1), 'reps' or 'dims'")
    return self.tile(as_size(given[0], "tile", "reps"))


@op(method="repeat")
def _repeat(self: Tensor, *sizes: Size, repeats: Any = None) -> Tensor:
    """Repeat the tensor as a whole along its dimensions: `x.repeat(2, 1)`, `x.repeat((2, 1))` or with `repeats=`.

    Raises:
        ValueError: there are fewer numbers than dimensions.
    """
    return self.repeat(sizes if repeats is None else as_size(repeats, "repeat", "repeats"))


@op
def repeat_interleave(input: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    """Repeat each element in place.

    Args:
        input: a Tensor.
        repeats: the number of repetitions, an int; or one for each element along `axis`, a tuple, list or Tensor.
        axis: the dimension. Default: None, `input` is flattened.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.repeat_interleave(ms.Tensor([1, 2]), [1, 3]))
        [1 2 2 2]
    """
    if isinstance(repeats, _Tensor):
        return input.repeat_interleave(repeats._t, axis)
    counts = as_size(repeats, "repeat_interleave", "repeats")
    if min(counts, default=0) < 0:
        raise ValueError("'repeats' must not be negative")
    if len(counts) == 1:
        return input.repeat_interleave(counts[0], axis)
    return input.repeat_interleave(torch.tensor(counts, device=input.device), axis)


@op(method="repeat_interleave")
def _repeat_interleave(self: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Repeat each element along `dim`; see `ops.repeat_interleave`.

    `output_size`, the size of the result along `dim`, avoids a synchronization if `repeats` is a Tensor.
    """
    if isinstance(repeats, _Tensor):
        return self.repeat_interleave(repeats._t, dim, output_size=output_size)
    result = repeat_interleave.body(self, repeats, dim)
    length = result.shape[dim or 0]
    if output_size not in (None, length):
        raise ValueError(f"'output_size' is {output_size}, but the result has size {length}")
    return result


@op
def repeat_elements(x: Tensor, rep: int, axis: int = 0) -> Tensor:
    """Repeat each element `rep` times along `axis`; see `repeat_interleave`."""
    return x.repeat_interleave(rep, axis)


@op(method="flip")
def flip(input: Tensor, dims: Size) -> Tensor:
    """Reverse the order of the elements along the given dimensions."""
    return input.flip(dims)


@op(method="reverse")
def reverse(x: Tensor, axis: Size) -> Tensor:
    """Reverse the order of the elements along the dimensions `axis`; see `flip`."""
    return x.flip(axis)


@op(method="fliplr")
def fliplr(input: Tensor) -> Tensor:
    """Reverse the order of the elements along dimension 1."""
    return input.flip(1)


@op(method="flipud")
def flipud(input: Tensor) -> Tensor:
    """Reverse the order of the elements along dimension 0."""
    return input.flip(0)


@op(method="rot90")
def rot90(input: Tensor, k: int, dims: Size) -> Tensor:
    """Rotate a tensor by `k` times 90 degrees, from the first of two dimensions towards the second.

    Args:
        input: a Tensor of at least 2 dimensions.
        k: the number of rotations; negative ones rotate in the other direction.
        dims: the two dimensions.
    """
    return input.rot90(k, dims)


@op(method="roll")
def roll(input: Tensor, shifts: Size, dims: int | tuple[int, ...] | None = None) -> Tensor:
    """Shift the elements cyclically.

    Args:
        input: a Tensor.
        shifts: the shift, an int or one for each dimension in `dims`.
        dims: the dimensions. Default: None, `input` is flattened for the shift.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.roll(ms.Tensor([1, 2, 3, 4]), 1))
        [4 1 2 3]
    """
    return input.roll(shifts, () if dims is None else dims)


@op
def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim: int, batch_dim: int = 0) -> Tensor:
    """Reverse the first elements of sequences, up to a length for each.

    Args:
        x: a Tensor.
        seq_lengths: the number of elements to reverse in each sequence, a Tensor of one dimension.
        seq_dim: the dimension of the elements.
        batch_dim: the dimension of the sequences. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.reverse_sequence(ms.Tensor([[1, 2, 3], [4, 5, 6]]), ms.Tensor([2, 3]), seq_dim=1))
        [[2 1 3]
         [6 5 4]]
    """
    seq_dim, batch_dim = range(x.dim())[seq_dim], range(x.dim())[batch_dim]
    if seq_dim == batch_dim or seq_lengths.shape != x.shape[batch_dim : batch_dim + 1]:
        raise ValueError(
            "'seq_dim' and 'batch_dim' must differ, and there must be a length for each index of dimension "
            f"'batch_dim', but got {seq_dim}, {batch_dim} and lengths of shape {tuple(seq_lengths.shape)} for shape "
            f"{tuple(x.shape)}"
        )
    position = torch.arange(x.shape[seq_dim], device=x.device)
    lengths = seq_lengths.long().unsqueeze(1)
    index = torch.where(position < lengths, lengths - 1 - position, position)
    shape = [1] * x.dim()
    shape[batch_dim], shape[seq_dim] = index.shape
    index = index if batch_dim < seq_dim else index.t()
    return x.gather(seq_dim, index.reshape(shape).expand(x.shape))


@op(method="reverse_sequence")
def _reverse_sequence(self: Tensor, seq_lengths: Tensor, seq_dim: int = 0, batch_dim: int = 0) -> Tensor:
    """Reverse the beginnings of sequences, each up to its length; see `ops.reverse_sequence`."""
    return reverse_sequence.body(self, seq_lengths, seq_dim, batch_dim)


# Blocks


def _pairs(value: Any, count: int, api: str, parameter: str) -> list[tuple[int, ...]]:
    pairs = [as_size(pair, api, parameter) for pair in value] if isinstance(value, (list, tuple)) else []
    if len(pairs) != count or any(len(pair) != 2 or min(pair) < 0 for pair in pairs):
        raise of_value(value, list, tuple)(
            f"For '{api}', '{parameter}' must hold a pair of ints >= 0 for each of the {count} block sizes, "
            f"but got {value}."
        )
    return pairs


def _blocks(value: Any, pairs: Any, api: str) -> tuple[int, ...]:
    blocks = (value,) * len(pairs) if isinstance(value, int) else as_size(value, api, "block_size")
    if min(blocks, default=0) < 1:
        raise ValueError(f"For '{api}', the block sizes must be positive, but got {value}.")
    return blocks


@op
def space_to_batch_nd(input_x: Tensor, block_size: Any, paddings: Any) -> Tensor:
    """Move blocks of the last dimensions into dimension 0.

    Args:
        input_x: a Tensor of shape (N, ..., W_1, ..., W_M).
        block_size: the size of the blocks in each of the last M dimensions, or an int for all.
        paddings: M pairs, the zeros to add before and after each of those dimensions first.

    Returns:
        A Tensor of shape (N * the product of the block sizes, ..., (W_1 + paddings) / block_1, ...).

    Raises:
        ValueError: a padded dimension is not a multiple of its block.
    """
    blocks = _blocks(block_size, paddings, "space_to_batch_nd")
    pairs = _pairs(paddings, len(blocks), "space_to_batch_nd", "paddings")
    x = torch.nn.functional.pad(input_x, [zeros for pair in reversed(pairs) for zeros in pair])
    first = x.dim() - len(blocks)
    sizes = x.shape[first:]
    if any(size % block for size, block in zip(sizes, blocks)):
        raise ValueError(f"the padded sizes {tuple(sizes)} must be multiples of {blocks}")
    parts = [length for size, block in zip(sizes, blocks) for length in (size // block, block)]
    inner = range(first + 1, first + 2 * len(blocks), 2)
    outer = range(first, first + 2 * len(blocks), 2)
    x = x.reshape(*x.shape[:first], *parts).permute(*inner, *range(first), *outer)
    return x.reshape(-1, *input_x.shape[1:first], *parts[::2])


@op
def batch_to_space_nd(input_x: Tensor, block_shape: Any, crops: Any) -> Tensor:
    """Move dimension 0 back into blocks of the last dimensions: the inverse of `space_to_batch_nd`.

    Args:
        input_x: a Tensor of shape (N, ..., W_1, ..., W_M).
        block_shape: the size of the blocks in each of the last M dimensions, or an int for all.
        crops: M pairs, the elements to crop before and after in each of those dimensions.

    Returns:
        A Tensor of shape (N / the product of the block sizes, ..., W_1 * block_1 - crops, ...).

    Raises:
        ValueError: N is not a multiple of the product of the block sizes, or the crops leave nothing.
    """
    blocks = _blocks(block_shape, crops, "batch_to_space_nd")
    pairs = _pairs(crops, len(blocks), "batch_to_space_nd", "crops")
    count = len(blocks)
    first = input_x.dim() - count
    batch, rest = divmod(input_x.shape[0], math.prod(blocks))
    if rest:
        raise ValueError(
            f"dimension 0 of shape {tuple(input_x.shape)} must be a multiple of the product of the block sizes {blocks}"
        )
    x = input_x.reshape(*blocks, batch, *input_x.shape[1:])
    pairs_of_dims = [dim for i in range(count) for dim in (count + first + i, i)]
    x = x.permute(*range(count, count + first), *pairs_of_dims)
    sizes = [size * block for size, block in zip(input_x.shape[first:], blocks)]
    x = x.reshape(batch, *input_x.shape[1:first], *sizes)
    for dim, (before, after) in enumerate(pairs, first):
        x = x.narrow(dim, before, x.shape[dim] - before - after)
    return x


@op(name="SpaceToDepth")
def _space_to_depth(x: Tensor, block_size: int) -> Tensor:
    n, c, h, w = x.shape
    x = x.reshape(n, c, h // block_size, block_size, w // block_size, block_size)
    return x.permute(0, 3, 5, 1, 2, 4).reshape(n, c * block_size**2, h // block_size, w // block_size)


@op(name="DepthToSpace")
def _depth_to_space(x: Tensor, block_size: int) -> Tensor:
    n, c, h, w = x.shape
    x = x.reshape(n, block_size, block_size, c // block_size**2, h, w)
    return x.permute(0, 3, 4, 1, 5, 2).reshape(n, c // block_size**2, h * block_size, w * block_size)


class _WithBlocks(Primitive):
    def __init__(self, block_size: int) -> None:
        super().__init__()
        self.block_size = take_as(_BlockSize, block_size, "block_size", self.name)


class SpaceToDepth(_WithBlocks):
    """Move blocks of the image into the channels: (N, C, H, W) becomes (N, C * b * b, H / b, W / b).

    Args:
        block_size: the side b of the blocks, at least 2.
    """

    def __call__(self, x: _Tensor) -> _Tensor:
        """Return the rearranged tensor; ValueError if H or W is not a multiple of the block size."""
        return _space_to_depth(x, self.block_size)


class DepthToSpace(_WithBlocks):
    """Move channels into blocks of the image, the inverse of `SpaceToDepth`."""

    def __call__(self, x: _Tensor) -> _Tensor:
        """Return the rearranged tensor; ValueError if C is not a multiple of the square of the block size."""
        return _depth_to_space(x, self.block_size)


@as_primitive
def SpaceToBatch(input_x: Tensor, *, block_size: int, paddings: Any) -> Tensor:
    """Move square blocks of the last two dimensions into dimension 0; see `space_to_batch_nd`."""
    return space_to_batch_nd.body(input_x, (block_size, block_size), paddings)


@as_primitive
def BatchToSpace(input_x: Tensor, *, block_size: int, crops: Any) -> Tensor:
    """Move dimension 0 back into square blocks of the last two dimensions; see `batch_to_space_nd`."""
    return batch_to_space_nd.body(input_x, (block_size, block_size), crops)


# The order of dimensions in images

_Format: TypeAlias = Literal["NHWC", "NCHW"]


@as_primitive
def DataFormatDimMap(input_x: Tensor, *, src_format: _Format = "NHWC", dst_format: _Format = "NCHW") -> Tensor:
    """The positions in `src_format` of dimensions given by their positions in `dst_format`.

    The names suggest the opposite, but this is what MindSpore computes.
    """
    order = torch.tensor([src_format.index(name) for name in dst_format], dtype=input_x.dtype, device=input_x.device)
    return order[input_x.long()]


@as_primitive
def DataFormatVecPermute(input_x: Tensor, *, src_format: _Format = "NHWC", dst_format: _Format = "NCHW") -> Tensor:
    """Permute four numbers or pairs from the order of one format to the order of another."""
    if input_x.shape not in ((4,), (4, 2)):
        shape = tuple(input_x.shape)
        raise ValueError(f"'input_x' must be of shape (4,) or (4, 2), but got {shape}")
    return input_x[[src_format.index(name) for name in dst_format]]


BatchToSpaceNDV2 = primitive("BatchToSpaceNDV2", batch_to_space_nd)
Tile = primitive("Tile", tile)
ReverseV2 = primitive("ReverseV2", reverse, "axis")
Roll = primitive("Roll", roll, "shifts", dims=None)
ReverseSequence = primitive("ReverseSequence", reverse_sequence, "seq_dim", batch_dim=0)
SpaceToBatchND = primitive(
    "SpaceToBatchND", with_parameters(space_to_batch_nd, block_size="block_shape"), "block_shape", "paddings"
)
BatchToSpaceND = primitive("BatchToSpaceND", batch_to_space_nd, "block_shape", "crops")
rules.cut_by(rules.along_axis, ReverseV2)
rules.cut_by(rules.aligned, Tile)
