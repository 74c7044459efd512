"""The operations that cells have as attributes, for subclasses with a `construct` of their own."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops
from torchspore.nn import member_operations

X = np.arange(6, dtype=np.float32).reshape(2, 3) / 4


class Dense(nn.Dense):
    def construct(self, x):
        size = self.shape_op(x)
        y = self.bias_add(self.matmul(x, self.weight), self.bias)
        return self.reshape(y, (size[0], -1))


class Loss(nn.LossBase):
    def construct(self, x, y):
        return self.reduce_mean(self.mul(x - y, self.cast(x > 0, ms.float32))) + self.reduce_sum(x)


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.usefixtures("mode")
def test_subclasses_compute_by_them():
    net, plain, x = Dense(3, 2), nn.Dense(3, 2), ms.Tensor(X)
    ms.load_param_into_net(plain, net.parameters_dict())
    assert np.allclose(net(x).asnumpy(), plain(x).asnumpy())
    assert np.allclose(ms.grad(net)(x).asnumpy(), ms.grad(plain)(x).asnumpy())
    assert np.allclose(Loss()(x, 2 * x).asnumpy(), X.sum() - X.mean())


@pytest.mark.parametrize(
    ("cell", "name", "expected"),
    [
        (lambda: nn.Softmax(1), "softmax", ops.Softmax),
        (lambda: nn.MaxPool2d(2, 3), "max_pool", ops.MaxPool),
        (lambda: nn.Embedding(4, 3), "gather", ops.Gather),
        (lambda: nn.SGD([ms.Parameter(ms.Tensor(X), name="x")]), "op_cast", ops.Cast),
        (lambda: nn.probability.distribution.Normal(0.0, 1.0), "cast_base", ops.Cast),
    ],
)
def test_operations(cell, name, expected):
    made = cell()
    assert type(getattr(made, name)) is expected
    assert type(getattr(copy.deepcopy(made), name)) is expected


def test_an_attribute_of_that_name_comes_first():
    net = nn.Dense(3, 2)
    net.matmul = ops.MatMul()
    assert "transpose_b" not in str(net.matmul) or not net.matmul.transpose_b
    assert isinstance(pickle.loads(pickle.dumps(net)).matmul, ops.MatMul)
    assert not hasattr(nn.Cell(), "matmul")
    assert not hasattr(net, "matmull")


class Identity(nn.Cell):
    def construct(self, x):
        return x

    def bprop(self, x, out, dout):
        return (dout,)


def test_notes_of_the_compiler():
    cell = nn.ReLU()
    assert (cell.has_bprop, cell.bprop_debug, cell.compiled, cell.parameter_layout_dict) == (False, False, False, {})
    assert Identity().has_bprop
    cell.compiled = 3
    assert cell.compiled == 3


def test_the_table_names_operations():
    for kind, members in member_operations._by_class().items():
        for name, made in members.items():
            assert member_operations._operation(made if isinstance(made, str) else made[0]), (kind, name)
