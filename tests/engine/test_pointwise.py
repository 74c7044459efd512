"""1x1 convolutions in graphs: their gradients are products of matrices where that is right, and the same everywhere."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn


@pytest.mark.parametrize(
    ("layer", "products"),
    [
        ({"kernel_size": 1}, True),
        ({"kernel_size": 1, "has_bias": True}, True),
        ({"kernel_size": 1, "stride": 2}, False),
        ({"kernel_size": 1, "group": 2}, False),
        ({"kernel_size": 1, "pad_mode": "pad", "padding": 1}, False),
        ({"kernel_size": 3}, False),
    ],
    ids=str,
)
@pytest.mark.parametrize("size", [1, 6])
def test_gradients(layer, products, size):
    ms.set_seed(0)
    net = nn.SequentialCell(nn.Conv2d(16, 32, 3), nn.Conv2d(32, 24, **layer))
    gradients = ms.grad(lambda x: (net(x) ** 2).sum(), 0, net.trainable_params())
    captured = ms.jit(gradients, fullgraph=True)
    x = Tensor(np.random.default_rng(0).standard_normal((2, 16, size, size)).astype(np.float32))
    of_input, of_weights = gradients(x)
    captured_of_input, captured_of_weights = captured(x)
    for expected, found in zip((of_input, *of_weights), (captured_of_input, *captured_of_weights)):
        np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-4)
    assert captured.graph(x).count("aten.convolution_backward(") == (1 if products else 2)
