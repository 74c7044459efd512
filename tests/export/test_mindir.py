"""Networks written as MINDIR compute the same when they are read again."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import nn, ops

IMAGE = ms.Tensor(np.linspace(-1, 1, 2 * 3 * 8 * 8, dtype=np.float32).reshape(2, 3, 8, 8))
ROWS = ms.Tensor(np.linspace(-2, 2, 20, dtype=np.float32).reshape(2, 10))


class Of(nn.Cell):
    """A cell of a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *args):
        return self.function(*args)


@pytest.mark.parametrize(
    ("network", "x"),
    [
        pytest.param(nn.Conv2d(3, 4, 3, stride=2, has_bias=True), IMAGE, id="Conv2d"),
        pytest.param(nn.BatchNorm2d(3), IMAGE, id="BatchNorm2d"),
        pytest.param(nn.MaxPool2d(2, 2), IMAGE, id="MaxPool2d"),
        pytest.param(nn.Dense(10, 3), ROWS, id="Dense"),
        pytest.param(nn.LayerNorm((10,)), ROWS, id="LayerNorm"),
        pytest.param(nn.TransformerEncoderLayer(8, 2), IMAGE.reshape(2, 24, 8), id="TransformerEncoderLayer"),
        pytest.param(Of(lambda x: ops.softmax(x, -1)), ROWS, id="softmax"),
        pytest.param(Of(lambda x: (x.mean(0), x[0:1], ops.concat([x, x], 1))), ROWS, id="several results"),
        pytest.param(Of(lambda x: {"a": ops.gelu(x), "b": ops.split(x, 5, 1)}), ROWS, id="nested results"),
    ],
)
def test_round_trip(network, x, tmp_path):
    network.set_train(False)
    ms.export(network, x, file_name=tmp_path / "net", file_format="MINDIR")
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    expected = network(x)
    expected = tuple(expected.values()) if isinstance(expected, dict) else expected
    assert {p.name for p in cell.get_parameters()} == {p.name for p in network.get_parameters()}
    for made, wanted in zip(_leaves(cell(x)), _leaves(expected), strict=True):
        np.testing.assert_allclose(made.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def _leaves(tree):
    return [leaf for part in tree for leaf in _leaves(part)] if isinstance(tree, tuple) else [tree]


def test_what_has_no_counterpart_is_named(tmp_path):
    """With the user's line, and before anything is written."""
    network = Of(lambda x: ops.fft(x))
    with pytest.raises(ValueError, match=r"'export', the network at .*test_mindir.py:\d+ .* 'aten.fft_fft.default'"):
        ms.export(network, ROWS, file_name=tmp_path / "net", file_format="MINDIR")
    assert not (tmp_path / "net.mindir").exists()
