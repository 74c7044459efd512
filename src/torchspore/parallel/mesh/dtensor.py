"""Tensors that lie on meshes: torch's DTensors below Tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from torch.distributed import tensor as of_torch
from torch.distributed.device_mesh import DeviceMesh as TorchMesh
from torch.distributed.tensor import Partial, Placement, Replicate, Shard

from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.distributed.cutting.calls import allow
from torchspore.engine.distributed.cutting.placements import is_cut, resolved
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import take_as
from torchspore.parallel.mesh.device_mesh import DeviceMesh
from torchspore.parallel.mesh.layouts import Layout, build_layout

__all__ = ["DTensor", "Partial", "Placement", "Replicate", "Shard", "SkipDTensorDispatch", "distribute_tensor"]

# Where the parts of a tensor are: a placement for each dimension of the mesh, or a name of a dimension of the mesh (or
# several, or "None") for each dimension of the tensor.
Placements = Sequence[Placement] | Sequence[str | tuple[str, ...]]


class _CutTensor(type(Tensor)):  # type: ignore[misc]
    """The type of `DTensor`: its instances are all Tensors and Parameters that lie on a mesh."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and is_cut(instance._t)


class DTensor(Tensor, metaclass=_CutTensor):
    """A Tensor that lies on a mesh: each process has a part of it, or all.

    It has the methods of a Tensor. Operations compute what they would with the whole tensor; what they need of the
    parts of other processes is sent. Operands that do not lie on the mesh are taken to be the same in all processes.

    Args:
        local_tensor: the part of this process.
        device_mesh: the mesh.
        placements: for each dimension of the mesh `Shard(dim)`, `Replicate()` or `Partial()`; or for each dimension of
            the tensor the name of the mesh's dimension over which it is cut, "None", or a tuple of names. Placements
            beyond the dimensions of the mesh have no effect, as in MindSpore's library.

    Attributes:
        device_mesh: the mesh.
        placements: a placement for each dimension of the mesh.
        local_shape: the shape of the part of this process.

    Raises:
        ValueError: there are too few placements, or a dimension does not exist.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import DTensor, Shard, init_device_mesh
        >>> ms.mint.distributed.init_process_group()
        >>> mesh = init_device_mesh("cpu", (1,), ("dp",))
        >>> x = DTensor.from_local(ms.Tensor([[1.0, 2.0]]), mesh, [Shard(0)])
        >>> isinstance(x * 2, DTensor), (x * 2).placements, print((x * 2).full_tensor())
        [[2. 4.]]
        (True, (Shard(dim=0),), None)
        >>> ms.mint.distributed.destroy_process_group()
    """

    def __new__(cls, local_tensor: Tensor, device_mesh: DeviceMesh, placements: Placements) -> Tensor:  # type: ignore[misc]
        api = "DTensor"
        take_as(Tensor, local_tensor, "local_tensor", api)
        where = checked(placements, device_mesh, local_tensor.ndim, api)
        return wrap(of_torch.DTensor.from_local(local_tensor._t, device_mesh, where, run_check=False))

    def __init__(self, local_tensor: Tensor, device_mesh: DeviceMesh, placements: Placements) -> None:
        pass

    @staticmethod
    def from_local(local_tensor: Tensor, device_mesh: DeviceMesh, placements: Placements) -> Tensor:
        """Return the tensor whose part in this process is `local_tensor`.

        Args:
            local_tensor, device_mesh, placements: as for `DTensor`.
        """
        return DTensor(local_tensor, device_mesh, placements)


def distribute_tensor(tensor: Tensor, device_mesh: DeviceMesh, placements: Placements) -> Tensor:
    """Return a tensor that all processes have as one that lies on a mesh.

    Args:
        tensor: the whole tensor, the same in all processes. Nothing is sent.
        device_mesh: the mesh.
        placements: as for `DTensor`.

    Raises:
        ValueError: there are too few placements, or a dimension does not exist.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.parallel import Replicate, distribute_tensor, init_device_mesh
        >>> ms.mint.distributed.init_process_group()
        >>> mesh = init_device_mesh("cpu", (1,))
        >>> distribute_tensor(ms.Tensor([1.0, 2.0]), mesh, [Replicate()]).placements
        (Replicate(),)
        >>> ms.mint.distributed.destroy_process_group()
    """
    api = "distribute_tensor"
    take_as(Tensor, tensor, "tensor", api)
    where = checked(placements, device_mesh, tensor.ndim, api)
    return wrap(of_torch.distribute_tensor(tensor._t, device_mesh, where, src_data_rank=None))


