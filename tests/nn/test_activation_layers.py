"""Activation layers beyond the recorded cases: types, parameters, names, messages."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops
from torchspore.nn.layer import activation

LAYERS = [name for name in activation.__all__ if name not in ("get_activation", "Threshold")]


@pytest.mark.parametrize("name", LAYERS)
def test_type_and_copy(name):
    layer = getattr(nn, name)()
    assert str(type(layer)) == f"<class 'torchspore.nn.layer.activation.{name}'>"
    assert not layer.training
    x = ms.Tensor(np.linspace(-2, 2, 24, dtype=np.float32).reshape(2, 3, 4))
    ms.set_seed(1)
    expected = layer(x).asnumpy()
    ms.set_seed(1)
    np.testing.assert_array_equal(nn.SequentialCell(layer)(x).asnumpy(), expected)


def test_a_subclass_may_extend_construct():
    class Shifted(nn.ReLU):
        def construct(self, x):
            return super().construct(x) + 1

    np.testing.assert_array_equal(Shifted()(ms.Tensor([-1.0, 2.0])).asnumpy(), [1, 3])


def test_softmax_keeps_its_primitive():
    assert repr(nn.Softmax(1).softmax) == "Prim[Softmax]<axis=(1,)>"


@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_elu_takes_any_alpha(alpha):
    x = np.array([-1.0, 2.0], np.float32)
    np.testing.assert_allclose(nn.ELU(alpha)(ms.Tensor(x)).asnumpy(), [alpha * np.expm1(-1), 2], rtol=1e-6)


def test_selu():
    x = ms.Tensor([-1.0, 2.0])
    np.testing.assert_array_equal(nn.SeLU()(x).asnumpy(), ops.selu(x).asnumpy())


def test_slopes_of_prelu_are_trained():
    layer = nn.PReLU(2, [0.5, 0.25])
    x = ms.Tensor([[-1.0, -2.0], [3.0, -4.0]])
    assert [parameter.name for parameter in layer.trainable_params()] == ["a"]
    gradient = ms.grad(lambda x: layer(x).sum(), None, layer.trainable_params())(x)
    np.testing.assert_array_equal(gradient[0].asnumpy(), [-1, -6])
    np.testing.assert_array_equal(layer(x).asnumpy(), [[-0.5, -0.5], [3, -1]])


def test_a_number_of_prelu_may_be_an_int():
    assert nn.PReLU(2, 1).w.dtype == ms.float32
    assert nn.PReLU(2, [1, 2]).w.dtype == ms.float32


def test_rrelu_draws_anew_in_every_call_of_training():
    x = ms.Tensor(-np.ones(100, np.float32))
    layer = nn.RReLU(0.25, 0.5)
    np.testing.assert_array_equal(layer(x).asnumpy(), np.full(100, -0.375))
    layer.set_train()
    first, second = layer(x).asnumpy(), layer(x).asnumpy()
    assert first.min() >= -0.5
    assert first.max() <= -0.25
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: nn.get_activation("swish"),
            KeyError,
            "For 'get_activation', the name of an activation must be one of",
        ),
        (lambda: nn.get_activation("swish", "Dense"), KeyError, "For 'Dense', the name of .* but got 'swish'"),
        (lambda: nn.get_activation([]), KeyError, "but got"),
        (lambda: nn.ReLU(True), TypeError, "positional argument"),
        (lambda: nn.GELU("tanh"), TypeError, "For 'GELU', 'approximate' must be a bool, but got 'tanh'"),
        (lambda: nn.PReLU(1.0), TypeError, "For 'PReLU', 'channel' must be an int, but got 1.0"),
        (lambda: nn.PReLU(0), ValueError, "For 'PReLU', 'channel' must be > 0, but got 0"),
        (lambda: nn.PReLU(1, "a"), TypeError, "For 'PReLU', 'w' must be a number, a list of numbers or a Tensor"),
        (lambda: nn.PReLU(2, ms.Tensor([1, 2])), TypeError, "For 'PReLU', 'w' must hold floats, but got Tensor"),
        (
            lambda: nn.PReLU(2, [0.1]),
            ValueError,
            r"For 'PReLU', 'w' must have 'channel' \(2\) elements, but got w=\[0.1\]",
        ),
        (lambda: nn.RReLU("a"), TypeError, "For 'RReLU', 'lower' must be a number, but got 'a'"),
        (lambda: nn.RReLU(0.5, 0.1), ValueError, "For 'RReLU', 'lower' must be <= 'upper', but got lower=0.5"),
        (lambda: nn.Hardtanh("a"), TypeError, "For 'Hardtanh', 'min_val' must be a number, but got 'a'"),
        (lambda: nn.Hardtanh(1, 1), ValueError, "For 'Hardtanh', 'min_val' must be < 'max_val', but got min_val=1"),
        (lambda: nn.HShrink("a"), TypeError, "For 'HShrink', 'lambd' must be a number, but got 'a'"),
        (lambda: nn.SoftShrink(None), TypeError, "For 'SoftShrink', 'lambd' must be a number, but got None"),
        (lambda: nn.Softmax("a"), TypeError, "For 'Softmax', 'axis' must be an int or a tuple of ints, but got 'a'"),
        (lambda: nn.Softmax2d()(ms.Tensor([1.0])), ValueError, "For 'Softmax2d', 'x' must have 3 or 4 dimensions, but"),
        (lambda: nn.ReLU()(1.0), TypeError, "For 'ReLU', 'input' must be a Tensor, but got 1.0"),
    ],
)
def test_error(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("SiLU", "x"),
        ("Sigmoid", "x"),
        ("LogSigmoid", "input_x"),
        ("Tanh", "x"),
        ("Tanhshrink", "x"),
        ("Mish", "input_x"),
    ],
)
def test_names_of_inputs(name, parameter):
    layer, x = getattr(ms.nn, name)(), ms.Tensor([0.5])
    assert layer(**{parameter: x}).tolist() == layer(x).tolist() == layer.construct(x).tolist()
    assert [*inspect.signature(layer.construct).parameters] == [parameter]
    with pytest.raises(TypeError, match=f"For '{name}', "):
        layer("x")
