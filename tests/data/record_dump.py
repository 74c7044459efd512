"""Record `dump_of_mindspore.npz` in an environment with MindSpore 2.10: python tests/data/record_dump.py"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import mindspore
import numpy as np
from mindspore import nn

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parent.parent / "src" / "torchspore" / "migrate" / "comparing" / "plain_recorder.py"


def main() -> None:
    """Write the dump with the script that users get."""
    spec = importlib.util.spec_from_file_location("plain_recorder", SCRIPT)
    recorder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(recorder)
    mindspore.set_seed(1)
    net = nn.SequentialCell(
        nn.Conv2d(2, 4, 3, has_bias=True), nn.BatchNorm2d(4), nn.LeakyReLU(), nn.AvgPool2d(2, 2), nn.Flatten(),
        nn.Dense(16, 3), nn.LayerNorm((3,)), nn.GELU(), nn.Softmax(),
    ).set_train()  # fmt: skip
    x = np.random.default_rng(0).standard_normal((2, 2, 4, 4)).astype(np.float32)
    recorder.record(net, str(HERE / "dump_of_mindspore.npz"), x)


main()
