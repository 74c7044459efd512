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


def test_a_cell_without_such_an_operation():
    assert not hasattr(nn.MaxPool2d(2, pad_mode="pad", padding=1), "max_pool")


def test_notes_of_the_compiler():
    cell = nn.ReLU()
    assert (cell.has_bprop, cell.bprop_debug, cell.compiled, cell.parameter_layout_dict) == (False, False, False, {})
    assert Identity().has_bprop
    cell.compiled = 3
    assert cell.compiled == 3


def test_the_table_names_operations():
    for kind, members in member_operations._by_class().items():
        for name, made in members.items():
            if name != "construct" and made[0][0] != "@":
                assert member_operations._operation(made if isinstance(made, str) else made[0]), (kind, name)


IMAGES = np.random.default_rng(1).standard_normal((4, 4, 5, 6)).astype(np.float32)
ROWS = IMAGES[:, :, 0, 0]
LABELS = np.array([0, 3, 1, 2], np.int32)
WINDOW = {"has_bias": True, "stride": 2}
# Layers that compute by their operations if one of these has a strategy, and their inputs.
LAYERS = {
    **{name: (getattr(nn, name), ROWS) for name in (
        "CELU", "ELU", "FastGelu", "HShrink", "HSigmoid", "HSwish", "LogSoftmax", "Mish", "PReLU", "ReLU", "ReLU6",
        "SeLU", "Sigmoid", "SoftShrink", "Softsign", "Tanh",
    )},
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d(2), IMAGES),
    "AdaptiveAvgPool3d": (lambda: nn.AdaptiveAvgPool3d(2), IMAGES[None]),
    "AvgPool1d": (lambda: nn.AvgPool1d(2, 2), IMAGES[0]),
    "AvgPool2d": (lambda: nn.AvgPool2d(3, 2, "same"), IMAGES),
    "AvgPool3d": (lambda: nn.AvgPool3d(2, 2), IMAGES[None]),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4, momentum=0.7), ROWS),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4, eps=0.1).set_train(), IMAGES),
    "Conv1d": (lambda: nn.Conv1d(4, 3, 3, **WINDOW), IMAGES[:, :, 0]),
    "Conv1dTranspose": (lambda: nn.Conv1dTranspose(4, 3, 3, **WINDOW), IMAGES[:, :, 0]),
    "Conv2d": (lambda: nn.Conv2d(4, 6, (3, 2), group=2, dilation=2, has_bias=True), IMAGES),
    "Conv2dTranspose": (lambda: nn.Conv2dTranspose(4, 3, 3, **WINDOW, pad_mode="pad", output_padding=1), IMAGES),
    "Conv3d": (lambda: nn.Conv3d(4, 3, 3, **WINDOW), IMAGES[None]),
    "Conv3dTranspose": (lambda: nn.Conv3dTranspose(4, 3, 3, **WINDOW), IMAGES[None]),
    "Dense": (lambda: nn.Dense(6, 3, activation="relu"), IMAGES),
    "Dropout": (lambda: nn.Dropout(p=0.5).set_train(), ROWS),
    "Dropout2d": (lambda: nn.Dropout2d(0.5).set_train(), IMAGES),
    "Dropout3d": (lambda: nn.Dropout3d(0.5).set_train(), IMAGES[None]),
    "Embedding": (lambda: nn.Embedding(4, 3), LABELS.reshape(2, 2)),
    "LRN": (lambda: nn.LRN(2), IMAGES),
    "LayerNorm": (lambda: nn.LayerNorm((5, 6), begin_norm_axis=2, begin_params_axis=2), IMAGES),
    "MaxPool1d": (lambda: nn.MaxPool1d(2, 2), IMAGES[0]),
    "MaxPool2d": (lambda: nn.MaxPool2d(3, 2, "same"), IMAGES),
    "MaxPool3d": (lambda: nn.MaxPool3d(2, 2), IMAGES[None]),
    "Pad": (lambda: nn.Pad(((1, 0), (2, 1))), ROWS),
    "OneHot": (lambda: nn.OneHot(depth=5, on_value=2.0), LABELS),
    "SmoothL1Loss": (lambda: nn.SmoothL1Loss(0.5, "mean"), ROWS, 2 * ROWS),
    "Softmax2d": (nn.Softmax2d, IMAGES),
    "SoftmaxCrossEntropyWithLogits": (lambda: nn.SoftmaxCrossEntropyWithLogits(reduction="sum"), ROWS, abs(ROWS)),
}  # fmt: skip
MORE = {
    "Pad by mirroring": (lambda: nn.Pad(((1, 0), (2, 1)), "SYMMETRIC"), ROWS),
    "Embedding by a product": (lambda: nn.Embedding(4, 3, use_one_hot=True), LABELS.reshape(2, 2)),
    "BatchNorm2d at inference": (lambda: nn.BatchNorm2d(4), IMAGES),
    "cross entropy of indices": (lambda: nn.SoftmaxCrossEntropyWithLogits(True), ROWS, LABELS),
    "mean of it": (lambda: nn.SoftmaxCrossEntropyWithLogits(True, "mean"), ROWS, LABELS),
}


