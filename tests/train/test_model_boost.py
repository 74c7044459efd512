"""`Model` with a `boost_level`: which classes MindSpore 2.10 makes of the network and the optimizer."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import boost, nn
from torchspore.train import Model
from train.batches import Batches

FREEZE = {"boost": {"mode": "manual", "less_bn": False, "grad_freeze": True}}
LESS_BN = {"boost": {"mode": "manual", "less_bn": True, "grad_freeze": False}}
# The arguments; the network, the optimizer, the training step and the network of the evaluation.
ROWS = [
    ({"boost_level": "O1"}, "LessBN", "FreezeOpt", "BoostTrainOneStepCell", "LessBN"),
    ({"acc_level": "O1"}, "LessBN", "FreezeOpt", "BoostTrainOneStepCell", "LessBN"),
    ({"boost_level": "O1", "boost_config_dict": FREEZE}, "SequentialCell", "FreezeOpt", "BoostTrainOneStepCell",
     "SequentialCell"),
    ({"boost_level": "O1", "boost_config_dict": LESS_BN}, "LessBN", "Momentum", "BoostTrainOneStepCell", "LessBN"),
    ({"boost_config_dict": {"boost": {"mode": "enable_all"}}}, "SequentialCell", "Momentum", "TrainOneStepCell",
     "SequentialCell"),
]  # fmt: skip


@pytest.fixture(autouse=True)
def no_settings_yet(monkeypatch):
    monkeypatch.setattr(boost.AutoBoost, "_instance", None)


def parts():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dense(4, 2))
    return net, nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean"), net.trainable_params()


@pytest.mark.slow
@pytest.mark.parametrize(("options", "network", "optimizer", "step", "evaluated"), ROWS)
def test_what_a_model_is_made_of(options, network, optimizer, step, evaluated):
    net, loss, parameters = parts()
    model = Model(net, loss, nn.Momentum(parameters, 0.1, 0.9), eval_network=net, metrics={"loss"}, **options)
    found = (model.predict_network, model._optimizer, model.train_network, model.eval_network)
    assert [type(part).__name__ for part in found] == [network, optimizer, step, evaluated]


def test_without_an_optimizer_nothing_is_changed():
    net, loss, _ = parts()
    model = Model(net, loss, boost_level="O1", boost_config_dict=FREEZE)
    assert model.predict_network is net
    assert boost.AutoBoost().boost_config["grad_freeze"]  # the settings of the program are made all the same


def test_training_and_evaluation_of_a_boosted_network():
    ms.set_seed(0)
    random = np.random.RandomState(0)
    x, y = random.randn(12, 3).astype(np.float32), random.randint(0, 2, 12).astype(np.int32)
    net, loss, parameters = parts()
    model = Model(net, loss, nn.Momentum(parameters, 0.1, 0.9), metrics={"loss"}, boost_level="O1")
    before = model.eval(Batches(x, y))["loss"]
    model.train(20, Batches(x, y))
    assert model.eval(Batches(x, y))["loss"] < before
