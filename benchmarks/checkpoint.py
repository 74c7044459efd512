"""Checkpoints compared with torch and safetensors: `python benchmarks/checkpoint.py [--mib N] [--folder PATH]`.

Each run is a separate process, and the contestants alternate. A run is measured in wall time, CPU time, and peak memory
growth as reported by Linux. Mapped files count as memory once they are accessed; contestants that map a file also copy
it, as a training would. Saved files are synced at the end of a run; loaded files are in the page cache, unless the
machine is short of memory.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import safetensors.torch
import torch
from harness import table

import torchspore as ms

ROUNDS = 7
TENSOR_MIB = 16

Values = dict[str, torch.Tensor]


def ours(values: Values) -> dict[str, ms.Tensor]:
    """Return the values as our tensors, sharing memory."""
    return {name: ms.Tensor(value) for name, value in values.items()}


def copied(values: Values) -> Values:
    """Return copies of the values."""
    return {name: value.clone() for name, value in values.items()}


def synced(save: Callable[[Values, str], object], values: Values, path: str) -> None:
    """Save and sync the file, as ours always does."""
    save(values, path)
    with open(path, "rb") as file:
        os.fsync(file.fileno())


SAVES: dict[str, Callable[[Values], object]] = {
    "save .ckpt": lambda values: ms.save_checkpoint(ours(values), "ours.ckpt"),
    "save safetensors": lambda values: ms.save_checkpoint(ours(values), "ours.safetensors", format="safetensors"),
    "torch.save": lambda values: synced(torch.save, values, "torch.pt"),
    "the package's save_file": lambda values: synced(safetensors.torch.save_file, values, "package.safetensors"),
}
LOADS: dict[str, Callable[[], dict[str, Any]]] = {
    "load .ckpt": lambda: ms.load_checkpoint("ours.ckpt"),
    "load safetensors": lambda: ms.load_checkpoint("ours.safetensors", format="safetensors"),
    "torch.load": lambda: torch.load("torch.pt"),
    "torch.load(mmap=True) and a copy": lambda: copied(torch.load("torch.pt", mmap=True)),
    "the package's load_file and a copy": lambda: copied(safetensors.torch.load_file("package.safetensors")),
}


def made(mib: int) -> Values:
    """Return the tensors to save, each filled with its number."""
    return {f"{i}.weight": torch.full((TENSOR_MIB * 2**18,), float(i)) for i in range(mib // TENSOR_MIB)}


def memory(key: str) -> float:
    """Return MiB of memory of this process: VmRSS now, VmHWM for the peak."""
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024


def work(contestant: str, mib: int) -> None:
    """Run once, and print its wall seconds, CPU seconds and MiB of memory."""
    arguments = [made(mib)] if contestant in SAVES else []
    run = SAVES.get(contestant) or LOADS[contestant]
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before, cpu, start = memory("VmRSS"), time.process_time(), time.perf_counter()
    result = run(*arguments)
    print(time.perf_counter() - start, time.process_time() - cpu, memory("VmHWM") - before)
    for i in range(mib // TENSOR_MIB if contestant in LOADS else 0):
        assert float(result[f"{i}.weight"][-1]) == i, f"{contestant}: a wrong value was loaded"


def turns(mib: int, folder: str) -> dict[str, list[list[float]]]:
    """Return the measurements of each contestant's runs."""
    found: dict[str, list[list[float]]] = {name: [] for name in (*SAVES, *LOADS)}
    for number in range(ROUNDS):
        for group in SAVES, LOADS:
            for name in list(group)[:: 1 if number % 2 else -1]:
                command = [sys.executable, os.path.abspath(__file__), "--mib", str(mib), "--work", name]
                done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
                found[name].append([float(word) for word in done.stdout.split()])
                print(name, done.stdout.strip(), file=sys.stderr)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, default=1024, help="how much to save and load")
    parser.add_argument("--folder", help="where the files are written for the time being; default: the system's")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work, options.mib)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = turns(options.mib, folder)
    lines = []
    for name, figures in found.items():
        wall, cpu, grown = (statistics.median(values) for values in zip(*figures))
        best = min(seconds for seconds, _, _ in figures)
        speeds = [f"{options.mib * 2**20 / seconds / 1e6:.0f}" for seconds in (wall, best)]
        lines.append([name, *speeds, f"{cpu:.2f}", f"{grown / options.mib:.2f}"])
    header = ["", "MB/s", "MB/s, best", "CPU seconds", "memory by the file's size"]
    print(table(f"{options.mib} MiB in tensors of {TENSOR_MIB} MiB, medians of {ROUNDS} turns", header, lines))


if __name__ == "__main__":
    main()
