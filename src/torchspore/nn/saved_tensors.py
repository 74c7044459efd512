"""Hooks for what a forward pass keeps for the backward pass."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import TracebackType
from typing import Any

import torch

from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.engine.parameters import take_as

__all__ = ["register_saved_tensors_hooks", "saved_tensors_hooks"]


class saved_tensors_hooks:
    """A `with` block in which tensors that the backward pass needs go through a function, and back through another.

    Args:
        pack_hook: takes a Tensor, when it is kept, and returns any object, which is kept instead.
        unpack_hook: takes such an object, when the backward pass needs it, and returns the Tensor.

    Examples:
        >>> import torchspore as ms
        >>> def square(x):
        ...     with ms.saved_tensors_hooks(lambda x: x.asnumpy() + 1, ms.Tensor):
        ...         return x * x
        >>> print(ms.grad(square)(ms.Tensor([3.0])))
        [8.]
    """

    _failure: TypeError | None = None

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        for name, hook in (("pack_hook", pack_hook), ("unpack_hook", unpack_hook)):
            take_as(Callable, hook, name, "saved_tensors_hooks")

        def pack(value: torch.Tensor) -> Any:
            with torch.no_grad():
                given = wrap(value)
                try:
                    packed = pack_hook(given)
                except TypeError as error:  # which Python's operators take for operands that they do not know
                    self._failure = error
                    raise RuntimeError("a hook failed") from error
                # Not the Tensor itself: a later write into its memory rebinds all Tensors over it, and must not
                # change what is kept.
                return value if packed is given else packed

        def unpack(packed: Any) -> torch.Tensor:
            found = unpack_hook(wrap(packed) if isinstance(packed, torch.Tensor) else packed)
            if not isinstance(found, Tensor):
                raise TypeError(
                    f"For 'saved_tensors_hooks', 'unpack_hook' must return a Tensor, but returned {describe(found)}."
                )
            return found._t

        self._hooks = pack, unpack
        self._open: list[Any] = []

    def __enter__(self) -> None:
        self._failure = None
        context = torch.autograd.graph.saved_tensors_hooks(*self._hooks)
        context.__enter__()
        self._open.append(context)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.pop().__exit__(kind, error, trace)
        failure, self._failure = self._failure, None
        if failure is not None and error is not None:
            raise failure from None


@named
def register_saved_tensors_hooks(
    pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function to run in a block of `saved_tensors_hooks`.

    Arguments as for `saved_tensors_hooks`.

    Examples:
        >>> import torchspore as ms
        >>> @ms.register_saved_tensors_hooks(lambda x: x + 1, lambda x: x)
        ... def square(x):
        ...     return x * x
        >>> print(ms.jit(ms.grad(square))(ms.Tensor([3.0])))
        [8.]
    """
    saved_tensors_hooks(pack_hook, unpack_hook)  # checks them now

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def hooked(*args: Any, **kwargs: Any) -> Any:
            with saved_tensors_hooks(pack_hook, unpack_hook):  # a block changes when it is entered
                return function(*args, **kwargs)

        return hooked

    return decorate
