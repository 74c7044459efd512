"""Imports of modules that are loaded when a program asks for a name in them."""

from __future__ import annotations

import importlib
import threading
from types import ModuleType

__all__ = ["load", "one_import"]

one_import = threading.RLock()
"""Held while modules of ours are loaded for a name.

A thread that imports a module locks it and then its package; one that imports the package locks that and then the
modules in it. Two that do so at once wait for each other, which importlib ends by an error.
"""


def load(name: str) -> ModuleType:
    """Import a module, one thread at a time."""
    with one_import:
        return importlib.import_module(name)
