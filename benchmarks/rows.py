"""The table of measured models, optimizers and batches, for `training_step.py` and `step.py`."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Row:
    """One model with its batch."""

    model: str  # the class of this name in each `models_*.py`
    optimizer: str | None  # "momentum", "adam", or None: inference
    inputs: tuple[int, ...]
    classes: int
    threads: int
    rounds: int
    limit: float  # for PYNATIVE over torch eager
    calls: int = 1  # in a round
    tokens: int = 0  # the vocabulary when the inputs are tokens
    later_tolerance: float = 2e-3  # between results after the first
    devices: tuple[str, ...] = ("CPU", "GPU")

    def batch(self) -> tuple[np.ndarray, np.ndarray]:
        """Return inputs and labels, the same every time: one label for an image or a sequence, or for every token."""
        random = np.random.default_rng(0)
        if self.tokens:
            x = random.integers(0, self.tokens, self.inputs).astype(np.int32)
        else:
            x = random.standard_normal(self.inputs).astype(np.float32)
        labels = x.size if self.tokens else self.inputs[0]
        return x, random.integers(0, self.classes, labels).astype(np.int32)


RESNET_50 = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, stride
MOBILENET_V2 = (  # expansion, channels, blocks, stride
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)

SMALL: dict[str, Any] = {"threads": 1, "rounds": 15, "limit": 1.2}
LARGE: dict[str, Any] = {"threads": 2, "rounds": 9, "limit": 1.03}
CHAOTIC = 0.2  # a training step of a fresh deep network with batch normalisation can make rounding 1e5 times larger

ROWS = {
    "MLP 8-8": Row("MLP", "momentum", (8, 8), 8, calls=300, **SMALL),
    "MLP 8-8 Adam": Row("MLP", "adam", (8, 8), 8, calls=300, **SMALL),
    "LeNet-5 b32": Row("LeNet5", "momentum", (32, 1, 32, 32), 10, calls=10, **SMALL),
    "LSTM 128 b16x32": Row("LSTM", "momentum", (16, 32, 64), 10, calls=10, **SMALL),
    "GPT 4x256 b8x128": Row("GPT", "adam", (8, 128), 1000, tokens=1000, **LARGE),
    "ResNet-50 b8": Row("ResNet50", "momentum", (8, 3, 224, 224), 1000, later_tolerance=CHAOTIC, **LARGE),
    "ResNet-50 b1 inference": Row("ResNet50", None, (1, 3, 224, 224), 1000, calls=3, **LARGE),
    "GPT 4x256 b64x128": Row("GPT", "adam", (64, 128), 1000, tokens=1000, devices=("GPU",), **LARGE),
    "ResNet-50 b64": Row(
        "ResNet50", "momentum", (64, 3, 224, 224), 1000, later_tolerance=CHAOTIC, devices=("GPU",), **LARGE
    ),
    "MobileNet-V2 b8": Row("MobileNetV2", "momentum", (8, 3, 224, 224), 1000, later_tolerance=CHAOTIC, **LARGE),
}


def selected(words: list[str], device: str = "CPU") -> dict[str, Row]:
    """Return the rows of a device whose names contain one of the words; all of them without words."""
    rows = {name: row for name, row in ROWS.items() if device in row.devices}
    found = {name: row for name, row in rows.items() if not words or any(word in name for word in words)}
    if not found:
        raise SystemExit(f"No row has {' or '.join(words)} in its name. The rows: {', '.join(rows)}.")
    return found
