"""A cache of primitives by their attributes.

MindSpore: `mindspore.ops._primitive_cache`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__: list[str] = []


@functools.lru_cache(maxsize=None, typed=True)
def _cached(cls: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return cls(*args, **kwargs)


def _get_cache_prim(cls: Callable[..., Any]) -> Callable[..., Any]:
    """Return a constructor that reuses the primitive made with the same arguments before."""

    def make(*args: Any, **kwargs: Any) -> Any:
        try:
            return _cached(cls, *args, **kwargs)
        except TypeError:  # an argument is not hashable
            return cls(*args, **kwargs)

    return make
