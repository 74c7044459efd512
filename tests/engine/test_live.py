"""Calls that are recorded while they run: a first call is a plain call, and records its graph."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
import torch

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from ways import arrays, assert_same

WEIGHT = Parameter(Tensor([1.0]), name="weight")
HIDDEN = torch.nn.Module()  # a place that no capture looks into
OUTSIDE = Tensor([1.0, 2.0])
X, Y = Tensor([1.0, 2.0]), Tensor([-3.0, 4.0])


@pytest.mark.parametrize("function", [lambda x: x * 2, lambda x: x * 2 if x.sum() > 0 else x], ids=["one way", "ways"])
def test_python_runs_once_for_the_first_call_of_each_way(function):
    HIDDEN.calls = 0

    @ms.jit
    def captured(x):
        HIDDEN.calls += 1
        return function(x)

    for _ in range(3):
        assert_same(arrays(captured(X)), arrays(function(X)))
    assert HIDDEN.calls == captured.captures == 1


@pytest.mark.slow
def test_a_first_training_step_loads_no_compiler():
    program = """
import sys
import torchspore as ms
from torchspore import nn, ops

ms.set_context(mode=ms.GRAPH_MODE)
network = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Dense(32, 2))
optimizer = nn.Adam(network.trainable_params())
step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.CrossEntropyLoss()), optimizer)
for _ in range(2):
    step(ops.ones((4, 1, 4, 4)), ops.zeros((4,), ms.int32))
