"""Source lines of the user's program: the innermost line that is neither torch's nor this package's."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

from torchspore.common.frames.stack import caller, code_of, file_of, line_of, steps, upwards
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
    called = ""
    for frame in upwards(caller()):
        if not file_of(frame).startswith(NOT_THE_USERS):
            kind = IndexingLine if called in ("__getitem__", "__setitem__") else str
            return kind(line_of(frame))
        called = code_of(frame).co_name
    return ""


def error_line(error: BaseException, fn: Any) -> str:
    """Return "file:line" of the user's line that raised an error, or the first line of `fn`."""
    line = ""
    for step in steps(error.__traceback__):
        filename = file_of(step.tb_frame)
        if not filename.startswith(NOT_THE_USERS):
            line = f"{filename}:{step.tb_lineno}"
    if not line and hasattr(fn, "__code__"):
        line = f"{fn.__code__.co_filename}:{fn.__code__.co_firstlineno}"
    return line


def line_text(line: str) -> str:
    """Return the text of the line at "file:line", or "" when it cannot be read."""
    filename, _, number = line.rpartition(":")
    return linecache.getline(filename, int(number)).strip() if number.isdigit() else ""
