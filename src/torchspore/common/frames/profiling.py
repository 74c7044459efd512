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
        self._before = sys.getprofile()
        if hasattr(self._before, "enable"):
            self._before.disable()
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        if hasattr(self._before, "enable"):
            self._before.enable()
        else:
            sys.setprofile(self._before)


def unwatched(method: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate an internal method that runs much code, none of it the user's, so that it is not observed."""

    @functools.wraps(method)
    def run(*args: Any, **kwargs: Any) -> Any:
        see = sys.getprofile()
        if see is None:
            return method(*args, **kwargs)
        sys.setprofile(None)
        try:
            return method(*args, **kwargs)
        finally:
            sys.setprofile(see)

    return run
