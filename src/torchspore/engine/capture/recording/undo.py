"""Undoing a call on real tensors: one that captures a cell ahead of its first call, or that looks for a fault."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from torchspore.common.private_torch import no_modes, storage_id
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.recording.random_state import RandomState
from torchspore.engine.capture.state.effects import Snapshot, contents, refill

__all__ = ["Undo"]


class Undo:
    """What a call changes: memory from before it, attributes, lists and dicts, and the state of random generators.

    Args:
        cells: the cells that the call can reach.
        tensors: the tensors that it can reach.
        arguments: its arguments, whose lists and dicts it may change. Default: None.
    """

    def __init__(self, cells: Iterable[Any], tensors: Sequence[Tensor] = (), arguments: Any = None) -> None:
        self._before = Snapshot(cells)
        self._containers = list(contents(arguments))
        self._values = [(tensor, tensor._t) for tensor in tensors]
        self._random = RandomState()
        self._memory = {storage_id(value.untyped_storage()) for _, value in self._values}
        self._copies: dict[int, tuple[torch.UntypedStorage, torch.UntypedStorage]] = {}

    def add(self, value: torch.Tensor) -> None:
        """Add the memory of another tensor from before the call."""
        self._memory.add(storage_id(value.untyped_storage()))

    def note(self, written: Sequence[torch.Tensor], values: Sequence[Any]) -> None:
        """Keep what an operation is about to change: the tensors that it writes to, generators among its arguments."""
        self._random.include(values, {})
        for value in written:
            storage = value.untyped_storage()
            key = storage_id(storage)
            if key in self._memory and key not in self._copies:
                with no_modes():
                    self._copies[key] = storage, storage.clone()

    def restore(self) -> None:
        """Restore everything."""
        for tensor, value in self._values:
            if tensor._t is not value:
                tensor._t = value
                if hasattr(tensor, "_storage"):
                    tensor._storage = value
        for storage, copy in self._copies.values():
            storage.copy_(copy)
        for container, items in self._containers:
            refill(container, items)
        self._before.restore()
        self._random.restore()
