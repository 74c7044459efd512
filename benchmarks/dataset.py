"""Pipelines of `dataset` beside the pipelines of MindSpore, PyTorch and Grain: `python benchmarks/dataset.py [words]`.

Each contestant is a separate process; they alternate, and the medians of CPU time over all threads and worker
processes, and of wall time, are printed. A run is one iterator over several epochs, with its start. MindSpore is
included with `--mindspore PYTHON`, a Python that has it installed, and Grain where it is installed; what is missing is
named. Given words choose the rows whose names have all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from typing import Any

OURS, TORCH, GRAIN, MINDSPORE = "TorchSpore", "DataLoader", "Grain", "MindSpore"
ROWS = {  # name: (epochs of a run, the number of rows of an epoch)
    "slices": (8, 2048),
    "digits": (2, 4096),
    "photos": (1, 192),
    "photos, RandAugment": (1, 192),
    "text": (2, 4096),
    "generator, 1 thread": (2, 2048),
    "generator, 2 threads": (2, 2048),
    "generator, 1 process": (2, 2048),
    "generator, 2 processes": (2, 2048),
    "MindRecord": (2, 2048),
    "TFRecord": (2, 2048),
    "audio": (2, 96),
}


def cpu_seconds() -> float:
    """Return the CPU seconds of this process, its threads, and its children, living and ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + sum(map(_of_process, _children(os.getpid())))


def _children(process: int) -> Iterable[str]:
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):  # the thread has ended
            yield from (task / "children").read_text().split()


def _of_process(process: str) -> float:
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(_of_process, _children(int(process))))
    except OSError:  # it has ended
        return 0.0


def epochs(contestant: str, row: str, folder: pathlib.Path) -> Any:
    """Return the function that yields the batches of a run, or None if the contestant has nothing for the row."""
    count = ROWS[row][0]
    if contestant in (OURS, MINDSPORE):
        import dataset_spore

        module = "torchspore" if contestant == OURS else "mindspore"
        ds = importlib.import_module(f"{module}.dataset")
        importlib.import_module(f"{module}.dataset.audio")
        data = dataset_spore.pipeline(ds, row, folder)

        def several() -> Iterable[Any]:
            iterator = data.create_tuple_iterator(num_epochs=count)
            for _ in range(count):
                yield from iterator

        return several
    loader = importlib.import_module("dataset_torch" if contestant == TORCH else "dataset_grain").loader(row, folder)
    return None if loader is None else lambda: (batch for _ in range(count) for batch in loader)


def work(contestant: str, row: str, folder: str) -> None:
    """Make a run for each input line, and print its wall and CPU seconds, and the number of batches."""
    run = epochs(contestant, row, pathlib.Path(folder))
    print(run is not None, flush=True)
    for _ in sys.stdin:
        start, cpu = time.perf_counter(), cpu_seconds()
        batches = sum(1 for _ in run())
        print(time.perf_counter() - start, cpu_seconds() - cpu, batches, flush=True)


def alternate(row: str, folder: str, pythons: dict[str, str], rounds: int) -> dict[str, tuple[float, float]]:
    """Return the median CPU and wall microseconds of a row of data for each contestant that ran to the end."""
    workers = {name: _started(python, name, row, folder) for name, python in pythons.items()}
    present = {name: worker for name, worker in workers.items() if _answer(worker, name, row) == ["True"]}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in present}
    numbers = set()
    for number in range(rounds + 1):
        for name, worker in list(present.items())[:: 1 if number % 2 else -1]:
            with contextlib.suppress(BrokenPipeError):
                worker.stdin.write("\n")
                worker.stdin.flush()
            answer = _answer(worker, name, row)
            if not answer:
                del present[name], times[name]
                continue
            wall, cpu, batches = answer
            numbers.add(batches)
            if number:  # the first run imports and compiles
                times[name].append((float(wall), float(cpu)))
    for worker in workers.values():
        worker.communicate()
    if row != "text" and len(numbers) != 1:  # which bucket is full first depends on the order
        raise RuntimeError(f"{row}: the contestants made different numbers of batches, {numbers}.")
    count, length = ROWS[row]
    return {
        name: (
            statistics.median(cpu for _, cpu in found) / (count * length) * 1e6,
            statistics.median(wall for wall, _ in found) / (count * length) * 1e6,
        )
        for name, found in times.items()
    }


def _started(python: str, name: str, row: str, folder: str) -> Any:
    return subprocess.Popen(
        [python, __file__, "--work", name, row, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=None if "DATASET_ERRORS" in os.environ else subprocess.DEVNULL,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "GLOG_v": "4"},
    )


def _answer(worker: Any, name: str, row: str) -> list[str]:
    """Return the words of a contestant's next line; none if it has ended, which is printed."""
    words: list[str] = worker.stdout.readline().split()
    if not words:
        print(f"{name} ended in '{row}' with code {worker.wait()}; set DATASET_ERRORS=1 to see why", file=sys.stderr)
    return words


def contestants(mindspore: str | None) -> dict[str, str]:
    """Return the Python of each contestant, and print which are missing."""
    found = {OURS: sys.executable, TORCH: sys.executable}
    if importlib.util.find_spec("grain"):
        found[GRAIN] = sys.executable
    else:
        print("Missing: Grain (pip install grain)")
    if mindspore:
        found[MINDSPORE] = mindspore
    else:
        print("Missing: MindSpore (--mindspore PYTHON)")
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    parser.add_argument("--mindspore", help="a Python that has MindSpore")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    from harness import table

    pythons = contestants(options.mindspore)
    header = ["", "", "CPU µs", "wall µs", "ours by it, CPU", "ours by it, wall"]
    print(table("A row of data", header, []), end="", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        import dataset_files

        dataset_files.write(pathlib.Path(folder))
        for row in ROWS:
            if not all(word in row for word in options.words):
                continue
            found = alternate(row, folder, pythons, options.rounds)
            for name, its in found.items():
                ratios = [f"{ours / other:.2f}" for ours, other in zip(found.get(OURS, ()), its)] or ["", ""]
                cells = [row, name, *(f"{seconds:.0f}" for seconds in its), *ratios]
                print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        main()
