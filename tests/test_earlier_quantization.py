"""Training with quantized numbers computes what MindSpore 1.10 did, by its figures or closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops
from torchspore.earlier import quantization as q
from torchspore.earlier.quantization import QuantDtype

LEARNED = {
    "optimize_option": q.OptimizeOption.LEARNED_SCALE, "symmetric": (True, True), "narrow_range": (True, True),
    "bn_fold": False, "freeze_bn": 0,
}  # fmt: skip
NUMBERS = np.linspace(-3, 4, 12).reshape(3, 4).astype(np.float32)


def on_grid(x, low, high, bits=8, symmetric=False, narrow=False):
    """Return numbers on the grid between two limits, as the kernels of MindSpore's GPUs make it."""
    if symmetric:
        high = max(-low, high)
        low = -high
    first, last = int(narrow), 2**bits - 1
    step = (high - low) / (last - first)
    zero = np.round(first - low / step)
    return (np.clip(np.floor(x / step + zero + 0.5), first, last) - zero) * step


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"symmetric": True},
        {"symmetric": True, "narrow_range": True},
        {"quant_dtype": QuantDtype.INT4},
        {"min_init": -1, "max_init": 2},
    ],
)
def test_observer(options):
    layer = q.FakeQuantWithMinMaxObserver(**options)
    low, high = options.get("min_init", -6), options.get("max_init", 6)
    bits = options.get("quant_dtype", QuantDtype.INT8).num_bits
    grid = (bits, options.get("symmetric", False), options.get("narrow_range", False))
    x = ms.Tensor(NUMBERS)
    rounded = on_grid(NUMBERS, low, high, *grid)
    np.testing.assert_allclose(layer(x).asnumpy(), rounded, atol=1e-5)
    gradient = ms.grad(lambda x: (layer(x) * x).sum())(x).asnumpy()  # the rounding passes it
    inside = np.clip(NUMBERS, low - 0.01, high + 0.01) == NUMBERS
    np.testing.assert_allclose(gradient, rounded + np.where(inside, NUMBERS, 0), atol=1e-5)
    layer.set_train()
    step = 8.1 / 2**bits  # both neighbours of the last point are as near
    np.testing.assert_allclose(layer(x).asnumpy(), on_grid(NUMBERS, -3, 4, *grid), atol=1e-5 + step * grid[1])
    assert (layer.minq.asnumpy(), layer.maxq.asnumpy()) == (-3, 4)


def test_observer_of_averages_and_channels():
    layer = q.FakeQuantWithMinMaxObserver(ema=True, ema_decay=0.9, per_channel=True, num_channels=4).set_train()
    layer(ms.Tensor(NUMBERS))
    np.testing.assert_allclose(layer.minq.asnumpy(), 0.9 * -6 + 0.1 * NUMBERS.min(0).clip(max=0), rtol=1e-6)
    np.testing.assert_allclose(layer.maxq.asnumpy(), 0.9 * 6 + 0.1 * NUMBERS.max(0).clip(min=0), rtol=1e-6)
    layer.set_train(False)
    layer.reset(min_init=[-0.7, -2, -3, -4], max_init=1)
    expected = np.stack([on_grid(NUMBERS[:, i], low, 1) for i, low in enumerate([-0.7, -2, -3, -4])], 1)
    np.testing.assert_allclose(layer(ms.Tensor(NUMBERS)).asnumpy(), expected, atol=1e-5)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_observer_waits(mode):
    ms.set_context(mode=mode)
    layer = q.FakeQuantWithMinMaxObserver(quant_delay=2, quant_dtype=QuantDtype.INT4).set_train()
    x = ms.Tensor(NUMBERS)
    equal = [(layer(x).asnumpy() == NUMBERS).all() for _ in range(4)]
    assert equal == [True, True, False, False]


