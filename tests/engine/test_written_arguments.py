"""Assignments by index to the arguments of a captured function: the caller's tensors stay, parameters are written."""

from __future__ import annotations

import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn
from torchspore.engine.capture.written_arguments import written_arguments


def first(x, y):
    x[0] = y[1]
    y[0] += 3
    return x + y


def by_name(x, *, y):
    x[0], y[0:2] = y[1], 7
    return x + y


def unwritten(x, y):
    z = x + y
    z[0] = 5
    return z


class Written(nn.Cell):
    def construct(self, x, i, value=5.0):
        x[i] = value
        return x


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (first, ((0, "x"), (1, "y"))),
        (by_name, ((0, "x"), (1, "y"))),
        (unwritten, ()),
        (Written().construct, ((0, "x"),)),
        (len, ()),
        (lambda x: x, ()),
    ],
)
def test_what_is_written(fn, expected):
    assert written_arguments(fn) == expected


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
