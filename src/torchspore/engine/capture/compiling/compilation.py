"""A process that compiles a graph into the disk cache."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from torchspore.engine.capture.compiling import disk_cache
from torchspore.engine.capture.compiling.library import NoLibrary, Request

__all__ = ["Compilation"]

_WORKER = "torchspore.engine.capture.compiling.compile_worker"
_MAX_PROCESSES = max(1, (os.cpu_count() or 2) // 2)  # processes that compile in the background
_STOP_TIMEOUT = 5  # seconds that a process has to end by itself


class Compilation:
    """The compilation of one graph.

    Args:
        request: what to compile.
        in_background: whether the program continues meanwhile. The process then has a lower priority, and starts only
            when few others run.
    """

    def __init__(self, request: Request, in_background: bool) -> None:
        disk_cache.max_bytes()  # a wrong setting is reported here, not in the other process
        self._entry: Path = disk_cache.directory() / request.key()
        self._request = request
        self._in_background = in_background
        self._process: subprocess.Popen[bytes] | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  not a pipe, which nobody would read

    def __del__(self) -> None:
        self._output.close()

    def finished(self) -> bool:
        """Return whether the process has ended; start it first if it may run now.

        Raises:
            NoLibrary: the process cannot be started.
        """
        if self._process is None:
            _running[:] = [process for process in _running if process.poll() is None]
            if self._in_background and len(_running) >= _MAX_PROCESSES:
                return False
            _stop_all_at_exit()
            self._process = self._start()
            _running.append(self._process)
        return self._process.poll() is not None

    def wait(self) -> Path:
        """Wait for the process, and return `result()`; an exception such as Ctrl-C ends the process, too."""
        self.finished()
        assert self._process is not None
        try:
            self._process.wait()
        except BaseException:
            _stop(self._process)
            raise
        return self.result()

    def result(self) -> Path:
        """Return the directory of the library.

        Raises:
            NoLibrary: there is none; the message is the last line of the process's output.
        """
        if disk_cache.is_complete(self._entry):
            return self._entry
        self._output.seek(0)
        lines = [line for line in self._output.read().decode(errors="replace").splitlines() if line.strip()]
        raise NoLibrary(lines[-1] if lines else "the compiler ended without a word")

    def _start(self) -> subprocess.Popen[bytes]:
        with tempfile.TemporaryFile() as given:
            pickle.dump(self._request, given)
            given.seek(0)
            try:
                return subprocess.Popen(
                    [sys.executable, "-m", _WORKER, str(self._entry), "10" if self._in_background else "0"],
                    stdin=given,
                    stdout=self._output,
                    stderr=subprocess.STDOUT,
                    cwd=self._entry.parent,
                    env=_environment(),
                    start_new_session=True,  # Ctrl-C must not reach it; and its own children are in its session
                )
            except OSError as error:
                raise NoLibrary(str(error)) from error


def _environment() -> dict[str, str]:
    """Return the worker's environment: the program's import path, and no further processes of Inductor."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
        "TORCHINDUCTOR_CACHE_DIR": disk_cache.inductor_directory(),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }


_running: list[subprocess.Popen[bytes]] = []


def _stop(*processes: subprocess.Popen[bytes]) -> None:
    """End processes and their children, all at once."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        alive = [process for process in processes if process.poll() is None]
        for process in alive:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                os.killpg(process.pid, number)
        deadline = time.monotonic() + _STOP_TIMEOUT
        for process in alive:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(deadline - time.monotonic(), 0.0))


def _stop_all() -> None:
    _stop(*_running)


@functools.cache
def _stop_all_at_exit() -> None:
    """Have the processes end with this one; but not with one that is forked from it."""
    atexit.register(_stop_all)
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=_running.clear)
