"""Tracebacks that show the user's lines, and of TorchSpore's and PyTorch's frames between them only the ends."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

__all__ = ["shorten", "shortens_tracebacks"]

_F = TypeVar("_F", bound=Callable[..., Any])


def shorten(error: BaseException) -> None:
    """Leave out frames of an error's traceback: of those between two of the user's lines, two remain.

    The first one is what the user called, the last one what called the user's function. All frames below the user's
    last line remain. With `TORCHSPORE_TRACEBACK=full` in the environment, nothing is left out.
    """
    step = error.__traceback__
    if isinstance(error, RecursionError) or os.environ.get("TORCHSPORE_TRACEBACK") == "full":
        return
    first: TracebackType | None = None  # of the frames in sequence that are not the user's, and the last one
    last: TracebackType | None = None
    while step is not None:
        if not _is_inner(step):
            if first is not None and last is not first:
                first.tb_next = last
            first = None
        elif first is None:
            first = last = step
        else:
            last = step
        step = step.tb_next


def _is_inner(step: TracebackType) -> bool:
    """Return whether a frame is TorchSpore's or PyTorch's, or of code that PyTorch generates."""
    frame = step.tb_frame
    module = str(frame.f_globals.get("__name__")).partition(".")[0]
    return module in ("torchspore", "torch") or frame.f_code.co_filename.startswith("<eval_with_key>")


def shortens_tracebacks(function: _F) -> _F:
    """Decorate a function that runs the user's functions: its errors have short tracebacks."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    return run  # type: ignore[return-value]
