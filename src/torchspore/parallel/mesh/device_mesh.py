"""Meshes: the processes of a program in several dimensions, each of which has names and groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import device_mesh as of_torch

from torchspore.common import device as devices
from torchspore.common.private_torch import flatten_mesh, mesh_without_groups, root_mesh
from torchspore.common.tensor import Tensor
from torchspore.engine.distributed.agreement import differing
from torchspore.engine.distributed.cutting.calls import allow
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.ops.distributed.process_groups import get_rank, init_process_group, new_group, process_group

__all__ = ["DeviceMesh", "init_device_mesh"]

_IN_USE = ("npu", "ascend", "gpu", "cuda")


class DeviceMesh(of_torch.DeviceMesh):
    """The processes of a program in several dimensions, as torch's `DeviceMesh`.

    Args:
        device_type: "cpu"; "npu" and "cuda" stand for the device in use.
        mesh: the ranks, a Tensor, an array or nested lists.
        mesh_dim_names: the names of the dimensions. Default: None.

    `mesh["dp"]` is the mesh of one dimension that this process is in.

    Raises:
        ValueError: a rank is not one of the program's, or there is another number of names than of dimensions.
        KeyError: there is no dimension of a name.
        RuntimeError: the dimensions have no names.

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
        _start()
        allow()
        super().__init__(kind, None if mesh is None else _ranks(mesh), mesh_dim_names=names, **options)

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        wanted = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        try:
            return named(super().__getitem__(mesh_dim_names))
        except (KeyError, RuntimeError):
            known = self.mesh_dim_names
            if known is None:
                raise RuntimeError(
                    f"For 'DeviceMesh', there is no mesh of the dimensions {wanted} in one without mesh_dim_names."
                ) from None
            raise KeyError(
                f"For 'DeviceMesh', there is no mesh of the dimensions {wanted}: the dimensions are {known}."
            ) from None

    @staticmethod
    def from_group(
        group: Any, device_type: str, mesh: Any = None, mesh_dim_names: Sequence[str] | None = None
    ) -> DeviceMesh:
        """Return the mesh whose dimensions have given groups.

        Args:
            group: the group of the only dimension, or a list with one for each; names, or torch's groups.
            device_type: as for `DeviceMesh`.
            mesh: the ranks of a mesh of several dimensions. Default: None, the ranks in the group.
            mesh_dim_names: the names of the dimensions. Several dimensions must have names. Default: None.
        """
        api = "DeviceMesh.from_group"
        groups = [process_group(one, api) for one in (group if isinstance(group, (list, tuple)) else [group])]
        ranks: Any = None if mesh is None else _ranks(mesh)
        names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        if len(groups) == 1:
            ranks = None if ranks is None else ranks.flatten().tolist()
        allow()
        given = groups if len(groups) > 1 else groups[0]
        return named(of_torch.DeviceMesh.from_group(given, _kind(device_type, api), ranks, mesh_dim_names=names))

    @property
    def root_mesh(self) -> DeviceMesh:
        """The mesh that this one is a part of, or this one."""
        return named(root_mesh(self))

    @property
    def mesh_shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(self.mesh.shape)

    @property
    def rank(self) -> int:
        """The rank of this process."""
        return get_rank()

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
        root = root_mesh(self)
        if self is root and root.size() < dist.get_world_size():  # torch would wait for the other processes
            name = mesh_dim_name or "_".join(self.mesh_dim_names or ())
            return _of_ranks(self.device_type, self.mesh.flatten(), (name,))
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
    init_backend: bool = True,
) -> DeviceMesh:
    """Return a mesh of all processes of the program, or of some, which are connected if they are not yet.

    Args:
        device_type: as for `DeviceMesh`.
        mesh_shape: the sizes of the dimensions, whose product is the number of processes. If it is a divisor of that,
            there are several meshes of successive ranks, and each process is in one of them.
        mesh_dim_names: the names of the dimensions. Default: None.
        rank_list: the ranks in the mesh, in order. Default: None, all.
        init_backend: whether the mesh has groups. One without only describes how tensors lie, also before
            `init_process_group`. Default: True.

    Raises:
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
    take_as(bool, init_backend, "init_backend", api)
    count = math.prod(sizes)
    if init_backend:
        _start()
        _check_ranks(sizes, rank_list, api)
    elif rank_list is not None and len(rank_list) != count:
        raise ValueError(f"For '{api}', 'rank_list' must hold {count} ranks for {sizes}, but got {rank_list}.")
    first = get_rank() // count * count
    ranks = torch.tensor(range(first, first + count) if rank_list is None else rank_list, dtype=torch.int)
    allow()
    if not init_backend:
        return named(mesh_without_groups(kind, ranks.view(sizes), names, get_rank()))
    if rank_list is not None or count < dist.get_world_size():
        return _of_ranks(kind, ranks.view(sizes), names)
    found = differing(f"{sizes} {names or ''}".strip())
    if found:
        raise ValueError(
            f"For '{api}', 'mesh_shape' and 'mesh_dim_names' must be the same in all processes, but by rank "
            f"they are {', '.join(found)}."
        )
    return named(of_torch.init_device_mesh(kind, sizes, mesh_dim_names=names))


def _check_ranks(sizes: tuple[int, ...], rank_list: Sequence[int] | None, api: str) -> None:
    world = dist.get_world_size()
    wanted = world if rank_list is None else len(rank_list)
    if wanted % math.prod(sizes) or (rank_list is not None and math.prod(sizes) != wanted):
        raise ValueError(
            f"For '{api}', 'mesh_shape' must multiply to the number of processes, {wanted}, but got {sizes}."
        )
    if rank_list is not None and (len(set(rank_list)) != wanted or not set(rank_list) <= set(range(world))):
        raise ValueError(
            f"For '{api}', 'rank_list' must hold different ranks in [0, {world - 1}], but got {list(rank_list)}."
        )


def _of_ranks(kind: str, ranks: torch.Tensor, names: tuple[str, ...] | None) -> DeviceMesh:
    """Return a mesh of some processes, for which only these need to call this."""
    place = (ranks == dist.get_rank()).nonzero()
    if not len(place):
        return named(mesh_without_groups(kind, ranks, names, dist.get_rank()))
    groups = []
    for dim in range(ranks.ndim):
        row = ranks[tuple([slice(None) if i == dim else int(at) for i, at in enumerate(place[0])])]
        groups.append(process_group(new_group(row.tolist()), "init_device_mesh"))
    names = names or tuple([f"dim_{i}" for i in range(ranks.ndim)])  # torch needs some
    return named(of_torch.DeviceMesh.from_group(groups, kind, ranks, mesh_dim_names=names))


def _ranks(mesh: Any) -> torch.Tensor:
    """Return the ranks of a mesh, of which programs give Tensors, arrays, and lists of these."""

    def numbers(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            return [numbers(part) for part in value]
        return value.asnumpy().tolist() if isinstance(value, Tensor) else getattr(value, "tolist", lambda: value)()

    return torch.tensor(numbers(mesh), device="cpu", dtype=torch.int)


def _kind(device_type: Any, api: str) -> str:
    if not isinstance(device_type, str) or device_type.lower() not in ("cpu", *_IN_USE):
        raise ValueError(
            f"For '{api}', 'device_type' must be one of {('cpu', *_IN_USE)}, but got {describe(device_type)}."
        )
    return "cpu" if device_type.lower() == "cpu" else devices.current().type


def _start() -> None:
    if not dist.is_initialized():
        init_process_group()
