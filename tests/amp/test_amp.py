"""Mixed precision: networks at each level, scaled losses, training steps."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, amp, boost, nn, ops

X = Tensor(np.linspace(-1.3, 1.7, 32).reshape(2, 1, 4, 4).astype(np.float32))
LEVELS = ["O0", "O1", "O2", "O3", "auto"]


def numbers(first, last, *shape):
    return Tensor(np.linspace(first, last, np.prod(shape)).reshape(shape).astype(np.float32))


class Net(nn.Cell):
    """A convolution, a normalisation, an exponential, a dense layer and a product of matrices."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3, weight_init=numbers(-0.37, 0.41, 2, 1, 3, 3))
        self.bn = nn.BatchNorm2d(2)
        self.fc = nn.Dense(2, 3, weight_init=numbers(-0.71, 0.67, 3, 2), bias_init=numbers(0.1, 0.3, 3))
        self.product = ops.MatMul()
        self.notes, self.types = True, None

    def construct(self, x):
        convolved = self.conv(x)
        normal = self.bn(convolved)
        bent = ops.exp(normal)
        dense = self.fc(ops.ReduceMean()(bent, (2, 3)))
        if self.notes:
            self.types = [tensor.dtype for tensor in (convolved, normal, bent, dense)]
        return self.product(dense, dense.T) * 0.01


