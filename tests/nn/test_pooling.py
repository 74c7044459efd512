"""Pooling layers: every window computed by hand, uses beyond MindSpore's, and errors."""

from __future__ import annotations

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
import torch

import torchspore as ms
from plain import TorchCalls
from torchspore import nn, ops

RANDOM = np.random.default_rng(0)
MAX = {1: nn.MaxPool1d, 2: nn.MaxPool2d, 3: nn.MaxPool3d}
AVERAGE = {1: nn.AvgPool1d, 2: nn.AvgPool2d, 3: nn.AvgPool3d}


def _random(*shape: int) -> np.ndarray:
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def _windows(size: int, kernel: int, stride: int, begin: int, end: int, ceil_mode: bool = False) -> list[range]:
    """Return the places that each window covers in one dimension of the input padded to [-begin, size + end)."""
    rounded = math.ceil if ceil_mode else math.floor
    count = rounded((size + begin + end - kernel) / stride) + 1
    starts = [i * stride - begin for i in range(count)]
    return [range(start, min(start + kernel, size + end)) for start in starts if start < size]


def _pool(x: np.ndarray, windows: list[list[range]], mode: str) -> np.ndarray:
    """Return the maxima or averages of `x` (without batch and channels) over the windows of each dimension."""
    values = []
    for window in itertools.product(*windows):
        places = np.ix_(*[[place for place in side if 0 <= place < n] for side, n in zip(window, x.shape)])
        if mode == "max":
            values.append(x[places].max())
        elif mode == "all":
            values.append(x[places].sum() / math.prod(len(side) for side in window))
        else:
            values.append(x[places].mean())
    return np.array(values, np.float32).reshape([len(side) for side in windows])


