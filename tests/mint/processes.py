"""Starting `two_processes.py`, and what it printed."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).parent / "two_processes.py"


def results_of(folder, rows):
    """Return what `result` is after each row of code, in the first and in the second of two processes."""
    file = folder / "rows.json"
    file.write_text(json.dumps(rows))
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", str(PROGRAM), str(file)],
            env={**os.environ, "RANK": rank, "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in "01"
    ]
    try:
        ended = [process.communicate(timeout=120) for process in started]
    finally:
        for process in started:
            process.kill()
            process.communicate()
    assert [process.returncode for process in started] == [0, 0], "\n".join(error for _, error in ended)
    return [[json.loads(line) for line in out.splitlines()] for out, _ in ended]
