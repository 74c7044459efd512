"""The parts of tensors that devices have, as programs that merge checkpoints compute them.

MindSpore: `mindspore.parallel._tensor`. A grid of devices (`dev_mat`) has the first axis outermost; a `tensor_map` has
the axis of each dimension, counted from the last, or -1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.ops.distributed import process_groups

__all__: list[str] = []  # what programs import, they import by path

_PARTS_OF_LAYOUT = 12


def _get_tensor_strategy(dev_mat: Sequence[int], tensor_map: Sequence[int]) -> list[int]:
    """Return the number of parts of each dimension."""
    return [1 if axis == -1 else dev_mat[len(dev_mat) - 1 - axis] for axis in tensor_map]


def _position(dev_mat: Sequence[int], tensor_map: Sequence[int], rank: int) -> list[int]:
    """Return which part of each dimension a device has."""
    on_grid = np.unravel_index(rank, tuple(dev_mat))
    return [0 if axis == -1 else int(on_grid[len(dev_mat) - 1 - axis]) for axis in tensor_map]


def _get_tensor_slice_index(
    device_arrangement: Sequence[int], tensor_strategy: Sequence[int], tensor_map: Sequence[int], rank_index: int
) -> int:
    """Return the number of the part that a device has, among all parts."""
    parts = zip(_position(device_arrangement, tensor_map, rank_index), tensor_strategy)
    index = 0
    for position, count in parts:
        index = index * count + position
    return index


def _chunk_tensor(tensor: Any, strategy: Sequence[int], depth: int) -> list[Any]:
    """Return the parts of an array along its first dimensions, as many as `depth`."""
    parts = [tensor]
    for axis in range(depth):
        parts = [piece for part in parts for piece in _cut(part, strategy[axis], axis)]
    return parts


def _cut(array: Any, count: int, axis: int) -> list[Any]:
    if array.shape[axis] % count:
        raise ValueError(f"A dimension of {array.shape[axis]} cannot be cut into {count} equal parts.")
    return list(np.split(array, count, axis))


def _load_tensor(
    tensor: Tensor,
    dev_mat: Sequence[int],
    tensor_map: Sequence[int],
    full_shape: Sequence[int] | None = None,
    rank_id: int = -1,
) -> Any:
    """Return the part of a tensor that a device has, as an array.

    Args:
        tensor: the whole tensor.
        dev_mat: the grid of devices.
        tensor_map: the axes of the dimensions.
        full_shape: the shape of the whole tensor. Default: None, its own.
        rank_id: the device. Default: -1, this process.

    Raises:
        ValueError: a dimension cannot be cut into equal parts.
    """
    rank = process_groups.get_rank() if rank_id == -1 else rank_id
    array = tensor.asnumpy()
    array = array if full_shape is None else array.reshape(tuple(full_shape))
    strategy = _get_tensor_strategy(dev_mat, tensor_map)
    for axis, position in enumerate(_position(dev_mat, tensor_map, rank)):
        array = _cut(array, strategy[axis], axis)[position]
    return array


def _load_tensor_by_layout(tensor: Tensor, layout: Any, rank_id: int) -> Tensor:
    """Return the part of a tensor that a device has by a layout of `parameter_layout_dict`.

    Raises:
        ValueError: it is not such a layout.
    """
    if not isinstance(layout, tuple):
        raise TypeError(f"The layout must be a tuple, but got {describe(layout)}.")
    if len(layout) < _PARTS_OF_LAYOUT:
        raise ValueError(f"The layout must have {_PARTS_OF_LAYOUT} elements, but got {len(layout)}.")
    dev_mat, tensor_map = layout[:2]
    return tensor if not tensor_map else Tensor(_load_tensor(tensor, dev_mat, tensor_map, None, rank_id))


def _reshape_param_data(param_data: Tensor, dev_mat: Sequence[int], tensor_map: Sequence[int]) -> Tensor:
    """Return a whole tensor from the parts of all devices, which stand below each other in a tensor."""
    parts = _cut(param_data.asnumpy(), math.prod(dev_mat), 0)
    strategy = _get_tensor_strategy(dev_mat, tensor_map)
    whole = np.empty([size * count for size, count in zip(parts[0].shape, strategy)], parts[0].dtype)
    for rank, part in enumerate(parts):
        starts = _position(dev_mat, tensor_map, rank)
        whole[tuple([slice(at * size, (at + 1) * size) for at, size in zip(starts, part.shape)])] = part
    return Tensor(whole)
