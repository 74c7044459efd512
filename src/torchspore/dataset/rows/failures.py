"""Errors of a pipeline, which name the operation, the function of the user, and the line."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["BadValue", "Raised", "Remote", "described", "failed", "line_of", "location"]

_OURS = os.path.dirname(str(sys.modules["torchspore"].__file__))


class BadValue(TypeError):
    """A function of the user returned something that no column can hold."""


class Raised(Exception):
    """A function of the user raised.

    It holds the exception, which may be a StopIteration, or reject attributes.

    Args:
        error: the exception.
        number: the index of the function in the operation.
    """

    def __init__(self, error: BaseException, number: int = 0) -> None:
        super().__init__()
        self.error = error
        self.number = number


class Remote(Exception):
    """The traceback of a worker process, as the cause of the exception that it sent."""

    def __init__(self, text: str, line: str) -> None:
        super().__init__(text)
        self.line = line

    def __str__(self) -> str:
        return f"in a worker process\n\n{self.args[0]}"


def location(function: Any) -> str:
    """Return the name and the source line of a function: "'augment' (train.py, line 12)", "'list.__getitem__'"."""
    while isinstance(function, functools.partial):
        function = function.func
    owner = getattr(function, "__self__", None)
    if not (hasattr(function, "__code__") or inspect.ismethod(function) or owner is None or inspect.ismodule(owner)):
        return f"'{type(owner).__name__}.{function.__name__}'"
    target = function if hasattr(function, "__code__") or inspect.ismethod(function) else type(function)
    name = getattr(target, "__qualname__", repr(target)).rpartition("<locals>.")[2]
    code = getattr(target, "__code__", None) or getattr(getattr(target, "__call__", None), "__code__", None)  # noqa: B004
    if code is None:
        return f"'{name}'"
    return f"'{name}' ({os.path.basename(code.co_filename)}, line {code.co_firstlineno})"


def failed(operation: str, function: Callable[..., Any], error: BaseException) -> RuntimeError:
    """Return the error that reports an exception in a user's function, with the exception as its cause."""
    subject = f"the function {location(function)}"
    owner = getattr(function, "__self__", None)
    if isinstance(error, BadValue) and isinstance(owner, (list, tuple, dict, np.ndarray)):
        subject, what = f"the {type(owner).__name__} that is read", f"holds a value that cannot be used: {error}"
    elif isinstance(error, BadValue):
        what = f"returned a value that cannot be used: {error}"
    else:
        what = f"raised{line_of(error)}: {described(error)}"
    failure = RuntimeError(f"For '{operation}', {subject} {what}")
    failure.__cause__ = error
    return failure


def described(error: BaseException) -> str:
    """Return the type and the message of an exception."""
    try:
        text = str(error)
    except Exception as second:
        text = f"(its message cannot be shown: {type(second).__name__})"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def line_of(error: BaseException) -> str:
    """Return the line of the user's code that raised: " at train.py, line 12"; "" if it is not in the user's code."""
    if isinstance(error.__cause__, Remote):
        return error.__cause__.line
    frames = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith(_OURS)]
    return f" at {frames[-1].filename}, line {frames[-1].lineno}" if frames else ""
