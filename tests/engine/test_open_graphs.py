"""One graph for many sizes and numbers, the log of recordings, the graph's text, errors at the user's line."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, mint, nn, ops
from torchspore.scipy import fft

RANDOM = np.random.default_rng(0)


def batch(size, *shape):
    return Tensor(RANDOM.standard_normal((size, *shape)).astype(np.float32))


def make_step():
    """Return a training step of a small network, and the network."""
    ms.set_seed(0)
    net = nn.SequentialCell(nn.Dense(4, 8, has_bias=False), nn.BatchNorm1d(8), nn.ReLU(), nn.Dense(8, 3)).set_train()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    value_and_grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())

    def step(x, y):
        loss, gradients = value_and_grad(x, y)
        optimizer(gradients)
        return loss

    return step, net


class TestOpenSizes:
    def test_a_training_step_serves_all_batch_sizes(self):
        data = [(batch(n, 4), Tensor(RANDOM.integers(0, 3, n).astype(np.int32))) for n in (6, 3, 17, 9, 4)]
        plain, plain_net = make_step()
        expected = [float(plain(x, y)) for x, y in data]
        step, net = make_step()
        captured = ms.jit(step, dynamic=1, fullgraph=True)
        np.testing.assert_allclose([float(captured(x, y)) for x, y in data], expected, rtol=1e-5)
        assert captured.captures == 1
        for ours, theirs in zip(net.get_parameters(), plain_net.get_parameters()):
            np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-4, atol=1e-6)

    def test_conditions_on_sizes_are_conditions_of_the_graph(self):
        def function(x):
            count, length = x.shape
            doubled = x.reshape(count * length) * 2 if count > 4 else x.reshape(length, count).sum(0) * count
            return ops.softmax(doubled)

        captured = ms.jit(function, dynamic=1, fullgraph=True)
        for count in (2, 3, 4, 5, 8, 3):
            x = batch(count, 7)
            np.testing.assert_allclose(captured(x).asnumpy(), function(x).asnumpy(), rtol=1e-6)
        assert captured.captures == 2

    def test_loops_over_sizes_have_a_graph_for_each(self):
        captured = ms.jit(lambda x: sum(x[i] * i for i in range(len(x))), dynamic=1, fullgraph=True)
        for count in (2, 5, 2, 5):
            x = batch(count, 2)
            expected = (x.asnumpy() * np.arange(count)[:, None]).sum(0)
            np.testing.assert_allclose(captured(x).asnumpy(), expected, rtol=1e-5)
        assert captured.captures == 2

    def test_conditions_on_values_with_open_sizes(self):
        captured = ms.jit(lambda x: x * 2 if x.sum() > 0 else x.mean(0), dynamic=1, fullgraph=True)
        for x in (ops.ones((3, 2)), -ops.ones((5, 2)), ops.ones((7, 2)), -ops.ones((4, 2))):
            expected = x * 2 if x.sum() > 0 else x.mean(0)
            assert captured(x).asnumpy().tolist() == expected.asnumpy().tolist()
        assert captured.captures == 2

    def test_declared_inputs(self):
        class Net(nn.Cell):
            def construct(self, x):
                return x.reshape(x.shape[0], -1).sum(1)

        net = Net()
        net.set_inputs(Tensor(shape=[None, 3, 2], dtype=ms.float32))
        ms.set_context(mode=ms.GRAPH_MODE)
        try:
            for count in (2, 5, 7):
                assert net(batch(count, 3, 2)).shape == (count,)
            assert net._captured.captures == 1
            with pytest.raises(ValueError, match="size 3 in dimension 1"):
                net(batch(2, 4, 2))
        finally:
            ms.set_context(mode=ms.PYNATIVE_MODE)


class TestOpenNumbers:
    def test_mutable_numbers(self):
        captured = ms.jit(lambda x, pair: x[: pair[0]] * pair[1], fullgraph=True)
        x = Tensor([1.0, 2.0, 3.0, 4.0])
        for count, factor in ((2, 2.0), (3, 0.5), (4, -1.0)):
            assert captured(x, ms.mutable((count, factor))).asnumpy().tolist() == (x[:count] * factor).tolist()
        assert captured.captures == 1

    def test_a_rate_that_changes_at_each_call_becomes_an_input(self):
        captured = ms.jit(lambda x, rate: x - rate * x, fullgraph=True)
        x = Tensor([1.0, 2.0])
        for call in range(12):
            rate = 0.5 / (call + 1)
            np.testing.assert_allclose(captured(x, rate).asnumpy(), (x - rate * x).asnumpy(), rtol=1e-6)
        assert captured.captures <= 5


class TestExplanations:
    def test_the_log_says_why(self, monkeypatch, capsys):
        monkeypatch.setenv("TORCHSPORE_LOG", "recompiles")
        net = nn.Dropout(p=0.5)
        captured = ms.jit(lambda x: net(x) if x.sum() > 0 else x, fullgraph=True)
        captured(ops.ones((2,)))
        captured(ops.ones((3,)))
        net.set_train()
        captured(ops.ones((3,)))
        captured(-ops.ones((3,)))
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 4
        assert "the first call" in lines[0]
        assert "a Tensor of shape (3,) and dtype Float32, before it was a Tensor of shape (2,)" in lines[1]
        assert "'training' of Dropout has changed" in lines[2]
        assert "a new answer, False, at " in lines[3]
        assert "test_open_graphs.py" in lines[3]

    def test_the_text_has_the_users_lines(self):
        def function(x):
            y = ops.relu(x)
            if y.sum() > 1:
                return y * 2
            return y

        captured = ms.jit(function)
        captured(Tensor([1.0, 2.0]))
        captured(Tensor([0.1, 0.2]))
        text = captured.graph(Tensor([1.0, 2.0]))
        for line in ("y = ops.relu(x)", "if y.sum() > 1:", "return y * 2"):
            assert f": {line}" in text
        assert "relu = aten.relu(" in text
        assert "    if bool(gt) == True:\n" in text
        assert "    if bool(gt) == False:\n" in text

    def test_a_failing_run_names_the_line(self):
        captured = ms.jit(lambda x, i: x[i] + 1)
        x = Tensor([1.0, 2.0])
        captured(x, Tensor([0, 1]))
        with pytest.raises(IndexError, match=r"For the line `captured = .*` \(.*test_open_graphs.py:\d+\), index 7"):
            captured(x, Tensor([0, 7]))


def test_tensors_outside_cells_are_written_once_and_in_place():
    weight = ms.Parameter(Tensor([1.0]))
    table = [Tensor([5.0])]

    def function(x):
        ops.assign_add(weight, Tensor([1.0]))
        ops.assign(table[0], table[0] * 2)
        return x * weight

    captured = ms.jit(function, fullgraph=True)
    captured.graph(Tensor([1.0]))
    assert (float(weight), float(table[0])) == (1, 5)
    assert [float(captured(Tensor([1.0]))) for _ in range(2)] == [2, 3]
    assert (float(weight), float(table[0])) == (3, 20)


def test_methods_capture_for_each_instance():
    class Scaled:
        def __init__(self, factor):
            self.factor = factor

        @ms.jit(fullgraph=True)
        def scaled(self, x):
            return x * self.factor

    two, three = Scaled(2), Scaled(3)
    x = Tensor([1.0])
    assert [float(two.scaled(x)), float(three.scaled(x)), float(two.scaled(x))] == [2, 3, 2]
    two.factor = 5
    assert float(two.scaled(x)) == 5
    assert (two.scaled.captures, three.scaled.captures) == (2, 1)


@pytest.mark.parametrize(
    ("number", "position", "expected"),
    [
        (ms.mutable(3.0), (0, 1), ([3.0], 0.0)),
        (ms.mutable(3), 1, 0),
        (ms.mutable((2.0, 3.0)), 1, (0.0, 0.0)),
        (3.0, (0, 1), [3.0]),
    ],
)
def test_gradients_of_mutable_numbers_are_zero(number, position, expected):
    def function(x, n):
        return x * (n[1] if isinstance(n, tuple) else n)

    found = ms.jit(ms.grad(function, position))(Tensor([1.0]), number)
    found = tuple(arrays(part) for part in found) if isinstance(found, tuple) else arrays(found)
    assert found == expected


def arrays(value):
    return value.asnumpy().tolist() if isinstance(value, Tensor) else value


def image(x):
    return x.reshape(1, 1, *x.shape)


def gradient_of(function):
    return lambda x: ms.grad(lambda y: (function(y) ** 2).sum())(x)


def resized(factor, mode, **options):
    return lambda x: mint.nn.functional.interpolate(image(x), scale_factor=factor, mode=mode, **options)


CONV, GRU, RNN = nn.Conv1d(1, 2, 3, pad_mode="pad", padding=1), nn.GRU(3, 2), nn.RNN(3, 2)
OPEN = {
    "dct": fft.dct,
    "idct of columns": lambda x: fft.idct(x, axis=0),
    "dctn": fft.dctn,
    "gradient of dctn": gradient_of(fft.dctn),
    "gradient of idctn": gradient_of(fft.idctn),
    "rfft": lambda x: ops.rfft(x).abs(),
    "gradient of irfft2": gradient_of(ops.irfft2),
    "polar": lambda x: ops.polar(x.abs(), x).abs(),
    "pad": gradient_of(lambda x: ops.pad(x, (1, 2, 0, 1), value=1.0)),
    "lrn": lambda x: ops.lrn(image(x)),
    "convolution": gradient_of(lambda x: CONV(x.reshape(1, 1, -1))),
    "batch of GRU": lambda x: GRU(ops.stack([x[:, :3]] * 2))[0],
    "batch of RNN": gradient_of(lambda x: RNN(ops.stack([x[:, :3]] * 2))[0]),
    "nearest": resized((2.0, 1.5), "nearest"),
    "bilinear": resized(1.5, "bilinear", align_corners=True),
    "gradient of bilinear": gradient_of(resized(0.7, "bilinear")),
    "bicubic": resized(1.5, "bicubic", recompute_scale_factor=True),
    "bicubic of ops": gradient_of(lambda x: ops.interpolate(image(x), size=(4, 3), mode="bicubic")),
    "bicubic by a factor": lambda x: ops.interpolate(image(x), scale_factor=1.5, mode="bicubic"),
    "steps of GRU": gradient_of(lambda x: GRU(x[:, None, :3])[0]),
    "lengths of GRU": gradient_of(lambda x: GRU(x[:, None, :3], None, Tensor([3]))[1]),
    "steps of RNN": lambda x: RNN(x[:, None, :3])[1],
    "rms_norm": gradient_of(lambda x: ops.rms_norm(x, x[0])[0]),
    "pinv": ops.pinv,
}


@pytest.mark.parametrize("name", OPEN)
def test_operations_leave_sizes_open(name):
    function = OPEN[name]
    captured = ms.jit(function, dynamic=1, fullgraph=True)
    for shape in ((6, 5), (9, 7), (8, 4)):  # sizes of 1 and their halves are conditions
        x = batch(*shape)
        np.testing.assert_allclose(captured(x).asnumpy(), function(x).asnumpy(), rtol=2e-3, atol=1e-4)
    assert captured.captures == 1


@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize(
    "make",
    [ops.zeros, ops.ones, lambda size: ops.full(size, 2.0), lambda size: ops.randn(1).sum() * 0 + ops.ones(size)],
)
def test_sizes_from_a_tensor_are_conditions(make, fullgraph):
    captured = ms.jit(lambda size: make(size) + make(Tensor([1, 1])).sum(), fullgraph=fullgraph)
    for size in ([2, 3], [2, 3], [1, 6]):
        assert captured(Tensor(size)).shape == tuple(size)
    assert captured.captures == 2
