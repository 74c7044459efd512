"""PYNATIVE training steps beside torch eager: `python benchmarks/training_step.py [MLP LeNet-5 ResNet-50 GPT]`.

Both sides run the same model, the same loss and the same optimizer from the same weights; the first losses are compared
before anything is timed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import models_torch
import models_torchspore
import numpy as np
import torch
from harness import interleaved, table

import torchspore as ms
from torchspore import nn

RANDOM = np.random.default_rng(0)


def classes(count: int, size: int) -> np.ndarray:
    """Return random labels."""
    return RANDOM.integers(0, count, size).astype(np.int32)


def images(*shape: int) -> np.ndarray:
    """Return random images."""
    return RANDOM.standard_normal(shape).astype(np.float32)


# name: (model, optimizer, inputs, labels, rounds, calls, limit of ours / torch)
STEPS = {
    "MLP 8-8": ("MLP", "momentum", images(8, 8), classes(8, 8), 15, 300, 1.2),
    "MLP 8-8 Adam": ("MLP", "adam", images(8, 8), classes(8, 8), 15, 300, 1.2),
    "LeNet-5 b32": ("LeNet5", "momentum", images(32, 1, 32, 32), classes(10, 32), 15, 10, 1.2),
    "GPT 4x256 b8x128": ("GPT", "adam", classes(1000, 1024).reshape(8, 128), classes(1000, 1024), 9, 1, 1.03),
    "ResNet-50 b8": ("ResNet50", "momentum", images(8, 3, 224, 224), classes(1000, 8), 9, 1, 1.03),
}


def copy_weights(source: torch.nn.Module, target: nn.Cell) -> None:
    """Give both models the same weights: both list them in the same order."""
    theirs, ours = list(source.parameters()), target.trainable_params()
    assert len(theirs) == len(ours)
    for a, b in zip(theirs, ours):
        b.set_data(ms.Tensor(a.detach().clone()))


def torch_step(model: torch.nn.Module, optimizer: str, x: np.ndarray, y: np.ndarray) -> Callable[[], float]:
    """Return torch's training step."""
    if optimizer == "adam":
        update: torch.optim.Optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    else:
        update = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    inputs, labels = torch.from_numpy(x), torch.from_numpy(y).long()

    def step() -> float:
        update.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        update.step()
        return loss.detach()

    return step


def torchspore_step(
    model: nn.Cell, optimizer: str, x: np.ndarray, y: np.ndarray, *, taking_data: bool = False
) -> Callable[..., Any]:
    """Return ours, as MindSpore's tutorials write it; with `taking_data` it takes the inputs and labels."""
    model.set_train()
    weights = model.trainable_params()
    update = nn.Adam(weights, 1e-3) if optimizer == "adam" else nn.Momentum(weights, 0.01, 0.9)
    loss_fn = nn.CrossEntropyLoss()

    def forward(data, label):
        return loss_fn(model(data), label)

    value_and_grad = ms.value_and_grad(forward, None, weights)

    def step(data, label):
        loss, gradients = value_and_grad(data, label)
        update(gradients)
        return loss

    if taking_data:
        return step
    inputs, labels = ms.Tensor(x), ms.Tensor(y)
    return lambda: step(inputs, labels)


def main() -> None:
    """Print the table."""
    wanted = sys.argv[1:]
    rows = []
    for name, (model, optimizer, x, y, rounds, calls, limit) in STEPS.items():
        if wanted and not any(word in name for word in wanted):
            continue
        torch.manual_seed(0)
        theirs, ours = getattr(models_torch, model)(), getattr(models_torchspore, model)()
        copy_weights(theirs, ours)
        torch.set_num_threads(1 if model == "MLP" else 2)
        steps = {
            "torch": torch_step(theirs, optimizer, x, y),
            "torchspore": torchspore_step(ours, optimizer, x, y),
        }
        losses = {side: [float(step()) for _ in range(3)] for side, step in steps.items()}
        np.testing.assert_allclose(losses["torchspore"], losses["torch"], rtol=2e-3)
        median = interleaved(steps, rounds=rounds, calls=calls)
        ratio = median["torchspore"] / median["torch"]
        mark = "" if ratio <= limit else f" (> {limit})"
        rows.append([name, f"{median['torch'] * 1e3:.3f}", f"{median['torchspore'] * 1e3:.3f}", f"{ratio:.2f}{mark}"])
        print(rows[-1], file=sys.stderr)
    print(
        table(
            "One training step in PYNATIVE mode, ms of CPU time", ["step", "torch eager", "torchspore", "ratio"], rows
        )
    )


if __name__ == "__main__":
    main()
