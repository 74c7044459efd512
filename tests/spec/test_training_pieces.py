"""The behaviours of documents 003 and 004: training steps, optimizers and their groups, custom optimizers."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3)
        self.bn = nn.BatchNorm2d(64)

    def construct(self, x):
        return self.bn(self.conv(x))


@pytest.fixture
def net():
    return Net()


@pytest.fixture
def batch():
    random = np.random.default_rng(0)
    image, label = random.random((1, 3, 64, 32)), random.random((1, 64, 64, 32))
    return Tensor(image, ms.float32), Tensor(label, ms.float32)


def test_train_one_step_cell(net, batch):
    optimizer = nn.SGD(params=net.trainable_params(), learning_rate=0.01)
    train_net = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    train_net.set_train()
    losses = [float(train_net(*batch)) for _ in range(5)]
    assert losses[-1] < losses[0]


def test_grad_operation_over_the_weights(net, batch):
    class GradWrap(nn.Cell):
        def __init__(self, network):
            super().__init__(auto_prefix=False)
            self.network = network
            self.weights = ms.ParameterTuple(filter(lambda p: p.requires_grad, network.get_parameters()))

        def construct(self, x, label):
            return ops.GradOperation(get_by_list=True)(self.network, self.weights)(x, label)

    loss = nn.MSELoss()
    optimizer = nn.SGD(params=net.trainable_params(), learning_rate=0.01)
    before = [p.asnumpy().copy() for p in net.trainable_params()]
    grads = GradWrap(nn.WithLossCell(net, loss))(*batch)
    assert [g.shape for g in grads] == [p.shape for p in net.trainable_params()]
    assert net.conv.weight.name == "conv.weight"  # auto_prefix=False keeps the backbone's names
    optimizer(grads)
    assert any((a != p.asnumpy()).any() for a, p in zip(before, net.trainable_params()))


def test_optimizers_take_any_parameters(net):
    chosen = [p for p in net.get_parameters() if "conv" not in p.name and p.requires_grad]
    optimizer = nn.SGD(params=chosen)
    assert [p.name for p in optimizer.parameters] == ["bn.gamma", "bn.beta"]


def test_piecewise_constant_lr():
    rates = nn.dynamic_lr.piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01])
    assert rates == [0.1, 0.1, 0.05, 0.05, 0.05, 0.01, 0.01, 0.01, 0.01, 0.01]


def test_groups(net):
    conv = [p for p in net.trainable_params() if "conv" in p.name]
    rest = [p for p in net.trainable_params() if "conv" not in p.name]
    optimizer = nn.Momentum(
        [{"params": conv, "lr": 0.02}, {"params": rest, "weight_decay": 0.5}], learning_rate=0.01, momentum=0.9
    )
    assert [float(p) for p in optimizer.get_lr_parameter(conv)] == pytest.approx([0.02])
    assert [float(p) for p in optimizer.get_lr_parameter(rest)] == pytest.approx([0.01, 0.01])


class MomentumOpt(nn.Optimizer):
    """A custom optimizer of small operations."""

    def __init__(self, params, learning_rate, momentum, weight_decay=0.0, loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.momentum = Parameter(Tensor(momentum, ms.float32), name="momentum")
        self.moments = self.parameters.clone(prefix="moments", init="zeros")
        self.assign = ops.Assign()

    def construct(self, gradients):
        success = None
        for param, mom, grad in zip(self.parameters, self.moments, gradients):
            update = self.momentum * param + mom + self.learning_rate * grad
            success = self.assign(param, update)
        return success


class ApplyMomentumOpt(MomentumOpt):
    """The same with the large operation."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.opt = ops.ApplyMomentum(use_nesterov=False)

    def construct(self, gradients):
        success = None
        for param, mom, grad in zip(self.parameters, self.moments, gradients):
            success = self.opt(param, mom, self.learning_rate, grad, self.momentum)
        return success


def test_custom_optimizer_of_small_operations():
    layer = nn.Dense(2, 1)
    optimizer = MomentumOpt(layer.trainable_params(), 0.1, 0.5)
    before = layer.weight.asnumpy().copy()
    optimizer((Tensor([[1.0, 2.0]]), Tensor([3.0])))
    np.testing.assert_allclose(layer.weight.asnumpy(), 0.5 * before + 0.1 * np.array([[1.0, 2.0]]), rtol=1e-5)
    assert [p.name for p in optimizer.moments] == ["moments.weight", "moments.bias"]


def test_custom_optimizer_of_the_large_operation():
    layer = nn.Dense(2, 1)
    optimizer = ApplyMomentumOpt(layer.trainable_params(), 0.1, 0.5)
    before = layer.weight.asnumpy().copy()
    for _ in range(2):
        optimizer((Tensor([[1.0, 2.0]]), Tensor([3.0])))
    gradient = np.array([[1.0, 2.0]])
    np.testing.assert_allclose(layer.weight.asnumpy(), before - 0.1 * gradient - 0.1 * 1.5 * gradient, 1e-5, 1e-6)


def test_layers_in_a_python_list_are_not_registered_but_a_cell_list_is():
    class Listed(nn.Cell):
        def __init__(self):
            super().__init__()
            self.plain = [nn.Dense(1, 3), nn.ReLU()]
            self.cells_in_list = nn.CellList([nn.Dense(1, 3), nn.ReLU()])
            self.in_sequence = nn.SequentialCell([nn.Dense(1, 3), nn.ReLU()])

    assert list(Listed().parameters_dict()) == [
        "cells_in_list.0.weight", "cells_in_list.0.bias", "in_sequence.0.weight", "in_sequence.0.bias",
    ]  # fmt: skip


def test_cells_start_in_inference_mode():
    assert nn.Cell().training is False
    assert nn.Cell().set_train(True).training is True
    assert nn.Cell().set_train(True).set_train(False).training is False
