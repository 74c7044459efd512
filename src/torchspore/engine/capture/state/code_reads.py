"""What the code of a function names: globals, attributes, modules that it imports."""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator
from typing import Any

__all__ = ["all_code", "all_names", "attribute_reads", "full_name", "global_names", "imports", "names_read"]

_ATTRIBUTE_STEPS = ("LOAD_ATTR", "LOAD_METHOD")
_GLOBAL_STEPS = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")


def all_code(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yield the code of a function, and of those inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_code(constant)


@functools.lru_cache(maxsize=4096)
def all_names(code: types.CodeType) -> frozenset[str]:
    """Return the globals and attributes that a function, or one inside it, names."""
    return frozenset().union(*[inner.co_names for inner in all_code(code)])


@functools.lru_cache(maxsize=4096)
def global_names(code: types.CodeType) -> frozenset[str]:
    """Return the globals that a function, or one inside it, reads or sets."""
    steps = [step for inner in all_code(code) for step in dis.get_instructions(inner)]
    return frozenset([step.argval for step in steps if step.opname in _GLOBAL_STEPS])


def full_name(name: str, level: int, found: dict[str, Any]) -> str:
    """Return the name of a module that code with these globals imports."""
    if not level:
        return name
    package = (found.get("__package__") or "").split(".")
    return ".".join([*package[: len(package) - level + 1], *([name] if name else [])])


@functools.lru_cache(maxsize=4096)
def imports(code: types.CodeType) -> tuple[tuple[str, int, tuple[str, ...], str], ...]:
    """Return what a function imports: a module, the level of a relative import, names from it, its variable."""
    found = []
    for inner in all_code(code):
        steps = _steps(inner)
        found += [
            (step.argval, steps[i - 2].argval, steps[i - 1].argval or (), str(steps[i + 1].argval))
            for i, step in enumerate(steps)
            if step.opname == "IMPORT_NAME"
        ]
    return tuple(found)


def _steps(code: types.CodeType) -> list[dis.Instruction]:
    return [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"]


@functools.lru_cache(maxsize=4096)
def names_read(code: types.CodeType) -> frozenset[str]:
    """Return the attributes that a function itself reads, from anything."""
    return frozenset([step.argval for step in _steps(code) if step.opname in _ATTRIBUTE_STEPS])


@functools.lru_cache(maxsize=4096)
def attribute_reads(code: types.CodeType) -> frozenset[tuple[str, ...]]:
    """Return the chains of attributes that a function reads from variables: `a.b.c` is ("a", "b", "c")."""
    chains: list[tuple[str, ...]] = []
    for inner in all_code(code):
        for step in _steps(inner):
            if step.opname in _ATTRIBUTE_STEPS and chains:
                chains[-1] = (*chains[-1], step.argval)
            else:
                chains.append((step.argval,) if step.opname.startswith("LOAD_") else ())
    return frozenset([chain for chain in chains if len(chain) > 1 and isinstance(chain[0], str)])