def test_learned_limits():
    layer = q.FakeQuantWithMinMaxObserver(mode="LEARNED_SCALE", symmetric=True, narrow_range=True, max_init=2)
    assert [p.name for p in layer.trainable_params()] == ["minq", "maxq"]
    x = np.array([-3.0, 0.51, 1.0], np.float32)
    scaled = np.clip(x / 2, -1, 1)
    rounded = np.round(scaled * 127) / 127
    np.testing.assert_allclose(layer(ms.Tensor(x)).asnumpy(), rounded * 2, rtol=1e-6)
    gradient = ms.grad(lambda x: layer(x).sum(), None, [layer.maxq])(ms.Tensor(x))
    inside = np.abs(x) < 2
    np.testing.assert_allclose(gradient[0].asnumpy(), np.where(inside, rounded - x / 2, rounded).sum(), rtol=1e-5)
    half = q.FakeQuantWithMinMaxObserver(mode="LEARNED_SCALE", neg_trunc=True)
    assert (half.minq.asnumpy(), half.quant_max.asnumpy()) == (0, 255)


# MindSpore 1.10 on the CPU, without rounding
FOLDED = {
    False: [5.120064735412598, -6.118851184844971, -6.042056560516357, 1.536465048789978, 0.8111064434051514,
            -4.458518981933594, 2.2852444648742676],
    True: [2.268519878387451, -1.6191173791885376, -0.8616359829902649, 0.6740462183952332, 0.48397499322891235,
           -1.0447940826416016, 1.1165802478790283],
}  # fmt: skip
MOVED = [0.2964673340320587, -0.19574487209320068, 0.10012359172105789, 2.044145345687866, 0.5350313782691956,
         1.013290524482727]  # fmt: skip


@pytest.mark.parametrize("kind", [q.Conv2dBnFoldQuantOneConv, q.Conv2dBnFoldQuant])
@pytest.mark.parametrize("training", [False, True])
def test_folded(kind, training):
    numbers = np.random.RandomState(3)
    x, weight = (numbers.randn(*shape).astype(np.float32) for shape in ((2, 2, 4, 4), (3, 2, 3, 3)))
    layer = kind(
        2, 3, 3, fake=False, has_bias=True, bias_init=ms.Tensor([1.0, 2.0, 3.0]), weight_init=ms.Tensor(weight),
        gamma_init=ms.Tensor([1.5, -0.5, 2.0]), beta_init=ms.Tensor([0.1, 0.2, 0.3]),
        mean_init=ms.Tensor([0.3, -0.2, 0.1]), var_init=ms.Tensor([2.0, 0.5, 1.0]),
    ).set_train(training)  # fmt: skip
    result = layer(ms.Tensor(x)).asnumpy().ravel()[[0, 5, 17, 20, 40, 60, 90]]
    np.testing.assert_allclose(result, FOLDED[training], rtol=1e-4, atol=1e-5)
    moving = np.concatenate([layer.moving_mean.asnumpy(), layer.moving_variance.asnumpy()])
    before = np.array([0.3, -0.2, 0.1, 2.0, 0.5, 1.0])
    unbiased = np.array([1, 1, 1, 32 / 31, 32 / 31, 32 / 31])  # which 1.10's kernel for the CPU left out
    after = 0.997 * before + (np.array(MOVED) - 0.997 * before) * unbiased
    np.testing.assert_allclose(moving, after if training else before, rtol=1e-5)


def test_statistics_freeze():
    layer = q.Conv2dBnFoldQuant(1, 2, 3, freeze_bn=1).set_train()
    x = ms.Tensor(np.random.default_rng(0).standard_normal((2, 1, 4, 4)).astype(np.float32))
    layer(x)
    before = layer.moving_mean.asnumpy()
    layer(x)
    np.testing.assert_array_equal(layer.moving_mean.asnumpy(), before)
    assert layer.step.asnumpy() == 2
    frozen = layer(x).asnumpy()
    np.testing.assert_allclose(layer.set_train(False)(x).asnumpy(), frozen, rtol=1e-5)


