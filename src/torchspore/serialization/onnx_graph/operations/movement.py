"""Operators that move elements."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.serialization.onnx_graph.small import product
from torchspore.serialization.onnx_graph.table import Operation, Table, of_numbers

__all__ = ["TABLE", "Numbers", "listed"]

Numbers = Sequence[float] | float
"""What a function gets for an input that it reads: numbers, or one number."""


def listed(value: Numbers) -> list[Any]:
    """Return numbers as a list, also a single one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _same_count(x: Tensor, *others: Any, **attributes: Any) -> int:
    return x.numel()


def _reshape(x: Tensor, shape: Sequence[int], *, allowzero: int = 0) -> Tensor:
    shape = listed(shape)
    return x.reshape(shape if allowzero else [x.shape[i] if size == 0 else size for i, size in enumerate(shape)])


def _flatten(x: Tensor, *, axis: int = 1) -> Tensor:
    if not -x.ndim <= axis <= x.ndim:
        raise ValueError(f"the axis {axis} is not between {-x.ndim} and {x.ndim}")
    axis = axis + x.ndim if axis < 0 else axis
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


def _squeeze(x: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    if axes is None:
        return x.squeeze()
    for axis in listed(axes):
        if x.shape[axis] != 1:
            raise ValueError(f"the axis {axis} has {x.shape[axis]} elements, not 1")
    return x.squeeze(tuple(listed(axes)))


def _unsqueeze(x: Tensor, axes: Sequence[int]) -> Tensor:
    rank = x.ndim + len(listed(axes))
    for axis in sorted([axis + rank if axis < 0 else axis for axis in listed(axes)]):
        x = x.unsqueeze(axis)
    return x


def _transpose(x: Tensor, *, perm: Sequence[int] | None = None) -> Tensor:
    return x.permute(tuple(reversed(range(x.ndim))) if perm is None else tuple(perm))


def _expand(x: Tensor, shape: Sequence[int]) -> Tensor:
    return x.expand(torch.broadcast_shapes(x.shape, tuple(listed(shape))))


def _expand_count(x: Tensor, shape: Sequence[int]) -> int:
    return product(x.shape) * product(listed(shape))


def _tile(x: Tensor, repeats: Sequence[int]) -> Tensor:
    return x.repeat(listed(repeats))


def _concat(*parts: Tensor, axis: int) -> Tensor:
    return torch.cat(parts, axis)


def _concat_count(*parts: Tensor) -> int:
    return sum(part.numel() for part in parts)


def _split(
    x: Tensor, split: Sequence[int] | None = None, *, axis: int = 0, num_outputs: int | None = None, outputs: int
) -> tuple[Tensor, ...]:
    if split is None:
        size = -(-x.shape[axis] // outputs)
        split = [size] * (outputs - 1) + [x.shape[axis] - size * (outputs - 1)]
    return torch.split(x, listed(split), axis)


def _slice(
    x: Tensor,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None = None,
    steps: Sequence[int] | None = None,
) -> Tensor:
    starts, ends = listed(starts), listed(ends)
    axes = range(len(starts)) if axes is None else listed(axes)
    for start, end, axis, step in zip(starts, ends, axes, [1] * len(starts) if steps is None else listed(steps)):
        x = _sliced(x, start, end, axis, step)
    return x


def _sliced(x: Tensor, start: int, end: int, axis: int, step: int) -> Tensor:
    if not -x.ndim <= axis < x.ndim or step == 0:
        raise ValueError(f"a slice of {tuple(x.shape)} along the axis {axis} with the step {step}")
    size = x.shape[axis]
    start = start + size if start < 0 else start
    end = end + size if end < 0 else end
    if step < 0:  # of the flipped tensor
        x, step = x.flip(axis), -step
        start, end = size - 1 - min(start, size - 1), size - 1 - max(end, -1)
    start = min(max(start, 0), size)
    index = [slice(None)] * (axis % x.ndim) + [slice(start, min(max(end, start), size), min(step, 2**62))]
    return x[tuple(index)]


def _shape(x: Tensor, *, start: int = 0, end: int | None = None) -> Tensor:
    return torch.tensor([int(size) for size in x.shape][start:end], dtype=torch.int64)


def _size(x: Tensor) -> Tensor:
    return torch.tensor(int(x.numel()))


def _pad(
    x: Tensor,
    pads: Sequence[int],
    constant_value: float | None = None,
    axes: Sequence[int] | None = None,
    *,
    mode: str = "constant",
    value: float = 0.0,
) -> Tensor:
    axes = range(x.ndim) if axes is None else listed(axes)
    before, after = [0] * x.ndim, [0] * x.ndim
    for number, axis in enumerate(axes):
        before[axis], after[axis] = pads[number], pads[number + len(axes)]
    if mode == "constant":
        flat = [pad for axis in reversed(range(x.ndim)) for pad in (before[axis], after[axis])]
        fill = constant_value if constant_value is not None else value
        fill = listed(fill)[0]
        return F.pad(x, flat, value=fill if x.is_floating_point() else int(fill))
    for axis in range(x.ndim):
        if before[axis] or after[axis]:
            x = x.index_select(axis, _padded_index(x, axis, before[axis], after[axis], mode))
    return x


def _padded_index(x: Tensor, axis: int, before: int, after: int, mode: str) -> Tensor:
    """Return which elements along an axis are those of the padded tensor."""
    size = x.shape[axis]
    index = torch.arange(-before, size + after, device=x.device)
    if mode == "edge":
        return index.clamp(0, size - 1)
    if mode == "wrap":
        return index.remainder(size)
    if mode != "reflect":
        raise ValueError(f"the mode '{mode}' is not known")
    period = max(2 * (size - 1), 1)
    index = index.remainder(period)
    return torch.minimum(index, period - index)


def _pad_count(x: Tensor, pads: Sequence[int], *others: Any) -> int:
    return math.prod(size + sum(max(pad, 0) for pad in listed(pads)) for size in x.shape)


def _depth_to_space(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    batch, channels, height, width = x.shape
    new = channels // blocksize**2
    if mode == "DCR":
        x = x.reshape(batch, blocksize, blocksize, new, height, width).permute(0, 3, 4, 1, 5, 2)
    else:
        x = x.reshape(batch, new, blocksize, blocksize, height, width).permute(0, 1, 4, 2, 5, 3)
    return x.reshape(batch, new, height * blocksize, width * blocksize)


def _space_to_depth(x: Tensor, *, blocksize: int, mode: str = "DCR") -> Tensor:
    batch, channels, height, width = x.shape
    x = x.reshape(batch, channels, height // blocksize, blocksize, width // blocksize, blocksize)
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    return x.permute(order).reshape(batch, -1, height // blocksize, width // blocksize)


def _triangle(x: Tensor, k: int | None = None, *, upper: int = 1) -> Tensor:
    diagonal = 0 if k is None else listed(k)[0]
    size = max(x.shape[-2:])
    diagonal = min(max(diagonal, -size), size)
    return torch.triu(x, diagonal) if upper else torch.tril(x, diagonal)


def _constant(shape: Sequence[int], *, value: Tensor | None = None, device: torch.device) -> Tensor:
    fill = torch.zeros(1) if value is None else value
    if fill.numel() != 1:
        raise ValueError(f"the value has {fill.numel()} elements, not 1")
    return torch.full(tuple(listed(shape)), fill.item(), dtype=fill.dtype, device=device)


def _eye(x: Tensor, *, dtype: int | None = None, k: int = 0) -> Tensor:
    from torchspore.serialization.onnx_graph.tensor_values import dtype_of

    rows, columns = x.shape
    line = torch.arange(columns, device=x.device) - torch.arange(rows, device=x.device).unsqueeze(1)
    return (line == k).to(x.dtype if dtype is None else dtype_of(dtype))


def _center_crop_pad(x: Tensor, shape: Sequence[int], *, axes: Sequence[int] | None = None) -> Tensor:
    for axis, wanted in zip(range(x.ndim) if axes is None else axes, listed(shape)):
        size = x.shape[axis]
        if wanted < size:
            x = x.narrow(axis, (size - wanted) // 2, wanted)
        else:
            before = (wanted - size) // 2
            pads = [0, 0] * (x.ndim - 1 - axis % x.ndim) + [before, wanted - size - before]
            x = F.pad(x, pads)
    return x


def _reverse(x: Tensor, lengths: Tensor, *, batch_axis: int = 1, time_axis: int = 0) -> Tensor:
    moved = x.movedim((time_axis, batch_axis), (0, 1))
    times = torch.arange(moved.shape[0], device=x.device).unsqueeze(1)
    source = torch.where(times < lengths, lengths - 1 - times, times)
    if source.shape != moved.shape[:2]:
        raise ValueError(f"{tuple(lengths.shape)} lengths are not for a batch of {moved.shape[1]}")
    batch = torch.arange(moved.shape[1], device=x.device).expand_as(source)
    return moved[source, batch].movedim((0, 1), (time_axis, batch_axis))


def _col2im(
    x: Tensor,
    image_shape: Sequence[int],
    block_shape: Sequence[int],
    *,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    rank = len(image_shape)
    dilations, strides = dilations or [1] * rank, strides or [1] * rank
    pads = pads or [0] * 2 * rank
    padded = [size + pads[i] + pads[i + rank] for i, size in enumerate(image_shape)]
    batch, channels = x.shape[0], x.shape[1] // math.prod(block_shape)
    counts = [
        (size - dilation * (block - 1) - 1) // stride + 1
        for size, dilation, block, stride in zip(padded, dilations, block_shape, strides)
    ]
    parts = x.reshape(batch, channels, *block_shape, *counts)
    position = torch.zeros((), dtype=torch.int64, device=x.device)
    for i in range(rank):
        block = torch.arange(block_shape[i], device=x.device) * dilations[i]
        start = torch.arange(counts[i], device=x.device) * strides[i]
        place = (block.unsqueeze(1) + start) * math.prod(padded[i + 1 :])
        position = position + place.reshape([*[1] * i, -1, *[1] * (rank - 1), counts[i], *[1] * (rank - 1 - i)])
    index = position.reshape(-1).expand(batch, channels, -1)
    image = x.new_zeros((batch, channels, math.prod(padded)))
    image = image.scatter_add(2, index, parts.reshape(batch, channels, -1)).reshape(batch, channels, *padded)
    for i, size in enumerate(image_shape):
        image = image.narrow(2 + i, pads[i], size)
    return image


def _tile_count(x: Tensor, repeats: Sequence[int]) -> int:
    return product(x.shape) * product(listed(repeats))


TABLE: Table = {
    "CenterCropPad": Operation(_center_crop_pad, (1,)),
    "Col2Im": Operation(_col2im, (1, 2)),
    "Concat": of_numbers(_concat, _concat_count),
    "ConstantOfShape": of_numbers(_constant, lambda shape: product(listed(shape)), 0, given=("device",)),
    "DepthToSpace": Operation(_depth_to_space),
    "Expand": of_numbers(_expand, _expand_count, 1),
    "EyeLike": Operation(_eye),
    "Flatten": of_numbers(_flatten, _same_count),
    "Pad": of_numbers(_pad, _pad_count, 1, 2, 3),
    "Reshape": of_numbers(_reshape, _same_count, 1),
    "ReverseSequence": Operation(_reverse),
    "Slice": of_numbers(_slice, _same_count, 1, 2, 3, 4),
    "SpaceToDepth": Operation(_space_to_depth),
    "Split": of_numbers(_split, _same_count, 1, given=("outputs",)),
    "Squeeze": of_numbers(_squeeze, _same_count, 1),
    "Tile": of_numbers(_tile, _tile_count, 1),
    "Transpose": of_numbers(_transpose, _same_count),
    "Trilu": of_numbers(_triangle, _same_count, 1),
    "Unsqueeze": of_numbers(_unsqueeze, _same_count, 1),
}
