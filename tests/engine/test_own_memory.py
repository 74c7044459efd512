"""Results of captured functions have memory of their own, as in MindSpore's graphs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import torchspore as ms
from torchspore import Parameter, ParameterTuple, Tensor, nn, ops

DATA = Path(__file__).resolve().parents[1] / "data"
sys.path.insert(0, str(DATA))
from record_own_memory import observed  # noqa: E402

RECORDED = json.loads((DATA / "own_memory.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("body", RECORDED)
def test_recorded(body, strict, tmp_path):
    seen = observed(ms, body, str(tmp_path), lambda net: ms.jit(net, fullgraph=strict))
    assert json.loads(json.dumps(seen)) == RECORDED[body]


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = Parameter(Tensor([0.0]), name="count")

    def construct(self, x):
        self.count += 1
        return x * 2, self.count


@pytest.mark.parametrize("options", [{}, {"fullgraph": True}, {"dynamic": 1}, {"jit_level": "O1"}])
@pytest.mark.usefixtures("compiling_here")
def test_values_of_a_parameter_stay_as_they_were(options):
    net = ms.jit(Counter(), **options)
    counts = [net(Tensor([1.0]))[1] for _ in range(4)]
    assert [float(count) for count in counts] == [1, 2, 3, 4]
    assert not any(isinstance(count, Parameter) for count in counts)


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
def test_eager_calls_return_copies_too():
    weights = ParameterTuple([Parameter(Tensor([1.0, 2.0]), name="w")])

    @ms.jit
    def returned(x):
        x.asnumpy()
        return weights, {"x": x}, x[:1], weights[0].reshape(2, 1)

    x = Tensor([3.0, 4.0])
    results = [returned(x) for _ in range(2)]
    x[0] = 9.0
    weights[0].set_data(Tensor([7.0, 7.0]))
    for copies, named, view, column in results:
        assert type(copies) is tuple
        assert type(copies[0]) is Tensor
        assert copies[0].asnumpy().tolist() == [1, 2]
        assert named["x"].asnumpy().tolist() == [3, 4]
        assert view.asnumpy().tolist() == [3]
        assert column.asnumpy().tolist() == [[1], [2]]


def test_the_outer_function_gets_the_parameter():
    weight = Parameter(Tensor([1.0]), name="w")

    @ms.jit
    def inner():
        return weight, weight

    @ms.jit
    def outer(x):
        ops.assign(inner()[0], x)
        return x * 2

    outer(Tensor([5.0]))
    assert weight.asnumpy().tolist() == [5]
