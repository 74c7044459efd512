"""One training step, captured at O0 and plain: with deterministic algorithms, the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn


@pytest.fixture
def deterministic():
    ms.set_context(deterministic="ON")
    yield
    ms.set_context(deterministic="OFF")


def trained(capture):
    """Return the losses and the parameters after some steps with batch normalization and a schedule."""
    ms.set_seed(1)
    network = nn.SequentialCell(nn.Dense(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 3)).set_train()
    rates = nn.cosine_decay_lr(0.001, 0.1, 8, 2, 4)
    optimizer = nn.Momentum(network.trainable_params(), rates, 0.9)
    loss_fn = nn.CrossEntropyLoss()
    gradients = ms.value_and_grad(lambda x, y: loss_fn(network(x), y), None, network.trainable_params())

    def step(x, y):
        loss, found = gradients(x, y)
        optimizer(found)
        return loss

    run, random = capture(step), np.random.default_rng(0)
    x = Tensor(random.standard_normal((6, 4)).astype(np.float32))
    losses = [run(x, Tensor([0, 1, 2, 0, 1, 2], ms.int32)).asnumpy().copy() for _ in range(5)]
    return [*losses, *[parameter.asnumpy().copy() for parameter in network.get_parameters()]]


def test_a_captured_step_is_bit_equal_to_a_plain_one(deterministic, strict):
    found, expected = trained(lambda step: ms.jit(step, fullgraph=strict)), trained(lambda step: step)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
