"""The process belongs to the program: nothing in it changes but what the program has asked for."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys

import pytest

PROGRAM = pathlib.Path(__file__).with_name("process_effects.py")

# What changes all the same: a pattern of lines, the uses that change it, and why.
EXPECTED: dict[str, tuple[str, str]] = {
    r"source lines <": (".*", "tracebacks and debuggers show generated functions"),
    r"torch operations torchspore::": ("import|import of all", "operations that graphs record as one are torch's"),
    r"(random|numpy|torch) state": ("a seed|no seed", "it is the seed of all of them"),
    r"numpy state": (
        "training.*|callbacks|checkpoints|files|gradients|mistakes|text|debug|mixed precision|a cut network",
        "the seeds of weights are drawn by NumPy, as in MindSpore",
    ),
    r"numpy bits|random class": (
        "pipelines without a seed", "both generators note when they are seeded, on which the rows depend then"
    ),
    r"files /dev/shm/pym-|reducers <class '(ctypes|multiprocessing)": ("pipelines with processes", "multiprocessing's"),
    r"native threads": ("profiler", "Kineto's"),
    r"native threads|files (anon_inode|pipe|socket)|.*excepthook|process atexit": ("one process", "gloo's and torch's"),
    r"native threads|threads tqdm|process (atexit|start method)|logging loggers torch\.__trace": (
        "files", "torch.export's progress bars, and its log",
    ),
    r"finders <mindspore|path .*for_spawned_processes": ("as_mindspore", "`import mindspore`, in all processes"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the state is read from /proc")
def test_nothing_changes_in_the_process() -> None:
    done = subprocess.run([sys.executable, str(PROGRAM)], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    found = dict(map(json.loads, done.stdout.splitlines()))
    unexpected = [
        f"{use}: {line}"
        for use, lines in found.items()
        for line in lines
        if not any(re.match(pattern, line) and re.fullmatch(uses, use) for pattern, (uses, _) in EXPECTED.items())
    ]
    assert unexpected == []
    for pattern, (uses, _) in EXPECTED.items():
        assert any(
            re.match(pattern, line) for use, lines in found.items() if re.fullmatch(uses, use) for line in lines
        ), f"{pattern} does not happen any more: remove it"