print(step._captured.captures, "torch._dynamo" in sys.modules, "sympy" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False", "False"]


def keep_hidden(x):
    y = x * 2
    HIDDEN.kept = [y]
    return y.sum()


def with_other_memory(x):
    y = x * 2
    x._t = y._t
    return y


REFUSED = {  # what no graph can repeat -> the reason, where the warning gives it
    "an array": (lambda x: Tensor(x.asnumpy() + 1), "the value of a tensor was asked for"),
    "NumPy": (lambda x: Tensor(np.asarray(x) + 1), "the value of a tensor was asked for"),
    "a list": (lambda x: Tensor(x.tolist()), "the value of a tensor was asked for"),
    "a float": (lambda x: x * float(x.sum()), "the value of a tensor was asked for"),
    "a float of a parameter that was written": (
        lambda x: x * float(ops.assign_add(WEIGHT, x.sum().reshape(1)).sum()),
        "the value of a tensor was asked for",
    ),
    "torch's array": (lambda x: Tensor((x * 1)._t.numpy() * 2), "the value of a tensor was asked for"),
    "torch's list": (lambda x: Tensor((x * 1)._t.tolist()), "the value of a tensor was asked for"),
    "torch's comparison": (lambda x: x if torch.equal(x._t, x._t * 1) else -x, "the value of a tensor was asked for"),
    "text": (lambda x: x * len(f"{x}"), "the value of a tensor was asked for"),
    "positions": (lambda x: ops.nonzero(x > 0), "the shape of what 'nonzero' returns depends on values"),
    "a mask": (lambda x: x[x > 0], "the shape of what '.*' returns depends on values"),
    "torch's mask": (lambda x: Tensor((x._t * 1)[x._t > 0].numpy()), "the shape of what 'index' returns depends"),
    "torch's sparse tensors": (
        lambda x: Tensor((x._t * 1).to_sparse().to_dense()),
        "it computes with one of torch's sparse tensors",
    ),
    "a seed": (lambda x: (ms.set_seed(3), x + ops.rand(2))[1], "the seed is set in the function"),
    "a tensor that is kept": (keep_hidden, "a tensor was kept outside"),
    "an argument's memory": (with_other_memory, "an argument got another memory"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_graph_can_repeat_is_a_plain_call(name):
    function, reason = REFUSED[name]
    ms.set_seed(1)
    WEIGHT.set_data(Tensor([1.0]))
    expected = [arrays(function(Tensor(x.asnumpy()))) for x in (X, Y, X)]
    WEIGHT.set_data(Tensor([1.0]))
    captured = ms.jit(function)
    ms.set_seed(1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = [arrays(captured(Tensor(x.asnumpy()))) for x in (X, Y, X)]
    assert_same(found, expected)
    (warning,) = caught
    assert re.search(reason, str(warning.message))
    assert captured.captures == 0


def test_the_warning_names_the_line_that_no_graph_can_repeat():
    def function(x):
        y = x * 2
        return Tensor(y.asnumpy() + 1)

    line = function.__code__.co_firstlineno + 2
    with pytest.warns(RuntimeWarning, match=rf"\(.*test_live\.py:{line}\)"):
        ms.jit(function)(X)


def literal_that_decides(x):
    two = Tensor(2)
    return x * int(two + 1) if two > 1 else x


def literal_that_is_written(x):
    total = Tensor(0.0)
    total += x.sum()
    return x if total > 0 else -x


def literal_whose_view_is_written(x):
    total = Tensor([0.0, 0.0])
    part = total[0:1]
    ops.assign(total, x)
    return x if part > 0 else -x


def tensor_from_outside_that_is_read(x):
    return x * OUTSIDE if OUTSIDE.sum() > 0 else x


LITERALS = {  # function -> the number of captures for X and Y
    literal_that_decides: 1,
    literal_that_is_written: 1,
    literal_whose_view_is_written: 2,
    tensor_from_outside_that_is_read: 1,
}


@pytest.mark.parametrize("function", LITERALS, ids=lambda function: function.__name__)
def test_what_is_decided_by_literals_is_decided_once(function):
    captured = ms.jit(function)
    for x in (X, Y, X, Y):
        assert_same(arrays(captured(x)), arrays(function(x)))
    assert captured.captures == LITERALS[function]
    assert ("if bool(" in captured.graph(X)) == (function is not literal_that_decides)


def test_tensors_that_are_the_same_at_the_first_call_only():
    captured = ms.jit(lambda x, y: x - 2 * y)
    assert_same(arrays(captured(X, X)), arrays(X - 2 * X))
    assert_same(arrays(captured(X, Y)), arrays(X - 2 * Y))

    weight = Parameter(Tensor([5.0, 6.0]), name="weight")
    captured = ms.jit(lambda x: x - 2 * weight)
    assert_same(arrays(captured(weight.value())), arrays(-weight))
    assert_same(arrays(captured(X)), arrays(X - 2 * weight))


def test_an_error_of_a_first_call_is_that_of_a_plain_call():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")

    @ms.jit
    def captured(x, fails):
        ops.assign_add(weight, x)
        if fails:
            raise KeyError("mine")
        return weight + 0

    with pytest.raises(KeyError, match="mine"):
        captured(X, True)
    assert_same(arrays(weight), np.array([2.0, 4.0], np.float32))
    for factor in (3, 4):
        assert_same(arrays(captured(X, False)), arrays(X * factor))
    assert captured.captures == 1


def test_what_is_printed_at_the_first_call(capsys):
    captured = ms.jit(lambda x: (print("x is", x), x * 2)[1])
    for x in (X, Y):
        captured(x)
    assert capsys.readouterr().out.split("\n") == ["x is [1. 2.]", "x is [-3.  4.]", ""]
    assert captured.captures == 1


def test_the_first_step_updates_once():
    network = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), nn.SGD(network.trainable_params(), 0.5))
    plain = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    plain_step = nn.TrainOneStepCell(nn.WithLossCell(plain, nn.MSELoss()), nn.SGD(plain.trainable_params(), 0.5))
    captured = ms.jit(step)
    for _ in range(3):
        x, y = Tensor([[1.0, 2.0]]), Tensor([[1.0]])
        assert_same(arrays(captured(x, y)), arrays(plain_step(x, y)))
        assert_same(arrays(network.weight), arrays(plain.weight))
