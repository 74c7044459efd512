"""Random small networks compute the same, with the same gradients, one by one and in graphs of any number of rows."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from fuzz import drawn, seeds
from torchspore import Tensor, nn, ops

FLAT = (  # layers for (N, 6) that return (N, 6)
    lambda: nn.Dense(6, 6, activation="tanh"),
    lambda: nn.LayerNorm((6,)),
    lambda: nn.BatchNorm1d(6),
    lambda: nn.GELU(),
    lambda: nn.Softmax(-1),
    lambda: nn.SequentialCell(nn.Dense(6, 3), nn.Sigmoid(), nn.Dense(3, 6, has_bias=False)),
    lambda: nn.PReLU(6),
    lambda: nn.Dropout(p=0.0),
)
DEEP = (  # layers for (N, 6, 4) that return (N, 6, 4)
    lambda: nn.Conv1d(6, 6, 3, has_bias=True),
    lambda: nn.GRU(4, 2, batch_first=True, bidirectional=True),
    lambda: nn.LSTM(4, 4, 2, batch_first=True),
    lambda: nn.RNN(4, 4, batch_first=True, has_bias=False),
    lambda: nn.MultiheadAttention(4, 2, batch_first=True),
    lambda: nn.TransformerEncoderLayer(4, 2, 5, 0.0, batch_first=True),
    lambda: nn.Conv1dTranspose(6, 6, 3),
    lambda: nn.AvgPool1d(3, 1, "same"),
    lambda: nn.MaxPool1d(3, 1, "same"),
    lambda: nn.Dense(4, 4),
    lambda: nn.LeakyReLU(0.1),
)


class _Net(nn.Cell):
    """Layers in sequence, some of which are skipped, repeated or added to their input."""

    def __init__(self, random):
        super().__init__()
        self.layers = nn.CellList([random.choice(FLAT)() for _ in range(random.randint(1, 3))])
        self.deep = nn.CellList([random.choice(DEEP)() for _ in range(random.randint(0, 3))])
        self.ways = [random.choice(("plain", "plain", "added", "twice", "chosen")) for _ in range(6)]
        self.lift = nn.Dense(6, 24)

    def _step(self, layer, x, way):
        y = layer(x, x, x)[0] if isinstance(layer, nn.MultiheadAttention) else layer(x)
        y = y[0] if isinstance(y, tuple) else y
        if way == "chosen" and y.sum() > x.sum():
            return y - x
        return x + y if way == "added" else self._step(layer, y, "plain") if way == "twice" else y

    def construct(self, x):
        for layer, way in zip(self.layers, self.ways):
            x = self._step(layer, x, way)
        x = self.lift(x).reshape(x.shape[0], 6, 4)
        for layer, way in zip(self.deep, self.ways[3:]):
            x = self._step(layer, x, way)
        return x


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(3))
def test_random_networks(seed):
    random = drawn(seed)
    ms.set_seed(seed)
    net = _Net(random).set_train(random.random() < 0.5)
    rng = np.random.default_rng(seed)
    start = {
        name: Tensor(rng.uniform(0.1, 0.9, p.shape).astype(np.float32)) for name, p in net.parameters_dict().items()
    }
    step = ms.value_and_grad(lambda x: ops.sin(net(x) * 3).sum(), 0, net.trainable_params())
    inputs = [Tensor(rng.standard_normal((size, 6)).astype(np.float32)) for size in (3, 5, 2)]

    def run(function, mode=ms.PYNATIVE_MODE):
        for name, parameter in net.parameters_dict().items():
            parameter.set_data(start[name])
        ms.set_context(mode=mode)
        try:
            found = [function(x) for x in inputs]
            return [[value, of_x, *of_weights] for value, (of_x, of_weights) in found] + [[*net.get_parameters()]]
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)

    expected = [[np.array(each.asnumpy()) for each in results] for results in run(step)]
    for found in (lambda: run(ms.jit(step)), lambda: run(ms.jit(step, dynamic=1)), lambda: run(step, ms.GRAPH_MODE)):
        for ours, theirs in zip(found(), expected, strict=True):
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-3, atol=1e-4 * max(1, np.abs(other).max()))
