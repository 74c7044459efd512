"""Tensors that show their values in a lower data type for the time of a call, as cells with `to_float` have them.

Operations read the lower values. What is assigned to such a tensor is in its own type, so counters and averages lose
nothing; elements that other operations write are converted back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch

__all__ = ["lowered", "own_type", "type_of"]


class _Lowered:
    """A tensor during the call.

    Args:
        tensor: the tensor.
        dtype: the type in which operations read it.
    """

    __slots__ = ("dtype", "low", "tensor", "version", "wide")

    def __init__(self, tensor: Any, dtype: torch.dtype) -> None:
        self.tensor, self.dtype = tensor, dtype
        self.lower()

    def lower(self) -> None:
        """Show the values in the lower type."""
        self.wide = self.tensor._t
        self.low = self.tensor._t = self.wide.to(self.dtype)
        self.version = self.low._version

    def restore(self) -> None:
        """Show the values in the tensor's own type, with those that were written meanwhile."""
        value, wide = self.tensor._t, self.wide
        if value is not self.low:  # a new value for the rest of the scope
            converted = value.to(wide.dtype)
            is_alike = value.shape == wide.shape
            self.tensor._t = torch.where(value == wide.to(value.dtype), wide, converted) if is_alike else converted
            return
        self.tensor._t = wide
        if value._version != self.version:  # written in place
            with torch.no_grad():
                wide.copy_(torch.where(value == wide.to(self.dtype), wide, value.to(wide.dtype)))


_current: dict[int, _Lowered] = {}  # by the tensor's id


@contextmanager
def lowered(tensors: Iterable[Any], dtype: torch.dtype) -> Iterator[None]:
    """Show floating-point tensors in a data type for the time of a block."""
    entries = {key: _Lowered(tensor, dtype) for key, tensor in {id(tensor): tensor for tensor in tensors}.items()}
    _current.update(entries)
    try:
        yield
    finally:
        for key, entry in entries.items():
            _current.pop(key, None)
            entry.restore()


@contextmanager
def own_type(tensor: Any) -> Iterator[torch.dtype | None]:
    """Show a tensor in its own type for the time of a block, which gets the type that operations read, if any."""
    entry = _current.get(id(tensor))
    if entry is None:
        yield None
        return
    entry.restore()
    try:
        yield entry.dtype
    finally:
        entry.lower()


def type_of(tensor: Any) -> torch.dtype:
    """Return the data type of a tensor, which is its own during such a call."""
    entry = _current.get(id(tensor)) if _current else None
    dtype: torch.dtype = (tensor._t if entry is None else entry.wide).dtype
    return dtype
