"""Blocks in which every operation goes through a user's method.

MindSpore: `mindspore.utils.MsDispatchMode`.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from types import TracebackType
from typing import Any

import torch

from torchspore.common.private_torch import DispatchMode, tree_map_only
from torchspore.common.tensor import Tensor, wrap

__all__ = ["MsDispatchMode"]


class _Operation:
    """One call of an operation of PyTorch, for `MsDispatchMode`: its name, and a function of Tensors.

    Keyword arguments of the original call are used even if it is called without them.
    """

    def __init__(self, overload: Any, kwargs: dict[str, Any]) -> None:
        self.name: str = overload.overloadpacket.__name__
        self._overload = overload
        self._kwargs = kwargs

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _wrapped(self._overload(*_unwrapped(args), **_unwrapped({**self._kwargs, **kwargs})))

    def __repr__(self) -> str:
        return f"<operation {self.name}>"


class MsDispatchMode(ContextDecorator):
    """A `with` block, or a decorator of functions, in which every operation goes through `__ms_dispatch__`.

    A subclass defines that method. It gets the operations of PyTorch that MindSpore's are made of, in the
    backward pass too, by PyTorch's names: "add", "mul". In a block inside a block the inner method is called;
    what it calls goes through the outer one. What runs in the method itself goes through no method again.

    Examples:
        >>> import torchspore as ms
        >>> class Names(ms.MsDispatchMode):
        ...     def __ms_dispatch__(self, func, args, kwargs=None):
        ...         print(func.name)
        ...         return func(*args)
        >>> x = ms.Tensor([1.0, 2.0])
        >>> with Names():
        ...     y = x * 2 + x
        mul
        add
    """

    def __init__(self) -> None:
        self._open: list[_Mode] = []

    def __ms_dispatch__(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
        """Return the result of an operation.

        Args:
            func: the operation: `func.name` is its name, and `func(*args)` computes it.
            args: its arguments, Tensors and others.
            kwargs: its keyword arguments; `func` knows them.

        Raises:
            NotImplementedError: the subclass does not define it.
        """
        raise NotImplementedError(f"For '{type(self).__name__}', '__ms_dispatch__' must be defined.")

    def __enter__(self) -> MsDispatchMode:
        mode = _Mode(self)
        mode.__enter__()
        self._open.append(mode)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.pop().__exit__(kind, error, trace)


class _Mode(DispatchMode):
    """PyTorch's form of a block: a new one for each, so that blocks may be entered again."""

    def __init__(self, owner: MsDispatchMode) -> None:
        super().__init__()
        self._owner = owner

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = _wrapped(kwargs or {})
        return _unwrapped(self._owner.__ms_dispatch__(_Operation(func, kwargs), _wrapped(args), kwargs))


def _wrapped(value: Any) -> Any:
    return tree_map_only(torch.Tensor, wrap, value)


def _unwrapped(value: Any) -> Any:
    return tree_map_only(Tensor, lambda tensor: tensor._t, value)
