"""Tensors among the arguments of a captured function that it assigns to by index.

In MindSpore's graphs `x[i] = value` gives the name `x` another tensor: where `x` is an argument, the caller's tensor
stays. A captured function therefore gets copies of such arguments. Parameters are written, as are the tensors of
in-place methods.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import textwrap
from collections.abc import Callable
from types import CodeType
from typing import Any

from torchspore.common.tensor import Tensor, wrap

__all__ = ["copied", "written_arguments"]

_STORES = {dis.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in dis.opmap}


def written_arguments(fn: Callable[..., Any]) -> tuple[tuple[int, str], ...]:
    """Return the positions and names of the arguments that a function assigns to by index."""
    cell = getattr(fn, "__self__", None)
    fn = inspect.unwrap(getattr(cell, "construct", fn) if getattr(fn, "__name__", "") == "_run" else fn)
    code = getattr(fn, "__code__", None)
    if code is None or not _STORES.intersection(code.co_code[::2]):
        return ()
    is_bound = int(inspect.ismethod(fn))
    return tuple([(position - is_bound, name) for position, name in _written(code)])


@functools.cache
def _written(code: CodeType) -> list[tuple[int, str]]:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, TypeError, SyntaxError):
        return []  # without a source, or a lambda inside an expression
    names = {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name)
    }
    arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return [(position, name) for position, name in enumerate(arguments) if name in names]


def copied(
    written: tuple[tuple[int, str], ...], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments with copies of the tensors that a function assigns to by index."""
    positional, named = list(args), dict(kwargs)
    for position, name in written:
        if position < len(positional):
            positional[position] = _copy(positional[position])
        elif name in named:
            named[name] = _copy(named[name])
    return tuple(positional), named


def _copy(value: Any) -> Any:
    return wrap(value._t.clone()) if type(value) is Tensor else value
