"""Tensor methods that take an argument under a second name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common.tensor import Tensor

__all__ = ["renaming_method"]


def renaming_method(name: str, function: Callable[..., Any], **renamed: str) -> None:
    """Make an operation a Tensor method that also knows some of its parameters by other names.

    Args:
        name: the name of the method.
        function: the operation; the tensor is its first argument.
        renamed: second name=the operation's name.
    """

    def method(self: Tensor, *args: Any, **named: Any) -> Any:
        for second in renamed.keys() & named.keys():
            first = renamed[second]
            if first in named:
                raise TypeError(f"For 'Tensor.{name}', '{second}' and '{first}' are the same; give one of them.")
            named[first] = named.pop(second)
        return function(self, *args, **named)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = function.__doc__
    setattr(Tensor, name, method)