HALF, FULL = ms.float16, ms.float32
TYPES = {  # of the intermediate results, and of the last
    "O0": ([FULL, FULL, FULL, FULL], FULL),
    "O1": ([FULL, FULL, FULL, FULL], FULL),
    "O2": ([HALF, HALF, HALF, HALF], FULL),
    "O3": ([HALF, HALF, HALF, HALF], FULL),
    "auto": ([HALF, FULL, FULL, FULL], HALF),
}
# What MindSpore 2.10 computes.
RESULTS = {
    "O0": [[0.064729, 0.06575], [0.06575, 0.078063]],
    "O1": [[0.064729, 0.06575], [0.06575, 0.078063]],
    "O2": [[0.064758, 0.065796], [0.065796, 0.078125]],
    "O3": [[0.064758, 0.065796], [0.065796, 0.078125]],
    "auto": [[0.064758, 0.065796], [0.065796, 0.078125]],
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("captured", [False, True])
def test_levels(level, captured):
    net = Net().set_train()
    assert amp.auto_mixed_precision(net, level) is net
    net.notes = not captured
    output = (ms.jit(net, fullgraph=True) if captured else net)(X)
    assert (net.types or TYPES[level][0], output.dtype) == TYPES[level]
    np.testing.assert_allclose(output.asnumpy(), RESULTS[level], rtol=4e-3, atol=1e-4)
    assert {parameter.dtype for parameter in net.get_parameters()} == {FULL}


@pytest.mark.parametrize(
    ("make", "shape"),
    [
        (lambda bias: nn.Dense(2, 1, has_bias=bias), (1, 2)),
        (lambda bias: nn.Conv1d(1, 2, 2, has_bias=bias), (1, 1, 3)),
        (lambda bias: nn.Conv2d(1, 2, 2, has_bias=bias), (1, 1, 2, 3)),
        (lambda bias: nn.Conv2dTranspose(1, 2, 2, has_bias=bias), (1, 1, 2, 3)),
        (lambda bias: nn.Conv3d(1, 2, 2, has_bias=bias), (1, 1, 2, 2, 3)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("nested", [False, True])
def test_layers_add_their_bias_in_float32_at_the_level_auto(make, shape, nested):
    for bias, dtype in ((True, FULL), (False, HALF)):
        layer, plain = make(bias), make(bias)
        ms.load_param_into_net(plain, layer.parameters_dict())
        net = amp.auto_mixed_precision(nn.SequentialCell(layer) if nested else layer, "auto")
        output = net(ms.ops.ones(shape))
        assert output.dtype is dtype
        np.testing.assert_allclose(output.asnumpy(), plain(ms.ops.ones(shape)).asnumpy(), rtol=1e-2, atol=1e-2)


def test_the_lists_of_the_level_auto():
    assert ms.ops.MatMul in amp.AMP_AUTO_WHITE_LIST
    assert ms.ops.Softmax in amp.AMP_AUTO_BLACK_LIST
    assert amp.AMP_AUTO_WHITE_LIST is amp.AMP_AUTO_WHITE_LIST
    assert amp.AMP_PRIM_ARG_TABLE[ms.ops.MatMul] == []


@pytest.mark.parametrize("level", LEVELS)
def test_gradients_have_the_types_of_the_parameters(level):
    net, plain = (Net().set_train() for _ in range(2))
    amp.auto_mixed_precision(net, level)
    gradients, expected = (
        ms.grad(lambda x, net=net: net(x).astype(FULL).sum(), None, net.trainable_params())(X) for net in (net, plain)
    )
    for gradient, other in zip(gradients, expected):
        assert gradient.dtype is FULL
        np.testing.assert_allclose(gradient.asnumpy(), other.asnumpy(), rtol=2e-2, atol=2e-2)


def test_bfloat16():
    net = amp.auto_mixed_precision(Net(), "auto", ms.bfloat16)
    assert net(X).dtype is ms.bfloat16
    assert net.types == [ms.bfloat16, FULL, FULL, FULL]


def test_function():
    product = amp.auto_mixed_precision(lambda x: ops.matmul(x, x), "auto")
    assert product(ops.ones((2, 2))).dtype is HALF
    assert ops.matmul(ops.ones((2, 2)), ops.ones((2, 2))).dtype is FULL


def test_widest():
    added = amp.auto_mixed_precision(lambda x, y: ops.addn([x, y]), "auto")
    types = [(ms.float16, ms.float32), (ms.bfloat16, ms.float16), (ms.float64, ms.float16)]
    assert [added(*[Tensor([1.0], each) for each in pair]).dtype for pair in types] == [ms.float32] * 2 + [ms.float64]
    for wrong in (lambda: ops.addn([Tensor([1.0], HALF), Tensor([1.0])]), lambda: added(Tensor([1]), Tensor([1.0]))):
        with pytest.raises(TypeError, match="tensors of one dtype"):
            wrong()
    dot = amp.auto_mixed_precision(lambda x, y: ops.addcmul(x, y, y, 1.0), "auto")
    one, half = ops.ones((2,)), ops.ones((2,)).astype(HALF)
    assert (dot(half, half).dtype, dot(one, half).dtype) == (HALF, FULL)


@pytest.mark.parametrize(
    ("lists", "types"),
    [
        ({"white_list": [nn.Dense]}, [FULL, FULL, FULL, FULL]),
        ({"black_list": [nn.Dense]}, [HALF, HALF, HALF, HALF]),
        ({"white_list": [ops.Exp]}, [FULL, FULL, FULL, FULL]),
    ],
)
def test_lists(lists, types):
    net, plain = Net(), Net()
    output = amp.custom_mixed_precision(net, **lists)(X)
    assert (net.types, output.dtype) == (types, FULL)
    expected = plain(X).asnumpy()
    np.testing.assert_allclose(output.asnumpy(), expected, rtol=1e-2, atol=1e-3)
    assert not np.array_equal(output.asnumpy(), expected)


def test_lists_are_new():
    amp.get_white_list().clear()
    amp.get_black_list().clear()
    assert nn.Dense in amp.get_white_list()
    assert amp.get_black_list() == [nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: amp.auto_mixed_precision(Net(), "O4"), ValueError, "level' must be one of .*'O0'"),
        (lambda: amp.auto_mixed_precision(Net(), 1), ValueError, "level' must be one of .*'O0'"),
        (lambda: amp.auto_mixed_precision(Net(), "O2", ms.float32), ValueError, "'dtype' must be float16 or bfloat16"),
        (lambda: amp.auto_mixed_precision(abs, "O1"), TypeError, "'network' must be a Cell"),
        (lambda: amp.auto_mixed_precision(3, "auto"), TypeError, "'network' must be a Cell"),
        (lambda: amp.custom_mixed_precision(Net()), ValueError, "one of 'white_list' and 'black_list'"),
        (
            lambda: amp.custom_mixed_precision(Net(), white_list=[nn.Dense], black_list=[nn.Dense]),
            ValueError,
            "one of 'white_list' and 'black_list'",
        ),
        (lambda: amp.custom_mixed_precision(Net(), white_list=nn.Dense), TypeError, "must be a list"),
        (
            lambda: amp.custom_mixed_precision(Net(), white_list=[3]),
            TypeError,
            "a subclass of Cell or Prim",
        ),
        (
            lambda: amp.custom_mixed_precision(Net(), black_list=[ops.MatMul]),
            ValueError,
            "subclass of Cell, but",
        ),
        (lambda: amp.custom_mixed_precision(Net(), white_list=[ops.ResizeBicubic]), ValueError, "on its own"),
        (lambda: amp.FixedLossScaleManager(0), ValueError, "'loss_scale' must be >= 1"),
        (lambda: amp.FixedLossScaleManager("a"), TypeError, "'loss_scale' must be a number"),
        (lambda: amp.DynamicLossScaleManager(0.5), ValueError, "'init_loss_scale' must be >= 1"),
        (lambda: amp.DynamicLossScaleManager(2, 0), ValueError, "'scale_factor' must be > 0"),
        (lambda: amp.DynamicLossScaleManager(2, 2, 1.5), TypeError, "'scale_window' must be an int"),
        (lambda: amp.StaticLossScaler(True), TypeError, "'scale_value' must be a number"),
        (lambda: amp.DynamicLossScaler(2, 2.5, 1), TypeError, "'scale_factor' must be an int"),
        (lambda: amp.DynamicLossScaler(2, 2, 0), ValueError, "'scale_window' must be > 0"),
        (lambda: step(level="O9"), ValueError, "level' must be one of .*'O0'"),
        (lambda: step(boost_level="O3"), ValueError, "'boost_level' must be one of"),
        (lambda: step(loss_scale_manager=boost.GroupLossScaleManager(8, [])), TypeError, "must be a LossScaleManager"),
        (lambda: step(cast_model_type=ms.int32), ValueError, "'cast_model_type' must be float16 or float32"),
        (lambda: step(keep_batchnorm_fp32=1), TypeError, "'keep_batchnorm_fp32' must be a bool"),
        (lambda: step(loss_scale_manager=8), TypeError, "'loss_scale_manager' must be a LossScaleManager"),
        (lambda: step(level="O2", unknown=1), ValueError, "there is no argument 'unknown'"),
        (lambda: amp.build_train_network(abs, None), TypeError, "'network' must be a Cell"),
        (lambda: amp.LossScaleManager().get_loss_scale(), NotImplementedError, "define 'get_loss_scale'"),
        (lambda: amp.LossScaleManager().update_loss_scale(True), NotImplementedError, "define 'update_loss_scale'"),
        (lambda: amp.LossScaleManager().get_update_cell(), NotImplementedError, "define 'get_update_cell'"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


class Dense(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 2, weight_init=numbers(-0.5, 0.5, 2, 3))
        self.bn = nn.BatchNorm1d(2)

    def construct(self, x):
        return self.bn(self.fc(x))


DATA, LABEL = numbers(-1, 2, 4, 3), numbers(-1, 1, 4, 2)


def step(**options):
    net = Dense()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9, loss_scale=options.pop("optimizer_scale", 1.0))
    return amp.build_train_network(net, optimizer, nn.MSELoss(), **options).set_train()


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, nn.TrainOneStepCell),
        ({"level": "O1"}, nn.TrainOneStepCell),
        ({"level": "O2", "loss_scale_manager": None}, nn.TrainOneStepCell),
        ({"level": "O2", "loss_scale_manager": amp.FixedLossScaleManager(64)}, nn.TrainOneStepWithLossScaleCell),
        (
            {"level": "O3", "loss_scale_manager": amp.FixedLossScaleManager(64, False), "optimizer_scale": 64.0},
            nn.TrainOneStepCell,
        ),
        ({"level": "O3", "keep_batchnorm_fp32": True}, nn.TrainOneStepCell),
        ({"boost_level": "O1"}, boost.BoostTrainOneStepCell),
        (
            {"level": "O2", "boost_level": "O2", "loss_scale_manager": amp.FixedLossScaleManager(64)},
            boost.BoostTrainOneStepWithLossScaleCell,
        ),
        ({"level": "O3", "cast_model_type": ms.float32}, nn.TrainOneStepCell),
        ({"cast_model_type": ms.float16}, nn.TrainOneStepCell),
        ({"level": "auto"}, nn.TrainOneStepCell),
    ],
    ids=lambda value: (
        getattr(value, "__name__", None) or ", ".join(f"{k}={v}"[:40].split(" object")[0] for k, v in value.items())
    ),
)
@pytest.mark.parametrize("captured", [False, True])
def test_training_steps(options, kind, captured):
    def losses(train):
        train = ms.jit(train, fullgraph=True) if captured else train
        results = [train(DATA, LABEL) for _ in range(4)]
        return np.array([float((r[0] if isinstance(r, tuple) else r).asnumpy()) for r in results])

    train = step(**options)
    assert type(train) is kind
    np.testing.assert_allclose(losses(train), losses(step()), rtol=1e-2)


def test_the_loss_scale_of_level_O2():
    train = step(level="O2")
    assert type(train) is nn.TrainOneStepWithLossScaleCell
    assert float(train.scale_sense) == 2**24


def test_a_step_that_overflows_is_left_out():
    train = step(level="O2", loss_scale_manager=amp.DynamicLossScaleManager(2**40, 2, 100))
    before = [parameter.asnumpy().copy() for parameter in train.weights]
    _, overflow, scale = train(DATA, LABEL)
    assert bool(overflow)
    assert float(scale) == 2**39
    assert all(np.array_equal(a, b.asnumpy()) for a, b in zip(before, train.weights))


def test_managers():
    """As MindSpore 2.10 does it."""
    manager, scales = amp.DynamicLossScaleManager(4, 2, 3), []
    for overflow in map(int, "001000011110000"):
        manager.update_loss_scale(bool(overflow))
        scales.append(manager.get_loss_scale())
    assert scales == [4, 4, 2, 2, 2, 4, 4, 2, 1, 1, 1, 1, 1, 2, 2]
    assert manager.get_drop_overflow_update()
    assert isinstance(manager.get_update_cell(), nn.DynamicLossScaleUpdateCell)
    fixed = amp.FixedLossScaleManager(8)
    fixed.update_loss_scale(True)
    assert (fixed.get_loss_scale(), fixed.get_drop_overflow_update()) == (8, True)
    assert isinstance(fixed.get_update_cell(), nn.FixedLossScaleUpdateCell)
    assert amp.FixedLossScaleManager(8, False).get_update_cell() is None


@pytest.mark.parametrize("captured", [False, True])
def test_dynamic_scaler(captured):
    """As MindSpore 2.10 does it."""
    scaler, found = amp.DynamicLossScaler(8, 2, 2), []
    adjust = ms.jit(scaler.adjust) if captured else scaler.adjust
    for finite in map(int, "111010000011"):
        assert adjust(Tensor(bool(finite)))
        found.append((float(scaler.scale_value), int(scaler.counter)))
    scales = [8, 16, 16, 8, 8, 4, 2, 1, 1, 1, 1, 2]
    assert found == list(zip(scales, [1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0]))


def test_static_scaler():
    scaler = amp.StaticLossScaler(8)
    assert scaler.adjust(True) is False
    assert float(scaler.scale(Tensor(2.0))) == 16
    low, high = scaler.unscale((Tensor([8.0], ms.float16), Tensor(16.0)))
    assert (low.dtype, float(low), high.dtype, float(high)) == (ms.float16, 1, FULL, 2)


def test_scaled_training_function():
    net = Dense().set_train()
    optimizer = nn.SGD(net.trainable_params(), 0.01)
    scaler = amp.DynamicLossScaler(1024, 2, 2)
    gradients = ms.value_and_grad(lambda x, y: scaler.scale(nn.MSELoss()(net(x), y)), None, optimizer.parameters)

    @ms.jit(fullgraph=True)
    def train(x, y):
        loss, found = gradients(x, y)
        loss, found = scaler.unscale(loss), scaler.unscale(found)
        finite = amp.all_finite(found)
        if finite:
            optimizer(found)
        scaler.adjust(finite)
        return loss

    losses = [float(train(DATA, LABEL)) for _ in range(6)]
    assert losses == sorted(losses, reverse=True)
    assert float(scaler.scale_value) == 8192


def test_the_training_step_is_in_training_mode():
    net = ms.nn.SequentialCell(ms.nn.Dense(2, 1), ms.nn.BatchNorm1d(1))
    optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
    step = ms.amp.build_train_network(net, optimizer, ms.nn.MSELoss(), level="O0")
    assert step.training
    assert net[1].training


def test_what_a_level_sets():
    assert [tuple(map(str, list(each.values())[:2])) for each in amp._config_level.values()] == [
        ("False", "Float32"), ("False", "Float32"), ("True", "Float16"), ("False", "Float16"), ("False", "Float32"),
    ]  # fmt: skip
    assert [level for level, each in amp._config_level.items() if each["loss_scale_manager"]] == ["O2"]
