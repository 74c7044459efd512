"""Networks written as MINDIR compute the same when they are read again."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import nn, ops
from torchspore.serialization.mindir.operations import FORMS

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
        pytest.param(nn.MaxPool2d(3, 2, pad_mode="pad", padding=1), IMAGE, id="MaxPool2d with edges"),
        pytest.param(nn.AvgPool2d(3, 2, pad_mode="same"), IMAGE, id="AvgPool2d with edges"),
        pytest.param(Of(lambda x: ops.pad(x, (1, 2), value=3.0)), IMAGE, id="pad with a value"),
        pytest.param(Of(lambda x: (x.argmax(1), x.argmin(-1))), ROWS, id="argmax"),
        pytest.param(nn.LSTM(8, 4, 2, bidirectional=True, batch_first=True), IMAGE.reshape(2, 24, 8), id="LSTM"),
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
    assert {p.name for p in cell.get_parameters()} == {p.name for p in network.get_parameters()}
    for made, wanted in zip(_all_leaves(cell(x)), _all_leaves(network(x)), strict=True):
        np.testing.assert_allclose(made.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "network",
    [
        nn.MaxPool2d(3, 2, pad_mode="same"),
        nn.AvgPool2d(3, 1, pad_mode="pad", padding=1),
        nn.SequentialCell(nn.Conv2d(3, 4, 3, 2), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dense(64, 2)),
        Of(lambda x: x.reshape(x.shape[0], -1)),
        Of(lambda x: ops.pad(x, (1, 2), value=3.0)),
    ],
)
def test_an_open_batch(network, tmp_path):
    network.set_train(False)
    given = ms.Tensor(shape=[None, 3, 8, 8], dtype=ms.float32)
    ms.export(network, given, file_name=tmp_path / "net", file_format="MINDIR")
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    for count in (1, 2):
        made, wanted = cell(IMAGE[:count]), network(IMAGE[:count])
        np.testing.assert_allclose(made.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-6)


def test_what_has_no_counterpart_is_named(tmp_path):
    """With the user's line, and before anything is written."""
    network = Of(lambda x: ops.unique_consecutive(x))
    with pytest.raises(ValueError, match=r"'export', the network at .*:\d+ .*'aten.unique_consecutive.default'"):
        ms.export(network, ROWS, file_name=tmp_path / "net", file_format="MINDIR")
    assert not (tmp_path / "net.mindir").exists()


def test_what_a_form_cannot_take_is_named(tmp_path, monkeypatch):
    """An error of a form is not shown as it is: it says which operation of the network it was."""
    monkeypatch.setitem(FORMS, torch.ops.aten.sin.default, lambda b, x: None + x)
    with pytest.raises(ValueError, match=r"'aten.sin.default', which cannot be written as MINDIR: unsupported"):
        ms.export(Of(ops.sin), ROWS, file_name=tmp_path / "net", file_format="MINDIR")
    assert not (tmp_path / "net.mindir").exists()


def _loop(x, n):
    y = x * 1
    while n < 3:
        y = y + x.mean()
        n = n + 1
    return y, n


def _loop_in_loop(x, n):
    while x.sum(0) < 100:
        while n < 3:
            x, n = x * 2, n + 1
        x = x + 1
    return x


def _condition(x, n):
    return x * 2 if x.sum() > n else x - 1


def _continued(x, n):
    """The loop's counter is a constant before it, which torch computes by itself."""
    i, total = ms.Tensor(0), x * 0
    while i < 3:
        i = i + 1
        if i == n + 2:
            continue
        total = total + x * i
    return total


@pytest.mark.parametrize("function", [_loop, _loop_in_loop, _condition, _continued])
@pytest.mark.parametrize("values", [[1.0, 2.0], [-1.0, -2.0], [99.0, 2.0]])
def test_control_flow(function, values, tmp_path):
    """The file of one run has the other paths, too."""
    ms.export(Of(function), ms.Tensor([1.0, 2.0]), ms.Tensor(0), file_name=tmp_path / "net", file_format="MINDIR")
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    x, n = ms.Tensor(values), ms.Tensor(0)
    if function is _loop_in_loop and sum(values) < 0:
        x = -x
    made, wanted = cell(x, n), function(x, n)
    for one, other in zip(_all_leaves(made), _all_leaves(wanted), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda given: given[0] * 2 + given[1], [(ROWS, ROWS)]),
        (lambda given: given["a"] * 2 + given["b"], [{"a": ROWS, "b": ROWS}]),
        (lambda x, y: x if y is None else x + y, [ROWS, None]),
        (lambda x, y, z: x * y + z, [ROWS, 3, 2.5]),
        (lambda x, y: (x, y), [ROWS, ROWS]),
        (lambda x: (x + 1, ms.Tensor([1.0, 2.0])), [ROWS]),
        (lambda x: (lambda y: (y, y))(x * 2), [ROWS]),
        (lambda x: (x + 1, [x * 2, (x * 3,)]), [ROWS]),
    ],
    ids=["tuple", "dict", "None", "numbers", "inputs returned", "constant", "twice", "nested"],
)
def test_inputs_and_results(function, args, tmp_path):
    """The tensors among the inputs are the file's, in order; None and numbers hold for it."""
    ms.export(Of(function), *args, file_name=tmp_path / "net", file_format="MINDIR")
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    made = cell(*[each for each in _all_leaves(args) if isinstance(each, ms.Tensor)])
    for one, other in zip(_all_leaves(made), _all_leaves(function(*args)), strict=True):
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-6)


