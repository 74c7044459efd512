"""Running a program in the processes of one group, and their output."""

from __future__ import annotations

import json
import pathlib
import socket
import tempfile
import time

import torch

import preloaded

# Processes that share a GPU cannot talk through NCCL: without one for each, they run on the CPU.
ON_THE_CPU = {} if torch.cuda.device_count() >= 2 else {"CUDA_VISIBLE_DEVICES": ""}
_PATIENCE = 300  # seconds
PROGRAM = pathlib.Path(__file__).parent / "mint/two_processes.py"


def results_of(folder, rows):
    """Return the value of `result` after each row of code, in the first and in the second of two processes."""
    file = folder / "rows.json"
    file.write_text(json.dumps(rows))
    return [[json.loads(line) for line in out.splitlines()] for out in outputs_of(str(PROGRAM), str(file))]


def outputs_of(program, *arguments, count=2):
    """Return the output of a program with these arguments, as each of several processes.

    Args:
        program: the path of a file of Python.
        arguments: its arguments.
        count: the number of processes.
    """
    return _outputs(preloaded.code_of_script(program), (program, *arguments), count)


def outputs_as_mindspore(program, *arguments):
    """Return the output of a program with these arguments under `python -m torchspore`, as each of two processes."""
    return _outputs(preloaded.code_of_module("torchspore"), ("-m", program, *arguments), 2)


def _outputs(code, arguments, count):
    with tempfile.TemporaryDirectory() as streams:
        started = []
        for rank, environment in enumerate(_environments(count)):
            files = [pathlib.Path(streams, f"{rank}.{name}") for name in preloaded.STREAMS]
            started.append(preloaded.start(code, files, arguments=arguments, environment=environment))
        end = time.monotonic() + _PATIENCE
        for process in started:
            process.join(max(0.0, end - time.monotonic()))
        codes = [process.exitcode for process in started]
        for process in started:
            process.kill()
            process.join()
        errors, outputs = [
            [pathlib.Path(streams, f"{rank}.{name}").read_text() for rank in range(count)]
            for name in ("stderr", "stdout")
        ]
    assert codes == [0] * count, "\n".join(errors)
    return outputs


def _environments(count):
    """Return for each process the variables of the environment by which a group finds itself."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    group = {**ON_THE_CPU, "WORLD_SIZE": str(count), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    return [{**group, "RANK": str(rank)} for rank in range(count)]
