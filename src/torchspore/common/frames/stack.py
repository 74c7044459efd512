"""The frames of callers and of errors."""

from __future__ import annotations

import dis
import inspect
import operator
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType
from typing import Any

code_of = operator.attrgetter("f_code")
names_of = operator.attrgetter("f_globals")
values_of = operator.attrgetter("f_locals")
caller_of = operator.attrgetter("f_back")


def caller(depth: int = 1) -> FrameType:
    """Return the frame of the caller's caller, or of one further up."""
    return sys._getframe(depth + 1)


def upwards(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame and those that called it, from the innermost to the outermost."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def is_running(frame: FrameType) -> bool:
    """Return whether a frame is among the callers."""
    return any(each is frame for each in upwards(caller()))


def steps(trace: TracebackType | None) -> Iterator[TracebackType]:
    """Yield the steps of a traceback, from the outermost to the innermost."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def module_of(frame: FrameType) -> str:
    """Return the name of the module whose code a frame runs."""
    return str(frame.f_globals.get("__name__", ""))


def file_of(frame: FrameType) -> str:
    """Return the file whose code a frame runs; that of generated code begins with "<"."""
    return frame.f_code.co_filename


def line_of(frame: FrameType) -> str:
    """Return the "file:line" that a frame runs."""
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def runs(frame: FrameType, *instructions: str) -> bool:
    """Return whether a frame is at one of some instructions."""
    return frame.f_lasti >= 0 and dis.opname[frame.f_code.co_code[frame.f_lasti]] in instructions


def owner_of(frame: FrameType) -> Any:
    """Return the `self` of the function that a frame runs, or None."""
    values = frame.f_locals
    owner = values.get("self")
    if isinstance(values, dict) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        values.clear()  # before Python 3.13 a copy, which would keep an error, and so the frames of its traceback
    return owner


def is_imported() -> bool:
    """Return whether the caller, perhaps through several of our functions, looks a name up for `from x import name`."""
    for frame in upwards(caller()):
        if runs(frame, "IMPORT_FROM"):
            return True
        if not module_of(frame).startswith("torchspore"):
            break
    return False


def was_raised(error: Exception, folder: str = "") -> bool:
    """Return whether a `raise` statement, in a file of a folder, raised an error: not an operation on wrong values."""
    trace = list(steps(error.__traceback__))
    if not trace:
        return False
    code: CodeType = trace[-1].tb_frame.f_code
    return code.co_filename.startswith(folder) and dis.opname[code.co_code[trace[-1].tb_lasti]] == "RAISE_VARARGS"
