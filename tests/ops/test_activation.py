"""Activation functions where MindSpore 2.10 has no result for the CPU, or a random one: closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import ops

X = np.array([[-2.0, -0.5, 0.25, 1.5]], np.float32)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize("alpha", [0.5, 2.0, -1.0, 3])
def test_elu_takes_any_alpha(alpha):
    expected = np.where(X > 0, X, alpha * np.expm1(X))
    np.testing.assert_allclose(ops.elu(ms.Tensor(X), alpha).asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(ops.Elu(alpha)(ms.Tensor(X)).asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("axis", [-1, 0])
def test_swiglu(axis):
    x = X.reshape(4, 1) if axis == 0 else X
    gate, value = np.split(x, 2, axis)
    result = ops.swiglu(ms.Tensor(x), axis)
    np.testing.assert_allclose(result.asnumpy(), gate * _sigmoid(gate) * value, rtol=1e-6)


def test_swiglu_refuses_what_it_cannot_halve():
    with pytest.raises(ValueError, match="For 'swiglu', dimension 0 must have an even length"):
        ops.swiglu(ms.Tensor(X), 0)
    with pytest.raises(ValueError, match="For 'swiglu'"):
        ops.swiglu(ms.Tensor(X), 2)


def test_in_place():
    x = ms.Tensor(X)
    np.testing.assert_array_equal(ops.relu(x, inplace=True).asnumpy(), np.maximum(X, 0))
    np.testing.assert_array_equal(x.asnumpy(), np.maximum(X, 0))
    x = ms.Tensor(X)
    assert ops.tanh_(x) is x
    np.testing.assert_allclose(x.asnumpy(), np.tanh(X), rtol=1e-6)
    with pytest.raises(TypeError, match="For 'tanh_', 'input' must be a Tensor"):
        ops.tanh_(1.0)


NAMES = [
    "relu", "relu6", "sigmoid", "tanh", "silu", "selu", "softsign", "hardswish", "hardsigmoid", "mish", "logsigmoid",
    "tanhshrink", "fast_gelu", "softmax", "log_softmax", "gelu", "elu", "celu", "leaky_relu", "softplus", "hardtanh",
    "hardshrink", "softshrink", "softmin",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [ms.bfloat16, ms.float64])
def test_other_floats(name, dtype):
    function = getattr(ops, name)
    result = function(ms.Tensor(X, dtype))
    assert result.dtype == dtype
    expected = function(ms.Tensor(X)).asnumpy()
    np.testing.assert_allclose(np.float64(result.asnumpy()), expected, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("name", NAMES)
def test_errors_name_the_operation(name):
    with pytest.raises(TypeError, match=f"For '{name}', '[a-z_]+' must be a Tensor, but got 'a'"):
        getattr(ops, name)("a")


@pytest.mark.parametrize("shape", [(1000,), (20, 50)])
@pytest.mark.parametrize("dtype", [ms.float32, ms.float16])
def test_rrelu_draws_a_slope_for_every_element(shape, dtype):
    ms.set_seed(3)
    x = -ops.ones(shape, dtype)
    slopes = -ops.rrelu(x, 0.25, 0.5).asnumpy()
    assert slopes.min() >= 0.25
    assert slopes.max() <= 0.5
    assert len(np.unique(slopes)) > 100
    assert abs(slopes.astype(np.float64).mean() - 0.375) < 0.01
    assert not np.array_equal(slopes, -ops.rrelu(x, 0.25, 0.5).asnumpy())
    ms.set_seed(3)
    np.testing.assert_array_equal(slopes, -ops.rrelu(x, 0.25, 0.5).asnumpy())
    np.testing.assert_array_equal(ops.rrelu(-x).asnumpy(), np.ones(shape))


def test_gradient_of_rrelu_is_the_drawn_slope():
    x = ms.Tensor(-np.ones(5, np.float32))
    value, slope = ms.value_and_grad(ops.rrelu)(x)
    np.testing.assert_array_equal(slope.asnumpy(), -value.asnumpy())


def test_logsigmoid_of_very_negative_numbers():
    np.testing.assert_array_equal(ops.logsigmoid(ms.Tensor([-200.0, 200.0])).asnumpy(), [-200, 0])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda x: ops.gelu(x, "erf"),
            ValueError,
            "For 'gelu', 'approximate' must be one of \\['none', 'tanh'\\], but got 'erf'",
        ),
        (lambda x: ops.celu(x, 0.0), ValueError, "For 'celu', 'alpha' must be nonzero"),
        (lambda x: ops.softplus(x, 0), ValueError, "For 'softplus', 'beta' must be nonzero"),
        (lambda x: ops.softshrink(x, -1.0), ValueError, "For 'softshrink', 'lambd' must be >= 0, but got -1.0"),
        (lambda x: ops.rrelu(x, 1.0, 0.5), ValueError, "For 'rrelu', 'lower' must be <= 'upper', but got lower=1.0"),
        (lambda x: ops.Softmax((0, 1)), ValueError, r"For 'Softmax', 'axis' must be one axis, but got \(0, 1\)"),
        (lambda x: ops.Softmax(()), ValueError, "For 'Softmax', 'axis' must be one axis"),
        (lambda x: ops.Softmax(1.5), TypeError, "For 'Softmax', 'axis' must be an int or a tuple of ints"),
        (lambda x: ops.prelu(x, ops.ones(3)), ValueError, "For 'prelu'"),
        (lambda x: ops.mish(ms.Tensor([1, 2])), TypeError, "For 'mish'.*x=Tensor"),
    ],
)
def test_error(call, error, words):
    with pytest.raises(error, match=words):
        call(ms.Tensor(X))
