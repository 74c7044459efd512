"""Captured functions called from several threads: right results whoever captures first, and nobody waits forever."""

from __future__ import annotations

import builtins
import sys
import threading

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops

_SECONDS = 120  # after which a thread counts as stuck


@pytest.fixture(autouse=True)
def frequent_switches():
    """Have Python change between threads often, so that they meet in the middle of things."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def together(*jobs):
    """Run jobs concurrently, each in a thread; raise the first error."""
    start = threading.Barrier(len(jobs))
    errors = []

    def run(job):
        try:
            start.wait(_SECONDS)
            job()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_SECONDS)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


def vector(*values):
    return Tensor(np.array(values, np.float32))


def test_different_functions_are_captured_at_once(strict):
    functions = [ms.jit(lambda x, k=k: x * k + ops.sin(x), fullgraph=strict) for k in range(4)]

    def job(k):
        def run():
            for size in range(1, 6):
                x = vector(*range(size))
                for _ in range(3):
                    np.testing.assert_allclose(functions[k](x).asnumpy(), (x * k + ops.sin(x)).asnumpy(), rtol=1e-6)

        return run

    together(*map(job, range(4)))
    assert [function.captures for function in functions] == [5] * 4


def test_the_first_calls_of_one_function_capture_it_once(strict):
    for _ in range(5):
        captured = ms.jit(lambda x: ops.tanh(x) * 2, fullgraph=strict)
        results = []

        def call(captured=captured, results=results):
            results.append(captured(vector(1, 2)).asnumpy().tolist())

        together(*[call] * 4)
        assert results == [(ops.tanh(vector(1, 2)) * 2).asnumpy().tolist()] * 4
        assert captured.captures == 1


class ManyWays(nn.Cell):
    """Takes one of many branches, each with different parameters."""

    ways = 8

    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(2, 2, weight_init="ones") for _ in range(self.ways)])
        for number, parameter in enumerate(self.get_parameters()):
            parameter.set_data(parameter * 0 + number)
        self.calls = Parameter(Tensor(0, ms.int32), name="calls", requires_grad=False)

    def construct(self, x):
        way = int(x[0, 0])
        y = self.layers[self.ways - 1 - way](x)
        while y.sum() > 50:
            y = y / 2
        return y + self.layers[(3 * way) % self.ways](x)


@pytest.mark.parametrize("mode", ["values", "gradients"])
def test_one_function_takes_different_ways_in_different_threads(mode, strict):
    net = ManyWays()
    run = net if mode == "values" else ms.grad(net)
    captured = ms.jit(run, fullgraph=strict)
    batches = [Tensor(np.array([[way, 1.0]], np.float32)) for way in range(net.ways)]
    expected = [run(batch).asnumpy() for batch in batches]

    def job(seed):
        def run_some():
            for way in np.random.default_rng(seed).integers(0, net.ways, 40):
                np.testing.assert_allclose(captured(batches[way]).asnumpy(), expected[way], rtol=1e-6)

        return run_some

    together(*map(job, range(4)))
    assert captured.captures == net.ways


class Scaling(nn.Cell):
    """One weight, which training changes and evaluation reads."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([4.0]), name="weight")

    def construct(self, x):
        return x * self.weight


def trained_scaling(net, calls, strict):
    """Return a training step's job, and the weights that it goes through."""
    optimizer = nn.SGD(net.trainable_params(), 0.125)
    gradients = ms.value_and_grad(lambda x: (net(x) * net(x)).sum(), None, net.trainable_params())

    def step(x):
        loss, grads = gradients(x)
        optimizer(grads)
        return loss

    captured = ms.jit(step, fullgraph=strict)
    weights = [4.0 * 0.75**k for k in range(calls + 1)]

    def train():
        for k in range(calls):
            assert float(captured(vector(1))) == pytest.approx(weights[k] ** 2, rel=1e-5)

    return train, weights


def test_training_beside_evaluation(strict):
    net = Scaling()
    train, weights = trained_scaling(net, 30, strict)
    evaluate = ms.jit(net, fullgraph=strict)

    def evaluate_all():
        last = 0
        for size in range(1, 8):
            for _ in range(4):
                values = evaluate(vector(*[1] * size)).asnumpy()
                steps = [int(np.argmin(np.abs(np.array(weights) - value))) for value in values]
                assert values == pytest.approx([weights[step] for step in steps], rel=1e-5)
                # Time goes one way, also within a product: its kernel reads the weight for each element.
                assert [last, *steps] == sorted([last, *steps])
                last = steps[-1]

    together(train, evaluate_all, evaluate_all)
    assert float(net.weight) == pytest.approx(weights[-1], rel=1e-5)


def test_training_and_plain_gradients_of_other_networks(strict):
    captured_net, plain_net = Scaling(), Scaling()
    train, weights = trained_scaling(captured_net, 20, strict)
    gradient = ms.grad(plain_net, None, plain_net.trainable_params())

    def differentiate():
        for _ in range(60):
            assert gradient(vector(3))[0].asnumpy().tolist() == [3]

    together(train, differentiate)
    assert float(captured_net.weight) == pytest.approx(weights[-1], rel=1e-5)
    assert float(plain_net.weight) == 4


def test_one_network_in_graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
        batches = [Tensor(np.ones((size, 3), np.float32)) for size in range(1, 6)]
        results = []
        together(*[lambda: results.append([net(batch).asnumpy() for batch in batches])] * 3)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    for found in results:
        for values, batch in zip(found, batches):
            np.testing.assert_allclose(values, net(batch).asnumpy(), rtol=1e-5)
    assert net._captured.captures == len(batches)


def test_errors_of_one_thread_are_its_own():
    def function(x):
        if x.sum() < 0:
            raise ArithmeticError("negative")
        return x * 2

    captured = ms.jit(function)

    def right():
        for k in range(20):
            assert captured(vector(k)).asnumpy().tolist() == [2 * k]

    def wrong():
        for k in range(1, 6):
            with pytest.raises(ArithmeticError, match="negative"):
                captured(vector(-k))

    together(right, wrong, right)


def test_prints_go_out_whole_from_every_thread(capsys, strict):
    plain_print = builtins.print

    def printing(k):
        captured = ms.jit(lambda x: print(f"thread {k}:", x.sum()) or x, fullgraph=strict)

        def run():
            for size in range(1, 4):
                for _ in range(5):
                    captured(vector(*[k] * size))

        return run

    together(*map(printing, range(3)))
    assert builtins.print is plain_print
    text = capsys.readouterr().out
    for k in range(3):
        assert text.count(f"thread {k}:") == 15


def test_plain_code_of_another_thread_waits_for_the_values_of_a_network_that_is_recorded():
    net = nn.SequentialCell(nn.Dense(4, 4), nn.ReLU(), nn.Dense(4, 2))
    count = Parameter(Tensor([0.0]), name="count")
    x = ops.ones((3, 4))
    expected = net(x).asnumpy()
    recorded = threading.Event()
    steps = 0

    def record():
        for factor in range(8):
            ms.jit(lambda x, factor=factor: net(x) * factor + count, fullgraph=True)(x)
        recorded.set()

    def compute():
        nonlocal steps
        while not recorded.is_set():
            np.testing.assert_array_equal(net(x).asnumpy(), expected)
            np.testing.assert_array_equal((net[0].weight * 1).asnumpy(), net[0].weight.asnumpy())
            ops.assign_add(count, Tensor([1.0]))
            steps += 1

    together(record, compute)
    assert float(count) == steps > 0