def test_the_layers_are_those_of_the_table():
    assert set(LAYERS) == {kind for kind, made in member_operations._by_class().items() if "construct" in made}


@pytest.mark.parametrize("name", [*LAYERS, *MORE])
def test_layers_compute_by_operations_with_strategies(name):
    make, *inputs = (LAYERS | MORE)[name]
    layer = make()
    other, given = copy.deepcopy(layer), [ms.Tensor(x) for x in inputs]
    used = {step.name for step in member_operations._steps_of(type(layer))}
    for operation in used & member_operations._of_class(type(layer)).keys():
        assert getattr(other, operation).add_prim_attr("in_strategy", ((1,),)) is getattr(other, operation)
    results = []
    for cell in (layer, other, pickle.loads(pickle.dumps(other))):
        ms.set_seed(1)
        results.append([cell(*given), *cell.get_parameters()])
    for expected, *found in zip(*results, strict=True):
        for one in found[: 1 if "BatchNorm" in name else 2]:
            assert np.allclose(one.asnumpy(), expected.asnumpy(), atol=1e-6)


@pytest.mark.usefixtures("mode")
def test_replaced_operations_are_called():
    class Fives(ops.Primitive):
        def __call__(self, x, weight):
            return ops.zeros((x.shape[0], weight.shape[0])) + 5

    class Inherits(nn.Dense):
        def __init__(self):
            super().__init__(3, 2, bias_init="zeros")
            self.matmul = Fives("Fives")

    late, x = nn.Dense(3, 2, bias_init="zeros"), ms.Tensor(X)
    late(x)
    late.matmul = Fives("Fives")
    for layer in (late, Inherits(), copy.deepcopy(late)):
        assert np.array_equal(layer(x).asnumpy(), np.full((2, 2), 5.0))
    relu = nn.ReLU()
    relu.relu = nn.Tanh()
    assert np.allclose(relu(x).asnumpy(), np.tanh(X))
    del relu.relu
    assert np.array_equal(relu(-x).asnumpy(), np.zeros_like(X))
    assert type(relu.relu) is ops.ReLU


@pytest.mark.usefixtures("mode")
@pytest.mark.parametrize(
    ("make", "name", "strategy", "words"),
    [
        (lambda: nn.Conv2d(4, 6, 3), "conv2d", ((1, 1, 1, 1), (4, 1, 1, 1)), "a dimension of 6 into 4 parts"),
        (lambda: nn.BatchNorm2d(4).set_train(), "bn_train", ((1, 2, 1, 1), (1,), (1,), (1,), (1,)), "into 2 parts and"),
        (lambda: nn.LayerNorm([6]), "layer_norm", ((1, 1, 1, 2), (1,), (1,)), "must be whole"),
        (lambda: nn.Dense(6, 3), "bias_add", ((8, 1), (1,)), "a dimension of 60 into 8 parts"),
    ],
)
def test_strategies_are_checked_for_devices(make, name, strategy, words):
    images = ms.Tensor(np.repeat(IMAGES[:3], 1, axis=0))
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=8, full_batch=True)
    try:
        layer = make()
        getattr(layer, name).shard(strategy)
        with pytest.raises(RuntimeError, match=words):
            layer(images)
    finally:
        ms.reset_auto_parallel_context()
