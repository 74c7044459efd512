"""Running a program in the processes of one group, and their output."""

from __future__ import annotations

import json
import os
import pathlib
import socket
import subprocess
import sys

import torch

# Processes that share a GPU cannot talk through NCCL: without one for each, they run on the CPU.
ON_THE_CPU = {} if torch.cuda.device_count() >= 2 else {"CUDA_VISIBLE_DEVICES": ""}
PROGRAM = pathlib.Path(__file__).parent / "mint/two_processes.py"


def results_of(folder, rows):
    """Return the value of `result` after each row of code, in the first and in the second of two processes."""
    file = folder / "rows.json"
    file.write_text(json.dumps(rows))
    return [[json.loads(line) for line in out.splitlines()] for out in outputs_of(str(PROGRAM), str(file))]


def outputs_of(*arguments, count=2):
    """Return Python's output with these arguments, as each of several processes."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", *arguments],
            env={
                **os.environ,
                **ON_THE_CPU,
                "RANK": str(rank),
                "WORLD_SIZE": str(count),
                "MASTER_ADDR": "127.0.0.1",
                "MASTER_PORT": str(port),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(count)
    ]
    try:
        ended = [process.communicate(timeout=300) for process in started]
    finally:
        for process in started:
            process.kill()
            process.communicate()
    assert [process.returncode for process in started] == [0] * count, "\n".join(error for _, error in ended)
    return [out for out, _ in ended]
