"""The layout of a tensor on a grid of devices: a description."""

from __future__ import annotations

import math
from typing import Any

from torchspore.engine.failures.errors import describe

__all__ = ["Layout"]

_VIRTUAL = "interleaved_parallel"
_WHOLE = "None"


class Layout:
    """A grid of devices with named axes; calling it assigns axes to the dimensions of a tensor.

    It is a description: tensors are not split here.

    Args:
        device_matrix: the sizes of the grid, a tuple of ints >= 1.
        alias_name: the names of its axes, a tuple of unique strings other than "None". "interleaved_parallel", a
            virtual axis, is the last.
        rank_list: the ranks of the processes in the grid, a list of unique ints >= 0. Default: None, those from 0 on.

    Inputs:
        tensor_map: for each dimension of the tensor the name of an axis, a tuple of such names, or "None", which does
            not split the dimension.

    Outputs:
        A new Layout.

    Raises:
        ValueError: a size or rank is out of range, the names do not fit the sizes or ranks, or an axis is named twice
            or unknown.

    Examples:
        >>> import torchspore as ms
        >>> layout = ms.Layout((2, 2), ("dp", "mp"))
        >>> layout("dp", "None").to_dict()["tensor_map"]
        (1, -1)
    """

    def __init__(
        self, device_matrix: tuple[int, ...], alias_name: tuple[str, ...], rank_list: list[int] | None = None
    ) -> None:
        _check_tuple(device_matrix, "device_matrix", int)
        if min(device_matrix, default=1) < 1:
            raise ValueError(f"For 'Layout', the sizes in 'device_matrix' must be >= 1, but got {device_matrix}.")
        _check_tuple(alias_name, "alias_name", str)
        _check_names(device_matrix, alias_name)
        count = math.prod(device_matrix)
        self._device_matrix = device_matrix
        self._alias_name = alias_name
        self._rank_list = list(range(count)) if rank_list is None else _checked_ranks(rank_list, count)
        self._tensor_map: tuple[Any, ...] | None = None

    def __call__(self, *tensor_map: str | tuple[str, ...]) -> Layout:
        named = [name for item in tensor_map for name in (item if isinstance(item, tuple) else (item,))]
        for name in named:
            if name != _WHOLE and name not in self._alias_name:
                raise ValueError(
                    f"For 'Layout', the names of axes are {self._alias_name} and 'None', but got {describe(name)}."
                )
            if name != _WHOLE and named.count(name) > 1:
                raise ValueError(f"For 'Layout', each axis can split one dimension, but '{name}' is named twice.")
        made = Layout(self._device_matrix, self._alias_name, self._rank_list)
        made._tensor_map = tuple(
            tuple(map(self._position, item)) if isinstance(item, tuple) else self._position(item) for item in tensor_map
        )
        return made

    def _position(self, name: str) -> int:
        """Return the position of an axis, counted from the last; -1 for none."""
        return -1 if name == _WHOLE else len(self._alias_name) - 1 - self._alias_name.index(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the grid, the axes of the dimensions, counted from the last, and the ranks; ValueError without."""
        if self._tensor_map is None:
            raise ValueError("For 'Layout', the dimensions have no axes yet. Call the layout with the names of axes.")
        return {
            "device_matrix": self._device_matrix,
            "tensor_map": self._tensor_map,
            "interleaved_parallel": _VIRTUAL in self._alias_name,
            "alias_name": self._alias_name,
            "rank_list": self._rank_list,
        }


def _check_tuple(value: Any, name: str, kind: type) -> None:
    if not isinstance(value, tuple) or not all(isinstance(item, kind) for item in value):
        raise TypeError(f"For 'Layout', '{name}' must be a tuple of {kind.__name__}, but got {describe(value)}.")


def _check_names(device_matrix: tuple[int, ...], names: tuple[str, ...]) -> None:
    if len(device_matrix) != len(names):
        raise ValueError(
            f"For 'Layout', 'alias_name' must have one name for each of the {len(device_matrix)} axes, but got {names}."
        )
    if len(set(names)) < len(names) or "" in names or _WHOLE in names:
        raise ValueError(
            f"For 'Layout', the names in 'alias_name' must differ, and be neither '' nor 'None', but got {names}."
        )
    if _VIRTUAL in names[:-1]:
        raise ValueError(f"For 'Layout', '{_VIRTUAL}' must be the last name in 'alias_name', but got {names}.")


def _checked_ranks(ranks: Any, count: int) -> list[int]:
    if not isinstance(ranks, list) or not all(isinstance(rank, int) for rank in ranks):
        raise TypeError(f"For 'Layout', 'rank_list' must be a list of ints, but got {describe(ranks)}.")
    if len(ranks) != count:
        raise ValueError(f"For 'Layout', 'rank_list' must have {count} numbers, but got {len(ranks)}.")
    if min(ranks, default=0) < 0 or len(set(ranks)) < count:
        raise ValueError(f"For 'Layout', the ranks in 'rank_list' must be unique and >= 0, but got {ranks}.")
    return ranks
