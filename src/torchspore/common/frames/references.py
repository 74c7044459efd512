"""Counts of references, and the objects that hold code."""

from __future__ import annotations

import gc
import sys
from types import CodeType, FunctionType

count = sys.getrefcount  # itself: a function around it would add references


def functions_of(code: CodeType) -> list[FunctionType]:
    """Return the functions that have this code, also those that `gc.freeze` has hidden."""
    gc.unfreeze()
    return [held for held in gc.get_referrers(code) if isinstance(held, FunctionType)]
