"""Saving in the background."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

__all__ = ["async_ckpt_thread_status", "start", "wait"]

_log = logging.getLogger(__name__)


class _Saving(threading.Thread):
    """A thread that writes one checkpoint. It is not a daemon: the program ends after the file is complete."""

    def __init__(self, write: Callable[[], None], path: str) -> None:
        super().__init__(name="torchspore-save")
        self._write = write
        self._path = path
        self.error: Exception | None = None

    def run(self) -> None:
        """Write the file; an error is logged immediately and raised by the next save."""
        try:
            self._write()
        except Exception as error:
            self.error = error
            _log.error("Saving '%s' in the background failed: %s: %s", self._path, type(error).__name__, error)


_last: _Saving | None = None


def start(write: Callable[[], None], path: str) -> None:
    """Start to write a checkpoint; the previous one must be complete."""
    global _last
    _last = _Saving(write, path)
    _last.start()


def wait(*, report: bool) -> None:
    """Wait until the current file is complete; with `report`, raise a RuntimeError, once, if it could not be saved."""
    global _last
    if _last is None:
        return
    _last.join()
    if report:
        error, path = _last.error, _last._path
        _last = None
        if error is not None:
            raise RuntimeError(f"For 'save_checkpoint', saving '{path}' in the background failed: {error}") from error


def async_ckpt_thread_status() -> bool:
    """Return whether `save_checkpoint(..., async_save=True)` is still writing.

    Examples:
        >>> import torchspore as ms
        >>> ms.async_ckpt_thread_status()
        False
    """
    return _last is not None and _last.is_alive()
