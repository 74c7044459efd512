"""Compilation, and other names that programs import from MindSpore's `common.api`.

MindSpore: `mindspore.common.api`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.private_torch import set_forward_grad_enabled
from torchspore.engine.jit import *  # noqa: F403

__all__: list[str] = []


def _function_forbid_reuse(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function unchanged: graphs contain each call separately."""
    return fn


class _PyNativeExecutor:
    """The executor of eager operations."""

    def sync(self) -> None:
        """Wait until the device is idle."""
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()

    def enable_grad(self) -> bool:
        """Return whether results have gradients."""
        return torch.is_grad_enabled()

    def set_enable_grad(self, flag: bool) -> None:
        """Set whether results have gradients, in this thread."""
        torch.set_grad_enabled(flag)
        set_forward_grad_enabled(flag)


_pynative_executor = _PyNativeExecutor()
