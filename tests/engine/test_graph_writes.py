"""Writes of captured functions to tensors: by name, as in MindSpore's graphs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops

DATA = Path(__file__).resolve().parents[1] / "data"
sys.path.insert(0, str(DATA))
from record_graph_writes import observed  # noqa: E402

RECORDED = json.loads((DATA / "graph_writes.json").read_text())
DIFFERENCES = {
    "of_a_parameter": "as an argument that is differentiated it is a plain tensor",
    "plus_cast": "a cast to the same dtype is a new tensor",
    "plus_global": "MindSpore folds the global's value before the write into its result, not into its gradients",
    "TensorPlus": "MindSpore's gradient through a tensor that is set as an attribute is zero",
}


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
@pytest.mark.parametrize("name", [name for name, runs in RECORDED.items() if runs is not None])
def test_recorded(name):
    seen = json.loads(json.dumps(observed(ms, name)))
    assert (seen == RECORDED[name]) is (name not in DIFFERENCES), seen


def first(x, y):
    x[0] = y[1]
    y[0] += 3
    return x + y


def by_name(x, *, y):
    x[0], y[0:2] = y[1], 7
    return x + y


class Written(nn.Cell):
    def construct(self, x, i, value=5.0):
        x[i] = value
        return x


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"dynamic": 1}])
def test_the_tensors_of_the_caller_stay(options):
    captured = ms.jit(first, **options)
    x, y = Tensor([1.0, 2.0, 3.0]), Tensor([1.0, 1.0, 1.0])
    for _ in range(3):
        assert captured(x, y).asnumpy().tolist() == [5, 3, 4]
        assert captured(x, x).asnumpy().tolist() == [6, 4, 6]
        assert (x.asnumpy().tolist(), y.asnumpy().tolist()) == ([1, 2, 3], [1, 1, 1])
    assert ms.jit(by_name, **options)(x, y=y).asnumpy().tolist() == [8, 9, 4]
    assert (x.asnumpy().tolist(), y.asnumpy().tolist()) == ([1, 2, 3], [1, 1, 1])


def test_a_cell_writes_to_its_argument_in_pynative_mode_only():
    x = Tensor([1.0, 2.0])
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for _ in range(2):
            assert Written()(x, 0).asnumpy().tolist() == [5, 2]
            assert Written()(x, i=1, value=3.0).asnumpy().tolist() == [1, 3]
            assert x.asnumpy().tolist() == [1, 2]
        assert ms.grad(Written())(x, 0).asnumpy().tolist() == [0, 1]
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert Written()(x, 0) is x
    assert x.asnumpy().tolist() == [5, 2]


def test_a_parameter_is_written():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    assert ms.jit(Written().construct)(weight, 0).asnumpy().tolist() == [5, 2]
    assert weight.asnumpy().tolist() == [5, 2]


def test_gradients_through_the_copy():
    gradient = ms.grad(ms.jit(first), (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert [value.asnumpy().tolist() for value in gradient] == [[0, 1], [1, 2]]


def test_a_tensor_with_one_name_is_not_copied():
    @ms.jit
    def filled(x):
        table = ops.zeros_like(x)
        for i in range(3):
            table[i] = x[i] * 2
            table += 1
        return table

    x = Tensor([1.0, 2.0, 3.0])
    assert filled(x).asnumpy().tolist() == [5, 6, 7]
    text = filled.graph(x)
    assert "aten.clone" not in text
    assert text.count("copy_") == 3  # the assignments
    assert ms.grad(filled)(x).asnumpy().tolist() == [2, 2, 2]


def test_where_only_mindspore_refuses_the_name_gets_another_tensor():
    @ms.jit
    def broadcast(x, y):
        x += y
        return x

    x, mask = Tensor([1.0]), Tensor([True, False])
    assert broadcast(x, Tensor([1.0, 2.0])).asnumpy().tolist() == [2, 3]
    assert broadcast(mask, True).asnumpy().tolist() == [True, True]
    assert (x.asnumpy().tolist(), mask.asnumpy().tolist()) == ([1], [True, False])


def test_plain_code_makes_new_tensors():
    x = y = Tensor([1.0])
    x += 1
    assert (x.asnumpy().tolist(), y.asnumpy().tolist()) == ([2], [1])
