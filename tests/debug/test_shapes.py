"""`debug.check_shapes`: the calls of cells, the one that fails, and inputs without values."""

from __future__ import annotations

import logging
import threading

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, debug, nn, ops


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


def convolutional(last=128):
    layers = [nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.SequentialCell(nn.ReLU(), nn.Flatten()), nn.Dense(last, 10)]
    return nn.SequentialCell(layers).set_train()


GOOD = """
cell       type            inputs                outputs
(network)  SequentialCell  (2, 3, 4, 4) Float32  (2, 10) Float32
0          Conv2d          (2, 3, 4, 4) Float32  (2, 8, 4, 4) Float32
1          BatchNorm2d     (2, 8, 4, 4) Float32  (2, 8, 4, 4) Float32
2          SequentialCell  (2, 8, 4, 4) Float32  (2, 128) Float32
2.0        ReLU            (2, 8, 4, 4) Float32  (2, 8, 4, 4) Float32
2.1        Flatten         (2, 8, 4, 4) Float32  (2, 128) Float32
3          Dense           (2, 128) Float32      (2, 10) Float32
"""


@pytest.mark.parametrize("given", [(2, 3, 4, 4), ((2, 3, 4, 4), ms.float32), Tensor(np.ones((2, 3, 4, 4), np.float32))])
def test_a_network_that_fits(given):
    net = convolutional()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    report = debug.check_shapes(net, given)
    assert str(report) == repr(report) == GOOD.strip()
    assert report
    assert (report.failed, report.error, report.line) == (None, None, "")
    assert "<td>BatchNorm2d</td>" in report._repr_html_()
    for parameter, value in zip(net.get_parameters(), before):
        np.testing.assert_array_equal(parameter.asnumpy(), value)
    assert not any(cell._forward_hooks or cell._forward_pre_hooks for _, cell in net.cells_and_names())
    assert net(Tensor(np.ones((2, 3, 4, 4), np.float32))).shape == (2, 10)


@pytest.mark.parametrize("given", [(2, 3, 4, 4), Tensor(np.ones((2, 3, 4, 4), np.float32))])
def test_the_failing_cell_and_its_inputs(given, caplog):
    level = logging.getLogger("torch._subclasses").level
    report = debug.check_shapes(convolutional(last=100), given)
    assert not report
    assert (report.failed.cell, report.failed.type, report.failed.inputs) == ("3", "Dense", "(2, 128) Float32")
    assert isinstance(report.error, ValueError)
    lines = str(report).splitlines()
    assert lines[-3] == "3          Dense           (2, 128) Float32      failed"
    assert lines[-2] == "Failed in '3' (Dense), with the inputs (2, 128) Float32."
    assert lines[-1].startswith("ValueError: For 'Dense'")
    assert '<tr class="bad"><td>3</td>' in report._repr_html_()
    assert not caplog.records
    assert logging.getLogger("torch._subclasses").level == level


def test_nothing_is_computed_for_shapes():
    report = debug.check_shapes(nn.Dense(4, 8), ((10**9, 4), ms.float32))
    assert report.calls[0].outputs == "(1000000000, 8) Float32"
    assert debug.check_shapes(nn.Embedding(10, 4), ((2, 3), ms.int32)).calls[0].outputs == "(2, 3, 4) Float32"
    assert debug.check_shapes(nn.ReLU(), ()).calls[0].outputs == "() Float32"


class Odd(nn.Cell):
    def __init__(self):
        super().__init__()
        self.wrong, self.right, self.unused = nn.Dense(3, 3), nn.Dense(2, 2), nn.ReLU()
        self.count = 0
        self.total = Parameter(Tensor([0.0]), requires_grad=False)

    def construct(self, x, factor=2, *, pair=()):
        self.count += 1
        ops.assign(self.total, self.total + 1)
        try:
            self.wrong(x)
        except ValueError:
            x = self.right(x)
        return None, {"a": [x * factor]}


def test_odd_inputs_and_outputs_and_errors_that_are_handled():
    net = Odd()
    report = debug.check_shapes(net, Tensor(np.ones((1, 2), np.float32)), "text" * 100)
    assert not report  # it cannot multiply by text
    assert (report.failed.cell, report.failed.inputs) == ("", f"(1, 2) Float32, {str('text' * 100)!r}"[:76] + "…")
    assert [(call.cell, call.outputs) for call in report.calls] == [
        ("", ""), ("wrong", ""), ("right", "(1, 2) Float32"),
    ]  # fmt: skip
    assert "x * factor" in report.line or report.line.startswith(f"{__file__}:")
    report = debug.check_shapes(net, (1, 2), 3)
    assert report.calls[0].outputs == "(None, {'a': [(1, 2) Float32]})"
    assert report.calls[0].inputs == "(1, 2) Float32, 3 (int)"
    assert net.count == 0
    assert net.total.asnumpy() == [0.0]


class Reading(nn.Cell):
    def __init__(self, read):
        super().__init__()
        self.read = read

    def construct(self, x):
        self.read(x)
        return x


@pytest.mark.parametrize("read", [lambda x: bool(x.sum() > 0), lambda x: float(x.sum()), lambda x: x.asnumpy()])
def test_values_are_missing_where_only_shapes_are_given(read):
    report = debug.check_shapes(Reading(read), (2, 3))
    assert "the value of a tensor is read, which inputs given as shapes do not have; give Tensors" in str(report)
    assert report.line.startswith(f"{__file__}:")
    assert debug.check_shapes(Reading(lambda x: bool(x.sum() > 0)), Tensor([1.0]))


def test_shared_and_hostile_cells_and_jit():
    name = "<script>alert(1)</script>"

    class Holder(nn.Cell):
        @ms.jit
        def construct(self, x):
            return self._cells[name](self._cells[name](x))

    net = Holder()
    net.insert_child_to_cell(name, nn.Dense(2, 2))
    for _ in range(2):
        report = debug.check_shapes(net, Tensor(np.ones((1, 2), np.float32)))
        assert [call.cell for call in report.calls] == ["", name, name]
    assert "<script" not in report._repr_html_()


def test_calls_of_other_threads_are_not_listed():
    net = convolutional()
    net.set_train(False)
    x = Tensor(np.ones((2, 3, 4, 4), np.float32))
    net(x)
    stop = threading.Event()

    def infer():
        while not stop.is_set():
            net(x)

    thread = threading.Thread(target=infer)
    thread.start()
    try:
        reports = [debug.check_shapes(net, x) for _ in range(5)]
    finally:
        stop.set()
        thread.join()
    assert all(len(report.calls) == 7 for report in reports)


def test_bad_arguments():
    with pytest.raises(TypeError, match="For 'check_shapes', 'net' must be a Cell"):
        debug.check_shapes(lambda x: x, (1,))
    report = debug.check_shapes(nn.Dense(2, 2))
    assert "missing 1 required positional argument: 'x'" in str(report)
    assert str(report).splitlines()[-2] == "Failed in the network."
