"""Blocks without gradients."""

from __future__ import annotations

from contextlib import ContextDecorator, ExitStack
from types import TracebackType

import torch

from torchspore.common.private_torch import set_forward_grad_enabled

__all__ = ["_no_grad"]


class _no_grad(ContextDecorator):
    """A `with` block, or a decorator of functions, in which results are constants.

    Examples:
        >>> import torchspore as ms
        >>> def function(x):
        ...     with ms._no_grad():
        ...         factor = x * x
        ...     return factor * x
        >>> print(ms.grad(function)(ms.Tensor(3.0)))
        9.0
    """

    def __init__(self) -> None:
        self._open: list[ExitStack] = []

    def __enter__(self) -> None:
        with ExitStack() as stack:
            stack.enter_context(torch.no_grad())
            stack.enter_context(set_forward_grad_enabled(False))
            self._open.append(stack.pop_all())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.pop().__exit__(kind, error, trace)
