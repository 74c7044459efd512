"""Captured training steps beside torch eager and torch.compile: `python benchmarks/step.py [MLP LeNet-5 GPT ResNet]`.

The same models, losses and optimizers as in `training_step.py`. The first call of each contestant, compilation
included, is timed apart.
"""

from __future__ import annotations

import functools
import sys
import time

import models_torch
import models_torchspore
import torch
from harness import interleaved, table
from training_step import STEPS, copy_weights, torch_step, torchspore_step

import torchspore as ms


def main() -> None:
    """Print the tables."""
    wanted = sys.argv[1:]
    rows, first_rows = [], []
    for name, (model, optimizer, x, y, rounds, calls, _) in STEPS.items():
        if wanted and not any(word in name for word in wanted):
            continue
        torch.set_num_threads(1 if model == "MLP" else 2)
        source = getattr(models_torch, model)()
        contestants = {}
        for kind in ("eager", "compile"):
            twin = getattr(models_torch, model)()
            twin.load_state_dict(source.state_dict())
            contestants[f"torch {kind}"] = torch_step(
                torch.compile(twin) if kind == "compile" else twin, optimizer, x, y
            )
        inputs, labels = ms.Tensor(x), ms.Tensor(y)
        for level in ("O0", "O1"):
            cell = getattr(models_torchspore, model)()
            copy_weights(source, cell)
            step = ms.jit(torchspore_step(cell, optimizer, x, y, taking_data=True), jit_level=level, fullgraph=True)
            contestants[f"torchspore {level}"] = functools.partial(step, inputs, labels)
        first = {}
        for contestant, run in contestants.items():
            start = time.perf_counter()
            run()
            first[contestant] = time.perf_counter() - start
        median = interleaved(contestants, rounds=rounds, calls=calls)
        best = min(median["torch eager"], median["torch compile"])
        cells = [f"{median[c] * 1e3:.3f}" for c in contestants]
        ratio = min(median["torchspore O0"], median["torchspore O1"]) / best
        rows.append([name, *cells, f"{ratio:.2f}"])
        first_rows.append([name, *[f"{first[c]:.2f}" for c in contestants]])
        print(rows[-1], first_rows[-1], file=sys.stderr)
    names = ["torch eager", "torch.compile", "ours O0", "ours O1"]
    print(table("One captured training step, ms of CPU time", ["step", *names, "our better / their best"], rows))
    print(table("The first step, seconds, compilation included", ["step", *names], first_rows))


if __name__ == "__main__":
    main()
