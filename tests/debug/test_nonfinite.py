"""`debug.find_nonfinite`: which operation is named, what does not count, and that nothing changes."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, debug, nn, ops

ONES = Tensor(np.ones((2, 3), np.float32))
HERE = __file__


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"], autouse=True)
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Block(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init="ones", bias_init="zeros")
        self.function = function

    def construct(self, x):
        return self.function(self.dense(x))


class Net(nn.Cell):
    """Its layers are not called by the cell that holds them."""

    def __init__(self, function):
        super().__init__()
        self.layers = nn.CellList([nn.ReLU(), Block(function)])

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def test_forward():
    found = debug.find_nonfinite(Net(lambda x: ops.log(x - 3)), ONES)
    assert found
    assert (found.where, found.operation, found.kernel) == ("forward", "log", "log")
    assert (found.cell, found.type) == ("layers.1", "Block")
    assert found.line.startswith(f"{HERE}:")
    assert found.line.endswith("found = debug.find_nonfinite(Net(lambda x: ops.log(x - 3)), ONES)")
    (given,), (made,) = found.inputs, found.outputs
    assert (given.shape, given.dtype, given.min, given.max, given.nan, given.inf) == ((2, 3), "Float32", 0.0, 0.0, 0, 0)
    assert (made.min, made.mean, made.nan, made.inf) == (None, None, 0, 6)
    assert found.affected == ("output 0", "gradient of layers.1.dense.weight", "gradient of layers.1.dense.bias")
    text = str(found)
    assert text.startswith("The first value that is not finite comes from 'log'.\nCell: layers.1 (Block)\nLine: ")
    assert "NaN  inf" in text
    assert repr(found) == text
    assert "<td>(2, 3)</td>" in found._repr_html_()


def test_backward():
    found = debug.find_nonfinite(Net(lambda x: ops.sqrt(x * 0).sum()), ONES)
    assert (found.where, found.operation, found.cell, found.type) == ("backward", "sqrt", "layers.1", "Block")
    assert "ops.sqrt(x * 0)" in found.line
    assert "backward pass of 'sqrt', kernel 'div'" in str(found)
    assert found.affected == ("gradient of layers.1.dense.weight", "gradient of layers.1.dense.bias")


def test_layers_are_named_by_their_class():
    net = nn.SequentialCell(nn.ReLU(), nn.Dense(3, 2, weight_init=3e38))
    found = debug.find_nonfinite(net, ONES)
    assert (found.operation, found.cell, found.type, found.line) == ("Dense", "1", "Dense", "")


def test_losses():
    net = nn.Dense(3, 2)
    good = debug.find_nonfinite(net, ONES, Tensor([0, 1], ms.int32), loss_fn=nn.CrossEntropyLoss())
    assert not good
    assert str(good) == "All outputs and gradients are finite."
    assert "finite" in good._repr_html_()
    bad = debug.find_nonfinite(net, ONES, ONES, loss_fn=lambda y, label: ops.log(y.sum() - y.sum()) + label.sum())
    assert (bad.operation, bad.cell) == ("log", "")
    assert bad.affected[0] == "loss"


class WithMask(nn.Cell):
    def __init__(self, mask):
        super().__init__()
        self.mask = mask
        self.dense = nn.Dense(3, 3)

    def construct(self, x):
        return ops.softmax(ops.masked_fill(self.dense(x), self.mask, float("-inf")), -1)


@pytest.mark.parametrize(
    ("net", "named"),
    [
        (WithMask(Tensor([False, True, True])), ""),
        (WithMask(Tensor([True, True, True])), "softmax"),  # the cause, not the mask
        (Net(lambda x: ops.where(x > 0, x, ops.stop_gradient(ops.log(x * 0)))), ""),
        (Net(lambda x: ops.where(x > 0, x, ops.log(x * 0))), "log"),  # its gradient is 0 / 0
        (lambda x: 1 / ops.exp(x * 1000), ""),
        (Net(lambda x: ops.exp(x * 1000) - ops.exp(x * 1000)), "exp"),
        (Net(lambda x: ops.where(x > 100, ops.log(x - 3), x)), "log"),  # 0 * inf in the backward pass
        (Net(lambda x: ops.nan_to_num(ops.full((2, 3), float("nan"), dtype=ms.float32)) + x), ""),
    ],
)
def test_values_that_reach_no_result_do_not_count(net, named):
    assert debug.find_nonfinite(net, ONES).operation == named


@pytest.mark.parametrize(
    ("function", "named", "words"),
    [
        (lambda x: x * 2, "input 0", "is input 0."),
        (lambda x: ops.ones_like(x) + CONSTANT, "a tensor from outside the inputs and parameters", "from outside"),
        (lambda x: ops.full((2,), float("nan"), dtype=ms.float32) * 2, "full", "written as such by 'full'"),
    ],
)
def test_values_from_outside(function, named, words):
    found = debug.find_nonfinite(function, Tensor([float("nan"), 1.0]))
    assert (found.where, found.operation) == ("given", named)
    assert words in str(found)


CONSTANT = Tensor([float("inf"), 1.0])


def test_parameters():
    net = nn.Dense(3, 2)
    net.weight.set_data(Tensor(np.full((2, 3), np.inf, np.float32)))
    assert debug.find_nonfinite(net, ONES).operation == "the parameter 'weight'"


def test_writes_in_place():
    def function(x):
        y = ops.zeros((3,))
        y[0] = x[0]
        y[1] = ops.log(x[1] * 0)
        return y * 2

    found = debug.find_nonfinite(function, Tensor([1.0, 1.0]))
    assert found.operation == "log"

    def overwritten(x):
        y = ops.log(x * 0)
        y[:] = x
        return y

    assert not debug.find_nonfinite(overwritten, Tensor([1.0, 1.0]))


class Inner(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout / (out - out),)


class WithBprop(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.scale = Parameter(Tensor([1.0, 2.0]))

    def construct(self, x):
        return self.inner(x * self.scale)


def test_bprops_of_the_program():
    found = debug.find_nonfinite(WithBprop(), Tensor([1.0, 2.0]))
    assert (found.where, found.cell, found.type) == ("backward", "inner", "Inner")
    assert "return (dout / (out - out),)" in found.line


class Penalty(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 1)

    def construct(self, x):
        return ms.grad(lambda z: ops.sqrt((self.dense(z) * 0).sum()))(x).sum()


def test_gradients_inside_the_network():
    found = debug.find_nonfinite(Penalty(), ONES)
    assert (found.where, found.operation, found.type) == ("backward", "sqrt", "Penalty")


def test_captured_functions_shared_and_precise_cells():
    @ms.jit(jit_level="O1")
    def compiled(x):
        return ops.log(x - 1).sum()

    assert debug.find_nonfinite(compiled, Tensor([1.0])).operation == "log"
    shared = nn.Dense(3, 3, weight_init=3e38)
    assert debug.find_nonfinite(nn.SequentialCell(shared, nn.ReLU(), shared), ONES).cell == "0"
    half = nn.Dense(3, 1, weight_init=6e4).to_float(ms.float16)
    assert debug.find_nonfinite(half, ONES).outputs[0].dtype == "Float16"


@pytest.mark.parametrize(
    ("value", "named"), [(Tensor([1 + 2j]), "log"), (ops.zeros((0, 3)), ""), (Tensor([1, 2]), "log")]
)
def test_complex_empty_and_integer_tensors(value, named):
    found = debug.find_nonfinite(lambda x: ops.log(x * 0), value)
    assert found.operation == named


def test_hostile_names():
    name = "<script>alert(1)</script>"

    class Holder(nn.Cell):
        def construct(self, x):
            return self._cells[name](x)

    net = Holder()
    net.insert_child_to_cell(name, nn.Dense(3, 1, weight_init=3e38))
    found = debug.find_nonfinite(net, ONES)
    assert found.cell == name
    assert "<script" not in found._repr_html_()


class Changing(nn.Cell):
    def __init__(self, fails):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.dropout = nn.Dropout(p=0.5)
        self.count = 0
        self.seen = []
        self.total = Parameter(Tensor([0.0]), requires_grad=False)
        self.fails = fails

    def construct(self, x):
        self.count += 1
        self.seen.append(1)
        ops.assign(self.total, self.total + 1)
        x = self.dropout(self.norm(x))
        if self.fails:
            raise KeyError("of the program")
        return x


@pytest.mark.parametrize("fails", [False, True])
def test_nothing_changes(fails):
    net = Changing(fails).set_train()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    ms.set_seed(1)
    expected = ops.rand((3,)).asnumpy()
    ms.set_seed(1)
    if fails:
        with pytest.raises(KeyError, match="of the program"):
            debug.find_nonfinite(net, ONES)
    else:
        debug.find_nonfinite(net, ONES)
    np.testing.assert_array_equal(ops.rand((3,)).asnumpy(), expected)
    assert (net.count, net.seen) == (0, [])
    for parameter, value in zip(net.get_parameters(), before):
        np.testing.assert_array_equal(parameter.asnumpy(), value)


def test_other_threads_are_not_disturbed():
    net = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU())
    expected = net(ONES).asnumpy()
    wrong = []

    def infer():
        wrong.extend(1 for _ in range(50) if not np.array_equal(net(ONES).asnumpy(), expected))

    def find():
        wrong.extend(2 for _ in range(5) if debug.find_nonfinite(net, ONES))

    threads = [threading.Thread(target=target) for target in (infer, find, find)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (lambda: debug.find_nonfinite(3), TypeError, "'net' must be a function"),
        (lambda: debug.find_nonfinite(nn.ReLU(), ONES, loss_fn=3), TypeError, "'loss_fn' must be a function or None"),
        (lambda: debug.find_nonfinite(nn.ReLU(), ONES, loss_fn=nn.MSELoss()), ValueError, "a 'loss_fn' needs a label"),
    ],
)
def test_bad_arguments(call, kind, text):
    with pytest.raises(kind, match=f"For 'find_nonfinite', {text}"):
        call()
