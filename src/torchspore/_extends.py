"""Marks of functions for MindSpore's compiler, which need not do anything here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__: list[str] = []


def cell_attr_register(fn: Callable[..., Any] | None = None, attrs: Any = None) -> Callable[..., Any]:
    """Return the `__init__` of a cell unchanged: graphs read the attributes of cells themselves."""
    return cell_attr_register if fn is None else fn
