"""The settings of parallel training as one object, as packages import it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from torchspore import parallel_context
from torchspore.parallel_context import (
    get_auto_parallel_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)

__all__: list[str] = []


class _AutoParallelContext:
    """All settings: each has a `get_<name>`, a `set_<name>`, and `get_<name>_is_set` says whether it was set."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        kind, _, setting = name.partition("_")
        if kind == "get" and setting.endswith("_is_set"):
            return partial(parallel_context.is_set, setting.removesuffix("_is_set"))
        if kind == "get" and parallel_context.has_setting(setting):
            return partial(get_auto_parallel_context, setting)
        if kind == "set" and parallel_context.has_setting(setting):
            return lambda value: set_auto_parallel_context(**{setting: value})
        raise AttributeError(f"The settings of parallel training have no attribute {name!r}.")

    def reset(self) -> None:
        """Reset all settings."""
        reset_auto_parallel_context()


@cache
def auto_parallel_context() -> _AutoParallelContext:
    """Return the settings."""
    return _AutoParallelContext()


_set_auto_parallel_context = set_auto_parallel_context
_get_auto_parallel_context = get_auto_parallel_context
_reset_auto_parallel_context = reset_auto_parallel_context
