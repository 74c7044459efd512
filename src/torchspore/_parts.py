"""The large parts of the package, imported first and without garbage collections.

A full collection goes through all objects of torch, finds nothing, and takes a third of the import.
"""

from __future__ import annotations

import gc

_was_enabled = gc.isenabled()
gc.disable()
try:
    from torchspore import nn, ops  # noqa: F401
finally:
    if _was_enabled:
        gc.enable()
