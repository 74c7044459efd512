"""What programs ask of `jit(capture_mode="bytecode")`: how often a function was captured, called, and run eagerly."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from torchspore.engine.capture.function import CapturedFunction

__all__ = ["CountedFunction", "get_code_extra"]


class _Counts:
    """The graphs of a function, its signatures that run eagerly, and its calls since either was last found."""

    captures = breaks = calls = 0


# By the function that Python defined: equal code objects may belong to several.
_counts: weakref.WeakKeyDictionary[Callable[..., Any], _Counts] = weakref.WeakKeyDictionary()


class CountedFunction(CapturedFunction):
    """A captured function whose calls are counted."""

    def __init__(
        self, fn: Callable[..., Any], settings: Mapping[str, Any] | None = None, name: str | None = None
    ) -> None:
        super().__init__(fn, settings, name)
        defined = _defined(fn)
        self._counts_of_all = _Counts() if defined is None else _counts.setdefault(defined, _Counts())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function."""
        captures, breaks, counts = self.captures, len(self._eager), self._counts_of_all
        counts.calls += 1
        try:
            return super().__call__(*args, **kwargs)
        finally:
            if (captures, breaks) != (self.captures, len(self._eager)):
                counts.captures += self.captures - captures
                counts.breaks += len(self._eager) - breaks
                counts.calls = 1


def _defined(function: Any) -> Callable[..., Any] | None:
    """Return the function that Python defined, below decorators and methods; None for other callables."""
    function = inspect.unwrap(getattr(function, "construct", function))
    function = getattr(function, "__func__", function)
    return function if inspect.isfunction(function) else None


def get_code_extra(function: Any) -> dict[str, Any] | None:
    """Return what became of a function that `jit(capture_mode="bytecode")` captures.

    Args:
        function: the function, decorated or not, or a method.

    Returns:
        None before its first call; else a dict with `stat`, `compile_count_` (the signatures), `break_count_` (the
        signatures that run eagerly) and `code`: `call_count_`, and `phase_` if a graph runs.
    """
    defined: Any = _defined(function)
    counts = None if defined is None else _counts.get(defined)
    if counts is None or not counts.calls:
        return None
    code = {"call_count_": counts.calls, "guard_": ""}
    code |= {"compiled_code_": defined.__code__} if counts.breaks else {"phase_": defined.__qualname__}
    compiled = counts.captures + counts.breaks
    return {"code": code, "stat": "GRAPH_CALLABLE", "compile_count_": compiled, "break_count_": counts.breaks}
