"""Printing from captured graphs: what `print` is given while a function is traced is printed at each run."""

from __future__ import annotations

import builtins
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from torchspore.common.frames.profiling import unwatched
from torchspore.common.private_torch import EffectType, is_functorch_wrapped_tensor, register_effectful_op
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.recording.source_lines import user_line
from torchspore.engine.capture.state.signature import Same, signature
from torchspore.engine.values.nested import filled, map_tensors, tensors

__all__ = ["deferred_prints", "emit", "recorded_prints"]

_print = builtins.print
_NOTHING = torch.empty(0)


class _Job(NamedTuple):
    parts: tuple[Any, ...]  # text, or nested values whose tensors are filled in
    text: Callable[[Any], str]
    options: dict[str, Any]


_jobs: list[_Job] = []
_numbers: dict[Any, int] = {}


def emit(args: tuple[Any, ...], text: Callable[[Any], str], options: dict[str, Any]) -> None:
    """Print now, or have the graph that is being recorded print at each run.

    Args:
        args: what to print.
        text: converts one part to text: `str` or `repr`.
        options: options of `print`.
    """
    if scope.tracing is None:
        _print(*map(text, args), **options)
        return
    if any(is_functorch_wrapped_tensor(tensor._t) for tensor in tensors(args)):
        scope.tracing.refuse("it prints a value inside 'vmap' or another transformation")
        _print(*map(text, args), **options)
        return
    leaves: list[Tensor] = []
    parts = tuple([_part(arg, text) for arg in args])
    marks = tuple([part if isinstance(part, str) else signature(part, leaves) for part in parts])
    key = (user_line(), marks, text, tuple((name, Same(value)) for name, value in options.items()))
    if key not in _numbers:
        _numbers[key] = len(_jobs)
        _jobs.append(_Job(tuple([_emptied(part) for part in parts]), text, options))
    torch.ops.torchspore.print([leaf._t.detach() for leaf in leaves], _numbers[key])


def _part(value: Any, text: Callable[[Any], str]) -> Any:
    """Return the text of a part, or the part itself if it contains tensors."""
    return value if any(type(tensor) is Tensor for tensor in tensors(value)) else text(value)


def _emptied(part: Any) -> Any:
    return part if isinstance(part, str) else map_tensors(lambda _: wrap(_NOTHING), part)


@unwatched
def _run(values: list[torch.Tensor], number: int) -> None:
    job = _jobs[number]
    given = iter(values)
    parts = []
    tracing, scope.tracing = scope.tracing, None  # the call may be recorded while it runs
    try:
        for part in job.parts:
            own = [] if isinstance(part, str) else [next(given) for _ in tensors(part)]
            parts.append(part if isinstance(part, str) else job.text(filled(part, own)))
    finally:
        scope.tracing = tracing
    deferred = _deferred.texts
    if deferred is None:
        _print(*parts, **job.options)
    else:
        deferred.append((parts, job.options))


class _Deferred(threading.local):
    texts: list[tuple[list[str], dict[str, Any]]] | None = None


_deferred = _Deferred()


@contextmanager
def deferred_prints() -> Iterator[list[Any]]:
    """Defer what a run prints until the block ends; emptying the list discards it."""
    before, _deferred.texts = _deferred.texts, []
    texts = _deferred.texts
    try:
        yield texts
    finally:
        _deferred.texts = before
        for parts, options in texts:
            _print(*parts, **options)


_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define("print(Tensor[] values, int number) -> ()")
_library.impl("print", _run, "CompositeExplicitAutograd")
_library.impl("print", lambda values, number: None, "Meta")
register_effectful_op(torch.ops.torchspore.print.default, EffectType.ORDERED)


@contextmanager
def recorded_prints() -> Iterator[None]:
    """Have Python's `print` go through `emit`."""

    def record(*args: Any, **options: Any) -> None:
        emit(args, str, options)

    before = builtins.print
    builtins.print = record
    try:
        yield
    finally:
        builtins.print = before
