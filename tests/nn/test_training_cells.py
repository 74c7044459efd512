"""Cells around a network: loss, evaluation and training step, as MindSpore 2.10's."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from data import record_optimizers as record
from torchspore import Parameter, Tensor, nn

RECORD = json.loads((Path(__file__).parent.parent / "data" / "optimizers.json").read_text(encoding="utf-8"))[
    "trainings"
]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([2.0]), name="weight")

    def construct(self, x):
        return x * self.weight


def make_step(**options):
    net = Net()
    return net, nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5), **options)


def assert_close(found, expected):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        found, expected = list(found.values()), list(expected.values())
    if isinstance(expected, list) and not all(isinstance(value, float) for value in expected):
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected):
            assert_close(ours, theirs)
        return
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("expression", RECORD)
def test_two_steps(expression):
    found, expected = record.training(ms, expression), RECORD[expression]
    if isinstance(expected, dict):
        assert found == expected
    else:
        assert_close(found, expected)


def test_parameters_keep_their_names():
    net, step = make_step()
    assert list(step.parameters_dict()) == [
        "weight",
        "global_step",
        "learning_rate",
        "momentum",
        "accum.weight",
        "stat.weight",
    ]
    assert step.network is net
    assert step.weights is step.optimizer.parameters
    step.set_train()
    assert net.training


def test_outputs_carry_no_graph():
    net, step = make_step(return_grad=True)
    loss, gradients = step(Tensor([3.0]))
    assert not loss._t.requires_grad
    assert not gradients["weight"]._t.requires_grad
    assert not net.weight._t.requires_grad


def test_step_that_fails_changes_nothing():
    class Failing(Net):
        def construct(self, x):
            super().construct(x)
            raise ArithmeticError

    net = Failing()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5))
    with pytest.raises(ArithmeticError):
        step(Tensor([3.0]))
    assert net.weight.asnumpy() == 2.0
    assert step.optimizer.global_step.asnumpy() == 0


def test_subclass_with_its_own_step():
    class Clipped(nn.TrainOneStepCell):
        def construct(self, x):
            loss = self.network(x)
            gradients = self.grad(self.network, self.weights)(x, ms.Tensor([self.sens]))
            gradients = self.grad_reducer(gradients)
            self.optimizer(tuple(gradient.clip(-1.0, 1.0) for gradient in gradients))
            return loss

    net = Net()
    assert Clipped(net, nn.SGD(net.trainable_params(), 0.5))(Tensor([3.0])).asnumpy() == 6.0
    assert net.weight.asnumpy() == 1.5


def test_reducer_is_used():
    net, step = make_step()
    step.grad_reducer = nn.CellList()
    step.grad_reducer.construct = lambda gradients: tuple(gradient * 0 for gradient in gradients)
    step(Tensor([3.0]))
    assert net.weight.asnumpy() == 2.0


def test_eval_cell_casts():
    cell = nn.WithEvalCell(lambda x: x, lambda a, b: a - b, add_cast_fp32=True)
    loss, output, label = cell(Tensor([1.0], ms.float16), Tensor([3.0], ms.float16))
    assert {loss.dtype, output.dtype, label.dtype} == {ms.float32}


def test_backbone():
    net = Net()
    cell = nn.WithLossCell(net, lambda a, b: a - b)
    assert cell.backbone_network is net
    assert [parameter.name for parameter in cell.get_parameters()] == ["weight"]


X = Tensor([1.0])
ERRORS = {
    "network": (lambda: nn.TrainOneStepCell(None, nn.SGD([Net().weight])), TypeError, "'network' must be a Cell"),
    "function": (
        lambda: nn.TrainOneStepCell(lambda x: x, nn.SGD([Net().weight])),
        TypeError,
        "'network' must be a Cell",
    ),
    "optimizer": (
        lambda: nn.TrainOneStepCell(Net(), None),
        TypeError,
        "'optimizer' must be an Optimizer, or a cell .*, but got None",
    ),
    "sens": (lambda: make_step(sens="a"), TypeError, "'sens' must be a number or a Tensor"),
    "no sens": (lambda: make_step(sens=0.0), ValueError, "'sens' must be a number other than 0"),
    "backbone": (lambda: nn.WithLossCell(None, Net())(X, X), TypeError, "'backbone' must be a Cell or a function"),
    "loss": (lambda: nn.WithLossCell(Net(), None)(X, X), TypeError, "'loss_fn' must be a Cell or a function"),
    "evaluated": (lambda: nn.WithEvalCell(None, Net())(X, X), TypeError, "'network' must be a Cell or a function"),
    "evaluated loss": (lambda: nn.WithEvalCell(Net(), None)(X, X), TypeError, "'loss_fn' must be a Cell or a function"),
}


@pytest.mark.parametrize(("make", "error", "words"), ERRORS.values(), ids=ERRORS)
def test_error(make, error, words):
    with pytest.raises(error, match=words) as caught:
        make()
    assert str(caught.value).startswith("For '")