def _same(size: int, kernel: int, stride: int) -> list[range]:
    total = max((math.ceil(size / stride) - 1) * stride + kernel - size, 0)
    return _windows(size, kernel, stride, total // 2, total - total // 2)


@pytest.mark.parametrize("size", [1, 2, 5, 6])
@pytest.mark.parametrize("kernel", [1, 2, 3, 4])
@pytest.mark.parametrize("stride", [1, 2, 3, 5])
def test_same(size, kernel, stride):
    for count in (1, 2, 3):
        x = _random(*[size] * count)
        windows = [_same(size, kernel, stride)] * count
        given = ms.Tensor(x[None, None])
        results = [
            (MAX[count](kernel, stride, "same"), "max"),
            (AVERAGE[count](kernel, stride, "same", count_include_pad=False), "real"),
            (AVERAGE[count](kernel, stride, "same"), "all" if count == 3 else "real"),
            (AVERAGE[count](kernel, stride, "same", ceil_mode=True), "all"),
        ]
        for layer, mode in results:
            found = layer(given)
            assert found.shape == (1, 1, *[math.ceil(size / stride)] * count)
            np.testing.assert_allclose(found.asnumpy()[0, 0], _pool(x, windows, mode), rtol=1e-5, atol=1e-6)


def test_same_with_different_sizes():
    x = _random(5, 8)
    windows = [_same(5, 2, 1), _same(8, 3, 2)]
    for layer, mode in ((nn.MaxPool2d, "max"), (nn.AvgPool2d, "real")):
        found = layer((2, 3), (1, 2), "same")(ms.Tensor(x[None, None])).asnumpy()
        np.testing.assert_allclose(found[0, 0], _pool(x, windows, mode), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("begin", [0, 1, 2])
@pytest.mark.parametrize("end", [0, 1, 2])
@pytest.mark.parametrize(("size", "stride"), [(5, 1), (6, 2), (7, 3), (7, 4)])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_padding_that_differs_between_the_ends(size, stride, begin, end, ceil_mode):
    kernel = 4
    x = _random(size, size)
    for mode in ("all", "real"):
        windows = [
            _windows(size, kernel, stride, begin, end, ceil_mode),
            _windows(size, kernel, stride, end, begin, ceil_mode),
        ]
        padding = (begin, end, end, begin)
        found = ops.avg_pool2d(ms.Tensor(x[None, None]), kernel, stride, padding, ceil_mode, mode == "all")
        np.testing.assert_allclose(found.asnumpy()[0, 0], _pool(x, windows, mode), rtol=1e-5, atol=1e-6)


def test_pool_mode_pad_against_pytorch():
    x = _random(2, 3, 7, 8)
    expected = torch.nn.MaxPool2d(3, 2, 1, 2, return_indices=True)(torch.from_numpy(x))
    found = nn.MaxPool2d(3, 2, "pad", 1, 2, return_indices=True)(ms.Tensor(x))
    for ours, theirs in zip(found, expected):
        assert (ours.asnumpy() == theirs.numpy()).all()
    expected = torch.nn.AvgPool2d(3, 2, 1, ceil_mode=True, count_include_pad=False)(torch.from_numpy(x))
    found = nn.AvgPool2d(3, 2, "pad", 1, ceil_mode=True, count_include_pad=False)(ms.Tensor(x))
    np.testing.assert_allclose(found.asnumpy(), expected.numpy(), rtol=1e-6)


@pytest.mark.parametrize("window", [(2, 2), (3, 2, "same"), (2, 1, "same"), (3, 2, "pad", 1)])
def test_no_pooling_copies_the_input(window):
    x = ms.Tensor(_random(1, 2, 8, 8))
    for layer in (nn.MaxPool2d, nn.AvgPool2d):
        with TorchCalls() as calls:
            layer(*window)(x)
        assert not {"constant_pad_nd", "clone", "copy_"} & set(calls.names)
        assert sum("pool" in name for name in calls.names) == 1


class TestBeyondMindSpore:
    """What MindSpore refuses or gets wrong, and the mathematics do not."""

    @pytest.mark.parametrize(("kernel", "stride"), [(8, 1), (7, 2)])
    def test_one_dimensional_averages_of_almost_everything(self, kernel, stride):
        x = _random(8)
        found = nn.AvgPool1d(kernel, stride, "same")(ms.Tensor(x[None, None])).asnumpy()[0, 0]
        np.testing.assert_allclose(found, _pool(x, [_same(8, kernel, stride)], "real"), rtol=1e-5, atol=1e-6)

    def test_functions_without_batch(self):
        x = ms.Tensor(_random(2, 6, 6))
        assert ops.max_pool2d(x, 2).shape == (2, 3, 3)
        assert ops.avg_pool2d(x, 2, 2, (1, 0, 0, 1)).shape == (2, 3, 3)
        assert ops.avg_pool1d(x[0], 3).shape == (6, 4)

    def test_integers_and_lists(self):
        x = ms.Tensor(np.arange(16, dtype=np.int32).reshape(1, 1, 4, 4))
        assert nn.MaxPool2d([2, 2], 2)(x).asnumpy().tolist() == [[[[5, 7], [13, 15]]]]
        assert ops.avg_pool2d(x.astype(ms.float64), [2, 2], [2, 2]).dtype == ms.float64

    def test_sizes_of_the_input(self):
        x = ms.Tensor(_random(1, 2, 3, 4, 6))
        assert nn.AdaptiveMaxPool3d((None, 2, None))(x).shape == (1, 2, 3, 2, 6)
        assert nn.AdaptiveMaxPool2d((None, None))(x[0]).shape == (2, 3, 4, 6)
        assert nn.AdaptiveAvgPool2d((None, None))(x[0]).shape == (2, 3, 4, 6)


def test_channels_last_on_a_gpu(monkeypatch):
    monkeypatch.setattr("torchspore.common.device.target", lambda: "GPU")
    x = _random(2, 3, 7, 8)
    last = ms.Tensor(np.ascontiguousarray(x.transpose(0, 2, 3, 1)))
    for layer in (nn.MaxPool2d, nn.AvgPool2d, ops.MaxPool, ops.AvgPool):
        for pad_mode in ("valid", "same"):
            expected = layer(3, 2, pad_mode)(ms.Tensor(x)).asnumpy().transpose(0, 2, 3, 1)
            found = layer(3, 2, pad_mode, data_format="NHWC")(last).asnumpy()
            np.testing.assert_allclose(found, expected, rtol=1e-6)
    with pytest.raises(ValueError, match="For 'MaxPool2d', 'data_format' must be 'NCHW' if pad_mode is 'pad'"):
        nn.MaxPool2d(2, 2, "pad", data_format="NHWC")


@pytest.mark.parametrize(
    "layer",
    [nn.MaxPool2d(3, 2, "same"), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d((None, 2)), nn.MaxPool2d(2, 2, "pad", 1)],
)
def test_copies(layer):
    x = ms.Tensor(_random(1, 3, 6, 6))
    for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert (twin(x) == layer(x)).all()


@pytest.mark.parametrize("layer", [nn.MaxPool2d(3, 2, "same"), nn.AvgPool2d(2, 1, "same"), nn.AdaptiveAvgPool2d(2)])
def test_vmap(layer):
    x = ms.Tensor(_random(5, 2, 3, 6, 6))
    expected = layer(x.reshape(10, 3, 6, 6)).asnumpy()
    np.testing.assert_allclose(ms.vmap(layer)(x).asnumpy().reshape(expected.shape), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda x: ops.max_pool2d(x, 0), ValueError, "For 'max_pool2d', 'kernel_size' must be an int or a tuple of 2"),
        (lambda x: ops.max_pool2d(x, 2, 2, 2), ValueError, "For 'max_pool2d', pad should be at most half"),
        (lambda x: ops.max_pool2d(x[0, 0], 2), ValueError, "For 'max_pool2d', the input must have 4 dimensions"),
        (lambda x: ops.avg_pool2d(x, 2, 2, (2, 1, 0, 0)), ValueError, "For 'avg_pool2d', the padding of a dimension"),
        (
            lambda x: ops.avg_pool3d(x, 2, 2, (1, 1)),
            ValueError,
            "For 'avg_pool3d', 'padding' must be an int or a tuple",
        ),
        (lambda x: ops.avg_pool2d(x, 2, divisor_override=-1), ValueError, "'divisor_override' must be >= 0"),
        (
            lambda x: ops.adaptive_avg_pool1d(x[0], 4),
            ValueError,
            "last dimension, 6, must be a multiple of 'output_size'",
        ),
        (
            lambda x: ops.adaptive_avg_pool2d(x, (2, 2, 2)),
            ValueError,
            "For 'adaptive_avg_pool2d', 'output_size' must be",
        ),
        (
            lambda x: ops.adaptive_max_pool2d(x, "a"),
            TypeError,
            "For 'adaptive_max_pool2d', 'output_size' must be an int",
        ),
        (lambda x: ops.MaxPool(2, 1, "pad"), ValueError, "For 'MaxPool', 'pad_mode' must be one of 'valid', 'same'"),
        (lambda x: nn.MaxPool2d(2, dilation=2), ValueError, "must have their defaults unless pad_mode is 'pad'"),
        (lambda x: nn.MaxPool2d(2, padding=1), ValueError, "For 'MaxPool2d', 'padding' must be 0 unless pad_mode is"),
        (
            lambda x: nn.MaxPool2d(2, 1, "full"),
            ValueError,
            "For 'MaxPool2d', 'pad_mode' must be one of 'valid', 'same'",
        ),
        (lambda x: nn.MaxPool2d(7)(x), ValueError, "For 'MaxPool2d', .*Output size is too small"),
        (lambda x: nn.AvgPool2d(2, divisor_override=0), ValueError, "For 'AvgPool2d', 'divisor_override' must be >= 1"),
        (lambda x: nn.AvgPool2d(2)(3), TypeError, "For 'AvgPool2d', 'input' must be a Tensor, but got 3"),
        (lambda x: nn.AdaptiveAvgPool1d(0), ValueError, "For 'AdaptiveAvgPool1d', 'output_size' must be > 0"),
        (lambda x: nn.AdaptiveMaxPool2d(2, 1), TypeError, "For 'AdaptiveMaxPool2d', 'return_indices' must be a bool"),
    ],
)
def test_errors_say_what_is_wrong(call, kind, words):
    with pytest.raises(kind, match=words):
        call(ms.Tensor(_random(1, 3, 6, 6)))
