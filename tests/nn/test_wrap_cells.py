"""Cells around networks that return gradients, take batches in parts or walk over time."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops

X = Tensor(np.arange(8).reshape(4, 2).astype(np.float32))
OF_X = np.tile([2.0, 3.0], (4, 1))
OF_W = [12.0, 16.0]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x):
        return (x * self.w).sum()


class TwoOutputs(Net):
    def construct(self, x, y):
        return x * self.w + y, x - y


def arrays(tree):
    return [arrays(part) for part in tree] if isinstance(tree, (tuple, list)) else tree.asnumpy()


def same(found, expected):
    if isinstance(expected, (tuple, list)) and isinstance(found, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize(
    ("options", "sens", "expected"),
    [
        ({}, (), OF_X),
        ({"get_all": True}, (), (OF_X,)),
        ({"get_by_list": True}, (), (OF_W,)),
        ({"get_all": True, "get_by_list": True}, (), ((OF_X,), (OF_W,))),
        ({"get_all": True, "sens_param": True}, (Tensor(2.0),), (OF_X * 2,)),
    ],
)
def test_forward_value_and_grad(options, sens, expected, captured):
    net = Net()
    weights = ms.ParameterTuple(net.trainable_params()) if options.get("get_by_list") else None
    cell = nn.ForwardValueAndGrad(net, weights, **options)
    value, gradients = (ms.jit(cell, fullgraph=True) if captured else cell)(X, *sens)
    assert float(value) == 72
    same(arrays(gradients), expected)


@pytest.mark.parametrize(
    ("arguments", "inputs", "expected"),
    [
        ((), (X,), OF_W),
        ((None, 2.0), (X,), [24.0, 32.0]),
        ((None, Tensor(2.0)), (X,), [24.0, 32.0]),
        ((lambda output, label: output * label,), (X, Tensor(3.0)), [36.0, 48.0]),
    ],
)
def test_with_grad_cell(arguments, inputs, expected):
    same(arrays(nn.WithGradCell(Net(), *arguments)(*inputs)), (expected,))


def test_products_with_jacobians():
    same(arrays(nn.Jvp(Net())(X, X * 2)), (72, 144))
    same(arrays(nn.Vjp(Net())(X, Tensor(2.0))), (72, OF_X * 2))
    outputs = (X * Tensor([3.0, 4.0]), X * 0)
    same(arrays(nn.Jvp(TwoOutputs())(X, X, (X, X))), arrays((outputs, outputs)))
    same(arrays(nn.Vjp(TwoOutputs())(X, X, (X, X))), arrays((outputs, (X * Tensor([3.0, 4.0]), X * 0))))


def test_parameter_update():
    net = Net()
    assert nn.ParameterUpdate(net.w)(Tensor([5.0, 6.0])).asnumpy().tolist() == [5, 6]
    assert net.w.asnumpy().tolist() == [5, 6]


@pytest.mark.parametrize("kind", [nn.GradAccumulationCell, nn.MicroBatchInterleaved, nn.PipelineCell])
def test_batches_in_parts(kind):
    net = Net()
    sizes = []
    net.register_forward_pre_hook(lambda cell, inputs: sizes.append(inputs[0].shape))
    cell = kind(net, 4)
    value, gradients = ms.value_and_grad(cell, None, net.trainable_params())(X)
    assert sizes == [(1, 2)] * 4
    assert float(value) == 72
    same(arrays(gradients), [OF_W] if isinstance(gradients, tuple) else OF_W)


@pytest.mark.parametrize("axes", [(1,), (1, 0), (0, 1), (-2,), (-2, -3)])
def test_time_distributed_dense(axes):
    dense, x = nn.Dense(3, 2), ops.randn(4, 5, 3)
    np.testing.assert_allclose(nn.TimeDistributed(dense, *axes)(x).asnumpy(), dense(x).asnumpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("axes", [(2,), (2, 0)])
def test_time_distributed_convolution(axes):
    layer, x = nn.Conv2d(2, 3, 3), ops.randn(2, 2, 5, 4, 4)
    found = nn.TimeDistributed(layer, *axes)(x).asnumpy()
    expected = np.stack([layer(x[:, :, i]).asnumpy() for i in range(5)], 2)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


CUBE = ops.ones((4, 5, 3))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.ForwardValueAndGrad(3), TypeError, "'network' must be a function"),
        (lambda: nn.ForwardValueAndGrad(Net(), get_by_list=True), TypeError, "'weights' must be given"),
        (lambda: nn.ForwardValueAndGrad(Net(), get_all=1), TypeError, "'get_all' must be a bool"),
        (lambda: nn.WithGradCell(abs), TypeError, "'network' must be a Cell"),
        (lambda: nn.WithGradCell(Net(), sens="a"), TypeError, "'sens' must be a number, a Tensor, a tuple"),
        (lambda: nn.ParameterUpdate(X), TypeError, "'param' must be a Parameter"),
        (lambda: nn.ParameterUpdate(Net().w)(Tensor([5.0])), ValueError, "must have the shape"),
        (lambda: nn.MicroBatchInterleaved(abs), TypeError, "'network' must be a Cell"),
        (lambda: nn.MicroBatchInterleaved(Net(), "a"), TypeError, "'interleave_num' must be an int"),
        (lambda: nn.GradAccumulationCell(Net(), 0), ValueError, "'micro_size' must be > 0"),
        (lambda: nn.PipelineCell(Net(), 3)(X), ValueError, "must be a multiple of 3"),
        (lambda: nn.PipelineCell(TwoOutputs(), 2)(X, X), TypeError, "must return one Tensor"),
        (lambda: nn.DistributedGradReducer([1]), TypeError, "'parameters\\[0\\]' must be a Parameter"),
        (lambda: nn.DistributedGradReducer([], degree=0), ValueError, "'degree' must be > 0"),
        (lambda: nn.DistributedGradReducer([], group="pair"), RuntimeError, "Call 'init_process_group' before"),
        (lambda: nn.DistributedGradReducer([])([1]), ValueError, "a gradient for each of the 0 parameters, but got 1"),
        (lambda: nn.PipelineGradReducer([1]), TypeError, "'parameters\\[0\\]' must be a Parameter"),
        (
            lambda: nn.PipelineGradReducer([], scale_sense=0.0),
            ValueError,
            "'scale_sense' must be a number other",
        ),
        (lambda: nn.PipelineGradReducer([], scale_sense="a"), TypeError, "'scale_sense' must be a number"),
        (lambda: nn.PipelineGradReducer([], opt_shard=1), TypeError, "'opt_shard' must be a bool"),
        (lambda: nn.PipelineGradReducer([])([1]), ValueError, "a gradient for each of the 0 parameters"),
        (lambda: nn.GetNextSingleOp([], [], ""), NotImplementedError, "Iterate over the dataset"),
        (lambda: nn.TimeDistributed(3, 1), TypeError, "'layer' must be a Cell or a Primitive"),
        (lambda: nn.TimeDistributed(ops.ReLU(), 1.0), TypeError, "'time_axis' must be an int"),
        (lambda: nn.TimeDistributed(ops.ReLU(), 1, "a"), TypeError, "'reshape_with_axis' must be an int"),
        (lambda: nn.TimeDistributed(ops.ReLU(), 1)(X), ValueError, "at least 3 dimensions"),
        (lambda: nn.TimeDistributed(ops.ReLU(), 3)(CUBE), ValueError, "has no axis 3"),
        (lambda: nn.TimeDistributed(ops.ReLU(), 1, -2)(CUBE), ValueError, "must be different axes"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


# A step that calls its network and then takes its gradients runs it once: MindSpore's constructors call `set_grad`.


class _Normalized(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2, momentum=0.5)
        self.dense = nn.Dense(2, 1, "ones", "zeros")

    def construct(self, x, y):
        return ((self.dense(self.norm(x)) - y) ** 2).mean()


class _Scaled(nn.TrainOneStepCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        self.optimizer(self.grad(self.network, self.weights)(*inputs, ms.ops.ones_like(loss)))
        return loss


class _Unscaled(nn.TrainOneStepCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        self.optimizer(self.grad_no_sens(self.network, self.weights)(*inputs))
        return loss


class _LossScaled(nn.TrainOneStepWithLossScaleCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        _, scale = self.start_overflow_check(loss, self.scale_sense)
        gradients = self.grad(self.network, self.weights)(*inputs, ms.ops.ones_like(loss) * scale.astype(loss.dtype))
        self.optimizer(gradients)
        return loss


class _Both(nn.ForwardValueAndGrad):
    def construct(self, *inputs):
        return self.network(*inputs), self.grad(self.network, self.weights)(*inputs)


_STEPS = {
    "base": nn.TrainOneStepCell,
    "grad": _Scaled,
    "grad_no_sens": _Unscaled,
    "loss scale": lambda net, optimizer: _LossScaled(net, optimizer, Tensor(1.0, ms.float32)),
}


@pytest.fixture(params=["eager", "graph"])
def _in_each_mode(request):
    ms.set_context(mode=ms.GRAPH_MODE if request.param == "graph" else ms.PYNATIVE_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.usefixtures("_in_each_mode")
@pytest.mark.parametrize("step", _STEPS)
def test_a_step_runs_its_network_once(step):
    net = _Normalized()
    train = _STEPS[step](net, nn.SGD(net.trainable_params(), 0.1)).set_train()
    x, y = Tensor([[1.0, 2.0], [3.0, 6.0]]), Tensor([[0.0], [0.0]])
    losses = [float(train(x * scale, y)) for scale in (1, 2, 3)]
    np.testing.assert_allclose(losses, [3.999975, 0.5184078, 0.2783332], rtol=1e-5)
    np.testing.assert_allclose(net.norm.moving_mean.asnumpy(), [4.25, 8.5])  # MindSpore's
    assert net.requires_grad is (step != "base")


def test_value_and_gradients_of_a_subclass_run_the_network_once():
    net = _Normalized()
    both = _Both(net, weights=net.trainable_params(), get_by_list=True).set_train()
    x, y = Tensor([[1.0, 2.0], [3.0, 6.0]]), Tensor([[0.0], [0.0]])
    loss, gradients = both(x, y)
    assert len(gradients) == 4
    np.testing.assert_allclose(float(loss), 3.999975, rtol=1e-5)
    np.testing.assert_allclose(net.norm.moving_mean.asnumpy(), [1.0, 2.0])


def test_with_grad_cell_sets_training_mode():
    net = nn.SequentialCell(nn.Dense(2, 1), nn.BatchNorm1d(1))
    nn.WithGradCell(net, nn.MSELoss())
    assert net[1].training
