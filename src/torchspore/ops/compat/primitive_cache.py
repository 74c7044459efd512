"""Primitives that are made once for each choice of their attributes.

MindSpore: `mindspore.ops._primitive_cache`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

__all__: list[str] = []


@functools.lru_cache(maxsize=None, typed=True)
def _made(cls: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return cls(*args, **kwargs)


def _get_cache_prim(cls: Callable[..., Any]) -> Callable[..., Any]:
    """Return what makes a primitive, or gives the one made before with these arguments."""

    def make(*args: Any, **kwargs: Any) -> Any:
        try:
            return _made(cls, *args, **kwargs)
        except TypeError:  # an argument has no hash
            return cls(*args, **kwargs)

    return make
