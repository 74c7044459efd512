"""Normalization functions that MindSpore 2.10 has no CPU kernel for, compared with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, ops

_X = np.random.RandomState(1).randn(4, 3, 5).astype(np.float32)
_GAMMA = np.linspace(0.5, 2, 5, dtype=np.float32)
_BETA = np.linspace(-1, 1, 5, dtype=np.float32)


def _layer_norm(x, axes, eps, gamma=1, beta=0):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps) * gamma + beta


@pytest.mark.parametrize("shape", [5, (5,), [5]])
def test_layer_norm(shape):
    found = ops.layer_norm(Tensor(_X), shape, Tensor(_GAMMA), Tensor(_BETA), 0.1)
    np.testing.assert_allclose(found.asnumpy(), _layer_norm(_X, -1, 0.1, _GAMMA, _BETA), rtol=1e-5, atol=1e-6)


def test_layer_norm_without_parameters_and_of_several_dimensions():
    found = ops.layer_norm(Tensor(_X), (3, 5))
    np.testing.assert_allclose(found.asnumpy(), _layer_norm(_X, (1, 2), 1e-5), rtol=1e-4, atol=1e-5)
    half = ops.layer_norm(Tensor(_X, ms.float16), (5,), Tensor(_GAMMA))
    assert half.dtype == ms.float16
    np.testing.assert_allclose(half.asnumpy(), _layer_norm(_X, -1, 1e-5, _GAMMA), atol=0.02)


def _rms_norm(x, eps):
    rstd = 1 / np.sqrt((x.astype(np.float64) ** 2).mean(-1, keepdims=True) + eps)
    return x * rstd * _GAMMA, rstd


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_rms_norm(dtype):
    y, rstd = ops.rms_norm(Tensor(_X, dtype), Tensor(_GAMMA), 0.1)
    expected, expected_rstd = _rms_norm(_X, 0.1)
    assert y.dtype == dtype
    assert rstd.dtype == (ms.float64 if dtype == ms.float64 else ms.float32)
    tolerance = 0.03 if dtype in (ms.float16, ms.bfloat16) else 1e-5
    np.testing.assert_allclose(y.astype(ms.float32).asnumpy(), expected, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(rstd.asnumpy(), expected_rstd, rtol=tolerance)
    assert rstd.shape == (4, 3, 1)


def test_rms_norm_over_several_dimensions_and_gradients():
    y, rstd = ops.RmsNorm(epsilon=0.1)(Tensor(_X), ops.ones((3, 5)))
    assert rstd.shape == (4, 1, 1)
    np.testing.assert_allclose(y.asnumpy(), _X / np.sqrt((_X**2).mean((1, 2), keepdims=True) + 0.1), rtol=1e-5)

    def loss(x, gamma):
        return (ops.rms_norm(x, gamma)[0] ** 2).sum()

    by_x, by_gamma = ms.grad(loss, (0, 1))(Tensor(_X, ms.float64), Tensor(_GAMMA, ms.float64))
    step = 1e-6
    for position, gradient in ((0, by_x), (1, by_gamma)):
        arguments = [_X.astype(np.float64), _GAMMA.astype(np.float64)]
        at = (1,) * arguments[position].ndim
        values = []
        for sign in (1, -1):
            moved = [argument.copy() for argument in arguments]
            moved[position][at] += sign * step
            values.append(float(loss(*[Tensor(argument) for argument in moved])))
        assert gradient.asnumpy()[at] == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-5, abs=1e-6)


def test_statistics_of_half_precision():
    y, mean, variance = ops.LayerNorm(-1, -1)(Tensor(_X, ms.bfloat16), Tensor(_GAMMA), Tensor(_BETA))
    assert (y.dtype, mean.dtype, variance.dtype) == (ms.bfloat16, ms.float32, ms.float32)
    np.testing.assert_allclose(variance.asnumpy(), _X.var(-1, keepdims=True), rtol=0.05)


def test_running_statistics_of_plain_tensors_move():
    mean, variance = ops.zeros((3,)), ops.ones((3,))
    ops.batch_norm(Tensor(_X), mean, variance, ops.ones((3,)), ops.zeros((3,)), training=True, momentum=0.5)
    np.testing.assert_allclose(mean.asnumpy(), 0.5 * _X.mean((0, 2)), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(variance.asnumpy(), 0.5 + 0.5 * _X.var((0, 2)) * 20 / 19, rtol=1e-5)


_WRONG = [
    ("ops.layer_norm('a', (5,))", TypeError, "For 'layer_norm', 'input' must be a Tensor"),
    ("ops.layer_norm(x, 'a')", TypeError, "For 'layer_norm', 'normalized_shape'"),
    ("ops.layer_norm(x, (4,))", ValueError, "For 'layer_norm'"),
    ("ops.layer_norm(x, (5,), x)", ValueError, "For 'layer_norm'"),
    ("ops.LayerNorm(5, 5)(x, x, x)", ValueError, "For 'LayerNorm'"),
    ("ops.group_norm(3, 1)", TypeError, "For 'group_norm', 'input' must be a Tensor"),
    ("ops.group_norm(x, 2)", ValueError, "For 'group_norm'"),
    ("ops.rms_norm(3, x)", TypeError, "For 'rms_norm', 'x' must be a Tensor"),
    ("ops.rms_norm(x.astype(ms.int32), x)", TypeError, "For 'rms_norm', 'x' must hold floats"),
    ("ops.rms_norm(x, ops.ones((4,)))", ValueError, "For 'rms_norm'"),
    ("ops.lrn(x)", ValueError, "For 'lrn', 'x' must have 4 dimensions"),
    ("ops.lrn(ops.ones((1, 1, 2, 2)), norm_region='a')", ValueError, "'norm_region' must be 'ACROSS_CHANNELS'"),
    ("ops.BatchNorm(data_format='a')", ValueError, "For 'BatchNorm', 'data_format' must be 'NCHW' or 'NHWC'"),
    ("ops.L2Normalize(7)(x)", ValueError, "For 'L2Normalize'"),
]


@pytest.mark.parametrize(("expression", "error", "message"), _WRONG, ids=[row[0] for row in _WRONG])
def test_errors(expression, error, message):
    with pytest.raises(error, match=message):
        eval(expression, {"ops": ops, "ms": ms, "x": Tensor(_X)})
