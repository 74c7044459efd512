"""Delay Ctrl-C to the end of a training step."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any

__all__ = ["WholeSteps"]


class WholeSteps:
    """A context in which Ctrl-C during a step is raised after it, so that no update is left incomplete.

    The loop sets `running` while a step runs, and calls `finish` after it. A second Ctrl-C is raised immediately.
    Nothing changes if the program handles the signal itself, and in threads other than the main one.
    """

    def __init__(self) -> None:
        self.running = False
        self._interrupted = False
        self._previous_handler: Any = None

    def __enter__(self) -> WholeSteps:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._previous_handler = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *error: object) -> None:
        if self._previous_handler is not None:
            signal.signal(signal.SIGINT, self._previous_handler)

    def finish(self) -> None:
        """End a step; raise the KeyboardInterrupt that came during it."""
        self.running = False
        if self._interrupted:
            self._interrupted = False
            raise KeyboardInterrupt

    def _note(self, number: int, frame: FrameType | None) -> None:
        if not self.running or self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True