class Small(nn.Cell):
    def __init__(self, has_bn=True):
        super().__init__()
        options = {"has_bn": has_bn, "weight_init": ms.common.initializer.Normal(0.4)}
        self.conv1 = nn.Conv2dBnAct(1, 2, 3, activation="relu", **options)
        self.conv2 = nn.Conv2dBnAct(2, 3, 3, activation=nn.HSwish(), **options)
        self.conv3 = nn.Conv2dBnAct(3, 3, 3, weight_init=options["weight_init"])
        self.fc = nn.DenseBnAct(12, 4, weight_init=options["weight_init"], activation="relu6")
        self.plain = nn.Dense(4, 4)
        self.add = ops.Add()
        self.product = ops.MatMul()

    def construct(self, x):
        x = self.fc(self.conv3(self.conv2(self.conv1(x))).reshape(len(x), -1))
        return self.add(x, x)


NAMES = {  # MindSpore 1.10's
    "bn": """
        conv1.conv.weight conv1.conv.gamma conv1.conv.beta conv1.conv.moving_mean conv1.conv.moving_variance
        conv1.conv.fake_quant_weight.minq conv1.conv.fake_quant_weight.maxq conv1.activation.fake_quant_act.minq
        conv1.activation.fake_quant_act.maxq
    """,
    "learned": """
        conv1.conv.weight conv1.conv.fake_quant_weight.minq conv1.conv.fake_quant_weight.maxq
        conv1.conv.fake_quant_weight.quant_max conv1.activation.fake_quant_act.minq
        conv1.activation.fake_quant_act.maxq conv1.activation.fake_quant_act.quant_max
    """,
}


@pytest.mark.parametrize(
    ("options", "layer"),
    [
        ({}, q.Conv2dBnFoldQuantOneConv),
        ({"one_conv_fold": False, "per_channel": (True, False)}, q.Conv2dBnFoldQuant),
        ({"bn_fold": False, "quant_delay": [0, 1]}, q.Conv2dBnWithoutFoldQuant),
        (LEARNED, q.Conv2dQuant),
    ],
)
def test_conversion(options, layer):
    ms.set_seed(1)
    plain = Small("optimize_option" not in options)
    x = ms.Tensor(np.random.default_rng(0).standard_normal((4, 1, 2, 2)).astype(np.float32))
    expected = plain.set_train()(x).asnumpy()
    net = q.QuantizationAwareTraining(**options).quantize(plain)
    assert type(net.conv1.conv) is layer
    assert type(net.conv3.conv) is q.Conv2dQuant
    assert [type(net.conv1.activation), type(net.plain), type(net.product)] == [q.ActQuant, nn.Dense, ops.MatMul]
    assert net.conv2.activation.fake_before
    net.set_train()
    error = np.abs(net(x).asnumpy() - expected).max() / np.abs(expected).max()
    assert 0 < error < 0.2
    if layer is q.Conv2dBnFoldQuantOneConv:
        assert [p.name for p in net.conv1.get_parameters()] == NAMES["bn"].split()
    if layer is q.Conv2dQuant:
        assert [p.name for p in net.conv1.get_parameters()] == NAMES["learned"].split()
    train = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 1e-2))
    losses = [float(train(x, ms.Tensor(expected * 0))) for _ in range(20)]
    assert losses[-1] < losses[0]
    net.set_train(False)
    eager = net(x).asnumpy()
    ms.set_context(mode=ms.GRAPH_MODE)
    np.testing.assert_allclose(net(x).asnumpy(), eager, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"quant_delay": -1}, ValueError, "'quant_delay' must be at least 0"),
        ({"per_channel": (True, True)}, ValueError, "the second element of 'per_channel'"),
        ({"symmetric": (1, 1, 1)}, ValueError, "'symmetric' must be one value, or one for weights"),
        ({"optimize_option": "QAT"}, ValueError, "'optimize_option' must be an OptimizeOption"),
        ({"optimize_option": q.OptimizeOption.LEARNED_SCALE}, ValueError, "takes bn_fold=False"),
        ({"bn_fold": 1}, TypeError, "'bn_fold' must be a bool"),
    ],
)
def test_refuses(options, kind, message):
    with pytest.raises(kind, match=message):
        q.QuantizationAwareTraining(**options)


