"""How tensors lie on the processes: strategies and layouts as placements on a mesh.

One mesh has all processes, or all of a stage. Its axes are prime factors of their number, so that every strategy is a
choice of axes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.placement_types import Placement

from torchspore.common import device as devices
from torchspore.common.private_torch import flatten_mesh, local_part
from torchspore.engine.failures.errors import describe

__all__ = [
    "Placements",
    "cut",
    "group_of_mesh",
    "is_cut",
    "is_interleaved",
    "local",
    "mesh",
    "of_layout",
    "of_strategies",
    "replicated",
    "resolved",
    "share",
    "use_stages",
    "write_parts",
]

Placements = tuple[Placement, ...]

_VIRTUAL = "interleaved_parallel"
_meshes: dict[tuple[str, int, int], tuple[DeviceMesh, dist.ProcessGroup]] = {}
_stages = 1


def use_stages(stages: int) -> None:
    """Cut tensors over the processes of each of several stages from now on."""
    global _stages
    _stages = stages


def mesh() -> DeviceMesh:
    """Return the mesh of all processes, or of the process's own stage."""
    return _mesh_and_group()[0]


def group_of_mesh() -> dist.ProcessGroup:
    """Return the group of all processes of the mesh."""
    return _mesh_and_group()[1]


def share(value: torch.Tensor) -> None:
    """Give a tensor the value that it has in the first process of the mesh."""
    dist.broadcast(value, group=group_of_mesh(), group_src=0)


