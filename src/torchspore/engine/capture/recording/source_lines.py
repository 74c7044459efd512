"""Source lines of the user's program: the innermost line that is neither torch's nor this package's."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from torchspore.common.frames.user_lines import NOT_THE_USERS

__all__ = ["ExplainedLine", "IndexingLine", "error_line", "line_text", "user_line"]


class IndexingLine(str):
    """A source line that reads or writes elements by index: a wrong index there is an IndexError."""


class ExplainedLine(str):
    """A source line whose operation has an error of its own.

    Attributes:
        error: returns the error, when the operation has failed in a graph.
    """

    error: Callable[[], Exception]

    def __new__(cls, line: str, error: Callable[[], Exception]) -> ExplainedLine:
        explained = super().__new__(cls, line)
        explained.error = error
        return explained


def user_line() -> str:
    """Return "file:line" of the user's line that is running, or ""."""
    frame: FrameType | None = sys._getframe(1)
    called = ""
    while frame is not None:
        if not frame.f_code.co_filename.startswith(NOT_THE_USERS):
            kind = IndexingLine if called in ("__getitem__", "__setitem__") else str
            return kind(f"{frame.f_code.co_filename}:{frame.f_lineno}")
        called = frame.f_code.co_name
        frame = frame.f_back
    return ""


def error_line(error: BaseException, fn: Any) -> str:
    """Return "file:line" of the user's line that raised an error, or the first line of `fn`."""
    line = ""
    step: TracebackType | None = error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if not filename.startswith(NOT_THE_USERS):
            line = f"{filename}:{step.tb_lineno}"
        step = step.tb_next
    if not line and hasattr(fn, "__code__"):
        line = f"{fn.__code__.co_filename}:{fn.__code__.co_firstlineno}"
    return line


def line_text(line: str) -> str:
    """Return the text of the line at "file:line", or "" when it cannot be read."""
    filename, _, number = line.rpartition(":")
    return linecache.getline(filename, int(number)).strip() if number.isdigit() else ""
