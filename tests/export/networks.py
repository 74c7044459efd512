"""Small networks, with arrays to run them on."""

from __future__ import annotations

import numpy as np

import torchspore as ms
from torchspore import nn, ops

RANDOM = np.random.default_rng(0)


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.features = nn.SequentialCell(
            nn.Conv2d(1, 6, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2),
            nn.Conv2d(6, 16, 5, pad_mode="valid"), nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten(),
        )  # fmt: skip
        self.head = nn.SequentialCell(nn.Dense(400, 84), nn.ReLU(), nn.Dense(84, 10))

    def construct(self, x):
        return self.head(self.features(x))


class Transformer(nn.Cell):
    """Attention written out, with a mask that depends on the length, and a layer of the library."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(11, 8)
        self.norm = nn.LayerNorm((8,))
        self.project = nn.Dense(8, 24)
        self.layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True)

    def construct(self, x):
        batch, length = x.shape
        x = self.embed(x)
        parts = ops.split(self.project(self.norm(x)), 8, axis=2)
        q, k, v = [part.reshape(batch, length, 2, 4).swapaxes(1, 2) for part in parts]
        later = ops.triu(ops.ones((length, length), ms.bool_), 1)
        scores = ops.masked_fill(ops.matmul(q, k.swapaxes(-1, -2)) / 2, later, -1e9)
        return self.layer(x + ops.matmul(ops.softmax(scores, -1), v).swapaxes(1, 2).reshape(batch, length, 8))


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 3, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(6, 3, batch_first=True)

    def construct(self, x):
        x, (h, c) = self.lstm(x)
        return self.gru(x)[0], h, c


class Normalised(nn.Cell):
    """What computes otherwise in training."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, has_bias=True)
        self.norm = nn.BatchNorm2d(4, moving_mean_init="normal")
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        return ops.silu(self.drop(self.norm(self.conv(x)))).mean((2, 3))


# By name: the class, and an input whose first dimension is the batch.
NETWORKS = {
    "LeNet": (LeNet, RANDOM.normal(size=(3, 1, 32, 32)).astype(np.float32)),
    "Transformer": (Transformer, RANDOM.integers(0, 11, (3, 6)).astype(np.int32)),
    "Recurrent": (Recurrent, RANDOM.normal(size=(3, 5, 4)).astype(np.float32)),
    "Normalised": (Normalised, RANDOM.normal(size=(3, 3, 8, 8)).astype(np.float32)),
}


class Branching(nn.Cell):
    """Takes one of three paths by the values of its input, and reduces all dimensions in several ways."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2)

    def construct(self, x):
        if x.sum() > 0 and x[0, 0] < 3:
            y = self.dense(x)
            return (y * 2, y.mean()) if y.mean() > 0 else (y, ops.amax(y))
        return self.dense(x) - 1, ops.amin(x)


BRANCHES = [np.arange(6, dtype=np.float32).reshape(2, 3) * factor + 0.5 for factor in (1.0, -1.0, 0.1, -0.3)]
BRANCHES += [np.full((3, 3), 5.0, np.float32), np.full((2, 3), 0.1, np.float32) * np.float32([1, -1, 0.5])]


def arrays(output):
    """Return a network's results as arrays."""
    return [part.asnumpy() for part in output] if isinstance(output, tuple) else [output.asnumpy()]


def open_batch(x):
    """Return an input like `x` for a batch of any size."""
    return ms.Tensor(shape=[None, *x.shape[1:]], dtype=ms.Tensor(x).dtype)
