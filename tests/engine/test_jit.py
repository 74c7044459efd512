"""Captured functions: same results as eager ones, captured once per signature, eager where they must be."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.engine.capture.function import NotOneGraph
from torchspore.engine.jit import jit

X = Tensor([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]])
BATCH = Tensor(np.random.default_rng(0).standard_normal((8, 3)).astype(np.float32))
LABELS = Tensor([1, 0, 0, 1, 1, 0, 1, 0], ms.int32)


def training_step(optimizer, seed=3):
    """Return a step of a small network, its cell and its data."""
    ms.set_seed(seed)
    net = nn.SequentialCell(nn.Dense(3, 4, has_bias=False), nn.BatchNorm1d(4), nn.ReLU(), nn.Dense(4, 2)).set_train()
    loss_fn = nn.CrossEntropyLoss()
    update = optimizer(net.trainable_params())
    forward = lambda x, y: loss_fn(net(x), y)  # noqa: E731
    value_and_grad = ms.value_and_grad(forward, None, net.trainable_params())

    def step(x, y):
        loss, gradients = value_and_grad(x, y)
        update(gradients)
        return loss

    return step, net


OPTIMIZERS = {
    "sgd": lambda w: nn.SGD(w, 0.1, momentum=0.9),
    "momentum": lambda w: nn.Momentum(w, 0.1, 0.9),
    "adam": lambda w: nn.Adam(w, 0.01),
    "adamw": lambda w: nn.AdamWeightDecay(w, 0.01, weight_decay=0.1),
    "schedule": lambda w: nn.Adam(w, nn.ExponentialDecayLR(0.01, 0.9, 2)),
}


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_training_step_is_one_graph_and_equals_the_eager_one(optimizer):
    eager, net = training_step(OPTIMIZERS[optimizer])
    expected = [float(eager(BATCH, LABELS)) for _ in range(4)]
    step, captured_net = training_step(OPTIMIZERS[optimizer])
    captured = jit(step, fullgraph=True)
    np.testing.assert_allclose([float(captured(BATCH, LABELS)) for _ in range(4)], expected, rtol=1e-5)
    assert captured.captures == 1
    for ours, theirs in zip(captured_net.get_parameters(), net.get_parameters()):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-4, atol=1e-6)


def test_capturing_changes_nothing():
    step, net = training_step(OPTIMIZERS["adam"])
    before = {p.name: p.asnumpy().copy() for p in net.get_parameters()}
    storages = [p.torch for p in net.get_parameters()]
    jit(step).graph(BATCH, LABELS)
    assert all((before[p.name] == p.asnumpy()).all() for p in net.get_parameters())
    assert all(p.torch is storage for p, storage in zip(net.get_parameters(), storages))


class TestSignatures:
    def test_shapes_dtypes_and_constants(self):
        scaled = jit(lambda x, k: x * k, fullgraph=True)
        assert scaled(X, 2).asnumpy().tolist() == (X * 2).asnumpy().tolist()
        scaled(X + 1, 2)
        assert scaled.captures == 1
        scaled(X, 3)
        scaled(X[0], 2)
        scaled(X.astype(ms.float64), 2)
        scaled(X, k=2)
        assert scaled.captures == 5
        assert scaled(X, 3).asnumpy().tolist() == (X * 3).asnumpy().tolist()

    def test_nested_arguments_and_results(self):
        def function(pair, named):
            return {"sum": pair[0] + named["z"], "rest": [pair[1], 5, (pair[0],)]}

        captured = jit(function, fullgraph=True)
        for _ in range(2):
            result = captured((X, 2), {"z": X})
            assert result["sum"].asnumpy().tolist() == (X + X).asnumpy().tolist()
            assert result["rest"][:2] == [2, 5]

    def test_training_mode_switches_between_two_graphs(self):
        net = nn.Dropout(p=0.5)
        captured = jit(lambda x: net(x), fullgraph=True)
        for _ in range(2):
            net.set_train(False)
            assert captured(X).asnumpy().tolist() == X.asnumpy().tolist()
            net.set_train(True)
            assert set(np.unique(captured(ops.ones((50,))).asnumpy())) == {0.0, 2.0}
        assert captured.captures == 2

    def test_attributes_parameters_and_set_data_are_seen(self):
        class Scaled(nn.Cell):
            def __init__(self):
                super().__init__()
                self.w = Parameter(Tensor([2.0]))
                self.k = 1.0

            def construct(self, x):
                return x * self.w * self.k

        net = Scaled()
        captured = jit(lambda x: net(x), fullgraph=True)
        one = Tensor([1.0])
        assert float(captured(one)) == 2
        net.w.set_data(Tensor([3.0]))
        assert float(captured(one)) == 3
        assert captured.captures == 1
        net.k = 10.0
        assert float(captured(one)) == 30
        net.w = Parameter(Tensor([5.0]))
        assert float(captured(one)) == 50
        net.w.set_data(Tensor([1.0, 2.0]))
        assert captured(one).asnumpy().tolist() == [10, 20]

    def test_a_replaced_object_at_the_old_ones_address_is_another(self):
        class Scaled(nn.Cell):
            def __init__(self):
                super().__init__()
                self.t = Tensor([1.0])

            def construct(self, x):
                return x * self.t

        net = Scaled()
        captured = jit(lambda x: net(x), fullgraph=True)
        for k in range(2, 12):
            captured(Tensor([1.0]))
            net.t = Tensor([float(k)])
            assert float(captured(Tensor([1.0]))) == k

    @pytest.mark.parametrize(("old", "new"), [(1, True), (1, 1.0), (0.0, -0.0)])
    def test_equal_constants_of_another_kind_are_others(self, old, new):
        net = nn.Cell()
        net.k = old
        kind = jit(lambda x: (x * 0 + 1, repr(net.k)), fullgraph=True)
        assert kind(X)[1] == repr(old)
        net.k = new
        assert kind(X)[1] == repr(new)
        of_argument = jit(lambda x, k: (x, repr(k)), fullgraph=True)
        assert [of_argument(X, k)[1] for k in (old, new)] == [repr(old), repr(new)]

    def test_a_value_that_python_read_is_a_condition(self):
        net = nn.Cell()
        net.w = w = Parameter(Tensor(2.0))
        captured = jit(lambda x: x * float(net.w), fullgraph=True)
        assert float(captured(Tensor(5.0))) == 10
        w.set_data(Tensor(3.0))
        assert float(captured(Tensor(5.0))) == 15
        assert captured.captures == 2


class TestEagerWhereItMustBe:
    def check(self, function, *args, match="runs eagerly, not as one graph"):
        captured = jit(function)
        with pytest.warns(RuntimeWarning, match=match):
            first = captured(*args)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            second = captured(*args)
        expected = function(*args)
        for result in (first, second):
            np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))
        with pytest.raises(NotOneGraph, match=r"cannot be one graph: .*test_jit.py:\d+"):
            jit(function, fullgraph=True)(*args)

    def test_numpy(self):
        self.check(lambda x: Tensor(np.sort(x.asnumpy())) + x, X)

    def test_reading_a_number(self):
        self.check(lambda x: x * float(x.max()), X)
        self.check(lambda x: x * x.max().item(), X)
        self.check(lambda x: x * x.tolist()[0][0], X)

    def test_tensors_kept_outside(self):
        kept = []

        def function(x):
            kept.append(x * 2)
            return x + 1

        captured = jit(function)
        with pytest.warns(RuntimeWarning, match="kept outside"):
            captured(X)
        assert kept[-1].asnumpy().tolist() == (X * 2).asnumpy().tolist()

    def test_errors_are_the_programs_own(self):
        def function(x):
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            jit(function)(X)
        with pytest.raises(ValueError, match="For 'matmul'"):
            jit(lambda x: ops.matmul(x, x))(X)


def test_inside_a_gradient_the_function_is_a_part():
    captured = jit(lambda x: x * x)
    assert ms.grad(captured)(Tensor([3.0])).asnumpy().tolist() == [6]
    assert ms.vmap(captured)(Tensor([3.0])).asnumpy().tolist() == [9]


def test_methods_and_cells():
    class Doubler:
        @jit
        def double(self, x):
            return x * 2

    assert Doubler().double(X).asnumpy().tolist() == (X * 2).asnumpy().tolist()
    net = nn.Dense(3, 2)
    np.testing.assert_allclose(jit(net)(X).asnumpy(), net(X).asnumpy())


def test_random_operations_draw_anew_and_follow_the_seed():
    draw = jit(lambda x: ops.dropout(x, 0.5), fullgraph=True)
    ones = ops.ones((64,))
    ms.set_seed(1)
    first, second = draw(ones).asnumpy(), draw(ones).asnumpy()
    assert (first != second).any()
    ms.set_seed(1)
    assert (draw(ones).asnumpy() == first).all()


@pytest.mark.slow
@pytest.mark.usefixtures("compiling_here")
def test_inductor_gives_the_same_numbers():
    eager, _ = training_step(OPTIMIZERS["momentum"])
    expected = [float(eager(BATCH, LABELS)) for _ in range(3)]
    captured = jit(
        training_step(OPTIMIZERS["momentum"])[0], jit_config=ms.JitConfig("O1", tiered=False), fullgraph=True
    )
    np.testing.assert_allclose([float(captured(BATCH, LABELS)) for _ in range(3)], expected, rtol=1e-5)


def test_an_argument_that_is_the_result_stays_itself_and_is_copied_among_several():
    same, several = jit(lambda x: x, fullgraph=True), jit(lambda x, y: (x, y + 1), fullgraph=True)
    for _ in range(2):
        assert same(X) is X
        found = several(X, X)[0]
        assert found is not X
        np.testing.assert_array_equal(found.asnumpy(), X.asnumpy())


def test_mistakes_that_tracing_lets_pass_are_explained():
    half = Tensor(np.ones((1, 3, 4, 4), np.float16))
    with pytest.raises(TypeError, match=r"For 'Conv2d'|For 'conv2d'"):
        jit(nn.Conv2d(3, 2, 3))(half)


class TestGraphMode:
    @pytest.fixture(autouse=True)
    def graph_mode(self):
        ms.set_context(mode=ms.GRAPH_MODE)
        yield
        ms.set_context(mode=ms.PYNATIVE_MODE)

    def test_a_training_cell_is_one_graph(self):
        ms.set_seed(1)
        net = nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer).set_train()
        losses = [float(step(BATCH, LABELS)) for _ in range(20)]
        assert losses[-1] < losses[0] * 0.8
        assert step._captured.captures == 1
        assert int(optimizer.global_step) == 20

    def test_set_grad_keeps_no_forward_pass(self):
        class Counting(nn.Cell):
            def __init__(self):
                super().__init__()
                self.runs = ms.Parameter(Tensor(0), requires_grad=False)

            def construct(self, x):
                ops.assign_add(self.runs, 1)
                return x * x

        net = Counting().set_grad()
        net(X)
        ms.grad(net)(X)
        assert int(net.runs) == 2
        assert net._record is None

    def test_copies_capture_for_themselves(self):
        import copy

        net = nn.Dense(3, 2)
        net(X)
        other = copy.deepcopy(net)
        other.weight.set_data(ops.zeros((2, 3)))
        other.bias.set_data(ops.zeros((2,)))
        assert other(X).asnumpy().tolist() == [[0, 0], [0, 0]]
        assert net(X).asnumpy().any()


def test_the_graph_can_be_read():
    text = jit(lambda x: ops.relu(x) + 1).graph(X)
    assert text.startswith("def captured(arg0_1):")
    assert "relu" in text


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"capture_mode": "x"}, ValueError, "'capture_mode'"),
        ({"jit_level": "O3"}, ValueError, "'jit_level'"),
        ({"dynamic": 2}, ValueError, "'dynamic'"),
        ({"dynamic": True}, TypeError, "'dynamic'"),
        ({"fullgraph": 1}, TypeError, "'fullgraph'"),
        ({"backend": "x"}, ValueError, "'backend'"),
        ({"wrong": 1}, RuntimeWarning, "no option 'wrong'"),
        ({"mode": "wrong"}, RuntimeWarning, "'mode' has no effect"),
        ({"jit_config": {"compile_by_trace": False}}, RuntimeWarning, "'jit_config' has no effect"),
    ],
)
def test_wrong_use(arguments, error, text):
    with pytest.raises(error, match=text):
        jit(**arguments)


def test_the_text_of_a_size_that_varies_is_its_number():
    named = ms.jit(lambda x: {f"{x.shape[0]} rows": x * 2}, dynamic=1)
    assert [list(named(ms.ops.ones((rows, 3)))) for rows in (2, 4, 4)] == [["2 rows"], ["4 rows"], ["4 rows"]]
