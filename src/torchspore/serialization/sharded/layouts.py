"""How a parameter is cut over the devices of a stage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Box", "ParameterLayout", "flat_form"]

_MAX_DEVICES = 2**20  # far above any cluster; a damaged file may say anything

Axes = int | tuple[int, ...]


class Box(NamedTuple):
    """A part of a tensor: the first index in each dimension, and the sizes."""

    start: tuple[int, ...]
    shape: tuple[int, ...]


@dataclass(frozen=True)
class ParameterLayout:
    """How a parameter is cut, in MindSpore's terms.

    Args:
        device_matrix: the sizes of the grid of devices; ranks number it row by row.
        tensor_map: for each dimension of the tensor the axis of the grid that cuts it, counted from the right from 0,
            or -1; a tuple of axes cuts by all of them, the first one into the largest parts.
        optimizer_shards: the number of devices that share what the map leaves whole, each with a part along the first
            dimension (MindSpore's `opt_weight_shard_size`); -1: all of them. Default: 0, none.
        optimizer_step: the difference between the ranks of two devices that share. Default: 0.

    Raises:
        ValueError: an axis is not in the grid or cuts twice, or more devices share than there are.

    Examples:
        >>> from torchspore.serialization.sharded import ParameterLayout
        >>> layout = ParameterLayout((2, 4), (0, -1))
        >>> layout.devices, layout.parts(2), layout.box(5, (2, 6))
        (8, (4, 1), Box(start=(2, 0), shape=(2, 6)))
    """

    device_matrix: tuple[int, ...]
    tensor_map: tuple[Axes, ...]
    optimizer_shards: int = 0
    optimizer_step: int = 0

    def __post_init__(self) -> None:
        axes = [axis for part in self.tensor_map for axis in _axes(part)]
        if not all(size > 0 for size in self.device_matrix) or self.devices > _MAX_DEVICES:
            raise ValueError(
                f"the device matrix {list(self.device_matrix)} must have sizes > 0, and at most {_MAX_DEVICES} devices"
            )
        if not all(0 <= axis < len(self.device_matrix) for axis in axes) or len({*axes}) < len(axes):
            raise ValueError(
                f"the tensor map {list(self.tensor_map)} must name different axes of the device matrix "
                f"{list(self.device_matrix)}, counted from the right from 0"
            )
        if self.optimizer_shards < -1 or self._sharing * max(self._step, 1) > self.devices:
            raise ValueError(
                f"{self.optimizer_shards} devices at a distance of {self.optimizer_step} cannot share the optimizer's "
                f"state: there are {self.devices}"
            )
        if self._sharing > 1 and (not self.tensor_map or self._step < 1):
            raise ValueError("the optimizer's state is cut, but the parameter has no dimension or the step is below 1")

    @property
    def devices(self) -> int:
        """The number of devices."""
        return math.prod(self.device_matrix)

    @property
    def is_whole(self) -> bool:
        """Whether every device has the whole parameter."""
        return math.prod(self.parts()) == 1

    @property
    def _sharing(self) -> int:
        if self.optimizer_shards == -1:
            return self.devices // math.prod(self._cuts())
        return max(self.optimizer_shards, 1)

    @property
    def _step(self) -> int:
        return self.optimizer_step or (math.prod(self._cuts()) if self.optimizer_shards == -1 else 0)

    def _cuts(self) -> list[int]:
        return [math.prod(self.device_matrix[-1 - axis] for axis in _axes(part)) for part in self.tensor_map]

    def parts(self, dims: int | None = None) -> tuple[int, ...]:
        """Return the number of parts in each dimension.

        Raises:
            ValueError: the tensor has another number of dimensions than the layout.
        """
        parts = self._cuts()
        if dims is not None and dims != len(parts):
            raise ValueError(f"its layout cuts {len(parts)} dimensions, but it has {dims}")
        if self._sharing > 1:
            parts[0] *= self._sharing
        return tuple(parts)

    def position(self, rank: int) -> tuple[int, ...]:
        """Return which part a device has in each dimension."""
        coordinates, rest = [], rank
        for size in reversed(self.device_matrix):
            coordinates.append(rest % size)
            rest //= size
        found = []
        for part in self.tensor_map:
            index = 0
            for axis in _axes(part):
                index = index * self.device_matrix[-1 - axis] + coordinates[axis]
            found.append(index)
        if self._sharing > 1:
            found[0] = found[0] * self._sharing + rank // self._step % self._sharing
        return tuple(found)

    def box(self, rank: int, shape: tuple[int, ...]) -> Box:
        """Return the place of a device's part, which has a shape, in the whole tensor."""
        self.parts(len(shape))
        return Box(tuple(index * size for index, size in zip(self.position(rank), shape)), shape)


def _axes(part: Axes) -> tuple[int, ...]:
    return tuple(axis for axis in (part if isinstance(part, tuple) else (part,)) if axis != -1)


def flat_form(layout: ParameterLayout) -> tuple[list[int], list[int]]:
    """Return a device matrix and a tensor map with one axis per dimension, as files have it.

    Axes that cut a dimension together become one axis of a smaller matrix.

    Raises:
        ValueError: such axes are not neighbours.
    """
    together = {part[0]: part for entry in layout.tensor_map if len(part := _axes(entry)) > 1}
    for part in together.values():
        if list(part) != list(range(part[0], part[0] - len(part), -1)):
            raise ValueError(
                f"the axes {part} cut one dimension, which files can say only of neighbours such as (1, 0)"
            )
    matrix, new, axis = [], {}, len(layout.device_matrix) - 1
    while axis >= 0:
        part = together.get(axis, (axis,))
        matrix.append(math.prod(layout.device_matrix[-1 - one] for one in part))
        new[axis] = len(matrix) - 1
        axis -= len(part)
    entries = [_axes(entry) for entry in layout.tensor_map]
    return matrix, [len(matrix) - 1 - new[entry[0]] if entry else -1 for entry in entries]
