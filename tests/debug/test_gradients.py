"""`debug.check_gradients`: right and wrong gradients, and what is refused."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, debug, nn, ops

X = Tensor(np.random.RandomState(0).randn(2, 3).astype(np.float32))


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class WithBprop(nn.Cell):
    def __init__(self, factor):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones((3, 2), np.float32)))
        self.factor = factor

    def construct(self, x):
        return ops.matmul(x, self.weight)

    def bprop(self, x, out, dout):
        of_weight = ops.matmul(x.T, dout)
        of_weight[1, 0] = of_weight[1, 0] * self.factor
        return (ops.matmul(dout, self.weight.T),), {self.weight: of_weight}


def test_wrong_bprops_are_found():
    assert debug.check_gradients(WithBprop(1.0), X)
    report = debug.check_gradients(WithBprop(1.5), X)
    assert not report
    assert [(row.name, row.equal, row.checked) for row in report.rows] == [("input 0", True, 6), ("weight", False, 6)]
    assert (report.worst.name, report.worst.index, report.dtype) == ("weight", (1, 0), "Float64")
    assert report.worst.gradient == pytest.approx(1.5 * report.worst.expected)
    assert str(report).endswith("The gradient of weight differs, most at [1, 0], in Float64.")
    assert "DIFFERENT" in repr(report)
    assert '<tr class="bad"><td>weight</td>' in report._repr_html_()


@pytest.mark.parametrize(
    ("function", "inputs", "dtype"),
    [
        (lambda x: ops.softmax(x), [X], "Float64"),
        (lambda x: ops.relu(x), [Tensor([0.0, 1.0, -1.0])], "Float64"),  # a kink
        (lambda x: ops.softmax(x.astype(ms.float32)), [X], "Float32"),
        (lambda x: ops.sin(x).astype(ms.float16), [X], "Float16"),
        (lambda z: z * z * (2 - 1j), [Tensor([1 + 2j, 3.0])], "Float64"),
        (lambda x: x.sum(), [ops.zeros((0, 3))], "Float64"),
        (lambda pair: pair[0] * pair[1]["b"], [[X, {"b": X}]], "Float64"),
        (lambda x, n: (x * n, n, None), [X, Tensor([1, 2, 3])], "Float64"),
        (ms.grad(lambda x: ops.sin(x * x).sum()), [X], "Float64"),
        (lambda x: ms.grad(lambda z: (z**3).sum())(x) * x, [X], "Float64"),
        (nn.Dropout(p=0.5).set_train(), [X], "Float64"),
    ],
)
def test_right_gradients(function, inputs, dtype):
    report = debug.check_gradients(function, *inputs)
    assert report, str(report)
    assert report.dtype == dtype
    assert str(report).endswith(f"The gradients agree with difference quotients, in {dtype}.")


def test_wrong_complex_gradients():
    class Conjugated(nn.Cell):
        def construct(self, z):
            return z * z

        def bprop(self, z, out, dout):
            return (dout * 2 * z,)  # without the conjugate

    assert not debug.check_gradients(Conjugated(), Tensor([1 + 2j]))


def test_networks_stay_as_they_are():
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Tanh(), nn.Flatten(), nn.Dense(32, 2)).set_train()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    report = debug.check_gradients(net, ops.ones((2, 1, 4, 4)) * ops.arange(16).reshape(4, 4) / 9, max_elements=4)
    assert report, str(report)
    assert {row.checked for row in report.rows} == {2, 4}
    for parameter, value in zip(net.get_parameters(), before):
        assert parameter.dtype is ms.float32
        assert parameter._t is parameter._storage
        np.testing.assert_array_equal(parameter.asnumpy(), value)


def test_functions_that_take_no_float64():
    def picky(x):
        if x.dtype == ms.float64:
            raise TypeError("no float64")
        return ops.sin(x)

    report = debug.check_gradients(picky, X)
    assert report
    assert report.dtype == "Float32"


def test_other_threads_see_the_weights_as_they_are():
    net = nn.Dense(3, 3)
    expected = net(X).asnumpy()
    wrong = []

    def infer():
        for _ in range(100):
            y = net(X)
            wrong.extend([] if y.dtype is ms.float32 and np.array_equal(y.asnumpy(), expected) else [1])

    threads = [threading.Thread(target=infer) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert debug.check_gradients(net, X, max_elements=3)
    for thread in threads:
        thread.join()
    assert wrong == []


def test_hostile_names():
    net = WithBprop(2.0)
    net.weight.name = "<script>alert(1)</script>"
    assert "<script" not in debug.check_gradients(net, X)._repr_html_()


def changing():
    state = [0]

    def function(x):
        state[0] += 1
        return x * state[0]

    return function


class Raising(nn.Cell):
    def construct(self, x):
        raise KeyError("of the program")


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: debug.check_gradients(3), TypeError, "For 'check_gradients', 'function' must be a function"),
        (lambda: debug.check_gradients(lambda x: x, X, epsilon=0.0), ValueError, "'epsilon' must be > 0"),
        (lambda: debug.check_gradients(lambda x: x, X, rtol="a"), TypeError, "'rtol' must be a number"),
        (lambda: debug.check_gradients(lambda x: x, X, max_elements=0), ValueError, "'max_elements' must be > 0"),
        (lambda: debug.check_gradients(lambda x: x, Tensor([1])), ValueError, "there is no floating-point input"),
        (lambda: debug.check_gradients(lambda x: x > 0, X), ValueError, "must return a floating-point tensor"),
        (lambda: debug.check_gradients(ops.log, Tensor([0.0])), ValueError, "is not finite. Use find_nonfinite"),
        (lambda: debug.check_gradients(changing(), X), ValueError, "different results for the same inputs"),
        (lambda: debug.check_gradients(Raising(), X), KeyError, "of the program"),
    ],
)
def test_errors(call, kind, text):
    with pytest.raises(kind, match=text):
        call()
