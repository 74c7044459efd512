"""Compare captured training steps with torch, JAX and MindSpore: `python benchmarks/step.py [row words]`.

Each contestant is a separate process (`worker.py`) with the same weights, batches, losses and optimizers; the first
results are compared, then they alternate, and the medians of CPU time are printed. With `--device GPU` it is the time
until the GPU has finished, in float32 without TF32, and level O2 with its CUDA graphs takes part. `--memory` and
`--first` print other tables instead:

- `--memory`: the most memory a process has during a step, less what it had before the model was made. It had run
  another model then, so that a library's own code does not count.
- `--first`: the seconds of the first step, with empty caches on disk and then once more in a new process.

JAX takes part where it is installed, MindSpore with `--mindspore PYTHON`, the Python that has it.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import importlib.util
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import models_torch
import numpy as np
import torch
from harness import interleaved, table
from rows import ROWS, Row, selected
from worker import CONTESTANTS

RIVALS = ("torch eager", "torch.compile", "jax.jit")
OURS = ("TorchSpore O0", "TorchSpore O1", "TorchSpore O2")
CHECKS = 3  # results that are compared
TOLERANCE = 2e-3  # for the first of them; the later ones are the row's matter
BUDGET = 60.0  # CPU seconds for the checks, and again for the rounds; a slow contestant has fewer of them
GPU_BUDGET = 10.0  # seconds for the rounds on a GPU
SMALL = "MLP 8-8"


class Contestant:
    """The process of one contestant.

    Args:
        name: one of `CONTESTANTS`.
        python: the Python that runs it.
        threads: the number of threads.
        device: "CPU" or "GPU".
        cache: the folder of its cache on disk. Default: each library's own.
    """

    def __init__(self, name: str, python: str, threads: int, device: str, cache: pathlib.Path | None = None) -> None:
        self.name = name
        worker = pathlib.Path(__file__).with_name("worker.py")
        self._process = subprocess.Popen(
            [python, worker, name, device],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | self._environment(threads, device, cache),
        )

    @staticmethod
    def _environment(threads: int, device: str, cache: pathlib.Path | None) -> dict[str, str]:
        chosen = {
            "OMP_NUM_THREADS": str(threads),
            "OMP_WAIT_POLICY": "PASSIVE",  # otherwise a thread that waits for one without a processor burns CPU time
            "NPROC": str(threads),
            "JAX_PLATFORMS": {"CPU": "cpu", "GPU": "cuda"}[device],
            "GLOG_v": "4",
        }
        if device == "CPU":
            chosen["CUDA_VISIBLE_DEVICES"] = ""
        else:
            chosen |= {
                "NVIDIA_TF32_OVERRIDE": "0",
                "JAX_DEFAULT_MATMUL_PRECISION": "highest",
                "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
            }
        if threads == 1:
            chosen["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        if cache is not None:
            chosen |= {
                "TORCHSPORE_CACHE_DIR": f"{cache}/torchspore",
                "TORCHINDUCTOR_CACHE_DIR": f"{cache}/torch",
                "JAX_COMPILATION_CACHE_DIR": f"{cache}/jax",
                "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
                "MS_COMPILER_CACHE_ENABLE": "1",
                "MS_COMPILER_CACHE_PATH": f"{cache}/mindspore",
            }
        return chosen

    def __enter__(self) -> Contestant:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()

    def ask(self, command: str, *arguments: Any) -> Any:
        """Return the worker's answer to a command."""
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps([command, *arguments]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name} ended in '{command}' with {arguments}; see above.")
        return json.loads(answer)