def checked(placements: Any, device_mesh: Any, ndim: int, api: str) -> tuple[Placement, ...]:
    """Return placements, one for each dimension of a mesh, of a tensor with a number of dimensions.

    Raises:
        TypeError: `device_mesh` is not a mesh, or `placements` does not hold placements or names.
        ValueError: there are too few placements, or a dimension does not exist.
    """
    take_as(TorchMesh, device_mesh, "device_mesh", api)
    if not isinstance(placements, (tuple, list)):
        raise TypeError(f"For '{api}', 'placements' must be a tuple or list, but got {describe(placements)}.")
    allow()
    if placements and all(isinstance(placement, (str, tuple)) for placement in placements):
        placements = _of_names(placements, device_mesh, ndim, api)
    if len(placements) < device_mesh.ndim:
        raise ValueError(
            f"For '{api}', there must be a placement for each of the {device_mesh.ndim} dimensions of the mesh, but "
            f"got {tuple(placements)}."
        )
    placements = placements[: device_mesh.ndim]
    for placement in placements:
        if not isinstance(placement, Placement):
            raise TypeError(f"For '{api}', 'placements' must hold placements, but has {describe(placement)}.")
        if isinstance(placement, Shard) and not -ndim <= placement.dim < ndim:
            raise ValueError(
                f"For '{api}', {placement} cuts a dimension that is not there: the tensor has {ndim} dimensions."
            )
    return tuple(
        [Shard(placement.dim % ndim) if isinstance(placement, Shard) else placement for placement in placements]
    )


def _of_names(placements: Any, device_mesh: DeviceMesh, ndim: int, api: str) -> list[Placement]:
    """Return the placements of a tensor whose dimensions are cut over named dimensions of a mesh."""
    names = device_mesh.mesh_dim_names or ()
    if len(placements) != ndim:
        raise ValueError(
            f"For '{api}', there must be a name for each of the {ndim} dimensions of the tensor, but got {placements}."
        )
    found: list[Placement] = [Replicate()] * device_mesh.ndim
    for dimension, given in enumerate(placements):
        for name in given if isinstance(given, tuple) else (given,):
            if name == "None":
                continue
            if name not in names:
                raise ValueError(f"For '{api}', the mesh has no dimension {name!r}; its dimensions are {names}.")
            found[names.index(name)] = Shard(dimension)
    return found


class SkipDTensorDispatch:
    """A block in which optimizers may be called, as everywhere: they update the parts of a process by themselves.

    Args:
        no_skip: operations; kept for compatibility. Default: None.

    Other operations compute with whole tensors in the block, too.

    Examples:
        >>> from torchspore.parallel import SkipDTensorDispatch
        >>> with SkipDTensorDispatch():
        ...     print(1)
        1
    """

    def __init__(self, no_skip: Any = None) -> None:
        self.no_skip = no_skip

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


# What only tensors on meshes have


class _OfDTensors:
    """An attribute of Tensors that only those have that lie on a mesh: `hasattr` is False for others.

    Args:
        read: returns the attribute of a tensor.
        example, shown: an expression of such a tensor `x`, and what it shows.
    """

    def __init__(self, read: Callable[[Tensor], Any], example: str, shown: str) -> None:
        self._read = read
        self.__doc__ = f"""{read.__doc__}

        Examples:
            >>> import torchspore as ms
            >>> from torchspore.parallel import Replicate, Shard, distribute_tensor, init_device_mesh
            >>> ms.mint.distributed.init_process_group()
            >>> x = distribute_tensor(ms.Tensor([1.0, 2.0]), init_device_mesh("cpu", (1,)), [Shard(0)])
            >>> {example}
            {shown}
            >>> ms.mint.distributed.destroy_process_group()
        """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Tensor | None, owner: type | None = None) -> Any:
        if instance is None:
            return self
        if not is_cut(instance._t):
            self._refuse(instance)
        return self._read(instance)

    def _refuse(self, instance: Tensor) -> NoReturn:
        raise AttributeError(
            f"For 'Tensor.{self._name}', the tensor does not lie on a mesh. Make it a DTensor by 'distribute_tensor'.",
            name=self._name,
            obj=instance,
        )


