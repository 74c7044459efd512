"""Compare exchanges and data-parallel steps with torch's, in processes on one machine.

`python benchmarks/distributed.py [--processes 2]` starts the processes, with one thread each. All contestants are in
the same processes and alternate; the first process prints the medians of the wall time.
"""

from __future__ import annotations

import argparse
import itertools
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from harness import table

import torchspore as ms
from torchspore import nn
from torchspore.mint import distributed

LAYERS = (784, 1024, 1024, 1024, 10)
BATCH = 64
_new = getattr(dist, "all_gather_single", None) is not None  # torch renamed two functions after 2.11
_gather = dist.all_gather_single if _new else dist.all_gather_into_tensor
_scatter = dist.reduce_scatter_single if _new else dist.reduce_scatter_tensor


def main() -> None:
    """Start the processes, or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--processes", type=int, default=2)
    count = parser.parse_args().processes
    if "RANK" in os.environ:
        distributed.init_process_group("gloo")
        torch.set_num_threads(1)
        exchanges(count)
        steps()
        distributed.destroy_process_group()
        return
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        address = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(found.getsockname()[1]), "WORLD_SIZE": str(count)}
    command = [sys.executable, *sys.argv]
    started = [subprocess.Popen(command, env={**os.environ, **address, "RANK": str(i)}) for i in range(count)]
    sys.exit(max(abs(process.wait()) for process in started))


def medians(contestants: dict[str, Callable[[], object]], rounds: int, calls: int) -> dict[str, float]:
    """Return the median milliseconds of a call; the contestants alternate, and start together in all processes."""
    for run in contestants.values():
        for _ in range(3):
            run()
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for i in range(rounds):
        for name in contestants if i % 2 else reversed(contestants):
            dist.barrier()
            start = time.perf_counter()
            for _ in range(calls):
                contestants[name]()
            dist.barrier()
            seconds[name].append((time.perf_counter() - start) / calls)
    return {name: statistics.median(values) * 1e3 for name, values in seconds.items()}


def exchanges(count: int) -> None:
    """Print the time of exchanges beside torch's own calls."""
    rows = []
    for size in (1_000 // count * count, 1_000_000 // count * count):
        for name, (theirs, ours) in _pairs(size, count).items():
            found = medians({"torch": theirs, "ours": ours}, rounds=21, calls=20)
            ratio = found["ours"] / found["torch"]
            rows.append([name, f"{size:,}", f"{found['torch']:.3f}", f"{found['ours']:.3f}", f"{ratio:.2f}"])
    show("Exchanges, ms", ["operation", "float32 numbers", "torch", "TorchSpore", "ratio"], rows)


def _pairs(size: int, count: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """Return torch's calls and ours."""
    x, part, whole, other = torch.zeros(size), torch.zeros(size // count), torch.zeros(size * count), torch.zeros(size)
    our_x, our_part, our_whole, our_other = (ms.Tensor(value.clone()) for value in (x, part, whole, other))
    return {
        "all_reduce": (lambda: dist.all_reduce(x), lambda: distributed.all_reduce(our_x)),
        "broadcast": (lambda: dist.broadcast(x, 0), lambda: distributed.broadcast(our_x, 0)),
        "all_gather_into_tensor": (
            lambda: _gather(whole, x), lambda: distributed.all_gather_into_tensor(our_whole, our_x),
        ),
        "reduce_scatter_tensor": (
            lambda: _scatter(part, x), lambda: distributed.reduce_scatter_tensor(our_part, our_x),
        ),
        "all_to_all_single": (
            lambda: dist.all_to_all_single(other, x), lambda: distributed.all_to_all_single(our_other, our_x),
        ),
    }  # fmt: skip


def steps() -> None:
    """Print the time of a training step that averages gradients over the processes."""
    random = np.random.default_rng(dist.get_rank())
    x = random.standard_normal((BATCH, LAYERS[0]), dtype=np.float32)
    y = random.integers(0, LAYERS[-1], BATCH)
    weights = torch.nn.Sequential(*_torch_layers()).state_dict()
    for value in weights.values():
        dist.broadcast(value, 0)
    contestants = {
        "DDP": _ddp(weights, x, y, False), "DDP, torch.compile": _ddp(weights, x, y, True),
        "PYNATIVE": _ours(weights, x, y, ms.PYNATIVE_MODE), "GRAPH O0": _ours(weights, x, y, ms.GRAPH_MODE),
        "GRAPH O1": _ours(weights, x, y, ms.GRAPH_MODE, "O1"),
    }  # fmt: skip
    losses = {name: [float(step()) for _ in range(3)] for name, step in contestants.items()}
    for name, found in losses.items():
        np.testing.assert_allclose(found, losses["DDP"], rtol=1e-4, err_msg=name)
    found = medians(contestants, rounds=15, calls=5)
    best = min(found["DDP"], found["DDP, torch.compile"])
    rows = [[name, f"{value:.2f}", f"{value / best:.2f}"] for name, value in found.items()]
    show(f"A data-parallel step of an MLP {'-'.join(map(str, LAYERS))}, batch {BATCH}", ["", "ms", "to DDP"], rows)


def show(title: str, header: list[str], rows: list[list[str]]) -> None:
    """Print a table in the first process."""
    if dist.get_rank() == 0:
        print(table(f"{title}: {dist.get_world_size()} processes", header, rows), flush=True)


def _torch_layers() -> list[torch.nn.Module]:
    layers: list[torch.nn.Module] = []
    for given, made in itertools.pairwise(LAYERS):
        layers += [torch.nn.Linear(given, made), torch.nn.ReLU()]
    return layers[:-1]


def _ddp(weights: dict[str, Any], x: Any, y: Any, compiled: bool) -> Callable[[], Any]:
    net = torch.nn.Sequential(*_torch_layers())
    net.load_state_dict(weights)
    model: Any = torch.nn.parallel.DistributedDataParallel(net)
    if compiled:
        model = torch.compile(model)
    optimizer = torch.optim.SGD(net.parameters(), 0.01, momentum=0.9)
    inputs, labels = torch.from_numpy(x), torch.from_numpy(y)

    def step() -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss

    return step


def _ours(weights: dict[str, Any], x: Any, y: Any, mode: int, level: str = "O0") -> Callable[[], Any]:
    layers: list[nn.Cell] = []
    for given, made in itertools.pairwise(LAYERS):
        layers += [nn.Dense(given, made), nn.ReLU()]
    net = nn.SequentialCell(layers[:-1])
    for name, parameter in net.parameters_and_names():
        parameter.set_data(ms.Tensor(weights[name].clone()))
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    cell = nn.TrainOneStepCell(nn.WithLossCell(net, loss), nn.Momentum(net.trainable_params(), 0.01, 0.9))
    inputs, labels = ms.Tensor(x), ms.Tensor(y.astype(np.int32))
    run = ms.jit(cell, backend="ms_backend", jit_level=level) if mode == ms.GRAPH_MODE else cell
    return lambda: run(inputs, labels)


if __name__ == "__main__":
    main()
