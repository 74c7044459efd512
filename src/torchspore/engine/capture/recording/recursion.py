"""Recursions without an end, named by the function that calls itself."""

from __future__ import annotations

import collections
import sys
import types
from typing import Any

from torchspore.common.frames.stack import code_of, steps
from torchspore.engine.capture.state.side_effects import is_library, is_standard_library

__all__ = ["named"]

_MANY = 20  # open calls of one function


def named(error: RecursionError) -> RecursionError:
    """Return the error that names the user's function that called itself, or the error itself if there is none."""
    calls: collections.Counter[types.CodeType] = collections.Counter()
    for frame in [step.tb_frame for step in steps(error.__traceback__)]:
        if not (is_library(frame) or is_standard_library(frame)):
            calls[code_of(frame)] += 1
    if not calls or calls.most_common(1)[0][1] < _MANY:
        return error
    ((code, count),) = calls.most_common(1)
    name: Any = getattr(code, "co_qualname", code.co_name)  # Python 3.10 has the plain name only
    place = f"{code.co_filename}:{code.co_firstlineno}"
    return RecursionError(
        f"For 'jit', '{name}' ({place}) calls itself too often, perhaps without end: {count} of its calls were open at "
        f"Python's limit of {sys.getrecursionlimit()}. Let a condition end the recursion, or write a loop."
    )
