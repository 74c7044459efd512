"""The layout of a tensor on a grid of devices: a description."""

from __future__ import annotations

import math
from typing import Annotated, Any

from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import NotNegative, Positive, Rule, Where, checked

__all__ = ["Layout"]

_VIRTUAL = "interleaved_parallel"
_WHOLE = "None"
_Names = Annotated[
    tuple[str, ...],
    Where("different names, none of them '' or 'None'", lambda names: len({*names, "", _WHOLE}) == len(names) + 2),
    Where(f"names of which '{_VIRTUAL}' is the last", lambda names: _VIRTUAL not in names[:-1]),
]
_Ranks = Annotated[list[NotNegative], Where("unique numbers", lambda ranks: len(set(ranks)) == len(ranks))]


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

    @checked(
        Rule(
            "'alias_name' must have one name for each axis",
            lambda device_matrix, alias_name: len(device_matrix) == len(alias_name),
        ),
        Rule(
            "'rank_list' must have a number for each device",
            lambda device_matrix, rank_list: rank_list is None or len(rank_list) == math.prod(device_matrix),
        ),
    )
    def __init__(
        self, device_matrix: tuple[Positive, ...], alias_name: _Names, rank_list: _Ranks | None = None
    ) -> None:
        self._device_matrix = device_matrix
        self._alias_name = alias_name
        self._rank_list = list(range(math.prod(device_matrix))) if rank_list is None else rank_list
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