class Bench:
    """The contestants of this run, and the files that give them the same start.

    Args:
        pythons: the Python of each contestant.
        device: "CPU" or "GPU".
        folder: where the files go.
        rounds: the rounds of each row. Default: the row's own.
    """

    def __init__(self, pythons: dict[str, str], device: str, folder: pathlib.Path, rounds: int | None) -> None:
        self.pythons = pythons
        self.device = device
        self.folder = folder
        self.rounds = rounds

    def start(self, name: str, row: Row, cache: pathlib.Path | None = None) -> Contestant:
        """Start a contestant."""
        return Contestant(name, self.pythons[name], row.threads, self.device, cache)

    def file(self, row_name: str) -> str:
        """Return the file with inputs, labels and weights of a row."""
        path = self.folder / f"{row_name}.npz"
        if not path.exists():
            row = ROWS[row_name]
            np.savez(path, *row.batch(), *models_torch.initial_weights(row.model))
        return str(path)

    def time(self, row_name: str) -> dict[str, dict[str, float]]:
        """Return the median milliseconds of one step."""
        row, file = ROWS[row_name], self.file(row_name)

        def results(contestant: Contestant) -> np.ndarray:
            contestant.ask("make", row_name, file)
            return np.array(contestant.ask("results", CHECKS, BUDGET))

        with contextlib.ExitStack() as stack:
            running = {name: stack.enter_context(self.start(name, row)) for name in self.pythons}
            with concurrent.futures.ThreadPoolExecutor() as pool:  # they compile at the same time
                found = dict(zip(running, pool.map(results, running.values())))
            for name in running:
                check(row_name, name, found[name], found["torch eager"])
            turns = {name: turn(contestant) for name, contestant in running.items()}
            rounds = self.rounds or row.rounds
            budget = BUDGET if self.device == "CPU" else GPU_BUDGET
            median = interleaved(turns, rounds=rounds, calls=row.calls, warm_up=0, budget=budget)
        unit = "ms of CPU time" if self.device == "CPU" else "ms"
        return {unit: {name: seconds * 1e3 for name, seconds in median.items()}}

    def memory(self, row_name: str) -> dict[str, dict[str, float]]:
        """Return the megabytes that steps need."""
        found = {}
        for name in self.pythons:
            with self.start(name, ROWS[row_name]) as contestant:
                contestant.ask("make", SMALL, self.file(SMALL))
                contestant.ask("results", 2, BUDGET)
                before = contestant.ask("rest")
                contestant.ask("make", row_name, self.file(row_name))
                contestant.ask("results", 2, BUDGET)
                contestant.ask("rest")
                contestant.ask("results", 2, BUDGET)
                found[name] = contestant.ask("peak") - before
        return {"MB": found}

    def first(self, row_name: str) -> dict[str, dict[str, float]]:
        """Return the seconds of the first step, without and with caches on disk."""
        found: dict[str, dict[str, float]] = {"cold, s": {}, "warm, s": {}}
        for name in self.pythons:
            with tempfile.TemporaryDirectory(dir=self.folder) as cache:
                for state in found.values():
                    with self.start(name, ROWS[row_name], pathlib.Path(cache)) as contestant:
                        contestant.ask("make", row_name, self.file(row_name))
                        state[name] = contestant.ask("first")
        return found


def turn(contestant: Contestant) -> Callable[[int], float]:
    """Return a function that lets a contestant run some steps."""
    return lambda calls: contestant.ask("run", calls)


def check(row_name: str, name: str, results: np.ndarray, expected: np.ndarray) -> None:
    """Raise an error if a contestant's results differ from torch eager's."""
    tolerances = [TOLERANCE] + [ROWS[row_name].later_tolerance] * (CHECKS - 1)
    for found, wanted, tolerance in zip(results, expected, tolerances):
        error = np.linalg.norm(found - wanted) / np.linalg.norm(wanted)
        if not error <= tolerance:
            raise RuntimeError(f"{name} is {error:.1e} off in '{row_name}': {found[:3]} where torch has {wanted[:3]}.")


def cells(figures: dict[str, float]) -> list[str]:
    """Return the figures of a row as text, and the ratio of our best to the others' best."""
    ratio = min(figures[name] for name in OURS if name in figures) / min(
        figures[name] for name in RIVALS if name in figures
    )
    return [*[f"{figure:.4g}" for figure in figures.values()], f"{ratio:.2f}"]


def machine(device: str) -> str:
    """Return the processor or the GPU, the system and PyTorch's version."""
    if device == "GPU":
        name = torch.cuda.get_device_name()
        return f"{name}, {platform.system()}, PyTorch {torch.__version__}"
    described = pathlib.Path("/proc/cpuinfo").read_text() if sys.platform == "linux" else ""
    model = next((line.partition(":")[2].strip() for line in described.splitlines() if "model name" in line), "")
    return f"{model or platform.processor()}, {platform.system()}, PyTorch {torch.__version__.partition('+')[0]}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help=f"words in the names of the rows: {', '.join(ROWS)}")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--memory", action="store_const", dest="kind", const="memory", help="peak memory instead of time")
    kind.add_argument("--first", action="store_const", dest="kind", const="first", help="the first step instead")
    parser.add_argument("--mindspore", metavar="PYTHON", help="a Python that has MindSpore")
    parser.add_argument("--device", choices=("CPU", "GPU"), default="CPU")
    parser.add_argument("--rounds", type=int, help="rounds instead of each row's own number")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write the figures and the machine here")
    arguments = parser.parse_args()

    pythons = dict.fromkeys(CONTESTANTS, sys.executable) | {"MindSpore": arguments.mindspore}
    if importlib.util.find_spec("jax") is None:
        del pythons["jax.jit"]
        print("JAX is not installed, so it does not take part.", file=sys.stderr)
    if arguments.mindspore is None:
        del pythons["MindSpore"]
    if arguments.device == "CPU":
        del pythons["TorchSpore O2"]  # which differs from O1 by its CUDA graphs
    rows: list[list[str]] = []
    kept: dict[str, dict[str, dict[str, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pythons, arguments.device, pathlib.Path(folder), arguments.rounds)
        for name in selected(arguments.words, arguments.device):
            kept[name] = getattr(bench, arguments.kind or "time")(name)
            for unit, figures in kept[name].items():
                rows.append([name, unit, *cells(figures)])
                print(rows[-1], file=sys.stderr)
            if arguments.json:  # after each row, in case the next one fails
                text = json.dumps({"machine": machine(arguments.device), "rows": kept}, indent=1)
                arguments.json.write_text(text + "\n", encoding="utf-8")
    print(table("One step", ["model", "", *pythons, "our better / their best"], rows))


if __name__ == "__main__":
    main()
