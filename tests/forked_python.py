"""A Python for programs that start Python themselves: each is forked from a process that has imported torch.

Signals do not reach the programs, and they end without `atexit`: what is about either needs a real Python.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import preloaded

_PYTHON = """#!{python} -IS
import json, os, socket, sys
asked = socket.socket(socket.AF_UNIX)
asked.connect({address!r})
asked.sendall(json.dumps([os.getpid(), sys.argv[1:], os.getcwd(), dict(os.environ)]).encode())
asked.shutdown(socket.SHUT_WR)
sys.exit(int(asked.recv(9)))
"""


@contextlib.contextmanager
def at(folder: Path) -> Iterator[str]:
    """Yield the path of an executable, made in this folder, that runs programs as Python does."""
    if sys.platform != "linux":  # which shows the streams of other processes
        yield sys.executable
        return
    python = folder / "python"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("")  # a name that is free, and no file
        listening.listen()
        python.write_text(_PYTHON.format(python=sys.executable, address=listening.getsockname()))
        python.chmod(0o700)
        threading.Thread(target=_serve, args=(listening, str(python)), daemon=True).start()
        yield str(python)
        listening.shutdown(socket.SHUT_RDWR)


def _serve(listening: socket.socket, python: str) -> None:
    with contextlib.suppress(OSError):  # it has been shut down
        while True:
            asked, _ = listening.accept()
            threading.Thread(target=_answer, args=(asked, python), daemon=True).start()


def _answer(asked: socket.socket, python: str) -> None:
    """Run what a process has asked for, with its streams, and tell it how that has ended."""
    with asked:
        process, arguments, folder, environment = json.loads(b"".join(iter(lambda: asked.recv(2**16), b"")))
        code, *arguments = _program([argument for argument in arguments if argument != "-I"])
        program = preloaded.start(
            f"import sys; sys.executable = {python!r}\n{code}", [f"/proc/{process}/fd/{number}" for number in range(3)],
            arguments=arguments, folder=folder, ignored=("",), environment=environment,
        )  # fmt: skip
        program.join()
        asked.sendall(str(program.exitcode).encode())


def _program(arguments: list[str]) -> list[str]:
    """Return the program that the arguments of Python's command line name, and what it gets as `sys.argv`."""
    if arguments[0] == "-m":
        return [preloaded.code_of_module(arguments[1]), "-m", *arguments[2:]]
    return [preloaded.code_of_script(arguments[0]), *arguments]
