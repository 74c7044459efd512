"""Compare a network from a MINDIR file with the network itself, in graph mode: `python benchmarks/graph_file.py`.

ResNet-50 is exported and loaded. Both alternate, and the medians of CPU time are printed, with the time of loading.
With `--file PATH` it is a file that MindSpore wrote for images of 64 by 64; the results are not compared then.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import torchspore as ms
from torchspore import nn

RESULTS = pathlib.Path(__file__).parent / "results" / "graph_file.json"
BLOCKS = (3, 4, 6, 3)
WIDTH = 64


def conv(inner: int, outer: int, size: int, stride: int = 1, act: bool = True) -> nn.SequentialCell:
    """Return a convolution with its normalization."""
    layers: list[nn.Cell] = [
        nn.Conv2d(inner, outer, size, stride, pad_mode="pad", padding=size // 2),
        nn.BatchNorm2d(outer),
    ]
    return nn.SequentialCell(layers + [nn.ReLU()] * act)


class Bottleneck(nn.Cell):
    """Three convolutions beside a shortcut."""

    def __init__(self, inner: int, width: int, stride: int) -> None:
        super().__init__()
        layers = conv(inner, width, 1), conv(width, width, 3, stride), conv(width, 4 * width, 1, act=False)
        self.layers = nn.SequentialCell(*layers)
        self.down = conv(inner, 4 * width, 1, stride, act=False) if inner != 4 * width or stride > 1 else None
        self.relu = nn.ReLU()

    def construct(self, x: Any) -> Any:
        """Compute the block."""
        return self.relu(self.layers(x) + (x if self.down is None else self.down(x)))


class ResNet50(nn.Cell):
    """The network."""

    def __init__(self) -> None:
        super().__init__()
        stages: list[nn.Cell] = [conv(3, WIDTH, 7, 2), nn.MaxPool2d(3, 2, pad_mode="pad", padding=1)]
        inner = WIDTH
        for stage, count in enumerate(BLOCKS):
            for block in range(count):
                stages.append(Bottleneck(inner, WIDTH * 2**stage, 2 if stage and not block else 1))
                inner = 4 * WIDTH * 2**stage
        self.stages, self.fc = nn.SequentialCell(*stages), nn.Dense(inner, 1000)

    def construct(self, x: Any) -> Any:
        """Compute the classes."""
        return self.fc(self.stages(x).mean((2, 3)))


def main() -> None:
    """Print and store the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--file")
    parser.add_argument("--calls", type=int, default=30)
    options = parser.parse_args()
    ms.set_context(mode=ms.GRAPH_MODE, jit_config={"jit_level": "O1"})
    net = ResNet50().set_train(False)
    x = ms.Tensor(np.random.default_rng(1).normal(size=(1, 3, 64, 64)).astype(np.float32))
    with tempfile.TemporaryDirectory() as folder:
        path = options.file or f"{folder}/resnet.mindir"
        if options.file is None:
            ms.export(net, x, file_name=path, file_format="MINDIR")
        start = time.perf_counter()
        graph = ms.load(path)
        loading = time.perf_counter() - start
        cell = nn.GraphCell(graph)
        making = time.perf_counter() - start - loading
    result = {
        "load_s": loading,
        "cell_s": making,
        **alternated({"network_ms": net, "graph_ms": cell}, x, options.calls),
    }
    result["ratio"] = result["graph_ms"] / result["network_ms"]
    if options.file is None:
        result["difference"] = float(np.abs(net(x).asnumpy() - cell(x).asnumpy()).max())
    print(json.dumps(result, indent=1))
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    known["of MindSpore" if options.file else "of TorchSpore"] = {key: round(value, 6) for key, value in result.items()}
    RESULTS.write_text(json.dumps(known, indent=1) + "\n")


def alternated(calls: dict[str, Callable[[Any], Any]], x: Any, count: int) -> dict[str, float]:
    """Return the medians of the milliseconds of calls that alternate."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(count + 3):
        for name, call in calls.items():
            start = time.process_time()
            call(x).asnumpy()
            if number >= 3:  # after the first ones, which compile
                times[name].append(1000 * (time.process_time() - start))
    return {name: statistics.median(values) for name, values in times.items()}


if __name__ == "__main__":
    main()
