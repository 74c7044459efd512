"""Meshes: the processes of a program in several dimensions, each of which has names and groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch.distributed as dist
from torch.distributed import device_mesh as of_torch

from torchspore.common import device as devices
from torchspore.common.private_torch import flatten_mesh
from torchspore.engine.agreement import differing
from torchspore.engine.cutting.calls import allow
from torchspore.engine.errors import describe

__all__ = ["DeviceMesh", "init_device_mesh"]

_IN_USE = ("npu", "ascend", "gpu", "cuda")


class DeviceMesh(of_torch.DeviceMesh):
    """The processes of a program in several dimensions, as torch's `DeviceMesh`.

    Args:
        device_type: "cpu"; "npu" and "cuda" stand for the device in use.
        mesh: the ranks, an array or nested lists.
        mesh_dim_names: the names of the dimensions. Default: None.

    `mesh["dp"]` is the mesh of one dimension that this process is in.

    Raises:
        ValueError: a rank is not one of the program's, or there is another number of names than of dimensions.
        KeyError: there is no dimension of a name.

    Examples:
        >>> import torchspore as ms
        >>> ms.mint.distributed.init_process_group()
        >>> mesh = ms.parallel.DeviceMesh("cpu", [[0]], mesh_dim_names=("dp", "tp"))
        >>> mesh["tp"].mesh_shape
        (1,)
        >>> ms.mint.distributed.destroy_process_group()
    """

    def __init__(
        self, device_type: str, mesh: Any, *, mesh_dim_names: Sequence[str] | None = None, **options: Any
    ) -> None:
        kind = _kind(device_type, "DeviceMesh")
        names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        _check_started("DeviceMesh")
        allow()
        super().__init__(kind, mesh, mesh_dim_names=names, **options)

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        wanted = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        try:
            return named(super().__getitem__(mesh_dim_names))
        except (KeyError, RuntimeError):
            known = self.mesh_dim_names or ()
            raise KeyError(
                f"For 'DeviceMesh', there is no mesh of the dimensions {wanted}: the dimensions are {known}."
            ) from None

    @property
    def mesh_shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(self.mesh.shape)

    @property
    def rank(self) -> int:
        """The rank of this process."""
        return dist.get_rank()

    @property
    def rank_list(self) -> tuple[int, ...]:
        """The ranks in order."""
        return tuple(self.mesh.flatten().tolist())

    def get_device_num_along_axis(self, axis: str) -> int:
        """Return the size of a dimension.

        Args:
            axis: the name of the dimension.
        """
        return self[axis].size()

    def get_rank_list_along_axis(self, axis: str) -> list[int]:
        """Return the ranks of the processes that differ from this one in a dimension only.

        Args:
            axis: the name of the dimension.
        """
        return list(self[axis].rank_list)

    def flatten(self, mesh_dim_name: str | None = None) -> DeviceMesh:
        """Return the mesh of one dimension with the same processes.

        Args:
            mesh_dim_name: the name of the dimension. Default: None, the joined names of all.
        """
        return named(flatten_mesh(self, mesh_dim_name))


def named(mesh: of_torch.DeviceMesh) -> DeviceMesh:
    """Return a mesh of torch, with the methods of MindSpore's."""
    mesh.__class__ = DeviceMesh
    assert isinstance(mesh, DeviceMesh)
    return mesh


def init_device_mesh(
    device_type: str,
    mesh_shape: tuple[int, ...],
    mesh_dim_names: Sequence[str] | None = None,
    *,
    rank_list: Sequence[int] | None = None,
) -> DeviceMesh:
    """Return a mesh of all processes of the program, or of some.

    Args:
        device_type: as for `DeviceMesh`.
        mesh_shape: the sizes of the dimensions, whose product is the number of processes.
        mesh_dim_names: the names of the dimensions. Default: None.
        rank_list: the ranks in the mesh, in order. Default: None, all.

    Raises:
        RuntimeError: the processes are not connected.
        ValueError: the sizes do not multiply to the number of processes, do not fit the names, or differ by process.

    Examples:
        >>> import torchspore as ms
        >>> ms.mint.distributed.init_process_group()
        >>> mesh = ms.parallel.init_device_mesh("cpu", (1, 1), ("dp", "tp"))
        >>> mesh.ndim, mesh["dp"].size()
        (2, 1)
        >>> ms.mint.distributed.destroy_process_group()
    """
    api = "init_device_mesh"
    kind = _kind(device_type, api)
    sizes = tuple(mesh_shape) if isinstance(mesh_shape, (tuple, list)) else ()
    if not sizes or not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError(f"For '{api}', 'mesh_shape' must be a tuple of sizes >= 1, but got {describe(mesh_shape)}.")
    names = None if mesh_dim_names is None else tuple(mesh_dim_names)
    if names is not None and (len(names) != len(sizes) or len(set(names)) != len(names)):
        raise ValueError(
            f"For '{api}', 'mesh_dim_names' must hold {len(sizes)} different names, as 'mesh_shape' is {sizes}, but "
            f"got {names}."
        )
    _check_started(api)
    world = dist.get_world_size()
    ranks = list(range(world)) if rank_list is None else list(rank_list)
    if math.prod(sizes) != len(ranks):
        raise ValueError(
            f"For '{api}', 'mesh_shape' must multiply to the number of processes, {len(ranks)}, but got {sizes}."
        )
    if sorted(set(ranks)) != sorted(ranks) or not set(ranks) <= set(range(world)):
        raise ValueError(f"For '{api}', 'rank_list' must hold different ranks in [0, {world - 1}], but got {ranks}.")
    allow()
    if rank_list is None:
        found = differing(f"{sizes} {names or ''}".strip())
        if found:
            raise ValueError(
                f"For '{api}', 'mesh_shape' and 'mesh_dim_names' must be the same in all processes, but by rank "
                f"they are {', '.join(found)}."
            )
        return named(of_torch.init_device_mesh(kind, sizes, mesh_dim_names=names))
    strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]

    def nested(depth: int, first: int) -> Any:
        if depth == len(sizes):
            return ranks[first]
        return [nested(depth + 1, first + i * strides[depth]) for i in range(sizes[depth])]

    return DeviceMesh(kind, nested(0, 0), mesh_dim_names=names)


def _kind(device_type: Any, api: str) -> str:
    if not isinstance(device_type, str) or device_type.lower() not in ("cpu", *_IN_USE):
        raise ValueError(
            f"For '{api}', 'device_type' must be one of {('cpu', *_IN_USE)}, but got {describe(device_type)}."
        )
    return "cpu" if device_type.lower() == "cpu" else devices.current().type


def _check_started(api: str) -> None:
    if not dist.is_initialized():
        raise RuntimeError(f"For '{api}', the processes are not connected. Call 'init_process_group' before.")
