"""Cells as captured graphs: settings, declared inputs, capturing ahead of a call, printing from graphs."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import torchspore as ms
from torchspore import JitConfig, Tensor, nn, ops
from torchspore.common.open_shape import open_tensor

X = Tensor([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]])
ANY_BY_3 = open_tensor([None, 3], ms.float32)


class Scaled(nn.Cell):
    def construct(self, x, y=2):
        return x * y


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y


class Starred(nn.Cell):
    def construct(self, *x):
        return x[0] * 2


class Named(nn.Cell):
    def construct(self, x, **more):
        return x * 2


class ThroughNumpy(nn.Cell):
    def construct(self, x):
        return Tensor(x.asnumpy() * 2)


class Printing(nn.Cell):
    def __init__(self):
        super().__init__()
        self.print = ops.Print()

    def construct(self, x):
        self.print("x is", x, 3, [x])
        return x * 2


OUTSIDE = ms.Parameter(Tensor([1.0]))


class Changing(nn.Cell):
    """A cell that changes more than its result."""

    def __init__(self, change):
        super().__init__()
        self.weight = ms.Parameter(Tensor([2.0]))
        self.norm = nn.BatchNorm1d(3).set_train()
        self.calls = 0
        self.last = Tensor(0.0)
        self.optimizer = nn.Momentum([self.weight], 0.1, 0.9)
        self.change = change

    def construct(self, x, xs):
        self.change(self, x, xs)
        return x * self.weight

    def step(self, x):
        self.optimizer(ms.grad(lambda x: (x * self.weight).sum(), None, [self.weight])(x))


CHANGES = {
    "a parameter": lambda cell, x, xs: cell.weight.add_(1),
    "a part of a parameter": lambda cell, x, xs: cell.weight[:1].mul_(3),
    "a value that is set": lambda cell, x, xs: cell.weight.set_data(x[0, :1]),
    "statistics": lambda cell, x, xs: cell.norm(x),
    "an argument": lambda cell, x, xs: x.add_(1),
    "a tensor outside": lambda cell, x, xs: OUTSIDE.view(1, 1).add_(1),
    "an attribute": lambda cell, x, xs: setattr(cell, "last", x.sum()),
    "random numbers": lambda cell, x, xs: cell.weight.set_data(ops.dropout(x, 0.5)[0, :1]),
    "a step": lambda cell, x, xs: cell.step(x),
    "prints": lambda cell, x, xs: print(x, cell.weight),
}


def _state(cell, x, xs):
    parts = [*cell.get_parameters(), *cell.optimizer.get_parameters(), cell.last, x, *xs, OUTSIDE]
    return [part.asnumpy().tolist() for part in parts], cell.calls, ms.get_rng_state().asnumpy().tolist()


@pytest.fixture(autouse=True)
def _as_before():
    OUTSIDE.set_data(Tensor([1.0]))
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_level="", jit_config={}, jit_syntax_level=ms.LAX)


class TestSettings:
    @pytest.mark.parametrize(
        ("context", "config", "expected"),
        [
            ({}, None, ("O0", True, False)),
            ({"jit_level": "O1"}, None, ("O1", True, False)),
            ({"jit_level": "O1"}, JitConfig(), ("O1", True, False)),
            ({"jit_level": "O1"}, JitConfig("O2"), ("O2", True, False)),
            ({"jit_config": {"jit_level": "O1", "tiered": False}}, None, ("O1", False, False)),
            ({"jit_config": {"jit_level": "O1", "tiered": False}}, JitConfig("O2"), ("O2", False, False)),
            ({"jit_config": {"jit_level": "O1", "tiered": False}}, JitConfig(tiered=True), ("O1", True, False)),
            ({"jit_config": {"fullgraph": True}}, None, ("O0", True, True)),
            ({"jit_syntax_level": ms.STRICT}, None, ("O0", True, True)),
            ({"jit_syntax_level": ms.STRICT}, JitConfig(jit_syntax_level="LAX"), ("O0", True, False)),
            ({}, JitConfig(jit_syntax_level="STRICT"), ("O0", True, True)),
            ({}, JitConfig("O1", tiered=False, fullgraph=True), ("O1", False, True)),
        ],
    )
    @pytest.mark.parametrize("first", ["context", "cell", "graphs"])
    def test_what_holds(self, context, config, expected, first):
        net = nn.ReLU()
        if first == "context":
            ms.set_context(**context)
        elif first == "graphs":
            net.compile(X)
        if config is not None:
            net.set_jit_config(config)
        ms.set_context(**context)
        assert (net._captured.level, net._captured.tiered, net._captured.strict) == expected
        assert net.jit_config_dict == ({} if config is None else config.jit_config_dict)

    def test_the_last_configuration_holds(self):
        net = Scaled()
        net.set_jit_config(JitConfig("O1"))
        net.set_jit_config(JitConfig("O0", fullgraph=True))
        assert net.jit_config_dict["jit_level"] == "O0"
        assert np.array_equal(net.compile_and_run(X).asnumpy(), X.asnumpy() * 2)

    def test_a_strict_cell_is_one_graph_or_an_error(self):
        ms.set_context(mode=ms.GRAPH_MODE)
        net = ThroughNumpy()
        with pytest.warns(RuntimeWarning, match="runs eagerly"):
            assert np.array_equal(net(X).asnumpy(), X.asnumpy() * 2)
        net.set_jit_config(JitConfig(jit_syntax_level="STRICT"))
        with pytest.raises(RuntimeError, match="cannot be one graph"):
            net(X)

    def test_copies_keep_the_configuration(self):
        net = Scaled()
        net.set_jit_config(JitConfig("O1"))
        net.set_inputs(ANY_BY_3)
        net.compile(X)
        for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
            assert other.jit_config_dict == net.jit_config_dict
            assert other.get_inputs()[0].shape == (-1, 3)
            assert (other._captured.level, other._captured.captures) == ("O1", 0)

    @pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
    def test_inputs_of_any_number(self, mode):
        class Total(nn.Cell):
            def construct(self, values):
                return sum(values[1:], values[0])

        ms.set_context(mode=mode)
        net = Total()
        net.set_inputs(ms.mutable([Tensor(shape=[None, 3], dtype=ms.float32)], True))
        for count in (3, 1, 4):
            values = ms.mutable([X] * count, True)
            assert np.array_equal(net(values).asnumpy(), X.asnumpy() * count)

    def test_settings_in_a_dictionary(self):
        net = nn.ReLU()
        net.set_jit_config({"jit_level": "O1"})
        assert net.jit_config_dict["jit_level"] == "O1"

    @pytest.mark.parametrize("config", [None, "O1", JitConfig])
    def test_errors(self, config):
        with pytest.raises(TypeError, match="For 'set_jit_config', 'jit_config' must be a JitConfig"):
            nn.ReLU().set_jit_config(config)

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("get_func_graph_proto", "shows the graph"),
            ("phase_cache", "'compile' captures"),
        ],
    )
    def test_what_serves_the_compiler_only(self, name, words):
        net = nn.ReLU()
        with pytest.raises(AttributeError, match=f"no attribute '{name}'. It serves MindSpore's compiler; .*{words}"):
            getattr(net, name)
        setattr(net, name, 3)  # a name like any other
        assert getattr(net, name) == 3


class TestSetInputs:
    @pytest.mark.parametrize(
        ("cell", "inputs", "named", "given"),
        [
            (Scaled, (ANY_BY_3,), {}, (ANY_BY_3,)),
            (Scaled, (ANY_BY_3, 2), {}, (ANY_BY_3, 2)),
            (Product, (X, [X, None]), {}, (X, [X, None])),
            (Product, (), {"y": ANY_BY_3}, {"y": ANY_BY_3}),
            (Starred, (X, X, X), {}, (X, X, X)),
            (Starred, (), {}, ()),
            (Named, (X,), {}, (X,)),
        ],
    )
    def test_given_back(self, cell, inputs, named, given):
        net = cell()
        assert net.get_inputs() is None
        assert net.set_inputs(*inputs, **named) is None
        assert net.get_inputs() == given

    def test_the_last_declaration_holds(self):
        net = Product()
        net.set_inputs(X, X)
        net.set_inputs(y=ANY_BY_3)
        assert net.get_inputs() == {"y": ANY_BY_3}

    @pytest.mark.parametrize(
        ("cell", "inputs", "named", "error", "words"),
        [
            (Scaled, (), {}, TypeError, "missing a required argument: 'x'"),
            (Scaled, (X,), {"y": X}, ValueError, "not both"),
            (Scaled, (), {"z": X}, ValueError, "the inputs are x, y, but got z"),
            (Starred, (), {"x": X}, TypeError, "have no names"),
            (Named, (), {"x": X}, TypeError, "have no names"),
            (Scaled, (np.ones(3),), {}, TypeError, "but got numpy.ndarray"),
        ],
    )
    def test_errors(self, cell, inputs, named, error, words):
        net = cell()
        with pytest.raises(error, match=f"For '{cell.__name__}.set_inputs', .*{words}"):
            net.set_inputs(*inputs, **named)
        assert net.get_inputs() is None

    @pytest.mark.parametrize("run", [lambda net, *x: net(*x), lambda net, *x: net.compile_and_run(*x)])
    def test_calls_are_checked_in_graphs(self, run):
        ms.set_context(mode=ms.GRAPH_MODE)
        net = Product()
        net.set_inputs(ANY_BY_3, 2)
        for x in (X, X[:1], Tensor(np.ones((5, 3), np.float32))):
            assert np.array_equal(run(net, x, 2).asnumpy(), x.asnumpy() * 2)
        for wrong, error in [
            ((X[:, :2], 2), ValueError),
            ((X[0], 2), ValueError),
            ((X, 3), ValueError),
            ((X.astype(ms.float64), 2), TypeError),
            ((X, X), TypeError),
        ]:
            with pytest.raises(error, match=r"For 'Product.*', the input '[xy]' must"):
                run(net, *wrong)

    def test_calls_outside_graphs_are_free(self):
        net = Product()
        net.set_inputs(ANY_BY_3, 2)
        assert np.array_equal(net(X[:, :2], 3).asnumpy(), X[:, :2].asnumpy() * 3)


class TestCompile:
    @pytest.mark.parametrize("kwargs", [{}, {"y": X}, {"y": 3}])
    def test_capturing_ahead(self, kwargs):
        net = Scaled()
        assert net.compile(X, **kwargs) is None
        assert net._captured.captures == 1
        expected = X.asnumpy() * {"y": 2, **kwargs}["y"]
        assert np.array_equal(net.compile_and_run(X, **kwargs).asnumpy(), expected)
        ms.set_context(mode=ms.GRAPH_MODE)
        assert np.array_equal(net(X, **kwargs).asnumpy(), expected)
        assert net._captured.captures == 1

    def test_nothing_runs(self):
        class Counting(nn.Cell):
            def __init__(self):
                super().__init__()
                self.calls = ms.Parameter(Tensor(0.0), requires_grad=False)

            def construct(self, x):
                ops.assign_add(self.calls, Tensor(1.0))
                return x

        net = Counting()
        net.compile(X)
        assert float(net.calls) == 0
        net.compile_and_run(X)
        assert float(net.calls) == 1

    @pytest.mark.parametrize("change", CHANGES)
    def test_nothing_changes(self, change, capsys):
        cell = Changing(CHANGES[change])
        x, xs = X.copy(), [X]
        state = _state(cell, x, xs)
        cell.compile(x, xs)
        assert cell._captured.captures == 1
        assert _state(cell, x, xs) == state
        assert capsys.readouterr().out == ""
        ms.set_context(mode=ms.GRAPH_MODE)
        ms.set_seed(3)
        ran = cell(x, xs).asnumpy(), _state(cell, x, xs), capsys.readouterr().out
        assert cell._captured.captures == 1
        other, x, xs = Changing(CHANGES[change]), X.copy(), [X]
        ms.set_context(mode=ms.PYNATIVE_MODE)
        ms.set_seed(3)
        OUTSIDE.set_data(Tensor([1.0]))
        assert np.array_equal(other(x, xs).asnumpy(), ran[0])
        assert (_state(other, x, xs), capsys.readouterr().out) == ran[1:]

    def test_an_error_of_the_program_changes_nothing(self):
        net = Changing(lambda cell, x, xs: (cell.weight.add_(1), x @ x))
        with pytest.raises(ValueError, match="matmul"):
            net.compile(X, [])
        assert float(net.weight) == 2

    def test_it_loads_no_compiler(self):
        program = """
            import sys
            import torchspore as ms
            cell = ms.nn.Dense(3, 2)
            cell.compile(ms.ops.ones((2, 3)))
            print(cell._captured.captures, "sympy" in sys.modules, "torch._dynamo" in sys.modules)
        """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
        assert done.stdout.split() == ["1", "False", "False"], done.stderr

    @pytest.mark.parametrize("method", ["compile", "compile_and_run"])
    @pytest.mark.parametrize(
        ("args", "kwargs", "words"),
        [
            ((), {}, "missing a required argument: 'x'"),
            ((X,), {}, "missing a required argument: 'y'"),
            ((X, X, X), {}, "too many positional arguments"),
            ((X,), {"z": X}, "'y'|'z'"),
            ((X, X), {"x": X}, "multiple values for argument 'x'"),
            ((ANY_BY_3,), {}, "missing a required argument: 'y'"),
        ],
    )
    def test_errors(self, method, args, kwargs, words):
        with pytest.raises(TypeError, match=words):
            getattr(Product(), method)(*args, **kwargs)

    def test_inputs_with_open_sizes(self):
        net = Scaled()
        net.set_inputs(ANY_BY_3, X)
        net.compile(ANY_BY_3, X)
        assert net._captured.captures == 0
        assert np.array_equal(net.compile_and_run(X, X).asnumpy(), X.asnumpy() ** 2)
        with pytest.raises(TypeError, match="has no elements"):
            net.compile_and_run(ANY_BY_3, X)

    @pytest.mark.parametrize("method", ["compile", "compile_and_run"])
    def test_declared_inputs(self, method):
        net = Product()
        net.set_inputs(ANY_BY_3, X)
        getattr(net, method)(X, X)
        with pytest.raises(ValueError, match=f"For 'Product.{method}', the input 'x' must have the size 3"):
            getattr(net, method)(X[:, :2], X)

    def test_a_cell_without_construct(self):
        with pytest.raises(AttributeError, match="'construct' is not defined"):
            nn.Cell().compile(X)


class TestPrint:
    @pytest.mark.parametrize(
        ("parts", "text"),
        [
            ((), ""),
            (("x:", X[1]), "x:\n{}\n"),
            (("a", "", "b"), "a\n\nb\n"),
            ((1, 2.5, True, None), "1\n2.5\nTrue\nNone\n"),
            ((Tensor(3), Tensor([True])), "Tensor(shape=[], dtype=Int64, value= 3)\n"
             "Tensor(shape=[1], dtype=Bool, value= [ True])\n"),
            (((1, ("a", X[1])),), "(1, ('a', {}))\n"),
            (({"k": X[1]}, [X[1]]), "{{'k': {0}}}\n[{0}]\n"),
            ((ms.Parameter(X[1], name="w"),), "{}\n"),
            ((ms.float32,), "Float32\n"),
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("run", [lambda *parts: ops.Print()(*parts), ops.print_], ids=["Print", "print_"])
    def test_as_mindspore(self, capsys, run, parts, text):
        shown = "Tensor(shape=[3], dtype=Float32, value= [ 5.00000000e-01,  2.50000000e-01, -1.00000000e+00])"
        assert run(*parts) is None
        assert capsys.readouterr().out == (text.format(shown) if "{" in text else text)

    @pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
    @pytest.mark.parametrize("around", [lambda f: f, ms.grad, ms.value_and_grad], ids=["call", "grad", "both"])
    def test_each_run_prints_its_values(self, capsys, mode, around):
        ms.set_context(mode=mode)
        run = around(Printing())
        for k in (1, 2, 3):
            run(X * k)
            assert capsys.readouterr().out == f"x is\n{X * k!r}\n3\n[{X * k!r}]\n"

    def test_parameters_have_the_values_of_the_run(self, capsys):
        class Counting(nn.Cell):
            def __init__(self):
                super().__init__()
                self.calls = ms.Parameter(Tensor([1.0]), requires_grad=False)

            def construct(self):
                ops.print_("before:", self.calls)
                ops.assign_add(self.calls, Tensor([1.0]))
                return self.calls * 1

        net = Counting()
        for k in (1.0, 2.0, 3.0):
            net.compile_and_run()
            assert capsys.readouterr().out == f"before:\n{Tensor([k])!r}\n"
        assert net._captured.captures == 1


class TestPhaseAndScope:
    def test_phase(self):
        net = nn.SequentialCell(nn.ReLU())
        assert (net.phase, net[0].phase) == ("train", "train")
        net.set_train(False)
        assert (net.phase, net[0].phase) == ("predict", "train")
        net.set_train()
        assert net.phase == "train"
        net.phase = "export"
        assert (net.phase, copy.deepcopy(net).phase) == ("export", "export")
        with pytest.raises(TypeError, match="'phase' must be a string, but got 3"):
            net.phase = 3

    def test_a_graph_depends_on_the_phase(self):
        class Net(nn.Cell):
            def construct(self, x):
                return x * 2 if self.phase == "train" else x

        ms.set_context(mode=ms.GRAPH_MODE)
        net = Net()
        found = []
        for phase in ("train", "predict", "train"):
            net.phase = phase
            found.append(float(net(Tensor(3.0))))
        assert found == [6, 3, 6]

    def test_the_scopes_of_a_captured_network(self):
        class Net(nn.Cell):
            def __init__(self):
                super().__init__()
                self.body = nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())

            def construct(self, x):
                return self.body(x)

        net = Net()
        net(X)
        assert [cell.get_scope() for _, cell in net.cells_and_names()] == [None] * 4
        ms.set_context(mode=ms.GRAPH_MODE)
        net(X)
        expected = [
            None,
            "Default/body-SequentialCell",
            *["Default/body-SequentialCell/" + n for n in ("0-Dense", "1-ReLU")],
        ]
        assert [cell.get_scope() for _, cell in net.cells_and_names()] == expected

    def test_recomputed_cells(self):
        net = nn.SequentialCell(nn.Dense(3, 2), nn.SequentialCell(nn.ReLU()))
        for _ in range(2):
            net[1].recompute()
        assert [cell.get_scope() for _, cell in net.cells_and_names()] == [None, None, "recompute_", "recompute_"]
        net.generate_scope()
        scopes = ["Default/0-Dense", *[f"recompute_Default/1-SequentialCell{end}" for end in ("", "/0-ReLU")]]
        assert [cell.get_scope() for _, cell in net.cells_and_names()] == [None, *scopes]
        assert (net.get_flags(), net[1].get_flags()) == ({}, {"output_recompute": False})
        net.recompute(output_recompute=True)
        scopes = ["recompute_", "recompute_Default/0-Dense", *scopes[1:]]
        assert [cell.get_scope() for _, cell in net.cells_and_names()] == scopes
        assert net.get_flags() == {"output_recompute": True}

    @pytest.mark.parametrize("name", ["_scope", "_phase", "phase"])
    def test_their_names_are_no_keys(self, name):
        with pytest.raises(KeyError, match=name):
            nn.CellDict({name: nn.ReLU()})


class SetsWeight(nn.Cell):
    def __init__(self, weight, value):
        super().__init__()
        self.weight = ms.Parameter(weight, name="weight")
        self.value = value

    def construct(self, x):
        self.weight = self.value
        return x + self.weight


@pytest.mark.parametrize("captures", ["GRAPH_MODE", "jit", "eager in jit"])
class TestNumbersAsParameters:
    def run(self, net, captures):
        if captures == "GRAPH_MODE":
            ms.set_context(mode=ms.GRAPH_MODE)
            return net(X)
        if captures == "jit":
            return ms.jit(net)(X)
        with pytest.warns(RuntimeWarning, match="runs eagerly"):
            return ms.jit(lambda x: net(Tensor(x.asnumpy())))(X)

    # Recorded: MindSpore assigns the number in a graph.
    @pytest.mark.parametrize(
        ("weight", "value", "expected"),
        [(Tensor(0, ms.int32), 2, 2), (Tensor(0.5), 2, 2), (0.5, 2.5, 2.5), (3, True, 1), (Tensor(0.5), True, 1)],
    )
    def test_a_number_is_assigned(self, captures, weight, value, expected):
        net = SetsWeight(weight, value)
        dtype = net.weight.dtype
        assert np.array_equal(self.run(net, captures).asnumpy(), X.asnumpy() + expected)
        assert (net.weight.asnumpy(), net.weight.dtype, net.weight.name) == (expected, dtype, "weight")

    @pytest.mark.parametrize(
        ("weight", "value", "kind"),
        [(Tensor(0, ms.int32), 2.5, TypeError), (Tensor([1.0, 2.0]), 2, ValueError), (Tensor([0.5]), 2, ValueError)],
    )
    def test_a_number_that_does_not_fit(self, captures, weight, value, kind):
        if captures != "eager in jit":
            with pytest.raises(kind, match="For 'assign'"):
                self.run(SetsWeight(weight, value), captures)


def test_outside_of_graphs_a_parameter_takes_no_number():
    with pytest.raises(TypeError, match="'weight' is a parameter"):
        SetsWeight(Tensor(0.5), 2)(X)


class Sums(nn.Cell):
    def construct(self, x, dtype=ms.float32, keepdims=False):
        return x.astype(dtype).sum(0, keepdims=keepdims)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
class TestDeclarations:
    @pytest.mark.parametrize(
        "described", [lambda: Tensor(None, ms.float32), lambda: Tensor(None, dtype=ms.float32),
                      lambda: Tensor(shape=None, dtype=ms.float32), lambda: Tensor(dtype=ms.float32)]
    )  # fmt: skip
    def test_inputs_of_any_shape(self, mode, described):
        ms.set_context(mode=mode)
        assert (described().shape, repr(described())) == ((-2,), "Tensor(shape=[-2], dtype=Float32, value= )")
        net = Scaled()
        net.set_inputs(described(), 3)
        for x in (X, X[0], X[0, 0], X.reshape(1, 1, *X.shape)):
            assert np.array_equal(net(x, 3).asnumpy(), x.asnumpy() * 3)

    def test_data_types(self, mode):
        ms.set_context(mode=mode)
        net = Sums()
        net.set_inputs(ANY_BY_3, ms.int32, False)
        assert net(X, ms.int32, False).dtype == ms.int64
        if mode == ms.GRAPH_MODE:
            with pytest.raises(ValueError, match=r"the input 'dtype' must be .*int32"):
                net(X, ms.float16, False)

    def test_mutable_bools(self, mode):
        ms.set_context(mode=mode)
        net = Sums()
        net.set_inputs(ANY_BY_3, ms.float32, ms.mutable(False))
        assert net(X, ms.float32, ms.mutable(False)).ndim == 1
        assert net(X, ms.float32, ms.mutable(True)).ndim == 2


def test_a_schedule_in_a_graph():
    parameter = ms.Parameter(Tensor([1.0]), name="p")
    optimizer = ms.experimental.optim.SGD([parameter], lr=0.1)
    schedule = ms.experimental.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)

    class Step(nn.Cell):
        def construct(self):
            schedule.step()
            return schedule.get_last_lr()

    ms.set_context(mode=ms.GRAPH_MODE)
    step = Step()
    assert [round(float(step()[0]), 4) for _ in range(3)] == [0.05, 0.025, 0.0125]
