"""Networks that are written as MINDIR with several open sizes compute the same for tensors of other sizes."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops

pytest.importorskip("google.protobuf")


class Of(nn.Cell):
    """A cell of a function of cells and inputs."""

    def __init__(self, function, *cells):
        super().__init__()
        self.function, self.layers = function, nn.CellList(list(cells))

    def construct(self, *args):
        return self.function(*self.layers, *args)


def wave(*shape):
    return ms.Tensor(np.sin(np.arange(np.prod(shape)) * 0.7).astype(np.float32).reshape(shape))


def ids(*shape):
    return ms.Tensor((np.arange(np.prod(shape)) * 5 % 9).astype(np.int32).reshape(shape))


def causal(x):
    length = x.shape[1]
    hidden = ops.triu(ops.ones((length, length)), 1) > 0
    return ops.softmax(ops.masked_fill(ops.bmm(x, x.swapaxes(1, 2)), hidden, -1e9), -1) @ x


def separate(x):
    batch, channels, height, width = x.shape
    return x.reshape(batch, 2, channels // 2, height, width).swapaxes(1, 2).reshape(batch, channels, height, width)


IMAGES, ROWS, WORDS = (None, 3, None, None), (None, None, 8), (None, None)
SIZES = {IMAGES: [(2, 3, 8, 6), (1, 3, 13, 9)], ROWS: [(2, 5, 8), (3, 4, 8)], WORDS: [(2, 5), (1, 7)]}


@pytest.mark.parametrize(
    ("network", "shape"),
    [
        pytest.param(nn.Dense(8, 4), ROWS, id="Dense"),
        pytest.param(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), ROWS, id="TransformerEncoderLayer"),
        pytest.param(Of(causal), ROWS, id="causal attention"),
        pytest.param(Of(lambda x: (x[:, -1], x[:, 1:], x * x.shape[1] / x.shape[0])), ROWS, id="slices and sizes"),
        pytest.param(Of(lambda x: ops.roll(x, -1, 1).argmax(1)), ROWS, id="roll and argmax"),
        pytest.param(Of(lambda e, p, i: e(i) + p(ops.arange(i.shape[1])), nn.Embedding(9, 4), nn.Embedding(9, 4)),
                     WORDS, id="positions"),
        pytest.param(nn.SequentialCell(nn.Conv2d(3, 4, 3, 2), nn.BatchNorm2d(4), nn.MaxPool2d(2, 2, pad_mode="same")),
                     IMAGES, id="convolution of the mode same"),
        pytest.param(nn.MaxPool2d(3, 2, pad_mode="pad", padding=1), IMAGES, id="MaxPool2d"),
        pytest.param(nn.AvgPool2d(3, 2, pad_mode="same"), IMAGES, id="AvgPool2d"),
        pytest.param(nn.AvgPool2d(3, 2, pad_mode="pad", padding=1, count_include_pad=False), IMAGES,
                     id="AvgPool2d, pad"),
        pytest.param(nn.Conv2dTranspose(3, 2, 4, 2, pad_mode="pad", padding=1), IMAGES, id="Conv2dTranspose"),
        pytest.param(nn.InstanceNorm2d(3), IMAGES, id="InstanceNorm2d"),
        pytest.param(Of(lambda x: ops.interpolate(x, scale_factor=2.0, recompute_scale_factor=True)), IMAGES,
                     id="nearest"),
        pytest.param(Of(lambda p, x: p(x[:, :1].broadcast_to((x.shape[0], 4, *x.shape[2:]))), nn.PixelShuffle(2)),
                     IMAGES, id="PixelShuffle"),
        pytest.param(Of(lambda x: separate(ops.concat([x, x[:, :1]], 1))), IMAGES, id="channel shuffle"),
        pytest.param(Of(lambda d, x: d(x.flatten(start_dim=2).swapaxes(1, 2)), nn.Dense(3, 2)), IMAGES, id="patches"),
        pytest.param(Of(lambda x: ops.pad(x, (1, 2, 0, 1), value=float("-inf"))), IMAGES, id="pad"),
        pytest.param(nn.MaxPool1d(2, 2), ROWS, id="MaxPool1d"),
        pytest.param(Of(lambda c, x: c(x[:, 0], (x[:, 1], x[:, 2])), nn.LSTMCell(8, 8)), ROWS, id="LSTMCell"),
        pytest.param(Of(lambda c, x: c(x[:, 0], x[:, 1]), nn.GRUCell(8, 8)), ROWS, id="GRUCell"),
        pytest.param(nn.SequentialCell(nn.Conv2d(3, 4, 3, 2), nn.Conv2dTranspose(4, 3, 3, 2)), IMAGES,
                     id="decoder"),
    ],
)  # fmt: skip
def test_other_sizes(network, shape, tmp_path):
    network.set_train(False)
    make = ids if shape is WORDS else wave
    declared = ms.Tensor(shape=list(shape), dtype=make(1).dtype)
    ms.export(network, declared, file_name=tmp_path / "net", file_format="MINDIR")
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    for sizes in SIZES[shape]:
        results = [
            result if isinstance(result, tuple) else (result,) for result in (cell(make(*sizes)), network(make(*sizes)))
        ]
        for made, wanted in zip(*results, strict=True):
            np.testing.assert_allclose(made.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-5)


def test_a_size_that_no_tensor_has(tmp_path):
    network = Of(lambda x: ops.zeros((x.shape[0] ** 2 // x.shape[1],)))
    with pytest.raises(
        ValueError, match=r"the network at .*:\d+ .*'aten.zeros.default', which .* MINDIR: no tensor has"
    ):
        ms.export(network, ms.Tensor(shape=[None, None], dtype=ms.float32), file_name=tmp_path / "net",
                  file_format="MINDIR")  # fmt: skip
    assert not list(tmp_path.iterdir())
