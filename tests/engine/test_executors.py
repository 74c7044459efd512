"""The executors of MindSpore's `common.api`, which packages import."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn
from torchspore.engine.api import _cell_graph_executor, _pynative_executor

X = Tensor([1.0, -2.0])


def double(x):
    return x * 2


@pytest.mark.parametrize(("make", "expected"), [(nn.ReLU, [1, 0]), (lambda: double, [2, -4])])
def test_compiling_and_calling(make, expected):
    run = make()
    assert _cell_graph_executor.compile(run, X, phase="train", do_convert=True, jit_config_dict={}) == ("train", True)
    assert _cell_graph_executor.compile(run, X, phase="eval", jit_config_dict={"jit_level": "O0"}) == ("eval", True)
    assert np.array_equal(_cell_graph_executor(run, X, phase="train").asnumpy(), expected)
    assert np.array_equal(_cell_graph_executor(run, X).asnumpy(), expected)
    with pytest.raises(KeyError, match="there is no graph 'other'"):
        _cell_graph_executor(run, X, phase="other")


def test_compiling_twice():
    net = nn.ReLU()
    assert [_cell_graph_executor.compile(net, X) for _ in range(2)] == [("predict", True), ("predict", False)]
    assert _cell_graph_executor.compile(net, X[:1]) == ("predict", True)


def test_nothing_runs_when_compiling():
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = ms.Parameter(Tensor(0.0), requires_grad=False)

        def construct(self, x):
            self.calls += 1
            return x

    net = Counting()
    _cell_graph_executor.compile(net, X)
    assert float(net.calls) == 0
    _cell_graph_executor(net, X)
    assert float(net.calls) == 1


def test_errors():
    with pytest.raises(TypeError, match="'obj' must be a function"):
        _cell_graph_executor.compile(3)
    with pytest.raises(TypeError, match="'do_convert' must be a bool"):
        _cell_graph_executor.compile(nn.ReLU(), X, do_convert=1)


def test_asynchronous_graphs_are_accepted():
    assert _pynative_executor.set_async_for_graph(True) is None
