"""Functions whose code is generated when they are called for the first time.

There are a thousand wrappers of operations, of which a program calls a few: compiling all of them took half the time of
the import.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

__all__ = [
    "ABSENT", "argument", "complete", "define", "generated", "parameter_list", "refuse_absent", "regenerated",
]  # fmt: skip

ABSENT = object()
"""Stands for an argument that has no default and is not given."""


def generated(generate: Callable[[dict[str, Any]], Any], name: str, module: str, **names: Any) -> Any:
    """Return a function whose code is generated at its first call.

    Args:
        generate: a function of the globals of the code, to which it may add. It returns a function, whose code and
            defaults are used. Threads that call the new function at the same time may each run it.
        name: the name of the new function.
        module: its module, which tracebacks and warnings show.
        **names: the globals. One more is `FUNCTION`, the new function itself.
    """
    scope = {**names, "__name__": module, "_generate": generate, "_names": names, "_complete": complete}
    function = FunctionType(_first_call.__code__, scope, name)
    scope["FUNCTION"] = function
    function.__qualname__ = name
    return function


def regenerated(
    function: Any, name: str, module: str, alter: Callable[[Any], Any] = lambda made: made, **names: Any
) -> Any:
    """Return a function with the source of another one.

    Args:
        function: the other function, which `generated` made.
        name: the name of the new function.
        module: its module.
        alter: a function of the generated function that returns the one to use.
        **names: the globals that are different.
    """
    generate = function.__globals__["_generate"]
    return generated(lambda scope: alter(generate(scope)), name, module, **function.__globals__["_names"] | names)


def complete(function: Any) -> Any:
    """Generate the code of a function now; return the function."""
    made = function.__globals__["_generate"](function.__globals__)
    function.__defaults__, function.__kwdefaults__ = made.__defaults__, made.__kwdefaults__
    function.__code__ = made.__code__.replace(co_name=function.__name__)
    return function


def _first_call(*args: Any, **kwargs: Any) -> Any:
    return _complete(FUNCTION)(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


def parameter_list(parameters: Iterable[inspect.Parameter], scope: dict[str, Any]) -> str:
    """Return the source of the parameters of a function; add their defaults to its globals."""
    parts: list[str] = []
    by_name = False
    for p in parameters:
        star = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        if p.kind is p.KEYWORD_ONLY and not by_name:
            parts.append("*")
        by_name = by_name or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        if p.default is p.empty:
            parts.append(star + p.name)
        else:
            parts.append(f"{p.name}=_default_{p.name}")
            scope[f"_default_{p.name}"] = p.default
        if p.kind is p.POSITIONAL_ONLY:
            parts = [*[part for part in parts if part != "/"], "/"]
    return ", ".join(parts)


def refuse_absent(function: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Raise Python's error for arguments that are not given, unless all are.

    Args:
        function: the function.
        args: its arguments in the order of its parameters, `ABSENT` for those that are not given.
        named: those that it takes by name only.
    """
    for values, way in (
        (dict(zip(inspect.signature(function).parameters, args)), "positional"),
        (named, "keyword-only"),
    ):
        names = [repr(name) for name, value in values.items() if value is ABSENT]
        if names:
            *first, last = names
            listed = f"{', '.join(first)}{',' * (len(first) > 1)} and {last}" if first else last
            text = f"{len(names)} required {way} argument{'s' * bool(first)}: {listed}"
            raise TypeError(f"{function.__qualname__}() missing {text}") from None


def argument(p: inspect.Parameter, value: str | None = None) -> str:
    """Return the source that passes a value to a parameter; by default, the variable of the parameter's name."""
    prefixes: dict[Any, str] = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**", p.KEYWORD_ONLY: f"{p.name}="}
    return prefixes.get(p.kind, "") + (value or p.name)


def define(source: str, label: str, scope: dict[str, Any]) -> Any:
    """Run the source of a function, which tracebacks and debuggers can show; return the function.

    Args:
        source: the source.
        label: what tracebacks show in place of a file's name.
        scope: the globals.
    """
    found: dict[str, Any] = {}
    exec(compile(source, _file(label, source), "exec"), scope, found)
    (function,) = found.values()
    return function


def _file(label: str, source: str) -> str:
    """Return the name of a file with some source, which exists for tracebacks and debuggers only."""
    name, number = f"<{label}>", 1
    lines = source.splitlines(keepends=True)
    while linecache.getlines(name) not in ([], lines):  # a function and a method may share a name
        number += 1
        name = f"<{label} {number}>"
    linecache.cache[name] = (len(source), None, lines, name)
    return name