def _device_mesh(tensor: Any) -> Any:
    """The mesh that the tensor lies on."""
    return tensor._t.device_mesh


def _placements(tensor: Any) -> tuple[Placement, ...]:
    """Where the parts are: a placement for each dimension of the mesh."""
    return tuple(tensor._t.placements)


def _local_shape(tensor: Any) -> tuple[int, ...]:
    """The shape of the part of this process."""
    return tuple(tensor._t.to_local().shape)


def _to_local(tensor: Any) -> Callable[[], Tensor]:
    """Return the part of this process, over the same memory."""
    return lambda: wrap(tensor._t.to_local())


def _full_tensor(tensor: Any) -> Callable[[], Tensor]:
    """Return the whole tensor; all processes must call it."""
    return lambda: wrap(tensor._t.full_tensor())


def _layout(tensor: Any) -> Layout:
    """How the tensor lies, as a `Layout` of the library `hyper_parallel`."""
    return build_layout(tensor._t.device_mesh, tensor._t.placements, tensor._t.ndim)


def _reduce_partial(tensor: Any) -> Callable[[], Tensor]:
    """Return the tensor with its parts of sums added; all processes must call it."""
    return lambda: wrap(tensor._t.redistribute(placements=resolved(tensor._t.placements)))


def _is_partial(tensor: Any) -> Callable[[], bool]:
    """Return whether the processes have parts of sums."""
    return lambda: any(placement.is_partial() for placement in tensor._t.placements)


def _redistribute(tensor: Any) -> Callable[..., Tensor]:
    """Return the tensor with other placements; all processes must call it."""

    def redistribute(device_mesh: DeviceMesh | None = None, placements: Placements | None = None) -> Tensor:
        value: of_torch.DTensor = tensor._t
        mesh: Any = value.device_mesh if device_mesh is None else device_mesh
        if placements is None:
            raise ValueError("For 'DTensor.redistribute', 'placements' must be given.")
        where = checked(placements, mesh, value.ndim, "DTensor.redistribute")
        if mesh == value.device_mesh:
            return wrap(value.redistribute(placements=where))
        if not set(mesh.mesh.flatten().tolist()) <= set(value.device_mesh.mesh.flatten().tolist()):
            raise ValueError(
                "For 'DTensor.redistribute', the processes of another mesh must be among the tensor's processes, "
                f"{value.device_mesh.mesh.tolist()}, but are {mesh.mesh.tolist()}."
            )
        whole = of_torch.DTensor.from_local(value.full_tensor(), mesh, [Replicate()] * mesh.ndim, run_check=False)
        return wrap(whole.redistribute(placements=where))

    return redistribute


# (name, how it is read, an example, what the example shows)
_MEMBERS: tuple[tuple[str, Callable[[Any], Any], str, str], ...] = (
    ("device_mesh", _device_mesh, "x.device_mesh.ndim", "1"),
    ("full_tensor", _full_tensor, "print(x.full_tensor())", "[1. 2.]"),
    ("is_partial", _is_partial, "x.is_partial()", "False"),
    ("layout", _layout, "x.layout.tensor_map", "(0,)"),
    ("local_shape", _local_shape, "x.local_shape", "(2,)"),
    ("placements", _placements, "x.placements", "(Shard(dim=0),)"),
    ("redistribute", _redistribute, "x.redistribute(placements=[Replicate()]).placements", "(Replicate(),)"),
    ("reduce_partial", _reduce_partial, "x.reduce_partial().is_partial()", "False"),
    ("to_local", _to_local, "print(x.to_local())", "[1. 2.]"),
)
for _name, _read, _example, _shown in _MEMBERS:
    _member = _OfDTensors(_read, _example, _shown)
    _member.__set_name__(Tensor, _name)
    setattr(Tensor, _name, _member)
