"""Layouts of the library `hyper_parallel`: descriptions of how tensors lie on meshes, as MindSpore's tensor maps."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from torch.distributed.tensor import Partial, Placement, Replicate, Shard

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import NotNegative, take_as
from torchspore.parallel import layout as of_mindspore
from torchspore.parallel.mesh.device_mesh import DeviceMesh, init_device_mesh

__all__ = ["Layout", "build_layout"]


class Layout(of_mindspore.Layout):
    """A mesh with named dimensions; calling it says which of them cut the dimensions of a tensor.

    Args:
        mesh_shape: the sizes of the mesh, a tuple of ints.
        alias_name: the names of its dimensions, as for `torchspore.Layout`.
        rank_list: the ranks of the processes in the mesh. Default: None, those from 0 on.
        init_backend: whether `mesh` has groups, as for `init_device_mesh`. Default: True.

    Inputs:
        Placements, one for each dimension of the mesh; or as for `torchspore.Layout`.

    Outputs:
        A new Layout.

    Attributes:
        placements: a placement for each dimension of the mesh, or None.
        tensor_map: for each dimension of the tensor the dimension of the mesh that cuts it, counted from the last, or
            -1; None as long as the number of dimensions is not known.
        partial: for each dimension of the mesh the reduction of parts of sums, or None.

    Examples:
        >>> from torchspore.parallel.mesh.layouts import Layout
        >>> layout = Layout((2, 4), ("dp", "mp"))("mp", "None")
        >>> layout.tensor_map, layout.placements
        ((0, -1), [Replicate(), Shard(dim=0)])
    """

    def __init__(
        self,
        mesh_shape: tuple[int, ...],
        alias_name: tuple[str, ...],
        rank_list: Sequence[int] | None = None,
        init_backend: bool = True,
    ) -> None:
        super().__init__(mesh_shape, alias_name, None if rank_list is None else list(rank_list))
        take_as(bool, init_backend, "init_backend", "Layout")
        self._init_backend = init_backend
        self._mesh: DeviceMesh | None = None
        self.placements: Any = None
        self.partial: list[str | None] = [None] * len(mesh_shape)

    @classmethod
    def from_device_mesh(cls, device_mesh: DeviceMesh) -> Layout:
        """Return the layout of a mesh whose dimensions have names.

        Args:
            device_mesh: the mesh.
        """
        take_as(DeviceMesh, device_mesh, "device_mesh", "Layout.from_device_mesh")
        names = device_mesh.mesh_dim_names or tuple([f"dim_{i}" for i in range(device_mesh.ndim)])
        made = cls(device_mesh.mesh_shape, tuple(names), device_mesh.rank_list)
        made._mesh = device_mesh
        return made

    def __call__(self, *tensor_map: Any) -> Layout:
        given = tensor_map[0] if len(tensor_map) == 1 and isinstance(tensor_map[0], (list, tuple)) else tensor_map
        made = copy.copy(self)
        made.partial = [*self.partial]
        if given and isinstance(given[0], Placement):
            made.set_placements(given)
            return made
        made._tensor_map = super().__call__(*tensor_map)._tensor_map
        made.tensor_map_to_placement()
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return (
            (self._device_matrix, self._alias_name, self._rank_list, self._tensor_map, self.partial)
            == (other._device_matrix, other._alias_name, other._rank_list, other._tensor_map, other.partial)
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self._device_matrix, self._alias_name, self._tensor_map))

    def __repr__(self) -> str:
        return f"Layout({self._device_matrix}, {self._alias_name}, tensor_map={self._tensor_map})"

    @property
    def mesh(self) -> DeviceMesh:
        """The mesh."""
        if self._mesh is None:
            self._mesh = init_device_mesh(
                "npu",
                self._device_matrix,
                self._alias_name,
                rank_list=self._rank_list,
                init_backend=self._init_backend,
            )
        return self._mesh

    @property
    def mesh_shape(self) -> tuple[int, ...]:
        """The sizes of the mesh."""
        return self._device_matrix

    @property
    def alias_name(self) -> tuple[str, ...]:
        """The names of the dimensions of the mesh."""
        return self._alias_name

    @property
    def rank_list(self) -> tuple[int, ...]:
        """The ranks in the mesh."""
        return tuple(self._rank_list)

    @property
    def tensor_map(self) -> tuple[Any, ...] | None:
        """The dimensions of the mesh that cut the dimensions of the tensor."""
        return self._tensor_map

    @property
    def alias_tensor_map(self) -> tuple[Any, ...] | None:
        """The names of the dimensions of the mesh that cut the dimensions of the tensor."""
        if self._tensor_map is None:
            return None
        return tuple(
            tuple(map(self._name, item)) if isinstance(item, tuple) else self._name(item) for item in self._tensor_map
        )

    def _name(self, position: int) -> str:
        return "None" if position == -1 else self._alias_name[-1 - position]

    def set_tensor_map(self, tensor_map: tuple[Any, ...]) -> None:
        """Set `tensor_map`.

        Args:
            tensor_map: the map.
        """
        self._tensor_map = tensor_map

    def set_placements(self, placements: Any) -> None:
        """Set `placements`.

        Args:
            placements: the placements, or None.
        """
        self.placements = None if placements is None else [*placements]

    def placement_to_tensor_map(self, dim: int) -> tuple[int, ...]:
        """Set `tensor_map` and `partial` to what the placements say of a tensor, and return the map.

        Args:
            dim: the number of dimensions of the tensor.

        Raises:
            ValueError: a placement cuts a dimension that is not there, or that another one cuts.
        """
        api = "Layout.placement_to_tensor_map"
        if not isinstance(dim, int) or dim < 0:
            raise ValueError(f"For '{api}', 'dim' must be zero or a positive int, but got {describe(dim)}.")
        found = [-1] * dim
        self.partial = [None] * len(self._device_matrix)
        for position, placement in enumerate(self.placements or ()):
            if isinstance(placement, Partial):
                self.partial[position] = placement.reduce_op
            if not isinstance(placement, Shard):
                continue
            if not -dim <= placement.dim < dim:
                raise ValueError(f"For '{api}', {placement} is out of bounds for a tensor of {dim} dimensions.")
            if found[placement.dim] != -1:
                name = self._name(found[placement.dim])
                raise ValueError(f"For '{api}', the dimension {placement.dim} has been sharded by '{name}' already.")
            found[placement.dim] = len(self._device_matrix) - 1 - position
        self._tensor_map = tuple(found)
        return self._tensor_map

    def tensor_map_to_placement(self) -> list[Placement]:
        """Set the placements to what `tensor_map` and `partial` say, and return them.

        Raises:
            ValueError: there is no map.
        """
        if self._tensor_map is None:
            raise ValueError("For 'Layout.tensor_map_to_placement', the dimensions of the tensor have no axes yet.")
        found: list[Placement] = [Replicate() if op is None else Partial(op) for op in self.partial]
        for dimension, item in enumerate(self._tensor_map):
            for position in item if isinstance(item, tuple) else (item,):
                if position != -1 and self.partial[-1 - position] is None:
                    found[-1 - position] = Shard(dimension)
        self.placements = found
        return found

    def is_partial(self) -> bool:
        """Return whether the processes have parts of sums."""
        return any(op is not None for op in self.partial)

    def get_global_shape(self, slice_shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the whole tensor.

        Args:
            slice_shape: the shape of the part of a process.
        """
        sizes = list(slice_shape)
        for dimension, item in enumerate(self.to_dict()["tensor_map"]):
            for position in item if isinstance(item, tuple) else (item,):
                sizes[dimension] *= 1 if position == -1 else self._device_matrix[-1 - position]
        return tuple(sizes)

    def to_dict(self) -> dict[str, Any]:
        """Return the mesh, the dimensions of it that cut the tensor, counted from the last, and the ranks."""
        found = super().to_dict()
        found["mesh_shape"] = found.pop("device_matrix")
        return found


def build_layout(device_mesh: DeviceMesh, placements: Sequence[Placement], tensor_dim: int) -> Layout:
    """Return the layout of a tensor that lies on a mesh.

    Args:
        device_mesh: the mesh.
        placements: a placement for each dimension of the mesh.
        tensor_dim: the number of dimensions of the tensor.

    Examples:
        >>> from torchspore.parallel import Shard, init_device_mesh
        >>> from torchspore.parallel.mesh.layouts import build_layout
        >>> build_layout(init_device_mesh("cpu", (2,), ("dp",), init_backend=False), [Shard(1)], 2).tensor_map
        (-1, 0)
    """
    take_as(NotNegative, tensor_dim, "tensor_dim", "build_layout")
    made = Layout.from_device_mesh(device_mesh)
    made.set_placements(placements)
    made.placement_to_tensor_map(tensor_dim)
    return made