def _mesh_and_group() -> tuple[DeviceMesh, dist.ProcessGroup]:
    key = devices.current().type, dist.get_world_size(), _stages
    if key not in _meshes:
        for other in [other for other in _meshes if other[1] != key[1]]:  # of processes that are gone
            del _meshes[other]
        _meshes[key] = _new_mesh(key[0], _prime_factors(key[1] // _stages))
    return _meshes[key]


def _new_mesh(kind: str, sizes: tuple[int, ...]) -> tuple[DeviceMesh, dist.ProcessGroup]:
    """Return a mesh and the group of all its processes.

    There is a group for each run of its axes: what concerns several of them is one message.
    """
    names = tuple(f"axis{i}" for i in range(len(sizes)))
    if _stages == 1:
        made = init_device_mesh(kind, sizes, mesh_dim_names=names)
    else:
        made = init_device_mesh(kind, (_stages, *sizes), mesh_dim_names=("stage", *names))[names]
    whole = made
    for first in range(len(names)):
        for last in range(first + 2, len(names) + 1):
            flat = flatten_mesh(made[names[first:last]])
            whole = flat if last - first == len(names) else whole
    return made, whole.get_group()


def _prime_factors(count: int) -> tuple[int, ...]:
    factors, divisor = [], 2
    while count > 1:
        while count % divisor == 0:
            factors.append(divisor)
            count //= divisor
        divisor += 1
    return tuple(factors) or (1,)


def is_cut(value: Any) -> TypeGuard[DTensor]:
    """Return whether a torch tensor lies on the mesh."""
    return isinstance(value, DTensor)


def is_interleaved(value: Any) -> bool:
    """Return whether two dimensions that were both cut have become one, of which a process has several pieces.

    torch does not compute everything with such tensors.
    """
    return is_cut(value) and any(type(placement).__name__ == "_StridedShard" for placement in value.placements)


def replicated() -> Placements:
    """Return the placements of a tensor that all processes have."""
    return (Replicate(),) * mesh().ndim


def cut(value: torch.Tensor, placements: Placements, on: DeviceMesh | None = None) -> DTensor:
    """Return a tensor with these placements; of one that is not on the mesh, all processes have the same values.

    Args:
        value: the tensor.
        placements: where its parts are.
        on: the mesh of these placements. Default: None, the mesh of all processes.
    """
    on = on or mesh()
    on_mesh = value if is_cut(value) else DTensor.from_local(value, on, (Replicate(),) * on.ndim, run_check=False)
    return on_mesh if on_mesh.placements == placements else on_mesh.redistribute(placements=placements)


def local(value: torch.Tensor) -> torch.Tensor:
    """Return the very tensor that holds this process's part of one that is cut, or the tensor."""
    part: torch.Tensor = local_part(value) if is_cut(value) else value
    return part


def write_parts(value: DTensor, source: torch.Tensor) -> None:
    """Write a tensor that lies in another way, or is whole, into the parts of one that is cut."""
    value.to_local().copy_(cut(source, value.placements, value.device_mesh).to_local())


def resolved(placements: Placements) -> Placements:
    """Return placements with sums computed: a tensor that is read or written has no parts of sums."""
    return tuple([Replicate() if isinstance(placement, Partial) else placement for placement in placements])


def of_layout(layout: Any, shape: Sequence[int], api: str) -> Placements:
    """Return the placements that a `Layout` describes.

    Raises:
        ValueError: it has other processes than the program, or does not fit the shape.
    """
    described = layout.to_dict()
    names, sizes = described["alias_name"], described["device_matrix"]
    real = [(name, size) for name, size in zip(names, sizes) if name != _VIRTUAL]
    count, ranks = mesh().size(), sorted(described["rank_list"])
    possible = list(range(math.prod(sizes))), mesh().mesh.flatten().tolist()
    if ranks not in possible or math.prod(s for _, s in real) != count:
        raise ValueError(
            f"For '{api}', a Layout must have all {count} processes of the program or the stage, but got the device "
            f"matrix {sizes} of the ranks {described['rank_list']}."
        )
    axes = _Axes(api)
    taken = {name: axes.take(size) for name, size in real}
    position = {len(names) - 1 - i: name for i, name in enumerate(names)}
    parts = [
        [position[i] for i in (item if isinstance(item, tuple) else (item,)) if i >= 0]
        for item in described["tensor_map"]
    ]
    dimensions = [[axis for name in part if name != _VIRTUAL for axis in taken[name]] for part in parts]
    return _placements(dimensions, shape, layout, api)


def of_strategies(strategies: Sequence[Any], shapes: Sequence[Sequence[int]], names: Any, api: str) -> list[Placements]:
    """Return the placements of the inputs of an operation.

    Args:
        strategies: for each input the numbers of parts of its dimensions, or a `Layout`.
        shapes: the shapes.
        names: for each input the names of its dimensions; dimensions of one name are cut along the same axes. None:
            dimensions of one size are.
        api: the name of the operation.

    Raises:
        ValueError: the parts do not fit the shapes or the processes.
    """
    if len(strategies) != len(shapes):
        raise ValueError(
            f"For '{api}', there must be a strategy for each of {len(shapes)} tensors, but got {strategies}."
        )
    axes = _Axes(api)
    taken: dict[Any, list[int]] = {}
    found = []
    for i, (strategy, shape) in enumerate(zip(strategies, shapes)):
        if not isinstance(strategy, tuple):
            found.append(of_layout(strategy, shape, api))
            continue
        if len(strategy) != len(shape):
            raise ValueError(
                f"For '{api}', a strategy must have a number for each dimension of the shape {tuple(shape)}, but got "
                f"{strategy}."
            )
        dimensions: list[list[int]] = []
        for dimension, parts in enumerate(strategy):
            size = shape[dimension]
            name = (size, parts, shape[dimension:].count(size)) if names is None else names[i][dimension]
            if parts > 1 and name not in taken:
                used = {axis for cut_by in dimensions for axis in cut_by}
                others = [known for known in taken.values() if _size(known) == parts and not used.intersection(known)]
                # A square matrix does not tell which of its dimensions is which of another.
                taken[name] = others[0] if names is None and others and not axes.have(parts) else axes.take(parts)
            dimensions.append(taken[name] if parts > 1 else [])
        found.append(_placements(dimensions, shape, strategy, api))
    return found


class _Axes:
    """The axes of the mesh, given out in order."""

    def __init__(self, api: str) -> None:
        self._api = api
        self._free = list(range(mesh().ndim))

    def have(self, parts: int) -> bool:
        """Return whether free axes have sizes that multiply to a number of parts."""
        return _size(self._chosen(parts)) == parts

    def take(self, parts: int) -> list[int]:
        """Return axes whose sizes multiply to a number of parts."""
        chosen = self._chosen(parts)
        if _size(chosen) != parts:
            raise ValueError(
                f"For '{self._api}', {parts} parts do not fit: the parts of all dimensions must multiply to a divisor "
                f"of the number of processes, {mesh().size()}."
            )
        self._free = [axis for axis in self._free if axis not in chosen]
        return chosen

    def _chosen(self, parts: int) -> list[int]:
        chosen: list[int] = []
        for axis in self._free:
            if parts % (_size(chosen) * mesh().size(axis)) == 0:
                chosen.append(axis)
        return chosen


def _size(axes: Sequence[int]) -> int:
    return math.prod(mesh().size(axis) for axis in axes)


def _placements(dimensions: list[list[int]], shape: Sequence[int], given: Any, api: str) -> Placements:
    """Return the placements of a tensor whose dimensions are cut along axes."""
    found: list[Placement] = list(replicated())
    if len(dimensions) > len(shape):
        raise ValueError(f"For '{api}', {given!r} cuts more dimensions than the shape {tuple(shape)} has.")
    for dimension, axes in enumerate(dimensions):
        parts = _size(axes)
        if shape[dimension] % parts:
            raise ValueError(
                f"For '{api}', dimension {dimension} of the shape {tuple(shape)} cannot be cut into {parts} equal "
                f"parts, as {describe(given)} asks for."
            )
        for axis in axes:
            found[axis] = Shard(dimension)
    return tuple(found)
