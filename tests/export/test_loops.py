"""A file holds the loops of a network that run until a value is reached."""

from __future__ import annotations

import copy
import inspect
import os
import pickle

import numpy as np
import pytest

import torchspore as ms
from export.loops import LOOPS, full
from export.networks import arrays
from torchspore import nn, ops
from torchspore.serialization.exporting import loop_source

pytestmark = pytest.mark.slow  # torch.export is


@pytest.mark.parametrize("file_format", ["PT2", "ONNX"])
@pytest.mark.parametrize("name", LOOPS)
def test_loops(name, file_format, tmp_path):
    net, calls = LOOPS[name]
    wanted = [arrays(net(*inputs)) for inputs in calls]
    ms.export(net, *calls[0], file_name=tmp_path / "net", file_format=file_format)
    if file_format == "PT2":
        graph = nn.GraphCell(ms.load(tmp_path / "net.pt2"))
        results = [arrays(graph(*inputs)) for inputs in calls]
        captured = ms.jit(graph)
        results += [arrays(captured(*inputs)) for inputs in calls]
    else:
        session = pytest.importorskip("onnxruntime").InferenceSession(tmp_path / "net.onnx")
        names = [value.name for value in session.get_inputs()]
        results = [session.run(None, dict(zip(names, arrays(inputs)))) for inputs in calls]
    for got, expected in zip(results, wanted + wanted):
        for value, right in zip(got, expected, strict=True):
            np.testing.assert_allclose(value, right, rtol=1e-6)


def test_what_else_becomes_of_a_loaded_loop(tmp_path):
    ms.export(LOOPS["nested"][0], full(1.0), file_name=tmp_path / "net", file_format="PT2")
    graph = nn.GraphCell(ms.load(tmp_path / "net.pt2"))
    for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert arrays(other(full(2.0)))[0].tolist() == arrays(graph(full(2.0)))[0].tolist()
    assert ms.grad(graph)(full(2.0)).asnumpy().tolist() == [[3 + 1] * 3] * 2
    with pytest.raises(ValueError, match="more than 6 conditions on values"):
        ms.export(graph, full(1.0), file_name=tmp_path / "again", file_format="PT2")


def growing(x):
    while x.sum() < 30:
        x = ops.cat((x, x))
    return x


def collecting(x):
    found = []
    while x.sum() < 30:
        x = x + 1
        found.append(x)
    return found


def appearing(x):
    y = None
    while x.sum() < 30:
        x, y = x + 1, x
    return y


def making(x):
    while x.sum() < 100:
        x = x + ms.Tensor([1.0, 2.0, 3.0])
    return x


def with_else(x):
    while x.sum() < 100:
        x = x + 1
    else:
        x = x - 1
    return x


def evaluated(x):
    return eval("lambda x, f: f(x, f)")(x, lambda x, f: f(x + 1, f) if x.sum() < 100 else x)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (growing, r"'while x.sum\(\) < 30:'\): .* changes 'x' from a tensor of shape \(2, 3\) .* of shape \(4, 3\)"),
        (collecting, "changes the length of a list or dict"),
        (appearing, "changes 'y' from None to a tensor of shape"),
        (making, "makes a tensor from different numbers: make it before the loop"),
        (with_else, "more than 6 conditions on values follow each other"),
        (evaluated, "more than 6 conditions on values follow each other"),
    ],
)
def test_loops_that_a_file_cannot_hold(function, words, tmp_path):
    code = function.__code__
    with pytest.raises(ValueError, match=words):
        ms.export(function, full(1.0), file_name=tmp_path / "net", file_format="PT2")
    assert os.listdir(tmp_path) == []
    assert function.__code__ is code


def test_rewritten_functions_mean_the_same():
    """With numbers, they are Python's loops: also in another thread, while a network is exported."""

    def searched(numbers, *, limit=3):
        at = found = 0
        while at < len(numbers):
            number = numbers[at]
            at += 1
            if number < 0:
                continue
            while found < number:
                found += limit
                if found > 20:
                    return "many", at
            if number == 7:
                break
        return found, at

    cases = [[], [1, -2, 3], [5, 7, 9], [2, 30]]
    wanted = [searched(numbers) for numbers in cases]
    lines = inspect.getsourcelines(searched)
    with loop_source.loops_as_operations([searched]):
        assert "__body__" in searched.__code__.co_varnames
        assert [searched(numbers) for numbers in cases] == wanted
        assert inspect.getsourcelines(searched) == lines
