"""Threads that compute for a pipeline, and that a program which ends does not wait for longer than for one item each.

Python's `ThreadPoolExecutor` computes all that has been submitted before the program ends.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

__all__ = ["ThreadPool"]

_CHECK = 0.2  # seconds between looks whether the program is ending, of an idle thread

_Job = tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]


class ThreadPool:
    """Calls functions in threads.

    Args:
        count: the largest number of threads.
        name: the beginning of their names.
    """

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._name = name
        self._threads: list[threading.Thread] = []
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._end = weakref.finalize(self, _end, self._jobs, self._threads)

    def submit(self, call: Callable[..., Any], *args: Any) -> Future[Any]:
        """Call a function in a thread; return a future of its result."""
        future: Future[Any] = Future()
        self._jobs.put((future, call, args))
        if len(self._threads) < self._count:
            name = f"{self._name}_{len(self._threads)}"
            self._threads.append(threading.Thread(target=_work, args=(self._jobs,), name=name))
            self._threads[-1].start()
        return future

    def close(self) -> None:
        """End the threads, and wait for what they compute now."""
        self._end()
        for thread in self._threads:
            thread.join()


def _end(jobs: queue.SimpleQueue[_Job | None], threads: list[threading.Thread]) -> None:
    """Cancel what has not begun, and let the threads end."""
    with contextlib.suppress(queue.Empty):
        while True:
            job = jobs.get_nowait()
            if job is not None:
                job[0].cancel()
    for _ in threads:
        jobs.put(None)


def _work(jobs: queue.SimpleQueue[_Job | None]) -> None:
    while threading.main_thread().is_alive():
        try:
            job = jobs.get(timeout=_CHECK)
        except queue.Empty:
            continue
        if job is None:
            return
        future, call, args = job
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(call(*args))
            except BaseException as error:
                future.set_exception(error)
        del job, future, call, args  # an idle thread keeps nothing alive