def test_refuses_activations_and_limits():
    with pytest.raises(ValueError, match="an activation must be one of HSigmoid, HSwish, LeakyReLU, ReLU"):
        q.QuantizationAwareTraining().quantize(nn.SequentialCell(nn.DenseBnAct(2, 3, activation="tanh")))
    for given, message in [
        ({"min_init": 6}, "'min_init' must be below 'max_init'"),
        ({"min_init": [-1, -2, -3], "per_channel": True, "num_channels": 2}, "'min_init' must be a number or 2"),
        ({"mode": "LEARNED_SCALE"}, "'symmetric' and 'narrow_range' must be True"),
    ]:
        with pytest.raises(ValueError, match=message):
            q.FakeQuantWithMinMaxObserver(**given)


@pytest.mark.parametrize(
    ("low", "high", "symmetric", "grid", "step", "zero"),  # MindSpore 1.10's
    [
        (-1, 2, False, (0, 255, np.uint8), 0.01176471, 85),
        (-1, 2, False, (-128, 127, np.int8), 0.01176471, -43),
        (-1, 2, False, (-127, 127, np.int8), 0.01181102, -42),
        (-1, 2, True, (-128, 127, np.int8), 0.01568628, 0),
        (-1, 2, True, (-127, 127, np.int8), 0.01574803, 0),
        (0, 0, False, (0, 255, np.uint8), 1, 0),
        (0.5, 1.5, False, (0, 255, np.uint8), 0.00588235, 0),
        (0.5, 1.5, False, (-128, 127, np.int8), 0.00588235, -128),
        (0.5, 1.5, True, (0, 255, np.uint8), 0.01176471, 128),
    ],
)
def test_grids(low, high, symmetric, grid, step, zero):
    limits = np.array([low], np.float32), np.array([high], np.float32)
    found = q.cal_quantization_params(*limits, *grid, symmetric=symmetric)
    np.testing.assert_allclose(np.ravel(found), [step, zero], rtol=1e-6)


def test_integers():  # MindSpore 1.10's
    weight = np.linspace(-1, 2, 12).astype(np.float32).reshape(3, 4)
    rows = q.weight2int(weight, np.array([0.1, 0.2, 0.3]), np.array([0, 1, 2]), -128, 127)
    assert rows.tolist() == [[-10, -7, -5, -2], [1, 3, 4, 6], [6, 7, 8, 9]]
    assert q.weight2int(weight, np.array([0.1]), np.array([3]), -128, 127)[0].tolist() == [-7, -4, -2, 1]
    columns = q.weight2int(weight, np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 1, 2, 3]), -128, 127)
    assert columns.tolist() == [[-10, -3, 0, 3], [1, 3, 4, 5], [12, 8, 8, 8]]
    with pytest.raises(ValueError, match="'scale' and 'zero_point' must have one number"):
        q.weight2int(weight, np.ones(2), np.ones(2), -128, 127)
    assert [q.get_quant_min_max(kind, 4, narrow) for kind in (np.int8, np.uint8) for narrow in (False, True)] == [
        (-8, 7), (-7, 7), (0, 15), (1, 15),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="'data_type' must be"):
        q.get_quant_min_max(np.int32)
    with pytest.raises(ValueError, match="'input_min' must be of the shape of 'input_max'"):
        q.cal_quantization_params(np.zeros(2), np.zeros(3), 0, 255, np.uint8)


