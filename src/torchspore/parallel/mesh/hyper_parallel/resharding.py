"""Parts of tensors for another layout, put together of the parts of the first one, without communication."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from torchspore.engine.failures.errors import describe
from torchspore.parallel.mesh.layouts import Layout
from torchspore.serialization.sharded.layouts import ParameterLayout

__all__ = ["ReshardHandler", "infer_intersection", "infer_slice_area_by_rank"]

Area = tuple[tuple[int, int], ...]  # the first index of each dimension, and the one after the last


def infer_slice_area_by_rank(
    mesh_shape: tuple[int, ...], tensor_map: tuple[Any, ...], rank_id: int, full_shape: tuple[int, ...]
) -> Area:
    """Return where the part of a process begins and ends in each dimension of a tensor.

    Args:
        mesh_shape: the sizes of the mesh.
        tensor_map: as in `Layout`.
        rank_id: the position of the process in the mesh.
        full_shape: the shape of the tensor.

    Raises:
        ValueError: a dimension cannot be cut into equal parts.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.resharding import infer_slice_area_by_rank
        >>> infer_slice_area_by_rank((2, 2), (0, -1), 3, (4, 6))
        ((2, 4), (0, 6))
    """
    layout = ParameterLayout(tuple(mesh_shape), tuple(tensor_map))
    shape = []
    for axis, (size, parts) in enumerate(zip(full_shape, layout.parts(len(full_shape)))):
        if size % parts:
            raise ValueError(
                f"For 'infer_slice_area_by_rank', dimension {axis} of the shape {tuple(full_shape)} cannot be cut into "
                f"{parts} equal parts."
            )
        shape.append(size // parts)
    return tuple([(first, first + size) for first, size in zip(*layout.box(rank_id, tuple(shape)))])


def infer_intersection(area_a: Area, area_b: Area) -> Area | None:
    """Return what two areas have in common, or None.

    Args:
        area_a, area_b: where they begin and end in each dimension.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.resharding import infer_intersection
        >>> infer_intersection(((0, 4),), ((2, 6),)), infer_intersection(((0, 2),), ((2, 4),))
        (((2, 4),), None)
    """
    found = tuple([(max(a, b), min(c, d)) for (a, c), (b, d) in zip(area_a, area_b)])
    return found if all(first < end for first, end in found) else None


class ReshardHandler:
    """What a process needs of the parts of others for its part in another layout.

    Args:
        param_name: the name of the parameter, for errors.
        full_shape: the shape of the whole tensor.
        from_layout: how the tensor lies. None: the process 0 has it whole.
        to_layout: how it shall lie. None: the process 0 has it whole.
        to_rank_id: the process.

    Raises:
        ValueError: both layouts are None, or the process is not one of `to_layout`.

    Examples:
        >>> import numpy as np
        >>> from torchspore.parallel.mesh.layouts import Layout
        >>> from torchspore.parallel.mesh.hyper_parallel.resharding import ReshardHandler
        >>> layout = Layout((2,), ("dp",), init_backend=False)("dp")
        >>> handler = ReshardHandler("weight", (4,), layout, None, 0)
        >>> handler.infer_all_tensor_offset()
        {0: ((0, 2),), 1: ((0, 2),)}
        >>> handler.get_real_tensor({0: np.array([1, 2]), 1: np.array([3, 4])})
        array([1, 2, 3, 4])
    """

    def __init__(
        self,
        param_name: str,
        full_shape: tuple[int, ...],
        from_layout: Layout | None,
        to_layout: Layout | None,
        to_rank_id: int,
    ) -> None:
        if from_layout is None and to_layout is None:
            raise ValueError("For 'ReshardHandler', one of 'from_layout' and 'to_layout' must be given.")
        self.param_name = param_name
        self.full_shape = tuple(full_shape)
        self.from_mesh_shape, self.from_tensor_map, self.from_rank_list = self._parts(from_layout, "from_layout")
        self.to_mesh_shape, self.to_tensor_map, self.to_rank_list = self._parts(to_layout, "to_layout")
        self.to_rank_id = 0 if to_layout is None else to_rank_id
        if self.to_rank_id not in self.to_rank_list:
            raise ValueError(
                f"For 'ReshardHandler', 'to_rank_id' must be one of the ranks {self.to_rank_list} of 'to_layout', "
                f"but got {to_rank_id}."
            )
        self.global_union_area_map: dict[int, Area] = {}
        self._target: Area = ()

    def _parts(self, layout: Any, name: str) -> tuple[tuple[int, ...], tuple[Any, ...], list[int]]:
        """Return the mesh, the map and the ranks of a layout."""
        if layout is None:
            return (1,), (-1,) * len(self.full_shape), [0]
        if not isinstance(layout, Layout):
            raise TypeError(f"For 'ReshardHandler', '{name}' must be a Layout or None, but got {describe(layout)}.")
        found = layout.to_dict()
        return found["mesh_shape"], found["tensor_map"], list(found["rank_list"])

    def infer_all_tensor_offset(self) -> dict[int, Area]:
        """Return which area of the part of each other process this one needs, by their ranks.

        The attribute `global_union_area_map` then has the same areas in the whole tensor. Of processes with the same
        part, the first one is asked.
        """
        place = self.to_rank_list.index(self.to_rank_id)
        self._target = infer_slice_area_by_rank(self.to_mesh_shape, self.to_tensor_map, place, self.full_shape)
        self.global_union_area_map.clear()
        found: dict[int, Area] = {}
        known = set()
        for position, rank in enumerate(self.from_rank_list):
            area = infer_slice_area_by_rank(self.from_mesh_shape, self.from_tensor_map, position, self.full_shape)
            common = infer_intersection(area, self._target)
            if common is None or area in known:
                continue
            known.add(area)
            self.global_union_area_map[rank] = common
            found[rank] = tuple([(first - own, end - own) for (first, end), (own, _) in zip(common, area)])
        return found

    def get_real_tensor(self, from_tensor_map: Mapping[int, np.ndarray]) -> np.ndarray:
        """Return the part of this process.

        Args:
            from_tensor_map: the areas of `infer_all_tensor_offset`, by the ranks of the processes that have them.

        Raises:
            ValueError: one is missing or has another shape.
        """
        for rank, area in self.global_union_area_map.items():
            shape = tuple([end - first for first, end in area])
            given = None if rank not in from_tensor_map else from_tensor_map[rank].shape
            if given != shape:
                raise ValueError(
                    f"For 'ReshardHandler', '{self.param_name}' needs an array of the shape {shape} of process {rank}, "
                    f"but got {given}."
                )
        areas = self.global_union_area_map
        if not areas:
            raise ValueError("For 'ReshardHandler', call 'infer_all_tensor_offset' before 'get_real_tensor'.")
        dtype = from_tensor_map[next(iter(areas))].dtype
        result = np.empty([end - first for first, end in self._target], dtype)
        for rank, area in areas.items():
            place = [slice(first - own, end - own) for (first, end), (own, _) in zip(area, self._target)]
            result[tuple(place)] = from_tensor_map[rank]
        return result
