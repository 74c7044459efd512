"""Convolution layers: against PyTorch on both sides, padding by closed forms, parameters, and the cost of a call."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import torch

import torchspore as ms
from plain import TorchCalls
from torchspore import nn, ops
from torchspore.common.initializer import initializer

RANDOM = np.random.default_rng(0)
CONVOLVE = {1: torch.nn.functional.conv1d, 2: torch.nn.functional.conv2d, 3: torch.nn.functional.conv3d}


def _random(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


class TestAgainstPyTorch:
    """The same weights and inputs on both sides."""

    @pytest.fixture
    def x(self):
        return _random(2, 120, 12, 12)

    def test_the_default_pads(self, x):
        assert nn.Conv2d(120, 240, 4, has_bias=False)(ms.Tensor(x)).shape == (2, 240, 12, 12)

    def test_without_padding(self, x):
        ours = nn.Conv2d(120, 240, 4, has_bias=False, pad_mode="pad")
        theirs = torch.nn.Conv2d(120, 240, kernel_size=4, bias=False)
        ours.weight.set_data(initializer(0.1, ours.weight.shape, ours.weight.dtype))
        torch.nn.init.constant_(theirs.weight, 0.1)
        found, expected = ours(ms.Tensor(x)).asnumpy(), theirs(torch.from_numpy(x)).detach().numpy()
        assert found.shape == (2, 240, 9, 9)
        assert np.abs(found - expected).max() <= 3e-6 * np.abs(expected).max()

    @pytest.mark.parametrize(
        ("ours", "theirs", "shape"),
        [
            (
                lambda: nn.Conv1d(4, 6, 3, 2, "pad", 1, 2, 2, True),
                lambda: torch.nn.Conv1d(4, 6, 3, 2, 1, 2, 2),
                (2, 4, 11),
            ),
            (
                lambda: nn.Conv2d(4, 6, (3, 2), (2, 1), "pad", (1, 1, 0, 0), 2, 2, True),
                lambda: torch.nn.Conv2d(4, 6, (3, 2), (2, 1), (1, 0), 2, 2),
                (2, 4, 8, 9),
            ),
            (
                lambda: nn.Conv3d(4, 6, (1, 3, 2), 2, "pad", (0, 0, 1, 1, 2, 2), 1, 2, True),
                lambda: torch.nn.Conv3d(4, 6, (1, 3, 2), 2, (0, 1, 2), 1, 2),
                (2, 4, 3, 6, 7),
            ),
            (
                lambda: nn.Conv1dTranspose(4, 6, 3, 2, "pad", 1, 2, 2, True),
                lambda: torch.nn.ConvTranspose1d(4, 6, 3, 2, 1, 0, 2, True, 2),
                (2, 4, 5),
            ),
            (
                lambda: nn.Conv2dTranspose(4, 6, (3, 4), (2, 1), "pad", (1, 1, 0, 0), 0, 1, 2, True),
                lambda: torch.nn.ConvTranspose2d(4, 6, (3, 4), (2, 1), (1, 0), 0, 2, True, 1),
                (2, 4, 5, 6),
            ),
            (
                lambda: nn.Conv3dTranspose(4, 6, 3, 2, "pad", 1, 1, 2, 1, True),
                lambda: torch.nn.ConvTranspose3d(4, 6, 3, 2, 1, 1, 2, True, 1),
                (2, 4, 3, 4, 5),
            ),
        ],
        ids=["Conv1d", "Conv2d", "Conv3d", "Conv1dTranspose", "Conv2dTranspose", "Conv3dTranspose"],
    )
    def test_outputs_and_gradients(self, ours, theirs, shape):
        ours, theirs = ours(), theirs()
        for parameter, value in zip(ours.get_parameters(), theirs.parameters()):
            parameter.set_data(ms.Tensor(value.detach().numpy().reshape(parameter.shape)))
        x = _random(*shape)
        there = torch.from_numpy(x).requires_grad_()
        expected = theirs(there)
        (expected**2).sum().backward()
        found = ours(ms.Tensor(x))
        np.testing.assert_allclose(found.asnumpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-5)
        gradient = ms.grad(lambda x: (ours(x) ** 2).sum(), 0, ours.trainable_params())
        of_x, of_parameters = gradient(ms.Tensor(x))
        pairs = [(of_x, there), *zip(of_parameters, theirs.parameters())]
        for ours_, theirs_ in pairs:
            wanted = theirs_.grad.numpy().reshape(ours_.shape)
            np.testing.assert_allclose(ours_.asnumpy(), wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("size", [1, 2, 5, 8])
@pytest.mark.parametrize(("kernel", "dilation"), [(1, 1), (2, 1), (3, 1), (4, 1), (2, 3), (3, 2)])
@pytest.mark.parametrize("stride", [1, 2, 3, 5])
def test_same_padding_has_the_odd_zero_at_the_end(size, kernel, dilation, stride):
    reach = (kernel - 1) * dilation + 1
    total = max((math.ceil(size / stride) - 1) * stride + reach - size, 0)
    pads = (total // 2, total - total // 2)
    for count in (1, 2, 3):
        x, weight = _random(1, 2, *[size] * count), _random(3, 2, *[kernel] * count)
        padded = torch.nn.functional.pad(torch.from_numpy(x), pads * count)
        expected = CONVOLVE[count](padded, torch.from_numpy(weight), None, stride, 0, dilation)
        layer = [nn.Conv1d, nn.Conv2d, nn.Conv3d][count - 1](
            2, 3, kernel, stride, dilation=dilation, weight_init=ms.Tensor(weight)
        )
        function = [ops.conv1d, ops.conv2d, ops.conv3d][count - 1]
        from_function = function(ms.Tensor(x), ms.Tensor(weight), None, stride, "same", 0, dilation)
        for found in (layer(ms.Tensor(x)), from_function):
            assert found.shape[2:] == (math.ceil(size / stride),) * count
            np.testing.assert_allclose(found.asnumpy(), expected.numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("kernel", [1, 2, 3, 4])
@pytest.mark.parametrize("pad_mode", ["same", "valid"])
def test_a_transposed_layer_is_the_gradient_of_the_plain_one(pad_mode, kernel, stride):
    weight = _random(2, 3, kernel, kernel)
    transposed = nn.Conv2dTranspose(2, 3, kernel, stride, pad_mode, weight_init=ms.Tensor(weight))
    plain = nn.Conv2d(3, 2, kernel, stride, pad_mode, weight_init=ms.Tensor(weight))
    y = ms.Tensor(_random(1, 2, 4, 5))
    found = transposed(y)
    x = ms.Tensor(np.zeros(found.shape, np.float32))
    np.testing.assert_allclose(
        found.asnumpy(), ms.grad(lambda x: (plain(x) * y).sum())(x).asnumpy(), rtol=1e-5, atol=1e-5
    )


class TestCalls:
    """A call is one torch operation, and copies the input only where torch has no such padding."""

    @pytest.mark.parametrize(
        ("layer", "shape"),
        [
            (nn.Conv2d(3, 4, 3, has_bias=True), (1, 3, 8, 8)),
            (nn.Conv2d(3, 4, 3, 2), (1, 3, 7, 7)),
            (nn.Conv2d(3, 4, 1, 2), (1, 3, 8, 8)),
            (nn.Conv2d(3, 4, 3, 2, "valid"), (1, 3, 8, 8)),
            (nn.Conv2d(3, 4, 3, 2, "pad", 1, has_bias=True), (1, 3, 8, 8)),
            (nn.Conv2d(3, 4, 3, 2, "pad", (1, 1, 2, 2)), (1, 3, 8, 8)),
            (nn.Conv3d(3, 4, 3), (1, 3, 4, 4, 4)),
            (nn.Conv2dTranspose(3, 4, 3), (1, 3, 4, 4)),
            (nn.Conv2dTranspose(3, 4, 4, 2, has_bias=True), (1, 3, 4, 4)),
        ],
    )
    def test_one(self, layer, shape):
        x = ms.Tensor(_random(*shape))
        with TorchCalls() as calls:
            layer(x)
        assert calls.names == ["convolution"]

    @pytest.mark.parametrize(
        ("layer", "shape", "names"),
        [
            (nn.Conv2d(3, 4, 3, 2), (1, 3, 8, 8), ["constant_pad_nd", "convolution"]),
            (nn.Conv2d(3, 4, 2), (1, 3, 8, 8), ["constant_pad_nd", "convolution"]),
            (nn.Conv2d(3, 4, 3, 1, "pad", (1, 0, 1, 1)), (1, 3, 8, 8), ["constant_pad_nd", "convolution"]),
            (nn.Conv1d(3, 4, 3), (1, 3, 8), ["squeeze", "convolution"]),
        ],
    )
    def test_more(self, layer, shape, names):
        x = ms.Tensor(_random(*shape))
        with TorchCalls() as calls:
            layer(x)
        assert calls.names == names


class TestParameters:
    """Their names, shapes, types and initial values."""

    @pytest.mark.parametrize(
        ("layer", "fan_in"),
        [
            (lambda: nn.Conv2d(16, 64, 3, has_bias=True), 16 * 9),
            (lambda: nn.Conv2d(16, 64, (3, 5), group=4, has_bias=True), 4 * 15),
            (lambda: nn.Conv1d(16, 256, 5, has_bias=True), 16 * 5),
            (lambda: nn.Conv3d(4, 64, 3, has_bias=True), 4 * 27),
            (lambda: nn.Conv2dTranspose(16, 64, 3, has_bias=True), 64 * 9),
        ],
        ids=["Conv2d", "groups", "Conv1d", "Conv3d", "transposed"],
    )
    def test_weight_and_bias_are_uniform_within_the_same_bound(self, layer, fan_in):
        layer = layer()
        bound = 1 / math.sqrt(fan_in)
        for values in (layer.weight.asnumpy(), layer.bias.asnumpy()):
            assert np.abs(values).max() <= bound
            assert np.abs(values).max() > 0.9 * bound
            assert abs(values.std() - bound / math.sqrt(3)) < 0.2 * bound
        assert len(np.unique(layer.weight.asnumpy())) > 0.9 * layer.weight.size

    def test_names_follow_the_attributes(self):
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.stem = nn.Conv2d(3, 4, 3, has_bias=True)

        assert [p.name for p in Net().get_parameters()] == ["stem.weight", "stem.bias"]

    def test_dtype(self):
        layer = nn.Conv2d(3, 4, 3, has_bias=True, dtype=ms.float64)
        assert (layer.weight.dtype, layer.bias.dtype) == (ms.float64, ms.float64)
        assert layer(ms.Tensor(_random(1, 3, 4, 4), ms.float64)).dtype == ms.float64

    def test_a_delayed_tensor_as_initial_value(self):
        layer = nn.Conv1d(2, 3, 4, weight_init=initializer("ones", (3, 2, 4)))
        assert layer.weight.shape == (3, 2, 1, 4)
        assert (layer.weight.asnumpy() == 1).all()

    def test_the_layer_does_not_share_the_memory_of_an_initial_value(self):
        value = ms.Tensor(_random(3, 2, 4))
        layer = nn.Conv1d(2, 3, 4, weight_init=value)
        value[:] = 0.0
        assert (layer.weight.asnumpy() != 0).any()


class TestUse:
    """Layers as programs use them."""

    def test_another_weight(self):
        class Standardised(nn.Conv2d):
            def construct(self, x):
                weight = self.weight - self.weight.mean(axis=(1, 2, 3), keep_dims=True)
                return self.conv2d(x, weight)

        layer = Standardised(3, 4, 3)
        constant = layer(ms.Tensor(np.ones((1, 3, 5, 5), np.float32)))
        np.testing.assert_allclose(constant.asnumpy()[:, :, 1:-1, 1:-1], 0, atol=1e-6)

    @pytest.mark.parametrize("layer", [nn.Conv2d(3, 4, 3, 2), nn.Conv2dTranspose(3, 4, 3, 2)])
    def test_copies(self, layer):
        x = ms.Tensor(_random(1, 3, 6, 6))
        for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
            assert (twin(x) == layer(x)).all()
            assert twin.weight is not layer.weight

    def test_to_float(self):
        layer = nn.Conv2d(3, 4, 3, has_bias=True).to_float(ms.float16)
        assert layer(ms.Tensor(_random(1, 3, 4, 4))).dtype == ms.float16
        assert layer.weight.dtype == ms.float32

    def test_vmap(self):
        layer = nn.Conv2d(3, 4, 3, 2)
        x = ms.Tensor(_random(5, 2, 3, 6, 6))
        expected = layer(x.reshape(10, 3, 6, 6)).asnumpy().reshape(5, 2, 4, 3, 3)
        np.testing.assert_allclose(ms.vmap(layer)(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)

    def test_lists_and_capitals(self):
        x, weight = ms.Tensor(_random(1, 3, 6, 6)), ms.Tensor(_random(4, 3, 3, 3))
        assert (ops.conv2d(x, weight, stride=[2, 2], pad_mode="SAME") == ops.conv2d(x, weight, None, 2, "same")).all()
        layer = nn.Conv2d(3, 4, [3, 3], [2, 2], "SAME", weight_init=weight)
        assert (layer(x) == ops.conv2d(x, weight, None, 2, "same")).all()
        assert layer.kernel_size == (3, 3)

    def test_float64(self):
        x, weight = ms.Tensor(_random(1, 3, 6, 6), ms.float64), ms.Tensor(_random(4, 3, 3, 3), ms.float64)
        assert ops.conv2d(x, weight).dtype == ms.float64

    @pytest.mark.parametrize(
        ("stride", "pad_mode", "padding"), [(1, "same", 0), (2, "same", 0), (1, "pad", (1, 0, 2, 1))]
    )
    def test_channels_last_on_a_gpu(self, monkeypatch, stride, pad_mode, padding):
        monkeypatch.setattr("torchspore.common.device.target", lambda: "GPU")
        x, weight = _random(2, 3, 6, 7), _random(4, 3, 3, 2)
        window = ((3, 2), stride, pad_mode, padding)
        expected = nn.Conv2d(3, 4, *window, weight_init=ms.Tensor(weight))(ms.Tensor(x)).asnumpy().transpose(0, 2, 3, 1)
        last = [ms.Tensor(np.ascontiguousarray(array.transpose(0, 2, 3, 1))) for array in (x, weight)]
        layer = nn.Conv2d(3, 4, *window, weight_init=last[1], data_format="NHWC")
        assert layer.weight.shape == (4, 3, 2, 3)
        np.testing.assert_allclose(layer(last[0]).asnumpy(), expected, rtol=1e-5, atol=1e-5)
        primitive = ops.Conv2D(4, (3, 2), 1, pad_mode, padding, stride, data_format="NHWC")
        np.testing.assert_allclose(primitive(*last).asnumpy(), expected, rtol=1e-5, atol=1e-5)

    def test_a_primitive_prints_its_attributes(self):
        assert repr(ops.Conv2D(3, 2, pad_mode="same")).startswith(
            "Prim[Conv2D]<out_channel=3, kernel_size=(2, 2), mode=1"
        )


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda x, w: ops.conv2d(x, w, stride=0), ValueError, "For 'conv2d', 'stride' must be an int or a tuple of 2"),
        (lambda x, w: ops.conv2d(x, w, pad_mode="full"), ValueError, "'valid', 'same', 'pad', but got 'full'"),
        (lambda x, w: ops.conv2d(x, w, padding=1), ValueError, "the padding must be 0 unless pad_mode is 'pad'"),
        (lambda x, w: ops.conv2d(x[:, :2], w), ValueError, r"For 'conv2d', .*channels.* Given: input=Tensor\(shape"),
        (lambda x, w: ops.conv2d(x, w.astype(ms.float16)), TypeError, "the input and the weight must have the same"),
        (lambda x, w: ops.conv1d(x, w), ValueError, "For 'conv1d', the weight must have 3 dimensions"),
        (lambda x, w: ops.Conv2D(5, 3)(x, w), ValueError, "For 'Conv2D', the weight must have 5 outputs"),
        (lambda x, w: nn.Conv2d(3, 4, 3, padding=1), ValueError, "For 'Conv2d', the padding must be 0 unless"),
        (lambda x, w: nn.Conv2d(3, 4, 3, data_format="NHWC"), ValueError, "For 'Conv2d', 'data_format' may be 'NHWC'"),
        (lambda x, w: nn.Conv2d(3, 4, 3, group=2), ValueError, "must be divisible by 'group', but got in_channels=3"),
        (lambda x, w: nn.Conv2d(3, 4, 3)(x[0]), ValueError, "For 'Conv2d', 'input' must have 4 dimensions"),
        (lambda x, w: nn.Conv2d(3, 4, 3)(3), TypeError, "For 'Conv2d', 'input' must be a Tensor, but got 3"),
        (lambda x, w: nn.Conv1d(3, 4, 3, weight_init=w), ValueError, "'weight_init' must have 3 dimensions"),
        (lambda x, w: nn.Conv2dTranspose(3, 4, 3)(x.astype(ms.float16)), TypeError, "must have the same dtype"),
        (lambda x, w: nn.Conv2dTranspose(3, 4, 3, output_padding=1), ValueError, "'output_padding' must be 0 unless"),
    ],
)
def test_errors_say_what_is_wrong(call, kind, words):
    with pytest.raises(kind, match=words):
        call(ms.Tensor(_random(1, 3, 6, 6)), ms.Tensor(_random(4, 3, 3, 3)))
