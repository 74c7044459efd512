"""Record the initial values of MindSpore 2.10's layers, into `initial_values.json` next to this file.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_initial_values.py`.

Every row is a layer, a parameter of it, its distribution and the distribution's number: the bound of a uniform one
around 0, the deviation of a normal one around 0, the value of a constant one. What is recorded is the shape, the data
type and the quantiles of the parameter.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


def fan(count: int) -> float:
    """The bound that layers have whose outputs are sums of so many products."""
    return 1 / math.sqrt(count)


def xavier(inputs: int, outputs: int) -> float:
    """The bound of Xavier's uniform distribution."""
    return math.sqrt(6 / (inputs + outputs))


def both(layer: str, bound: float, weight: str = "weight", bias: str = "bias") -> list[tuple[str, str, str, float]]:
    """The rows of a layer whose weight and bias are of one uniform distribution."""
    return [(layer, weight, "uniform", bound), (layer, bias, "uniform", bound)]


def recurrent(layer: str, names: str, size: int) -> list[tuple[str, str, str, float]]:
    """The rows of a recurrent layer."""
    return [(layer, name, "uniform", fan(size)) for name in names.split()]


def normalised(layer: str, ones: str, zeros: str) -> list[tuple[str, str, str, float]]:
    """The rows of a normalisation."""
    rows = [(layer, name, "constant", 1.0) for name in ones.split()]
    return rows + [(layer, name, "constant", 0.0) for name in zeros.split()]


_OF_CELLS = "weight_ih weight_hh bias_ih bias_hh"
_OF_BATCHES = "moving_mean beta"

ROWS = [
    *both("nn.Dense(60, 500)", fan(60)),
    *both("nn.BiDense(30, 20, 400)", fan(30)),
    *both("nn.Conv1d(20, 400, 3, has_bias=True)", fan(60)),
    *both("nn.Conv2d(10, 400, (3, 2), has_bias=True)", fan(60)),
    *both("nn.Conv2d(10, 400, 3, group=2, has_bias=True)", fan(45)),
    *both("nn.Conv3d(5, 400, (2, 3, 2), has_bias=True)", fan(60)),
    *both("nn.Conv1dTranspose(40, 400, 3, has_bias=True)", fan(1200)),
    *both("nn.Conv2dTranspose(30, 400, (3, 2), has_bias=True)", fan(2400)),
    *both("nn.Conv3dTranspose(5, 400, (2, 3, 2), has_bias=True)", fan(4800)),
    ("nn.Conv2dBnAct(10, 400, 3, has_bias=True)", "conv.weight", "normal", 0.01),
    ("nn.Conv2dBnAct(10, 400, 3, has_bias=True)", "conv.bias", "constant", 0.0),
    ("nn.DenseBnAct(60, 500)", "dense.weight", "normal", 0.01),
    ("nn.DenseBnAct(60, 500)", "dense.bias", "constant", 0.0),
    ("nn.Embedding(200, 50)", "embedding_table", "normal", 0.01),
    ("nn.EmbeddingLookup(200, 50)", "embedding_table", "normal", 0.01),
    ("nn.MultiFieldEmbeddingLookup(200, 50, 3)", "embedding_table", "normal", 0.01),
    ("nn.DenseThor(60, 200)", "weight", "normal", 0.01),
    ("nn.DenseThor(60, 200)", "bias", "constant", 0.0),
    ("nn.Conv2dThor(10, 200, 3, has_bias=True)", "weight", "normal", 0.01),
    ("nn.Conv2dThor(10, 200, 3, has_bias=True)", "bias", "constant", 0.0),
    ("nn.EmbeddingThor(200, 50)", "embedding_table", "normal", 0.01),
    *recurrent("nn.RNNCell(60, 80)", _OF_CELLS, 80),
    *recurrent("nn.LSTMCell(60, 80)", _OF_CELLS, 80),
    *recurrent("nn.GRUCell(60, 80)", _OF_CELLS, 80),
    *recurrent("nn.RNN(60, 80)", "weight_ih_l0 weight_hh_l0 bias_ih_l0 bias_hh_l0", 80),
    *recurrent("nn.GRU(60, 80, 2)", "weight_ih_l0 weight_hh_l1 bias_ih_l0 bias_hh_l1", 80),
    ("nn.PReLU(300)", "w", "constant", 0.25),
    *[row for n in "12" for row in normalised(f"nn.BatchNorm{n}d(9)", "gamma moving_variance", _OF_BATCHES)],
    *normalised("nn.BatchNorm3d(9)", "bn2d.gamma bn2d.moving_variance", "bn2d.moving_mean bn2d.beta"),
    *[row for n in "123" for row in normalised(f"nn.InstanceNorm{n}d(9)", "gamma", "beta")],
    *normalised("nn.LayerNorm((4, 5))", "gamma", "beta"),
    *normalised("nn.GroupNorm(2, 8)", "gamma", "beta"),
    ("nn.MultiheadAttention(64, 4)", "in_proj_weight", "uniform", xavier(64, 192)),
    ("nn.MultiheadAttention(64, 4)", "in_proj_bias", "constant", 0.0),
    ("nn.MultiheadAttention(64, 4)", "out_proj.bias", "uniform", fan(64)),
    ("nn.TransformerEncoderLayer(64, 4, 100)", "dense1.weight", "uniform", fan(64)),
    ("nn.TransformerEncoderLayer(64, 4, 100)", "dense2.weight", "uniform", fan(100)),
    ("nn.TransformerEncoderLayer(64, 4, 100)", "dense2.bias", "uniform", fan(100)),
    *both("mint.nn.Linear(60, 500)", fan(60)),
    *both("mint.nn.Conv2d(10, 400, 3)", fan(90)),
    *both("mint.nn.ConvTranspose2d(30, 400, 3)", fan(3600)),
    ("mint.nn.Embedding(200, 50)", "weight", "normal", 1.0),
    ("mint.nn.PReLU(300)", "weight", "constant", 0.25),
    *normalised("mint.nn.LayerNorm((4, 5))", "weight", "bias"),
    *normalised("mint.nn.GroupNorm(2, 8)", "weight", "bias"),
    *normalised("mint.nn.BatchNorm2d(9)", "weight running_var", "bias running_mean"),
]


def described(ms: Any, layer: str, attribute: str) -> dict[str, Any]:
    """Shape, data type and quantiles of a parameter of a new layer."""
    value = eval(layer, {"nn": ms.nn, "mint": ms.mint})
    for name in attribute.split("."):
        value = getattr(value, name)
    numbers = value.asnumpy()
    return {
        "shape": list(numbers.shape),
        "dtype": str(numbers.dtype),
        "quantiles": [float(q) for q in np.quantile(numbers.astype(np.float64), LEVELS)],
    }


def main() -> None:
    """Record the rows."""
    import json

    import mindspore

    mindspore.set_seed(1)
    lines = []
    for layer, attribute, *_ in ROWS:
        try:
            lines.append(json.dumps([layer, attribute, described(mindspore, layer, attribute)]))
        except Exception as error:
            print(layer, attribute, type(error).__name__, str(error)[:100])
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    Path(__file__).with_name("initial_values.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
