"""`summary`: the table, and that the network is left as it was."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn


def convolutional():
    inner = nn.SequentialCell(nn.ReLU(), nn.Flatten())
    return nn.SequentialCell(
        nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True), nn.BatchNorm2d(6), inner, nn.Dense(96, 10)
    )


TABLE = """
Layer (type)          Output shape  Parameters  Trained
-------------------------------------------------------
SequentialCell        (2, 10)                0        0
  0 (Conv2d)          (2, 6, 4, 4)         156      156
  1 (BatchNorm2d)     (2, 6, 4, 4)          24       12
  2 (SequentialCell)  (2, 96)                0        0
    0 (ReLU)          (2, 6, 4, 4)           0        0
    1 (Flatten)       (2, 96)                0        0
  3 (Dense)           (2, 10)              970      970
-------------------------------------------------------
Parameters: 1,150, of which 1,138 are trained
"""


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_the_table_and_the_network(mode):
    ms.set_context(mode=mode)
    net = convolutional().set_train()
    net[3].set_train(False)
    before = [parameter.asnumpy().copy() for parameter in net.get_parameters()]
    assert str(ms.summary(net, (2, 1, 8, 8))) == TABLE.strip()
    assert [net[i].training for i in range(4)] == [True, True, True, False]
    assert not any(part._forward_hooks for _, part in net.cells_and_names())
    for parameter, expected in zip(net.get_parameters(), before):
        np.testing.assert_array_equal(parameter.asnumpy(), expected)
    assert ms.get_context("mode") == mode
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Several(nn.Cell):
    """A network of two inputs that shares a parameter, does not use one of its cells, and returns several outputs."""

    def __init__(self):
        super().__init__()
        self.a = nn.Dense(3, 3, has_bias=False)
        self.b = nn.Dense(3, 3, has_bias=False)
        self.b.weight = self.a.weight
        self.unused = nn.Dense(1, 1)
        self.lookup = nn.Embedding(10, 3)

    def construct(self, x, indexes):
        return self.a(x), [self.b(x), self.lookup(indexes)]


def test_several_inputs_and_outputs_and_shared_parameters():
    found = ms.summary(Several(), [(2, 3), Tensor(np.zeros((4,), np.int32))])
    assert found.layers[0].shape == [(2, 3), [(2, 3), (4, 3)]]
    assert [layer.shape for layer in found.layers if layer.name == "unused"] == [None]
    assert found.total == 9 + 2 + 30
    lines = str(found).splitlines()
    assert any(line.startswith("  unused (Dense)") and " - " in line for line in lines)
    assert "(2, 3), (2, 3), (4, 3)" in lines[2]


def test_inputs_one_by_one_and_in_a_notebook():
    found = ms.summary(Several(), (2, 3), Tensor(np.zeros((4,), np.int32)))
    assert found == ms.summary(Several(), [(2, 3), Tensor(np.zeros((4,), np.int32))])
    shown = found._repr_html_()
    assert "<tr><td>lookup</td><td>Embedding</td><td>(4, 3)</td><td>30</td><td>30</td></tr>" in shown
    assert "Parameters: 41, of which 41 are trained" in shown


def test_a_network_that_fails_is_left_as_it_was():
    net = convolutional().set_train()
    with pytest.raises(ValueError, match="For 'Conv2d'"):
        ms.summary(net, (2, 3, 8, 8))
    assert net.training
    assert not any(part._forward_hooks for _, part in net.cells_and_names())


def test_data_types():
    assert ms.summary(nn.Dense(3, 2, dtype=ms.float16), (1, 3), dtype=ms.float16).layers[0].shape == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((3, (1,)), "'cell' must be a Cell"),
        ((nn.ReLU(), 3), r"'inputs\[0\]' must be a Tensor, a tuple of ints or a list"),
        ((nn.ReLU(), [(1, "a")]), r"'inputs\[0\]\[0\]\[1\]'"),
    ],
)
def test_bad_arguments(arguments, text):
    with pytest.raises(TypeError, match=f"For 'summary', {text}"):
        ms.summary(*arguments)