def test_rounds_of_suppression(tmp_path):
    """How often boxes are compared depends on their values."""
    boxes = np.array([[0, 0, 4, 4, 0.9], [1, 0, 5, 4, 0.8], [2, 0, 6, 4, 0.7], [7, 7, 9, 9, 0.1]], np.float32)
    network = Of(lambda rows: ops.NMSWithMask(0.5)(rows)[2])
    ms.export(network, ms.Tensor(boxes), file_name=tmp_path / "net", file_format="MINDIR")
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    assert cell(ms.Tensor(boxes)).asnumpy().tolist() == [True, False, True, True]
    assert cell(ms.Tensor(boxes[[0, 0, 0, 3]])).asnumpy().tolist() == [True, False, False, True]


def _all_leaves(tree):
    parts = tree.values() if isinstance(tree, dict) else tree
    return [leaf for part in parts for leaf in _all_leaves(part)] if isinstance(tree, (tuple, list, dict)) else [tree]


def test_a_parameter_that_the_network_writes(tmp_path):
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = ms.Parameter(ms.Tensor([0.0, 0.0]), name="count")

        def construct(self, x):
            before = self.count + 0
            self.count += x
            return before, self.count * 2

    ms.export(Counter(), ms.Tensor([1.0, 2.0]), file_name=tmp_path / "net", file_format="MINDIR")
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    for run in range(3):
        before, doubled = cell(ms.Tensor([1.0, 2.0]))
        np.testing.assert_array_equal(before.asnumpy(), [run, 2 * run])
        np.testing.assert_array_equal(doubled.asnumpy(), [2 * run + 2, 4 * run + 4])


def test_open_sizes(tmp_path):
    """A network that computes with a size, which torch writes as a node."""
    network = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Dense(256, 2))
    ms.export(network, ms.Tensor(shape=[None, 3, 8, 8], dtype=ms.float32), file_name=tmp_path / "net",
              file_format="MINDIR")  # fmt: skip
    cell = nn.GraphCell(ms.load(tmp_path / "net.mindir"))
    for images in (IMAGE, IMAGE[:1]):
        np.testing.assert_allclose(cell(images).asnumpy(), network(images).asnumpy(), rtol=1e-5, atol=1e-6)


class TestLarge:
    """Weights beyond a limit are in a folder beside the graph."""

    @pytest.fixture(autouse=True)
    def _small_limit(self, monkeypatch):
        monkeypatch.setattr("torchspore.serialization.mindir.saving._MAX_TOGETHER", 100)

    def test_layout(self, tmp_path):
        network = nn.Dense(10, 3)
        ms.export(network, ROWS, file_name=tmp_path / "net", file_format="MINDIR")
        files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
        assert files == ["net_graph.mindir", "net_variables/data_0"]
        data = (tmp_path / "net_variables" / "data_0").read_bytes()
        assert (len(data), data[64:184]) == (256, network.weight.asnumpy().tobytes())
        cell = nn.GraphCell(ms.load(tmp_path / "net_graph.mindir"))
        np.testing.assert_allclose(cell(ROWS).asnumpy(), network(ROWS).asnumpy(), rtol=1e-6)

    def test_the_old_file_is_complete_until_it_is_replaced(self, tmp_path, monkeypatch):
        first, second = nn.Dense(10, 3), nn.Dense(10, 3)
        ms.export(first, ROWS, file_name=tmp_path / "net", file_format="MINDIR")
        expected = first(ROWS).asnumpy()
        with monkeypatch.context() as patch:
            patch.setattr("os.replace", lambda old, new: (_ for _ in ()).throw(OSError(28, "No space left on device")))
            with pytest.raises(OSError, match="No space left"):
                ms.export(second, ROWS, file_name=tmp_path / "net", file_format="MINDIR")
        np.testing.assert_array_equal(nn.GraphCell(ms.load(tmp_path / "net_graph.mindir"))(ROWS).asnumpy(), expected)
        ms.export(second, ROWS, file_name=tmp_path / "net", file_format="MINDIR")
        assert [path.name for path in (tmp_path / "net_variables").iterdir()] == ["data_1"]
        made = nn.GraphCell(ms.load(tmp_path / "net_graph.mindir"))(ROWS).asnumpy()
        np.testing.assert_allclose(made, second(ROWS).asnumpy(), rtol=1e-6)
