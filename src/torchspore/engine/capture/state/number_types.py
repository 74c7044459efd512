"""Types of numbers and sizes that are inputs of a graph: the user's code sees ints and floats, not torch's symbols."""

from __future__ import annotations

import builtins
import dis
import functools
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch

from torchspore.common.frames.stack import caller, code_of

__all__ = ["asks_types", "holds_symbol", "plain_types"]

_isinstance, _issubclass = builtins.isinstance, builtins.issubclass
_MAX_DEPTH = 4  # of containers


@contextmanager
def plain_types(codes: Mapping[int, types.CodeType]) -> Iterator[None]:
    """Have `isinstance` answer for symbols as for plain numbers.

    Args:
        codes: by id, the code of the user's functions, for which it does; torch distinguishes the two.
    """
    if not any("isinstance" in code.co_names for code in codes.values()):
        yield
        return

    def check(value: Any, kinds: Any) -> bool:
        if _isinstance(value, kinds):
            return True
        plain = _plain(value)
        return plain is not None and _issubclass(plain, kinds) and id(code_of(caller())) in codes

    before = builtins.isinstance
    builtins.isinstance = check
    try:
        yield
    finally:
        builtins.isinstance = before


@functools.lru_cache(maxsize=4096)
def asks_types(code: types.CodeType) -> bool:
    """Return whether a function may ask for a type in another way: by `type`, `__class__` or a class pattern."""
    return any(
        step.opname == "MATCH_CLASS"
        or (step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval == "type")
        or (step.opname == "LOAD_ATTR" and step.argval == "__class__")
        for step in dis.get_instructions(code)
    )


def holds_symbol(values: Iterable[Any], depth: int = 0) -> bool:
    """Return whether one of some values is a symbol, or a tuple, list or dict with one inside."""
    for value in values:
        if _plain(value) is not None:
            return True
        elements = value.values() if _isinstance(value, dict) else value if _isinstance(value, (tuple, list)) else ()
        if depth < _MAX_DEPTH and holds_symbol(elements, depth + 1):
            return True
    return False


def _plain(value: Any) -> type | None:
    """Return the plain type of a symbol; None for other values, whose classes need not have a hash."""
    kind = type(value)
    if kind is torch.SymInt:
        return int
    return float if kind is torch.SymFloat else bool if kind is torch.SymBool else None
