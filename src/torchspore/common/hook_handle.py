"""Handles that remove hooks, and the gradients that hooks return."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.common import change_count
from torchspore.common.conversion import as_torch

__all__ = ["HookHandle", "unwrap_gradient"]


class HookHandle:
    """Removes a hook: `handle.remove()`."""

    def __init__(self, hooks: dict[Any, Any]) -> None:
        self._hooks = hooks
        self.inner: Any = None

    def remove(self) -> None:
        """Remove the hook; a second call has no effect."""
        self._hooks.pop(self, None)
        change_count.increase()
        if self.inner is not None:
            self.inner.remove()


def unwrap_gradient(gradient: Any, like: torch.Tensor) -> torch.Tensor | None:
    """Return a user's gradient (a Tensor, a number or None) as a torch tensor of `like`'s shape and dtype."""
    if gradient is None:
        return None
    value = as_torch(gradient, None)
    if value.dtype is not like.dtype:
        value = value.to(like.dtype)
    return value if value.shape == like.shape else value.expand(like.shape)
