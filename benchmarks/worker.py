"""One contestant of `step.py` in a separate process: `python worker.py CONTESTANT DEVICE`.

It reads commands, JSON lists of a method of `Worker` and its arguments, line by line, and answers each with one line.
Libraries are imported when they are needed, so this file also runs where only MindSpore is installed.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import json
import os
import pathlib
import re
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import cpu_seconds
from rows import ROWS

Step = Callable[[], Any]


def torch_eager(*task: Any) -> Step:
    """Return PyTorch's step."""
    import models_torch

    return models_torch.make_step(*task)


def torch_compile(*task: Any) -> Step:
    """Return PyTorch's step with its forward pass, backward pass and optimizer compiled."""
    import models_torch
    import torch

    return models_torch.make_step(*task, torch.compile)


def jax_jit(*task: Any) -> Step:
    """Return JAX's step."""
    import models_jax

    return models_jax.make_step(*task)


def mindspore_graph(*task: Any) -> Step:
    """Return the step of MindSpore itself: the models of TorchSpore, with MindSpore in its place."""
    import mindspore

    sys.modules["torchspore"] = mindspore
    import models_torchspore

    mindspore.set_context(mode=mindspore.GRAPH_MODE)
    return models_torchspore.make_step(*task, mindspore.jit)


def torchspore(level: str, *task: Any) -> Step:
    """Return TorchSpore's step as one graph."""
    import models_torchspore

    import torchspore as ms

    warnings.filterwarnings("error", message=".*runs eagerly")  # a step that is not a graph would count as one
    return models_torchspore.make_step(*task, functools.partial(ms.jit, jit_config=ms.JitConfig(level, tiered=False)))


CONTESTANTS: dict[str, Callable[..., Step]] = {
    "torch eager": torch_eager,
    "torch.compile": torch_compile,
    "jax.jit": jax_jit,
    "MindSpore": mindspore_graph,
    "TorchSpore O0": functools.partial(torchspore, "O0"),
    "TorchSpore O1": functools.partial(torchspore, "O1"),
    "TorchSpore O2": functools.partial(torchspore, "O2"),
}


def array(result: Any) -> np.ndarray:
    """Return a step's result; this waits until the step is done."""
    if hasattr(result, "asnumpy"):
        return result.asnumpy()
    return result.numpy(force=True) if hasattr(result, "numpy") else np.asarray(result)


def resident(kind: str) -> float:
    """Return the megabytes of memory this process has now ("RSS") or had at its peak ("HWM"), from Linux."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(re.search(rf"Vm{kind}:\s+(\d+) kB", status)[1]) / 1024


def placed(contestant: str, device: str) -> contextlib.AbstractContextManager[Any]:
    """Return a `with` block in which torch makes tensors on the device; the other libraries choose it themselves."""
    if device == "CPU" or not contestant.startswith("torch"):
        return contextlib.nullcontext()
    import torch

    torch.backends.cudnn.allow_tf32 = False
    return torch.device("cuda")


class Worker:
    """The contestant, and its step once `make` has been called.

    Args:
        contestant: one of `CONTESTANTS`.
        device: "CPU" or "GPU".
    """

    def __init__(self, contestant: str, device: str) -> None:
        self.contestant = contestant
        self.device = device

    def make(self, row: str, file: str) -> None:
        """Make the step of a row; the file has the inputs, the labels and the weights."""
        x, y, *weights = np.load(file).values()
        with placed(self.contestant, self.device):
            self.step = CONTESTANTS[self.contestant](ROWS[row].model, ROWS[row].optimizer, weights, x, y)

    def results(self, calls: int, budget: float) -> list[list[float]]:
        """Run steps, but none after `budget` CPU seconds, and return their results."""
        found: list[list[float]] = []
        start = time.process_time()
        while len(found) < calls and time.process_time() - start < budget:
            found.append(array(self.step()).ravel().tolist())
        return found

    def run(self, calls: int) -> float:
        """Run steps and return the seconds of CPU time that they took; on a GPU, those until the last one was done."""
        return cpu_seconds(self.step)(calls) if self.device == "CPU" else self._wall_seconds(calls)

    def _wall_seconds(self, calls: int) -> float:
        start = time.perf_counter()
        results = [self.step() for _ in range(calls)][-1:]
        for result in results:
            array(result)
        return time.perf_counter() - start

    def first(self) -> float:
        """Run one step and return the seconds until its result was available."""
        start = time.perf_counter()
        array(self.step())
        return time.perf_counter() - start

    def rest(self) -> float:
        """Return the megabytes this process has between steps, and count its peak from here."""
        ctypes.CDLL(None).malloc_trim(0)
        pathlib.Path("/proc/self/clear_refs").write_text("5")
        return resident("RSS")

    def peak(self) -> float:
        """Return the peak megabytes of this process since `rest`."""
        return resident("HWM")


def main() -> None:
    """Answer commands until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is not an answer
    worker = Worker(*sys.argv[1:])
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        print(json.dumps(getattr(worker, command)(*arguments)), file=answers, flush=True)


if __name__ == "__main__":
    main()
