"""The executors of MindSpore's `common.api`, which packages import."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, nn
from torchspore.engine.api import _cell_graph_executor, _pynative_executor
from torchspore.engine.bytecode import get_code_extra

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


def test_compiled_names():
    _cell_graph_executor.compile(nn.ReLU(), X, phase="other than all")
    assert not _cell_graph_executor.has_compiled("nowhere compiled")


def test_steps_of_the_eager_executor():
    net = nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    x, weights = Tensor([[2.0]]), tuple(net.trainable_params())
    _pynative_executor.set_grad_flag(True)
    assert (_pynative_executor.grad_flag(), _pynative_executor.requires_grad()) == (True, True)
    _pynative_executor.new_graph(net, x)
    _pynative_executor.end_graph(net, net(x), x)
    assert not _pynative_executor.check_run(net, x)
    by_list = ms.ops.GradOperation(get_by_list=True)
    of_weights = _pynative_executor.grad(net, by_list, weights, None, False, x)
    assert [float(g) for g in of_weights] == [2, 1]
    _pynative_executor.set_grad_flag(False)
    assert not _pynative_executor.requires_grad()


class TestGetCodeExtra:
    """What MindSpore 2.10 answers, except that a branch or a value is no break here."""

    @staticmethod
    def counts(function):
        found = get_code_extra(function)
        return found and (found["stat"], found["compile_count_"], found["break_count_"], found["code"]["call_count_"])

    def test_calls_and_captures(self):
        captured = ms.jit(double, capture_mode="bytecode")
        plain = captured.__wrapped__
        assert self.counts(plain) is None
        for _ in range(3):
            captured(X)
        assert self.counts(plain) == self.counts(captured) == ("GRAPH_CALLABLE", 1, 0, 3)
        assert get_code_extra(plain)["code"]["phase_"]
        captured(X[:1])
        assert self.counts(plain) == ("GRAPH_CALLABLE", 2, 0, 1)

    def test_a_function_that_runs_eagerly(self):
        @ms.jit(capture_mode="bytecode")
        def through_numpy(x):
            return Tensor(x.asnumpy() + 1)

        with pytest.warns(RuntimeWarning, match="runs eagerly"):
            through_numpy(X)
        assert self.counts(through_numpy) == ("GRAPH_CALLABLE", 1, 1, 1)
        assert "phase_" not in get_code_extra(through_numpy)["code"]

    def test_methods(self):
        class Net(nn.Cell):
            @ms.jit(capture_mode="bytecode")
            def construct(self, x):
                return x * 2

        class Plain(nn.Cell):
            def construct(self, x):
                return x * 2

        Net()(X)
        assert self.counts(Net.construct) == ("GRAPH_CALLABLE", 1, 0, 1)
        plain = Plain()
        plain.construct = ms.jit(plain.construct, capture_mode="bytecode")
        plain(X)
        assert self.counts(Plain.construct) == ("GRAPH_CALLABLE", 1, 0, 1)

    def test_others(self):
        assert get_code_extra(double.__code__) is None
        assert get_code_extra(ms.jit(lambda x: x)) is None
