"""Epochs of small datasets compared with torch's DataLoader and MindSpore: `python benchmarks/dataset.py [row words]`.

The functions of a row take almost no time, so the figures show the overhead of the pipelines per batch. Each contestant
is a separate process; they alternate, and the medians of wall time, and of CPU time over all threads and worker
processes, are printed. MindSpore is included with `--mindspore PYTHON`, a Python that has it installed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

ROWS, BATCH, ROUNDS = 4096, 32, 9
IMAGES, IMAGE_BATCH = 64, 16
OURS, TORCH, MINDSPORE = "TorchSpore", "DataLoader", "MindSpore"
ROW_NAMES = ("slices in order", "slices shuffled", "objects", "objects mapped", "mapped in 2 processes", "images")


class Source:
    """A source with random access."""

    def __init__(self) -> None:
        self.x = np.random.default_rng(0).random((ROWS, 16), np.float32)

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.x[index], np.array(index)


class Mapped(Source):
    """The same, with the function of the mapped rows."""

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        x, label = super().__getitem__(index)
        return plus_one(x), label


def plus_one(x: Any) -> Any:
    """Return a row's value plus one."""
    return x + 1


def images() -> Any:
    """Return images of noise."""
    return np.random.default_rng(0).integers(0, 256, (IMAGES, 256, 256, 3), np.uint8)


def spore_epoch(ds: Any, row: str) -> Callable[[], Iterable[Any]]:
    """Return the function that starts an epoch, with TorchSpore's or MindSpore's `dataset`."""
    names = ["x", "label"]
    if row.startswith("slices"):
        source = Source()
        data = ds.NumpySlicesDataset((source.x, np.arange(ROWS)), names, shuffle=row.endswith("shuffled"))
    elif row == "images":
        vision = ds.vision
        data = ds.NumpySlicesDataset((images(),), ["x"], shuffle=False).map(
            [vision.Resize(224), vision.Normalize([120.0] * 3, [60.0] * 3), vision.HWC2CHW()], ["x"]
        )
        batches = data.batch(IMAGE_BATCH)  # a new iterator each time: MindSpore's would have a whole epoch ready
        return lambda: batches.create_tuple_iterator(num_epochs=1)
    else:
        data = ds.GeneratorDataset(Source(), names, shuffle=True)
        if row != "objects":
            more = {"num_parallel_workers": 2, "python_multiprocessing": True} if "processes" in row else {}
            data = data.map(plus_one, ["x"], **more)
    return data.batch(BATCH).create_tuple_iterator(output_numpy=False).__iter__


def torch_epoch(row: str) -> Callable[[], Iterable[Any]]:
    """Return the function that starts an epoch of a DataLoader."""
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    if row.startswith("slices"):
        data: Any = TensorDataset(torch.from_numpy(Source().x), torch.arange(ROWS))
    else:
        data = Source() if row == "objects" else Mapped()
    workers = {"num_workers": 2, "persistent_workers": True} if "processes" in row else {}
    loader = DataLoader(data, batch_size=BATCH, shuffle=row != "slices in order", **workers)
    return loader.__iter__


def cpu_seconds() -> float:
    """Return the CPU seconds of this process, its threads and its living children."""
    total = time.process_time()
    for child in pathlib.Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split():
        fields = pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def work(contestant: str, row: str) -> None:
    """Run an epoch for each input line, and print its wall and CPU seconds."""
    if contestant == TORCH:
        epoch = torch_epoch(row)
    elif contestant == MINDSPORE:
        import mindspore.dataset as peer

        epoch = spore_epoch(peer, row)
    else:
        import torchspore.dataset as ours

        epoch = spore_epoch(ours, row)
    expected = IMAGES // IMAGE_BATCH if row == "images" else ROWS // BATCH
    for _ in sys.stdin:
        start, cpu = time.perf_counter(), cpu_seconds()
        batches = sum(1 for _ in epoch())
        print(time.perf_counter() - start, cpu_seconds() - cpu, batches == expected, flush=True)


def turns(row: str, pythons: dict[str, str]) -> dict[str, tuple[float, float]]:
    """Return the median wall and CPU microseconds of a batch for each contestant."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "GLOG_v": "4"}
    workers = {
        name: subprocess.Popen(
            [python, __file__, "--work", name, row],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        for name, python in pythons.items()
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in workers}
    for turn in range(ROUNDS + 1):
        for name, worker in list(workers.items())[:: 1 if turn % 2 else -1]:
            time.sleep(0.2)  # MindSpore's threads still fill their queues after their run
            assert worker.stdin is not None
            assert worker.stdout is not None
            worker.stdin.write("\n")
            worker.stdin.flush()
            wall, cpu, complete = worker.stdout.readline().split()
            assert complete == "True", f"{name}: batches are missing"
            if turn:  # the first one starts threads and processes
                times[name].append((float(wall), float(cpu)))
    for worker in workers.values():
        worker.communicate()
    batches = IMAGES // IMAGE_BATCH if row == "images" else ROWS // BATCH
    return {
        name: (
            statistics.median(wall for wall, _ in found) / batches * 1e6,
            statistics.median(cpu for _, cpu in found) / batches * 1e6,
        )
        for name, found in times.items()
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    parser.add_argument("--mindspore", help="a Python that has MindSpore")
    options = parser.parse_args()
    from harness import table

    lines = []
    for row in ROW_NAMES:
        if not all(word in row for word in options.words):
            continue
        pythons = {OURS: sys.executable}
        if row != "images":
            pythons[TORCH] = sys.executable
        if options.mindspore:
            pythons[MINDSPORE] = options.mindspore
        found = turns(row, pythons)
        mine = found[OURS]
        for name, (wall, cpu) in found.items():
            lines.append([row, name, f"{wall:.0f}", f"{cpu:.0f}", f"{mine[0] / wall:.2f}", f"{mine[1] / cpu:.2f}"])
    header = ["", "", "wall µs", "CPU µs", "ours by it, wall", "ours by it, CPU"]
    print(table(f"A batch of {BATCH} rows, or of {IMAGE_BATCH} images", header, lines))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
    else:
        main()
