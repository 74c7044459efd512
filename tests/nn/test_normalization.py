"""Normalization layers: statistics, gradients, data types and errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Tensor, nn, ops

_IMAGES = np.random.RandomState(0).randn(4, 3, 2, 5).astype(np.float32)


def _images():
    return Tensor(_IMAGES)


def test_statistics_move_once_for_every_forward_pass():
    norm = nn.BatchNorm2d(3).set_train()
    mean = norm.moving_mean
    gradient = ms.grad(lambda x: (norm(x) ** 2).sum(), None, norm.trainable_params())(_images())
    assert [g.shape for g in gradient] == [(3,), (3,)]
    expected = 0.1 * _IMAGES.mean((0, 2, 3))
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(norm.moving_variance.asnumpy(), 0.9 + 0.1 * _IMAGES.var((0, 2, 3)) * 40 / 39, rtol=1e-5)
    norm(_images())
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), 1.9 * expected, rtol=1e-5, atol=1e-7)
    assert norm.moving_mean is mean
    norm.set_train(False)(_images())
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), 1.9 * expected, rtol=1e-5, atol=1e-7)


def test_two_passes_in_one_scope_and_second_order():
    norm = nn.BatchNorm1d(3).set_train()
    x = Tensor(_IMAGES[:, :, 0, 0])

    def loss(x):
        return (norm(norm(x) * 2) ** 3).sum()

    found = ms.grad(loss)(x).asnumpy()
    module = torch.nn.BatchNorm1d(3)
    value = torch.tensor(_IMAGES[:, :, 0, 0], requires_grad=True)
    (module(module(value) * 2) ** 3).sum().backward()
    np.testing.assert_allclose(found, value.grad.numpy(), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), module.running_mean.numpy(), rtol=1e-5, atol=1e-7)
    twice = ms.grad(lambda x: (ms.grad(loss)(x) * x).sum())(x)
    assert np.isfinite(twice.asnumpy()).all()


def test_statistics_among_the_weights_have_zero_gradients():
    for norm in (nn.BatchNorm2d(3).set_train(), nn.BatchNorm2d(3), nn.InstanceNorm2d(3).set_train()):
        gradients = ms.grad(lambda x, norm=norm: norm(x).sum(), None, list(norm.get_parameters()))(_images())
        for parameter, gradient in zip(norm.get_parameters(), gradients):
            assert gradient.shape == (3,)
            if parameter is norm.moving_mean or parameter is norm.moving_variance:
                assert (gradient.asnumpy() == 0).all()


def test_channels_last():
    first, last = nn.BatchNorm2d(3).set_train(), nn.BatchNorm2d(3, data_format="NHWC").set_train()
    expected = first(_images()).asnumpy()
    found = last(Tensor(np.ascontiguousarray(_IMAGES.transpose(0, 2, 3, 1))))
    np.testing.assert_allclose(found.asnumpy().transpose(0, 3, 1, 2), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(last.moving_mean.asnumpy(), first.moving_mean.asnumpy(), rtol=1e-6)
    one, zero = ops.ones((3,)), ops.zeros((3,))
    y, *statistics = ops.BatchNorm(True, data_format="NHWC")(
        Tensor(_IMAGES.transpose(0, 2, 3, 1)), one, zero, zero.copy(), one.copy()
    )
    np.testing.assert_allclose(y.asnumpy().transpose(0, 3, 1, 2), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(statistics[0].asnumpy(), _IMAGES.mean((0, 2, 3)), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(statistics[3].asnumpy(), _IMAGES.var((0, 2, 3)), rtol=1e-5)


_LAYERS = [nn.BatchNorm2d(3), nn.LayerNorm((2, 5), 2, 2), nn.GroupNorm(1, 3), nn.InstanceNorm2d(3), nn.LayerNormExt(5)]


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("layer", _LAYERS, ids=lambda layer: layer.cls_name)
def test_half_precision_inputs_and_full_precision_parameters(layer, dtype):
    expected = layer.set_train()(_images()).asnumpy()
    found = layer(_images().astype(dtype))
    assert found.dtype == dtype
    np.testing.assert_allclose(found.astype(ms.float32).asnumpy(), expected, atol=0.03)
    gradients = ms.grad(lambda x: layer(x).sum(), None, layer.trainable_params())(_images().astype(dtype))
    assert all(gradient.dtype == ms.float32 for gradient in gradients)


@pytest.mark.parametrize("layer", _LAYERS, ids=lambda layer: layer.cls_name)
def test_to_float_keeps_the_parameters(layer):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.norm = layer

        def construct(self, x):
            self.seen = [parameter.value().dtype for parameter in self.norm.get_parameters()]
            return self.norm(x)

    net = Net().to_float(ms.float16)
    assert net(_images()).dtype == ms.float16
    assert set(net.seen) == {ms.float32}
    layer.to_float(ms.float32)


def test_layers_agree_with_torch():
    x, value = _images(), torch.tensor(_IMAGES)
    pairs = [
        (nn.InstanceNorm2d(3, 0.1), torch.nn.InstanceNorm2d(3, 0.1, affine=True)),
        (nn.InstanceNorm2d(3, momentum=0.3).set_train(), torch.nn.InstanceNorm2d(3, momentum=0.3)),
        (nn.LayerNormExt((2, 5), 0.1), torch.nn.LayerNorm((2, 5), 0.1)),
        (nn.LayerNormExt(5, elementwise_affine=False), torch.nn.LayerNorm(5, elementwise_affine=False)),
        (nn.LayerNormExt(5, bias=False), torch.nn.LayerNorm(5, bias=False)),
    ]
    for ours, theirs in pairs:
        np.testing.assert_allclose(ours(x).asnumpy(), theirs(value).detach().numpy(), rtol=1e-4, atol=1e-5)


def test_running_statistics_of_instances():
    norm = nn.InstanceNorm2d(3).set_train()
    norm(_images())
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), 0.1 * _IMAGES.mean((0, 2, 3)), rtol=1e-5, atol=1e-7)
    unbiased = _IMAGES.var((2, 3), ddof=1).mean(0)
    np.testing.assert_allclose(norm.moving_variance.asnumpy(), 0.9 + 0.1 * unbiased, rtol=1e-5)
    before = norm.moving_mean.asnumpy().copy()
    norm.set_train(False)(_images())
    np.testing.assert_array_equal(norm.moving_mean.asnumpy(), before)
    for layer, x in ((nn.InstanceNorm1d(3), _IMAGES[:, :, 0]), (nn.InstanceNorm3d(3), _IMAGES[..., None])):
        axes = tuple(range(2, x.ndim))
        expected = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)
        np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_names_in_a_net():
    net = nn.SequentialCell(nn.BatchNorm2d(3), nn.BatchNorm3d(3), nn.LayerNorm((3,)))
    assert [parameter.name for parameter in net.get_parameters()] == [
        *[f"0.{name}" for name in ("moving_mean", "moving_variance", "gamma", "beta")],
        *[f"1.bn2d.{name}" for name in ("moving_mean", "moving_variance", "gamma", "beta")],
        "2.gamma",
        "2.beta",
    ]


_WRONG = [
    (
        "nn.SyncBatchNorm(3, process_groups=3)",
        TypeError,
        "For 'SyncBatchNorm', 'process_groups' must be a list of lists",
    ),
    ("nn.SyncBatchNorm(3, process_groups=[3])", TypeError, "'process_groups' must be a list of lists"),
    ("nn.BatchNorm2d(3, momentum='a')", TypeError, "For 'BatchNorm2d', 'momentum' must be a number"),
    ("nn.BatchNorm2d(3)(3)", TypeError, "For 'BatchNorm2d', the input must be a Tensor"),
    ("nn.BatchNorm2d(3)(x[0])", ValueError, "For 'BatchNorm2d', the input must have 4 dimensions"),
    ("nn.BatchNorm1d(3)(x)", ValueError, "For 'BatchNorm1d', the input must have 2 or 3 dimensions"),
    ("nn.BatchNorm3d(3)(3)", TypeError, "For 'BatchNorm3d', the input must be a Tensor"),
    ("nn.BatchNorm3d(3)(x)", ValueError, "For 'BatchNorm3d', the input must have 5 dimensions"),
    ("nn.BatchNorm2d(4)(x)", ValueError, "must have one element per channel"),
    ("nn.BatchNorm2d(3)(x.astype(ms.int32))", TypeError, "For 'BatchNorm2d'"),
    ("nn.InstanceNorm2d(3)(x[0])", ValueError, "For 'InstanceNorm2d', the input must have 4 dimensions"),
    ("nn.InstanceNorm2d(4)(x)", ValueError, "For 'InstanceNorm2d'"),
    ("nn.LayerNorm((3,), begin_norm_axis='a')(x)", TypeError, "'begin_norm_axis' must be an int"),
    ("nn.LayerNorm((5,), 2, 3, gamma_init='ones')(x[:, :, :, :4])", ValueError, "'gamma' and 'beta' must have"),
    ("nn.LayerNormExt(4)(x)", ValueError, "For 'LayerNormExt'"),
]


@pytest.mark.parametrize(("expression", "error", "message"), _WRONG, ids=[row[0] for row in _WRONG])
def test_errors(expression, error, message):
    with pytest.raises(error, match=message):
        eval(expression, {"nn": nn, "ms": ms, "x": _images()})