def test_folded_weights():  # MindSpore 1.10's
    given = {"gamma": [2.0, 3.0], "beta": [0.5, 0.6], "moving_mean": [0.1, 0.2], "moving_variance": [4.0, 9.0]}
    weight = ms.Tensor(np.array([1.0, 2.0], np.float32).reshape(2, 1, 1, 1))
    folded, without = q.Conv2dBnFoldQuantOneConv(1, 2, 1), q.Conv2dBnWithoutFoldQuant(1, 2, 1)
    for name, value in given.items():
        getattr(folded, name).set_data(ms.Tensor(value))
        getattr(without.batchnorm, name).set_data(ms.Tensor(value))
    for found in (q.fold_batchnorm(weight.asnumpy(), folded), q.without_fold_batchnorm(weight.asnumpy(), without)):
        np.testing.assert_allclose(found[0].ravel(), [0.9999988, 1.9999989], rtol=1e-6)
        np.testing.assert_allclose(found[1], [0.40000013, 0.40000013], rtol=1e-6)
    limits = q.scale_zp_max_min_from_fake_quant_cell(folded.fake_quant_weight, np.int8)
    np.testing.assert_allclose(np.ravel(limits), [0.04705882, 0, 6, -6], rtol=1e-6)


@pytest.mark.parametrize(
    ("count", "bits", "threshold"),  # MindSpore 1.10's
    [(50, 8, 2.3015387), (1000, 8, 3.9586027), (1000, 4, 2.6281329), (20000, 8, 3.8605270), (20000, 4, 2.8648212)],
)
def test_thresholds(count, bits, threshold):
    found = q.compute_kl_threshold(_normal(count, bits), QuantDtype[f"INT{bits}"])
    assert found == pytest.approx(threshold, rel=1e-6 if bits == 8 and count < 5000 else 0.1)


def _normal(count, bits):
    """Return the numbers that were recorded: one of a row of draws of these sizes."""
    numbers = np.random.RandomState(1)
    for drawn in ((50, 8), (1000, 8), (1000, 4), (5000, 8), (5000, 2), (20000, 8), (20000, 4)):
        values = numbers.randn(drawn[0]).astype(np.float32)
        if drawn == (count, bits):
            return values
    raise KeyError(count)


def test_parameters_of_the_plain_network(capsys):
    plain = nn.SequentialCell(nn.Conv2dBnAct(1, 2, 3, has_bn=True, activation="relu"), nn.DenseBnAct(2, 3))
    kept = {name: ms.Parameter(ms.Tensor(p.asnumpy() + 1), name) for name, p in plain.parameters_and_names()}
    net = q.QuantizationAwareTraining().quantize(plain)
    q.load_nonquant_param_into_quant_net(net, kept)
    np.testing.assert_array_equal(net[0].conv.gamma.asnumpy(), [2, 2])
    np.testing.assert_array_equal(net[0].conv.weight.asnumpy(), kept["0.conv.weight"].asnumpy())
    np.testing.assert_array_equal(net[0].conv.fake_quant_weight.minq.asnumpy(), [-6])
    del kept["1.dense.bias"]
    with pytest.raises(ValueError, match=r"must have '1.dense.bias'"):
        q.load_nonquant_param_into_quant_net(net, kept)
    q.load_nonquant_param_into_quant_net(net, kept, ["bias"])
    q.query_quant_layers(net)
    assert capsys.readouterr().out.split()[:2] == ["0.conv.fake_quant_weight", "INT8"]


def test_sum_and_product():
    x, y = ms.Tensor(NUMBERS), ms.Tensor(NUMBERS[::-1].copy())
    for layer, exact in ((q.TensorAddQuant(), x + y), (q.MulQuant(), x * y)):
        np.testing.assert_allclose(layer(x, y).asnumpy(), on_grid(exact.asnumpy(), -6, 6), atol=1e-5)
    rounded = q.ActQuant(nn.ReLU(), fake_before=True)(x)
    np.testing.assert_allclose(rounded.asnumpy(), np.maximum(on_grid(NUMBERS, -6, 6), 0), atol=1e-5)
    config = q.create_quant_config(quant_dtype=(QuantDtype.INT4, QuantDtype.INT8))
    assert (config.weight().num_bits, config.activation().num_bits) == (4, 8)
    dense = q.DenseQuant(3, 2, activation="relu", quant_config=config)
    assert dense.fake_quant_weight.num_bits == 4
    assert dense(ms.ops.ones((4, 3))).shape == (4, 2)
