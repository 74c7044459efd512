"""The dimensions of a mesh along which parameters that lie on it are the same, for data parallel training."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed import fsdp as of_torch
from torch.distributed.tensor import DTensor as OfTorch
from torch.distributed.tensor import Replicate, distribute_tensor

from torchspore.common.private_torch import flatten_mesh, root_mesh, unflatten_mesh
from torchspore.parallel.mesh.device_mesh import DeviceMesh, init_device_mesh, named

__all__ = ["dimensions_of_data", "mesh_of_copies", "numbers_of", "put_on_mesh"]

_OF_COPIES = ("copies", "parts")


def dimensions_of_data(parameters: Iterable[torch.Tensor], mesh: DeviceMesh, api: str) -> tuple[DeviceMesh, Any]:
    """Return the mesh that torch's `fully_shard` takes, and its dimensions with different data.

    The latter are None unless parameters lie on a mesh that has these dimensions, too.

    Args:
        parameters: the parameters.
        mesh: the mesh over which they are cut; of two dimensions, the second one has the parts.
        api: the function, for errors.

    Raises:
        ValueError: the parameters lie on several meshes, or are cut over `mesh` already.
    """
    names = mesh.mesh_dim_names
    theirs = _mesh_of(parameters, api)
    if theirs is None or names is None or not _has(theirs, mesh):
        return mesh, None
    _check_copies(parameters, theirs, names, api)
    return theirs, _of_torch(names[-1:], names[:-1])


def mesh_of_copies(parameters: Sequence[torch.Tensor], size: int, api: str) -> tuple[DeviceMesh | None, Any]:
    """Return the mesh and its dimensions, as `dimensions_of_data` does, over which `hsdp` cuts parameters.

    Args:
        parameters: the parameters. Where none lies on a mesh, they are cut over all processes.
        size: the most processes that have a copy of the parameters together, or -1 for all.
        api: the function, for errors.

    Returns:
        None as the mesh if each dimension of the parameters' mesh cuts one of them.

    Raises:
        ValueError: the parameters lie on several meshes, or on one without names.
    """
    theirs = _mesh_of(parameters, api)
    if theirs is None:
        world = dist.get_world_size() if dist.is_initialized() else 1
        parts = _parts(world, size)
        if parts == world:
            return init_device_mesh("npu", (world,)), None
        return init_device_mesh("npu", (world // parts, parts), mesh_dim_names=_OF_COPIES), None
    if theirs.ndim > 1 or root_mesh(theirs) is theirs:
        return _of_own_dimensions(parameters, theirs, size, api)
    return _of_other_dimensions(theirs, size, api)  # the mesh is one of several dimensions, the one of tensor parallel


def _of_own_dimensions(
    parameters: Sequence[torch.Tensor], mesh: DeviceMesh, size: int, api: str
) -> tuple[DeviceMesh | None, Any]:
    """Return what `mesh_of_copies` does, for a mesh with dimensions along which the parameters are the same."""
    free = [dim for dim in range(mesh.ndim) if all(_is_copied(p, dim) for p in parameters)]
    free = [dim for dim in free if mesh.size(dim) > 1] or free[-1:]  # each one costs a group
    names = [_names(mesh, api)[dim] for dim in free]
    if not names:
        return None, None
    sizes = [mesh.size(dim) for dim in free]
    first = next(k for k in range(len(names) + 1) if size == -1 or math.prod(sizes[k:]) <= size)
    return mesh, _of_torch(names[first:], names[:first])


def _of_other_dimensions(mesh: DeviceMesh, size: int, api: str) -> tuple[DeviceMesh | None, Any]:
    """Return what `mesh_of_copies` does, for a mesh that is a part of one with other dimensions."""
    root = root_mesh(mesh)
    names = tuple([name for name in _names(root, api) if name not in _names(mesh, api)])
    copies = root[names] if len(names) == 1 else flatten_mesh(root[names], "_".join(names))
    parts = _parts(copies.size(), size)
    if parts < copies.size():
        copies = unflatten_mesh(copies, (copies.size() // parts, parts), _OF_COPIES)
    return named(copies), None


def _parts(copies: int, size: int) -> int:
    """Return the greatest divisor of a number of copies that is not above a size, or the number for -1."""
    return copies if size == -1 else max(k for k in range(1, copies + 1) if k <= size and copies % k == 0)


def numbers_of(dimensions: Any, mesh: DeviceMesh) -> list[int]:
    """Return which dimensions of a mesh torch's names are."""
    names = mesh.mesh_dim_names or ()
    return [names.index(name) for name in (*dimensions.replicate_names, *dimensions.shard_names)]


def put_on_mesh(
    modules: Iterable[torch.nn.Module], mesh: DeviceMesh, ignored: set[torch.nn.Parameter]
) -> set[torch.nn.Parameter]:
    """Let the other parameters lie on a mesh, too, the same in all processes; return those that are ignored then."""
    found = set(ignored)
    for module in modules:
        for owner in module.modules():
            for name, parameter in owner.named_parameters(recurse=False):
                if not isinstance(parameter, OfTorch):
                    everywhere = [Replicate()] * mesh.ndim
                    value = distribute_tensor(parameter.detach(), mesh, everywhere, src_data_rank=None)
                    placed = torch.nn.Parameter(value, parameter.requires_grad)
                    owner.register_parameter(name, placed)
                    if parameter in ignored:
                        found.add(placed)
    return found


def _of_torch(parts: Sequence[str], copies: Sequence[str]) -> Any:
    """Return torch's names of the dimensions.

    Raises:
        NotImplementedError: this torch has none.
    """
    if not hasattr(of_torch, "DataParallelMeshDims"):
        raise NotImplementedError(
            f"torch {torch.__version__} cannot cut parameters that lie on the whole of a mesh: use torch >= 2.13."
        )
    return of_torch.DataParallelMeshDims(shard=tuple(parts) or None, replicate=tuple(copies) or None)


def _mesh_of(parameters: Iterable[torch.Tensor], api: str) -> DeviceMesh | None:
    """Return the mesh that parameters lie on, or None if they do not."""
    meshes = [parameter.device_mesh for parameter in parameters if isinstance(parameter, OfTorch)]
    if not meshes:
        return None
    if any(mesh != meshes[0] for mesh in meshes):
        raise ValueError(f"For '{api}', the parameters lie on several meshes. Apply it to the cells of each mesh.")
    return named(meshes[0])


def _has(mesh: DeviceMesh, part: DeviceMesh) -> bool:
    """Return whether a mesh has the dimensions of another one."""
    own, others = mesh.mesh_dim_names or (), part.mesh_dim_names or ()
    return root_mesh(mesh) is root_mesh(part) and set(others) <= set(own)


def _check_copies(parameters: Iterable[torch.Tensor], mesh: DeviceMesh, names: Sequence[str], api: str) -> None:
    for name in names:
        dim = (mesh.mesh_dim_names or ()).index(name)
        for parameter in parameters:
            if not _is_copied(parameter, dim):
                raise ValueError(
                    f"For '{api}', a parameter of the shape {tuple(parameter.shape)} is cut over the dimension "
                    f"'{name}' of 'mesh' already. Take the dimension over which parameters are the same."
                )


def _is_copied(parameter: torch.Tensor, dim: int) -> bool:
    return not isinstance(parameter, OfTorch) or isinstance(parameter.placements[dim], Replicate)


def _names(mesh: Any, api: str) -> tuple[str, ...]:
    if mesh.mesh_dim_names is None:
        raise ValueError(f"For '{api}', the mesh that parameters lie on needs names. Give it 'mesh_dim_names'.")
    return tuple(mesh.mesh_dim_names)
