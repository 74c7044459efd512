"""A process beside the program that compiles a graph into the disk cache."""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from torchspore.engine.capture import disk_cache
from torchspore.engine.capture.library import NoLibrary, Request

__all__ = ["Compilation"]

_WORKER = "torchspore.engine.capture.compile_worker"
_MOST = max(1, (os.cpu_count() or 2) // 2)  # processes beside a program that works
_PATIENCE = 5  # seconds that a process gets to end by itself


class Compilation:
    """The compilation of one graph.

    Args:
        request: what the library is made from.
        beside: whether the program works meanwhile. The process has a lower priority then, and waits until few others
            are at work.
    """

    def __init__(self, request: Request, beside: bool) -> None:
        disk_cache.largest()  # a setting that is wrong is told here, not in the process beside
        self._entry: Path = disk_cache.directory() / request.key()
        self._request = request
        self._beside = beside
        self._process: subprocess.Popen[bytes] | None = None
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  not a pipe: nobody reads it meanwhile

    def __del__(self) -> None:
        self._output.close()

    def finished(self) -> bool:
        """Return whether it has ended; start it if that is due.

        Raises:
            NoLibrary: the process cannot be started.
        """
        if self._process is None:
            _running[:] = [process for process in _running if process.poll() is None]
            if self._beside and len(_running) >= _MOST:
                return False
            self._process = self._start()
            _running.append(self._process)
        return self._process.poll() is not None

    def wait(self) -> Path:
        """Wait for the end, and return `result()`; an exception such as Ctrl-C ends the process, too."""
        self.finished()
        assert self._process is not None
        try:
            self._process.wait()
        except BaseException:
            _stop(self._process)
            raise
        return self.result()

    def result(self) -> Path:
        """Return the place of the library.

        Raises:
            NoLibrary: there is none; the message is the last line that the process has written.
        """
        if disk_cache.is_whole(self._entry):
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
                    [sys.executable, "-m", _WORKER, str(self._entry), "10" if self._beside else "0"],
                    stdin=given,
                    stdout=self._output,
                    stderr=subprocess.STDOUT,
                    cwd=self._entry.parent,
                    env=_environment(),
                    start_new_session=True,  # Ctrl-C is for the program; what the worker starts is ended with it
                )
            except OSError as error:
                raise NoLibrary(str(error)) from error


def _environment() -> dict[str, str]:
    """Return the worker's environment: the program's modules, and no further processes of Inductor's."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
        "TORCHINDUCTOR_CACHE_DIR": disk_cache.inductor_directory(),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }


_running: list[subprocess.Popen[bytes]] = []


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                continue


@atexit.register
def _stop_all() -> None:
    for process in _running:
        _stop(process)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_running.clear)  # they belong to the parent
