"""`FlopsUtilizationCollector`: the operations of a step, in both modes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn
from torchspore.common import mode
from torchspore.train import FlopsUtilizationCollector, Model
from train.batches import Batches

RANDOM = np.random.RandomState(0)
X, Y = RANDOM.randn(32, 10).astype(np.float32), RANDOM.randint(0, 5, 32).astype(np.int32)


@pytest.fixture(autouse=True)
def modes():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)
    ms.reset_auto_parallel_context()


def model():
    net = nn.Dense(10, 5)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    return Model(net, loss, nn.Momentum(net.trainable_params(), 0.01, 0.9))


@pytest.mark.parametrize("chosen", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_operations_of_a_step(chosen, capsys):
    ms.set_context(mode=chosen)
    data = Batches(X, Y)
    steps = data.get_dataset_size()
    model().train(2, data, callbacks=FlopsUtilizationCollector(steps, 1e6))
    assert mode.graph is (chosen == ms.GRAPH_MODE)
    first, *lines = capsys.readouterr().out.splitlines()
    rows = len(X) // steps
    flops = 2.0 * 2 * rows * 10 * 5  # the product, and the one for the gradient of the weights
    names = ("Full model", "Full hardware", "Shard model", "Shard hardware")
    assert first == ", ".join(f"{name} flops is {flops}" for name in names) + "."
    assert len(lines) == 2 * steps
    for line in lines:
        found = re.fullmatch(r"Train per step time: ([\d.]+) ms mfu:([\d.]+)% hfu:\2%", line)
        assert float(found[2]) / 100 == pytest.approx(flops / (float(found[1]) / 1000) / 1e6, rel=0.05, abs=1e-4)


def test_all_devices(capsys):
    ms.set_auto_parallel_context(device_num=4)
    model().train(1, Batches(X, Y), callbacks=FlopsUtilizationCollector(1))
    counts = [int(number) for number in re.findall(r"flops is (\d+)", capsys.readouterr().out)]
    assert counts[0] == 4 * counts[2]


def test_a_failing_step_ends_the_counting():
    class Fails(nn.Cell):
        def construct(self, x, y):
            raise KeyError("step")

    ms.set_context(mode=ms.GRAPH_MODE)
    with pytest.raises(KeyError):
        Model(Fails()).train(1, Batches(X, Y), callbacks=FlopsUtilizationCollector(1))
    assert mode.graph


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((0,), ValueError, "'data_size' must be > 0"),
        ((2.0,), TypeError, "'data_size' must be an int"),
        ((2, 0), ValueError, "'computility' must be > 0"),
        ((2, "a"), TypeError, "'computility' must be a number"),
        ((2, 1, 3), TypeError, "'full_flops' must be a bool"),
        ((2, 1, True, 3), TypeError, "'enable_ma_collector' must be a bool"),
        ((2, 1, True, True), NotImplementedError, "enable_ma_collector=True"),
    ],
)
def test_errors(arguments, error, message):
    with pytest.raises(error, match=message):
        FlopsUtilizationCollector(*arguments)
