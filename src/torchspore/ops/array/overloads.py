"""Functions made from others: their names and docstrings, and Tensor methods that know an argument by two names."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torchspore.engine.op import attach

__all__ = ["documented", "renaming_method"]


def documented(function: Callable[..., Any], name: str, doc: str | None = None) -> Any:
    """Set the name of a function, and its docstring unless `doc` is None; return the function."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc or function.__doc__
    return function


def renaming_method(name: str, function: Callable[..., Any], **renamed: str) -> None:
    """Make an operation a Tensor method that also knows some of its parameters by other names.

    Args:
        name: the name of the method.
        function: the operation; the tensor is its first argument.
        renamed: second name=the operation's name.
    """

    signature = inspect.signature(function)
    places = list(signature.parameters)

    def method(self: Any, *args: Any, **named: Any) -> Any:
        if not named:  # the usual call
            return function(self, *args)
        for second in renamed.keys() & named.keys():
            first = renamed[second]
            if named[second] is None:  # the default, which primitives pass
                del named[second]
                continue
            if first in named or places.index(first) <= len(args):
                raise TypeError(f"For 'Tensor.{name}', '{second}' and '{first}' are the same; give one of them.")
            named[first] = named.pop(second)
        return function(self, *args, **named)

    method.__signature__ = _with_second_names(signature, renamed)  # type: ignore[attr-defined]
    attach(documented(method, name, function.__doc__), name)


def _with_second_names(signature: inspect.Signature, renamed: dict[str, str]) -> inspect.Signature:
    parameters = []
    is_optional = False
    for p in signature.parameters.values():
        is_optional |= p.name in renamed.values()
        needs_default = is_optional and p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
        parameters.append(p.replace(default=None) if needs_default else p)
    seconds = [
        inspect.Parameter(
            second, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=signature.parameters[first].annotation
        )
        for second, first in renamed.items()
    ]
    return signature.replace(parameters=[*parameters, *seconds])
