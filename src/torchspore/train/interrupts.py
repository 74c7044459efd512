"""Ctrl-C between the steps of a training, never within one."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

__all__ = ["WholeSteps"]


class WholeSteps:
    """While it is entered, a Ctrl-C during a step is raised after it, so that no parameter is updated by half.

    The loop sets `running` while a step runs, and calls `finish` after it. A second Ctrl-C is raised at once. Where the
    program handles the signal itself, and in other threads than the main one, nothing changes.
    """

    def __init__(self) -> None:
        self.running = False
        self._waits = False
        self._former: Any = None

    def __enter__(self) -> WholeSteps:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._former = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._former is not None:
            signal.signal(signal.SIGINT, self._former)

    def finish(self) -> None:
        """End a step; raise the KeyboardInterrupt that came during it."""
        self.running = False
        if self._waits:
            self._waits = False
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        if not self.running or self._waits:
            raise KeyboardInterrupt
        self._waits = True
