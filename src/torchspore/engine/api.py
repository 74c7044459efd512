"""Compilation, and what else programs import from MindSpore's module of it.

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
    """Return a function as it is: graphs hold every call of it by itself."""
    return fn


class _PyNativeExecutor:
    """What runs operations one by one."""

    def sync(self) -> None:
        """Wait until the device has done what it was given."""
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()

    def enable_grad(self) -> bool:
        """Return whether results have gradients."""
        return torch.is_grad_enabled()

    def set_enable_grad(self, flag: bool) -> None:
        """Say whether results have gradients, in this thread."""
        torch.set_grad_enabled(flag)
        set_forward_grad_enabled(flag)


_pynative_executor = _PyNativeExecutor()
