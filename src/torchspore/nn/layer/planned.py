"""The base of layers whose attributes are prepared as the arguments of an operation."""

from __future__ import annotations

from typing import Any

from torchspore.nn.cell import Cell

__all__ = ["Planned", "innermost", "single"]


class Planned(Cell):
    """A layer that prepares arguments from its attributes once, and again after one of them is set.

    Subclasses define `_make_plan`, call `self._plan or self._planned()` where they compute, and `self._planned()` at
    the end of the constructor, which refuses what does not fit.
    """

    _plan: Any = None
    _caches = Cell._caches | {"_plan"}

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__["_plan"] = None
        super().__setattr__(name, value)

    def _planned(self) -> Any:
        plan = self.__dict__["_plan"] = self._make_plan()
        return plan

    def _make_plan(self) -> Any:
        """Return the prepared arguments, not empty, or refuse the attributes."""
        raise NotImplementedError(f"For '{type(self).__name__}', define '_make_plan'.")


def innermost(value: Any, count: int, ends: int = 1) -> Any:
    """Return the numbers of the last dimension if `count` is 1: as in MindSpore, layers show outer ones too."""
    return tuple(value[-ends:]) if count == 1 and isinstance(value, (tuple, list)) else value


def single(value: Any) -> Any:
    """Return the element of a tuple of one, anything else unchanged."""
    return value[0] if isinstance(value, (tuple, list)) and len(value) == 1 else value
