"""Kernels of gradients, which MindSpore keeps private and people call in a `bprop` of their own.

`derived` makes most of them from their forward operation, whose vjp they are; the other modules have those that get the
forward's output or only its shape. They are loaded when the first one is asked for.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

__all__ = ["find_kernel", "kernel_names"]

_MODULES = ("blocks", "formulas", "images", "normalization", "recurrent", "shapes", "windows")


@functools.cache
def _kernels() -> dict[str, Any]:
    modules = [importlib.import_module(f"{__name__}.{module}") for module in _MODULES]
    derived = importlib.import_module(f"{__name__}.derived")
    named = {name: getattr(module, name) for module in modules for name in module.__all__}
    return {**{name: derived.kernel(name) for name in derived.KERNELS}, **named}


def kernel_names() -> list[str]:
    """Return the names of the kernels."""
    return [*_kernels()]


def find_kernel(name: str) -> Any:
    """Return the primitive of a kernel, or None."""
    return _kernels().get(name)
