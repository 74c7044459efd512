"""Record the numbers that MindSpore 2.10 draws for initial values after `set_seed`, into `initial_weights.json`.

Run it in an environment that has MindSpore 2.10: `python tests/data/record_initial_weights.py`.

Of every tensor the first elements are recorded, and of every row what NumPy's generator draws afterwards: layers draw
their seeds from it.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

INITIALIZERS = [
    "Normal()", "Normal(0.5, 1.0)", "Normal(3.7, -20)", "Uniform()", "Uniform(-0.3)", "TruncatedNormal()",
    "TruncatedNormal(1.0, 0.0, -1.0, 1.0)", "TruncatedNormal(0.5, 0.2, 1.0, -1.0)",
    "TruncatedNormal(0.5, 0.2, 1.0, 3.0)", "HeUniform()", "HeUniform(2.2)", "HeNormal()",
    "HeNormal(0.1, 'fan_out', 'relu')", "XavierUniform()", "XavierNormal(2.0)", "Orthogonal()", "Orthogonal(2.0)",
    "Sparse(0.3)", "Sparse(0.5, 1.0)", "VarianceScaling(2.0, 'fan_out', 'uniform')",
    "VarianceScaling(2.0, 'fan_avg', 'untruncated_normal')",
]  # fmt: skip
SHAPES = [(3, 2), (2, 5)]
LAYERS = [
    "nn.Dense(3, 2)", "nn.Dense(3, 2, has_bias=False)", "nn.Dense(2, 2, weight_init=Normal(0.02), bias_init='zeros')",
    "nn.Conv1d(2, 3, 2, has_bias=True)", "nn.Conv2d(2, 4, 2, group=2, weight_init='normal')",
    "nn.Conv3d(2, 3, 2, has_bias=True)", "nn.Conv2dTranspose(2, 3, 2, has_bias=True)", "nn.Embedding(4, 3)",
    "nn.Embedding(4, 3, padding_idx=0)", "nn.EmbeddingLookup(4, 3)", "nn.LSTM(2, 3)",
    "nn.LSTM(2, 3, 2, bidirectional=True)", "nn.GRU(2, 3, has_bias=False)", "nn.RNN(2, 3, 2)", "nn.LSTMCell(2, 3)",
    "nn.GRUCell(2, 3)", "nn.RNNCell(2, 3, has_bias=False)", "nn.PReLU(2)", "nn.BiDense(2, 3, 2)",
    "nn.BatchNorm2d(3)", "nn.MultiheadAttention(4, 2)", "nn.TransformerEncoderLayer(4, 2, 8)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2)", "nn.Transformer(4, 2, 1, 1, 8)",
    "nn.SequentialCell(nn.Dense(2, 2), nn.ReLU(), nn.Dense(2, 1))", "nn.Conv2dBnAct(2, 3, 2)", "mint.nn.Linear(3, 2)",
    "mint.nn.Conv2d(2, 3, 2)", "mint.nn.ConvTranspose2d(2, 3, 2)", "mint.nn.Embedding(4, 3)",
]  # fmt: skip
ROWS = [f"initializer({init}, {shape})" for init in INITIALIZERS for shape in SHAPES]
ROWS += [f"initializer(Normal(), (5,), ms.{dtype})" for dtype in ("float16", "float64", "int32")]
ROWS += LAYERS


def drawn(ms: Any, row: str) -> dict[str, Any]:
    """Return the first numbers of every parameter, or of the tensor, and NumPy's next number."""
    import numpy as np

    names = vars(importlib.import_module(f"{ms.__name__}.common.initializer"))
    ms.set_seed(3)
    made = eval(row, {**names, "ms": ms, "nn": ms.nn, "mint": ms.mint})
    tensors = {"": made.init_data()} if isinstance(made, ms.Tensor) else {p.name: p for p in made.get_parameters()}
    found = {name: tensor.asnumpy().astype(np.float64).ravel()[:12].tolist() for name, tensor in tensors.items()}
    return {"values": found, "next": np.random.rand()}


def main() -> None:
    """Record the rows."""
    import mindspore

    lines = [f"{json.dumps(row)}: {json.dumps(drawn(mindspore, row))}" for row in ROWS]
    path = Path(__file__).with_name("initial_weights.json")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
