"""The thread's profile function, which sees the functions that run without changing them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

_P = TypeVar("_P", bound="Profiled")


def can_watch() -> bool:
    """Return whether the thread's profile function can be restored; one in C, such as torch's profiler, cannot."""
    profiler: Any = sys.getprofile()
    return profiler is None or callable(profiler) or hasattr(profiler, "enable")


class Profiled:
    """A `with` block in which the thread's profile function is `_see`, which subclasses define."""

    _see: Callable[[FrameType, str, Any], None]
    _before: Any = None

    def __enter__(self: _P) -> _P:
        self._before = _paused()
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        _resume(self._before)


def _paused() -> Any:
    """Stop the thread's profile function, and return it: a function, or the object of `cProfile`."""
    profiler: Any = sys.getprofile()
    if hasattr(profiler, "enable"):
        profiler.disable()
    sys.setprofile(None)
    return profiler


def _resume(profiler: Any) -> None:
    sys.setprofile(None)
    if hasattr(profiler, "enable"):
        profiler.enable()
    else:
        sys.setprofile(profiler)


def unwatched(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate an internal method that runs much code, none of it the user's, so that it is not observed."""

    @functools.wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:
        if sys.getprofile() is None:
            return method(*args, **kwargs)
        profiler = _paused()
        try:
            return method(*args, **kwargs)
        finally:
            _resume(profiler)

    return run
