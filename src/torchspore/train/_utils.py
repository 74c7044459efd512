"""Folders and shapes, under names that packages import from `mindspore.train._utils`."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchspore.common.dtype import Type, dtype_to_nptype, pytype_to_dtype
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.nn.cell import Cell
from torchspore.ops.distributed import process_groups
from torchspore.parallel_context import ParallelMode  # noqa: F401 - packages import it from here

__all__: list[str] = []


def _make_directory(path: str, arg_name: str = "path") -> str:
    """Make a folder that may exist, and return its absolute path.

    Raises:
        ValueError: `path` is blank.
    """
    if not isinstance(path, str):
        raise TypeError(f"The {arg_name} must be a string, but got {describe(path)}.")
    if not path.strip():
        raise ValueError(f"The {arg_name} must not be blank, but got {path!r}.")
    os.makedirs(path, exist_ok=True)
    return os.path.realpath(path)


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any) -> None:
    """Check that a value is of one of some types; a bool is not an int.

    Raises:
        TypeError: it is not.
    """
    kinds = valid_types if isinstance(valid_types, (list, tuple)) else (valid_types,)
    if not isinstance(arg_value, tuple(kinds)) or (isinstance(arg_value, bool) and bool not in kinds):
        names = [kind.__name__ for kind in kinds]
        raise TypeError(f"'{arg_name}' must be of type {names}, but got {describe(arg_value)}.")


def _get_types_and_shapes(dataset: Any) -> tuple[list[Type], list[Any]]:
    """Return the data types and the shapes of the columns of a dataset."""
    return list(map(pytype_to_dtype, dataset.output_types())), dataset.output_shapes()


def _construct_tensor_list(
    types: Sequence[Type], shapes: Sequence[Sequence[int]], batch_expand_num: int = 1
) -> list[Tensor]:
    """Return tensors of zeros.

    Args:
        types: their data types.
        shapes: their shapes.
        batch_expand_num: the factor of the first dimension. Default: 1.

    Raises:
        ValueError: there are other numbers of types and of shapes.
    """
    if len(types) != len(shapes):
        raise ValueError(f"There must be a shape for each of {len(types)} types, but got {len(shapes)} shapes.")
    sizes = [(shape[0] * batch_expand_num, *shape[1:]) if len(shape) else () for shape in shapes]
    return [Tensor(np.zeros(size, dtype_to_nptype(kind))) for kind, size in zip(types, sizes)]


def get_parameter_redundancy(
    layout_obj: dict[str, Any] | Cell, initial_rank: int | None = None
) -> dict[str, tuple[tuple[int, ...], ...]]:
    """Return, for each parameter, the groups of processes that have the same part of it.

    Args:
        layout_obj: the layouts of parameters, as in `parameter_layout_dict`; of a Cell, all have the whole.
        initial_rank: the first process. Default: None, the first of this pipeline stage.
    """
    if isinstance(layout_obj, Cell):
        everyone = tuple(range(process_groups.get_world_size()))
        return dict.fromkeys(sorted(parameter.name for parameter in layout_obj.get_parameters()), (everyone,))
    found = {}
    for name, (grid, axes, *rest) in sorted(layout_obj.items()):
        count = math.prod(grid)
        first = process_groups.get_rank() // count * count if initial_rank is None else initial_rank
        groups: dict[tuple[int, ...], list[int]] = {}
        for rank in range(count):
            at = np.unravel_index(rank, tuple(grid))
            groups.setdefault(tuple(int(at[-1 - axis]) for axis in sorted({*axes} - {-1})), []).append(first + rank)
        parts = process_groups.get_world_size(rest[3]) if rest[3:] and rest[3] else 1  # an optimizer's states are cut
        found[name] = tuple(tuple(ranks[part::parts]) for _, ranks in sorted(groups.items()) for part in range(parts))
    return found


def remove_param_redundancy(
    param_redundancy_dict: dict[str, tuple[tuple[int, ...], ...]], keep_redundancy: int = 1
) -> dict[int, set[str]]:
    """Return the parameters that each process saves, so that each part is saved, in turn by the processes that have it.

    Args:
        param_redundancy_dict: the groups of processes of each parameter, from `get_parameter_redundancy`.
        keep_redundancy: how many processes save each part. Default: 1.
    """
    by_group: dict[tuple[int, ...], list[str]] = {}
    for name, groups in param_redundancy_dict.items():
        for group in groups:
            by_group.setdefault(group, []).append(name)
    found: dict[int, set[str]] = {}
    for turn in range(keep_redundancy):
        for group, names in by_group.items():
            for index, name in enumerate(names):
                found.setdefault(group[(turn + index) % len(group)], set()).add(name)
    return found


def _to_tensor(elem: Any, scaling_sens: float | None = None) -> Any:
    """Return arrays as tensors, in a tuple if there are several; other elements unchanged.

    Args:
        elem: an array, or elements.
        scaling_sens: a number that becomes a last tensor. Default: None.
    """
    elements = [elem] if not isinstance(elem, (list, tuple)) else elem
    found = [Tensor(element) if isinstance(element, np.ndarray) else element for element in elements]
    if scaling_sens is not None:
        found.append(Tensor(scaling_sens, pytype_to_dtype(np.float32)))
    return found[0] if len(found) == 1 and isinstance(elem, np.ndarray) else tuple(found)
