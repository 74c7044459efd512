"""Where in the user's program something happens: the innermost line that is neither torch's nor ours."""

from __future__ import annotations

import linecache
import sys
from types import FrameType, TracebackType
from typing import Any

from torchspore.common.user_lines import NOT_THE_USERS

__all__ = ["IndexPlace", "error_place", "line_of", "user_place"]


class IndexPlace(str):
    """The place of a line that reads or writes elements by index: there, a wrong index is an IndexError."""


def user_place() -> str:
    """Return "file:line" of the user's line that is running, or "" when there is none."""
    frame: FrameType | None = sys._getframe(1)
    called = ""
    while frame is not None:
        if not frame.f_code.co_filename.startswith(NOT_THE_USERS):
            kind = IndexPlace if called in ("__getitem__", "__setitem__") else str
            return kind(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        called = frame.f_code.co_name
        frame = frame.f_back
    return ""


def error_place(error: BaseException, fn: Any) -> str:
    """Return "file:line" of the user's line that raised an error, or the first line of `fn`."""
    place = ""
    step: TracebackType | None = error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if not filename.startswith(NOT_THE_USERS):
            place = f"{filename}:{step.tb_lineno}"
        step = step.tb_next
    if not place and hasattr(fn, "__code__"):
        place = f"{fn.__code__.co_filename}:{fn.__code__.co_firstlineno}"
    return place


def line_of(place: str) -> str:
    """Return the text of the line at "file:line", or "" when it cannot be read."""
    filename, _, number = place.rpartition(":")
    return linecache.getline(filename, int(number)).strip() if number.isdigit() else ""
