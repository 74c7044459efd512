"""The options of graphs: levels, configurations, inputs that may vary, decorators for MindSpore's compiler."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import torchspore as ms
from torchspore import JitConfig, Symbol, Tensor, nn, ops
from torchspore.common.open_shape import is_open, open_tensor
from torchspore.engine.arguments.mutable import Mutable
from torchspore.engine.capture import branching
from torchspore.engine.capture.compiling.generated_python import python_function
from torchspore.engine.dynamic import hint_of

X = Tensor([[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]])
ANY_BY_3 = open_tensor([None, 3], ms.float32)
ITSELF: list = []
ITSELF.append(ITSELF)


@pytest.fixture(autouse=True)
def _as_before():
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE, jit_level="", jit_config={}, jit_syntax_level=ms.LAX)


def double(x):
    return x * 2


def scaled(x, k=2):
    return x * k


def through_numpy(x):
    return Tensor(x.asnumpy() * 2)


def ones(*sizes):
    """Return a float32 tensor of ones."""
    return Tensor(np.ones(sizes, np.float32))


class TestJitConfig:
    @pytest.mark.parametrize(
        ("options", "settings"),
        [
            ({}, {}),
            ({"jit_level": "O1"}, {"level": "O1"}),
            ({"jit_level": "O1", "tiered": False}, {"level": "O1", "tiered": False}),
            ({"jit_level": "O2", "tiered": True}, {"level": "O2", "tiered": True}),
            ({"tiered": True}, {"tiered": True}),
            ({"fullgraph": True}, {"strict": True}),
            ({"jit_syntax_level": "STRICT"}, {"strict": True}),
            ({"jit_syntax_level": "LAX"}, {"strict": False}),
            ({"jit_syntax_level": "COMPATIBLE"}, {"strict": False}),
            ({"backend": "GE"}, {}),
            ({"exc_mode": "sink", "debug_level": "DEBUG", "infer_boost": "on", "exec_order": "dfs"}, {}),
        ],
    )
    def test_what_it_says(self, options, settings):
        config = JitConfig(**options)
        assert config.settings() == settings
        assert options.items() <= config.jit_config_dict.items()
        assert all(f"{name}={value!r}" in repr(config) for name, value in options.items())

    def test_arguments_in_their_order(self):
        names = ["jit_level", "exc_mode", "jit_syntax_level", "debug_level", "infer_boost"]
        given = ["O1", "no_sink", "LAX", "DEBUG", "on"]
        assert [JitConfig(*given).jit_config_dict[name] for name in names] == given
        assert [JitConfig().jit_config_dict[name] for name in names] == ["", "auto", "", "RELEASE", "off"]

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"jit_level": "O3"}, ValueError, "'jit_level' must be one of"),
            ({"jit_level": None}, ValueError, "'jit_level'"),
            ({"jit_level": 0}, ValueError, "'jit_level'"),
            ({"exc_mode": "x"}, ValueError, "'exc_mode'"),
            ({"exc_mode": 1}, ValueError, "'exc_mode'"),
            ({"jit_syntax_level": 2}, ValueError, "'jit_syntax_level'"),
            ({"debug_level": ""}, ValueError, "'debug_level'"),
            ({"infer_boost": "x"}, ValueError, "'infer_boost'"),
            ({"auto_offload": "some"}, ValueError, "'auto_offload'"),
            ({"disable_format_transform": 1}, TypeError, "'disable_format_transform'"),
            ({"tiered": 1}, TypeError, "'tiered'"),
            ({"foo": 1}, RuntimeWarning, "no option 'foo'"),
        ],
    )
    def test_errors(self, options, error, words):
        with pytest.raises(error, match=f"For 'JitConfig', .*{words}"):
            JitConfig(**options)


class TestLevels:
    """What a function or cell was given, else the context's, else O0."""

    @pytest.mark.parametrize(
        ("context", "given", "level"),
        [
            ({}, {}, "O0"),
            ({"jit_level": "O1"}, {}, "O1"),
            ({"jit_config": {"jit_level": "O2"}}, {}, "O2"),
            ({"jit_level": "O1", "jit_config": {"jit_level": "O2"}}, {}, "O1"),
            ({"jit_level": "O1"}, {"jit_level": "O0"}, "O0"),
            ({"jit_level": "O1"}, {"jit_config": JitConfig("O2")}, "O2"),
            ({"jit_level": "O1"}, {"jit_config": JitConfig("O2"), "jit_level": "O0"}, "O0"),
            ({"jit_level": "O1"}, {"jit_config": JitConfig()}, "O1"),
        ],
    )
    @pytest.mark.parametrize("when", ["before", "after"])
    def test_order(self, context, given, level, when):
        if when == "before":
            ms.set_context(**context)
        captured = ms.jit(double, **given)
        ms.set_context(**context)
        assert captured.level == level

    @pytest.mark.parametrize(
        ("context", "given", "strict"),
        [
            ({"jit_syntax_level": ms.STRICT}, {}, False),  # as in MindSpore, for cells only
            ({}, {"fullgraph": True}, True),
            ({}, {"jit_config": JitConfig(fullgraph=True)}, True),
            ({}, {"jit_config": JitConfig(jit_syntax_level="STRICT")}, True),
            ({}, {"jit_config": JitConfig(jit_syntax_level="LAX"), "fullgraph": True}, True),
        ],
    )
    def test_strictness(self, context, given, strict):
        ms.set_context(**context)
        captured = ms.jit(through_numpy, **given)
        if strict:
            with pytest.raises(RuntimeError, match="cannot be one graph"):
                captured(X)
        else:
            with pytest.warns(RuntimeWarning, match="runs eagerly"):
                assert np.array_equal(captured(X).asnumpy(), X.asnumpy() * 2)

    def test_tiers(self):
        captured = ms.jit(double)
        assert captured.tiered
        ms.set_context(deterministic="ON")
        try:
            assert not captured.tiered
            assert ms.jit(double, jit_config=JitConfig("O1", tiered=True)).tiered
        finally:
            ms.set_context(deterministic="OFF")
        ms.set_context(jit_config={"jit_level": "O1", "tiered": False})
        assert not captured.tiered
        assert ms.jit(double, jit_config=JitConfig("O1", tiered=True)).tiered
        assert not ms.jit(double, jit_level="O1", jit_config=JitConfig("O2")).tiered

    def test_the_context_tells_what_it_holds(self):
        assert ms.get_context("jit_level") == ""
        ms.set_context(jit_config={"jit_level": "O1"})
        assert (ms.get_context("jit_level"), ms.get_context("jit_config")) == ("O1", {"jit_level": "O1"})
        ms.set_context(jit_level="O2")
        assert ms.get_context("jit_level") == "O2"
        assert (ms.STRICT, ms.COMPATIBLE, ms.LAX) == (0, 1, 2)

    def test_a_level_holds_for_what_is_captured_afterwards(self, monkeypatch):
        levels = []

        def executable(module, level, *inputs, **options):
            levels.append(level)
            return python_function(module.graph)

        def at_once(graph):
            levels.append("O0")
            return python_function(graph)

        monkeypatch.setattr(branching, "executable", executable)
        monkeypatch.setattr(branching, "python_function", at_once)
        captured = ms.jit(double, fullgraph=True)
        captured(X)
        ms.set_context(jit_level="O1")
        captured(X)
        captured(X[0])
        assert levels == ["O0", "O1"]

    @pytest.mark.parametrize(
        ("context", "error", "words"),
        [
            ({"jit_level": "O3"}, ValueError, "'jit_level' must be one of"),
            ({"jit_level": 0}, TypeError, "'jit_level' must be one of"),
            ({"jit_config": 3}, TypeError, "'jit_config' must be a dict"),
            ({"jit_config": JitConfig()}, TypeError, "'jit_config' must be a dict"),
            ({"jit_config": {"jit_level": "O5"}}, ValueError, "'jit_level' must be one of"),
            ({"jit_config": {"exc_mode": "sink"}}, ValueError, "keys of 'jit_config'"),
            ({"jit_syntax_level": 3}, ValueError, "'jit_syntax_level' must be one of"),
            ({"jit_syntax_level": "STRICT"}, TypeError, "'jit_syntax_level' must be one of"),
        ],
    )
    def test_errors_change_nothing(self, context, error, words):
        before = {name: ms.get_context(name) for name in context}
        with pytest.raises(error, match=words):
            ms.set_context(**context)
        assert {name: ms.get_context(name) for name in context} == before
        assert ms.jit(double).level == "O0"


class TestJit:
    @pytest.mark.parametrize(
        "options",
        [
            {"capture_mode": "bytecode"},
            {"capture_mode": "trace", "backend": "ms_backend"},
            {"auto_offload": "weight", "disable_format_transform": True, "exec_order": "bfs", "infer_boost": "on"},
            {"mode": "PIJit"},
            {"mode": "PSJit", "input_signature": X, "hash_args": 1, "compile_once": True},
        ],
    )
    def test_arguments_without_effect(self, options):
        captured = ms.jit(**options)(double)
        assert np.array_equal(captured(X).asnumpy(), X.asnumpy() * 2)
        assert captured.captures == 1

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"jit_level": ""}, ValueError, "'jit_level' must be one of"),
            ({"jit_config": "O1"}, RuntimeWarning, "'jit_config' has no effect: it is not a JitConfig"),
            ({"jit_config": {"jit_level": "O1"}}, RuntimeWarning, "'jit_config' has no effect"),
            ({"dynamic": True}, TypeError, "'dynamic' must be an int"),
            ({"dynamic": "1"}, TypeError, "'dynamic' must be an int"),
            ({"dynamic": -1}, ValueError, "'dynamic' must be >= 0"),
            ({"exec_order": "x"}, ValueError, "'exec_order' must be one of"),
            ({"fun": double}, RuntimeWarning, "no option 'fun'"),
        ],
    )
    def test_errors(self, options, error, words):
        with pytest.raises(error, match=f"For 'jit', {words}|For 'jit', there is {words}"):
            ms.jit(**options)


class TestMarks:
    def test_classes(self):
        class Scale:
            factor = 3

        assert ms.jit_class(Scale) is Scale
        assert Scale.__ms_class__ is True
        scale = Scale()
        assert np.array_equal(ms.jit(lambda x: x * scale.factor, fullgraph=True)(X).asnumpy(), X.asnumpy() * 3)

    @pytest.mark.parametrize("thing", [nn.ReLU, nn.Cell, double, None, 3, int])
    def test_what_is_no_class_of_ones_own(self, thing):
        with pytest.raises(TypeError):
            ms.jit_class(thing)

    @pytest.mark.parametrize(
        "options", [{}, {"attrs": "width"}, {"attrs": ["width", "depth"]}, {"policy": "front"}, {"policy": None}]
    )
    def test_lazy_inline(self, options):
        class Block(nn.Cell):
            @ms.lazy_inline(**options)
            def __init__(self, width, depth=1):
                super().__init__()
                self.given = (width, depth)

        assert Block(3).given == (3, 1)

    @pytest.mark.parametrize(
        ("call", "error", "words"),
        [
            (lambda: ms.lazy_inline(double), ValueError, "must be the '__init__' of a cell, but got 'double'"),
            (lambda: ms.lazy_inline(nn.ReLU), ValueError, "must be the '__init__' of a cell, but got 'ReLU'"),
            (lambda: ms.lazy_inline(3), TypeError, "must be the '__init__' of a cell"),
            (lambda: ms.lazy_inline(attrs=("a",)), ValueError, "'attrs' must be a name or a list of names"),
            (lambda: ms.lazy_inline(attrs=[3]), ValueError, "'attrs'"),
            (lambda: ms.lazy_inline(attrs=3), ValueError, "'attrs'"),
            (lambda: ms.lazy_inline(policy="back"), ValueError, "'policy' must be None or 'front'"),
            (lambda: ms.no_inline(3), TypeError, "'fn' must be a function"),
            (lambda: ms.set_recursion_limit(0), ValueError, "'recursion_limit' must be > 0"),
            (lambda: ms.set_recursion_limit(True), TypeError, "'recursion_limit' must be an int"),
            (lambda: ms.set_recursion_limit(1.5), TypeError, "'recursion_limit' must be an int"),
        ],
    )
    def test_errors(self, call, error, words):
        with pytest.raises(error, match=words):
            call()

    def test_what_changes_nothing(self):
        assert ms.no_inline(double) is double
        assert ms.no_inline()(double) is double
        assert ms.set_recursion_limit(2000) is None
        assert ms.constexpr(double) is double


class TestMutable:
    @pytest.mark.parametrize(
        "value", [3, -1.5, True, False, (1, 2.0), [1, (2, [3])], {"a": 1, 2: {"b": 2.5}}, (), (X, 2), {"x": X}]
    )
    def test_the_value_with_a_mark(self, value):
        marked = ms.mutable(value)
        assert isinstance(marked, Mutable)
        assert not marked.dynamic_len
        assert repr(marked) == repr(value)
        assert isinstance(marked, int if isinstance(value, bool) else type(value))
        for again in (copy.copy(marked), copy.deepcopy(marked), pickle.loads(pickle.dumps(marked)), ms.mutable(marked)):
            assert type(again) is type(marked)
            assert repr(again) == repr(value)

    def test_tensors_are_inputs_anyway(self):
        weight = ms.Parameter(X)
        assert ms.mutable(X) is X
        assert ms.mutable(weight) is weight

    @pytest.mark.parametrize("value", [(1, 2), [X, X + 1], (), ((1, 2), (3, 4)), ({"a": 1}, {"a": 2})])
    def test_lengths_that_vary(self, value):
        marked = ms.mutable(value, dynamic_len=True)
        assert marked.dynamic_len
        assert repr(marked) == repr(value)

    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            ((None,), TypeError, "'input_data' must be a Tensor, an int"),
            (("a",), TypeError, "'input_data'"),
            ((1j,), TypeError, "'input_data'"),
            (((1, "a"),), TypeError, "'input_data'"),
            (({"a": (1, None)},), TypeError, "'input_data'"),
            ((np.ones(2),), TypeError, "'input_data'"),
            ((double,), TypeError, "'input_data'"),
            ((ITSELF,), TypeError, "without itself inside"),
            (((1, 2), 1), TypeError, "'dynamic_len' must be a bool"),
            ((1, True), TypeError, "with dynamic_len=True 'input_data' must be a tuple or list"),
            ((X, True), TypeError, "with dynamic_len=True"),
            (({"a": 1}, True), TypeError, "with dynamic_len=True"),
        ],
    )
    def test_errors(self, arguments, error, words):
        with pytest.raises(error, match=f"For 'mutable', .*{words}"):
            ms.mutable(*arguments)

    @pytest.mark.parametrize("value", [3, 2.5, True, 0])
    @pytest.mark.parametrize("run", [scaled, ms.jit(scaled)], ids=["eager", "captured"])
    def test_as_an_operand(self, run, value):
        expected = run(X, value)
        found = run(X, ms.mutable(value))
        assert found.dtype == expected.dtype
        assert np.array_equal(found.asnumpy(), expected.asnumpy())

    def test_in_sequences_of_arguments(self):
        reshape = ms.jit(lambda x, shape: x.reshape(shape))
        assert reshape(X, ms.mutable((3, 2))).shape == (3, 2)
        twice = ms.jit(lambda d: d["x"] * 2 + d["k"])
        assert np.array_equal(twice(ms.mutable({"x": X, "k": 1})).asnumpy(), X.asnumpy() * 2 + 1)

    def test_gradients_of_a_tuple(self):
        y = X + 1
        gradients = ms.grad(lambda pair: pair[0] * pair[1])(ms.mutable((X, y)))
        assert [np.array_equal(g.asnumpy(), e.asnumpy()) for g, e in zip(gradients, (y, X))] == [True, True]


class TestSymbols:
    @pytest.mark.parametrize(
        ("options", "accepted", "refused"),
        [
            ({}, [1, 7], [0]),
            ({"max": 8}, [1, 8], [9]),
            ({"max": 8, "min": 4}, [4, 8], [3, 9]),
            ({"max": 2, "min": 8}, [8, 9], [7]),  # no limit, as documented
            ({"divisor": 8}, [8, 16], [0, 9]),
            ({"divisor": 8, "remainder": 1}, [9, 17], [1, 8]),
        ],
    )
    def test_sizes(self, options, accepted, refused):
        symbol = Symbol(**options)
        assert [symbol.refuses(size) for size in accepted] == [""] * len(accepted)
        assert all(symbol.refuses(size) for size in refused)
        assert repr(symbol) == f"Symbol({', '.join(f'{name}={value}' for name, value in options.items())})"

    @pytest.mark.parametrize(
        ("options", "error", "words"),
        [
            ({"min": 0}, ValueError, "'min' must be > 0"),
            ({"divisor": 0}, ValueError, "'divisor' must be > 0"),
            ({"divisor": 8, "remainder": 8}, ValueError, "'remainder' must be >= 0 and < 8"),
            ({"remainder": -1}, ValueError, "'remainder'"),
            ({"max": 1.5}, TypeError, "'max' must be an int"),
            ({"min": "a"}, TypeError, "'min' must be an int"),
            ({"unique": 1}, TypeError, "'unique' must be a bool"),
        ],
    )
    def test_errors(self, options, error, words):
        with pytest.raises(error, match=f"For 'Symbol', {words}"):
            Symbol(**options)


class TestOpenTensors:
    @pytest.mark.parametrize(
        ("shape", "sizes"),
        [
            ([None, 3], (-1, 3)),
            ((-1, 3), (-1, 3)),
            ((Symbol(max=8), 3), (-1, 3)),
            (None, (-2,)),
            ((-2,), (-2,)),
            ((None,), (-1,)),
        ],
    )
    def test_shapes(self, shape, sizes):
        assert is_open(shape)
        tensor = open_tensor(shape, ms.float16)
        assert (tensor.shape, tensor.dtype, tensor.ndim) == (sizes, ms.float16, len(sizes))
        assert isinstance(tensor, Tensor)
        assert repr(tensor) == f"Tensor(shape={list(sizes)}, dtype=Float16, value= )"
        assert pickle.loads(pickle.dumps(open_tensor([None, 3], ms.float16))).shape == (-1, 3)
        assert copy.copy(tensor).shape == copy.deepcopy(tensor).shape == sizes

    @pytest.mark.parametrize("shape", [(2, 3), [3], 3, ()])
    def test_given_shapes_are_not_open(self, shape):
        assert not is_open(shape)

    @pytest.mark.parametrize(
        ("shape", "error"),
        [(("a", 3), TypeError), ((1.5, None), TypeError), ((True, None), TypeError), ((-3,), ValueError)],
    )
    def test_errors(self, shape, error):
        with pytest.raises(error, match="For 'Tensor', a size in 'shape' must be"):
            open_tensor(shape, ms.float32)

    @pytest.mark.parametrize(
        "use",
        [
            lambda t: t + 1,
            lambda t: t.asnumpy(),
            lambda t: ops.relu(t),
            lambda t: float(t),
            lambda t: t[0],
            lambda t: ms.Parameter(t),
            lambda t: ms.jit(double)(t),
        ],
    )
    def test_they_have_no_elements(self, use):
        with pytest.raises(TypeError, match=r"has no elements"):
            use(ANY_BY_3)


def pair(x, y, *, z=None):
    return x


def starred(x, *rest):
    return x


class TestDeclaredInputs:
    SHARED = Symbol(unique=True)
    OPEN = open_tensor([SHARED, 3], ms.float32)
    ANY_RANK = open_tensor(None, ms.float32)

    @pytest.mark.parametrize(
        ("declared", "args", "kwargs", "dimensions"),
        [
            ((ANY_BY_3, 2), (X, 2), {}, [(0,)]),
            ((ANY_BY_3, ANY_BY_3), (X,), {"y": X}, [(0,), (0,)]),
            ((ANY_BY_3, ANY_RANK), (ones(5, 3), ones(2, 2, 2)), {}, [(0,), (0, 1, 2)]),
            ((X, None), (X + 1, None), {}, [()]),
            (([ANY_BY_3, X], {"a": ANY_BY_3}), ((X, X), {"a": X}), {}, [(0,), (), (0,)]),
            ((OPEN, OPEN), (ones(5, 3), ones(5, 3)), {}, [(0,), (0,)]),
            ((open_tensor([Symbol(max=4), 3], ms.float32), "mode"), (X, "mode"), {}, [(0,)]),
            ((ANY_BY_3, ms.mutable(2)), (X, 3), {}, [(0,)]),
            ((ms.mutable((2, ANY_BY_3, True)), 1), (ms.mutable((3, X, False)), 1), {}, [(), (0,)]),
            ({"y": ANY_BY_3}, (ms.mutable([1, {"k": 2.5}]), X), {}, [(), (), (0,)]),
            ({"y": ANY_BY_3}, ([X, {"a": X}], X), {}, [(), (), (0,)]),
            ({"y": ANY_BY_3}, (X,), {}, [()]),
            ((ANY_BY_3, 2), (X, 2, X), {}, [(0,), ()]),
            ((ANY_BY_3,), (X, X), {}, [(0,), ()]),
            ({"x": ANY_BY_3, "z": X}, (), {"z": X, "y": X, "x": X}, [(), (), (0,)]),
            ((2, ANY_BY_3), (), {"y": X, "x": 2}, [(0,)]),
            ((None, ANY_BY_3), (), {"y": X}, [(0,)]),
        ],
    )
    def test_calls_that_fit(self, declared, args, kwargs, dimensions):
        inputs, named = ((), declared) if isinstance(declared, dict) else (declared, {})
        hint = hint_of(pair, inputs, named, "f", partial=True)
        hint.check(args, kwargs, "f")
        assert hint.open_dimensions(args, kwargs) == dimensions
        assert hint.given == declared

    @pytest.mark.parametrize(
        ("declared", "args", "error", "words"),
        [
            ((ANY_BY_3, X), (X, 3), TypeError, "the input 'y' must be a Tensor, but got 3"),
            ((ANY_BY_3, 2), (X.astype(ms.float64), 2), TypeError, "'x' must be of dtype Float32, but got Float64"),
            ((ANY_BY_3, 2), (ones(2, 4), 2), ValueError, r"'x' must have the size 3 in dimension 1.*\(2, 4\)"),
            ((ANY_BY_3, 2), (ones(3), 2), ValueError, "'x' must have 2 dimensions"),
            ((X, 2), (ones(4, 3), 2), ValueError, "'x' must have the size 2 in dimension 0"),
            ((ANY_BY_3, 2), (X, 3), ValueError, "'y' must be 2, but got 3"),
            ((ANY_BY_3, 1), (X, True), ValueError, "'y' must be 1, but got True"),
            ((ANY_BY_3, 2), (X, X), TypeError, "'y' must be 2, but got Tensor"),
            ((ANY_BY_3, None), (X, 2), ValueError, "'y' must be None, but got 2"),
            ((ANY_BY_3, "a"), (X, "b"), ValueError, "'y' must be 'a', but got 'b'"),
            ((ANY_BY_3, 2), (X,), ValueError, "2 inputs are declared, but got 1, without y"),
            ((ANY_BY_3, ms.mutable(2)), (X, 3.0), ValueError, "'y' must be of type int"),
            ((ANY_BY_3, ms.mutable(2.5)), (X, X), TypeError, "'y' must be 2.5, but got Tensor"),
            (([ANY_BY_3], 2), ((X, X), 2), ValueError, "'x' must have 1 elements, but got 2"),
            (([ANY_BY_3], 2), (X, 2), TypeError, "'x' must be a list, but got Tensor"),
            (([ANY_BY_3], 2), ([ones(3)], 2), ValueError, r"'x'\[0\] must have 2 dimensions"),
            (({"a": X}, 2), ({"b": X}, 2), ValueError, "'x' must have the keys"),
            (({"a": X}, 2), (X, 2), TypeError, "'x' must be a dict"),
            ((OPEN, OPEN), (ones(5, 3), ones(4, 3)), ValueError, "the size 5, as elsewhere in dimension 0"),
            ((open_tensor([Symbol(max=4), 3], ms.float32), 2), (ones(5, 3), 2), ValueError, "the size at most 4"),
            ({"y": ANY_BY_3}, (X, ones(2, 4)), ValueError, "'y' must have the size 3"),
        ],
    )
    def test_calls_that_do_not(self, declared, args, error, words):
        inputs, named = ((), declared) if isinstance(declared, dict) else (declared, {})
        with pytest.raises(error, match=f"For 'f', .*{words}"):
            hint_of(pair, inputs, named, "f").check(args, {}, "f")

    @pytest.mark.parametrize(
        ("function", "inputs", "named", "error", "words"),
        [
            (pair, (X,), {"y": X}, ValueError, "not both"),
            (pair, (), {}, TypeError, "declare all inputs of pair"),
            (pair, (X,), {}, TypeError, "missing a required argument: 'y'"),
            (pair, (X, X, X), {}, TypeError, "too many positional arguments"),
            (pair, (), {"w": X}, ValueError, "the inputs are x, y, z, but got w"),
            (starred, (), {"x": X}, TypeError, "have no names"),
            (pair, (X, np.ones(2)), {}, TypeError, "but got numpy.ndarray"),
            (pair, (X, [X, (double,)]), {}, TypeError, "but got an object of type function"),
        ],
    )
    def test_wrong_declarations(self, function, inputs, named, error, words):
        ms.set_context(mode=ms.GRAPH_MODE)  # else fewer are accepted
        with pytest.raises(error, match=f"For 'f', .*{words}"):
            hint_of(function, inputs, named, "f")

    def test_bound_methods(self):
        assert hint_of(pair, (1, X), {}, "f").bound().open_dimensions((X,), {}) == [()]
        hint = hint_of(pair, (), {"y": ANY_BY_3}, "f").bound()
        assert hint.open_dimensions((X,), {}) == hint.open_dimensions((), {"y": X}) == [(0,)]
        with pytest.raises(ValueError, match="the input 'y' must have the size 3"):
            hint.check((ones(2, 4),), {}, "f")

    def test_positions_of_starred_arguments(self):
        hint = hint_of(starred, (ANY_BY_3, X, ANY_BY_3), {}, "f")
        hint.check((X, X, X), {}, "f")
        assert hint.open_dimensions((X, X, X), {}) == [(0,), (), (0,)]
        with pytest.raises(ValueError, match="the input '2' must have the size 3"):
            hint.check((X, X, ones(2, 4)), {}, "f")


class TestEnableDynamic:
    def test_the_function_carries_the_declaration(self):
        declared = ms.enable_dynamic(x=ANY_BY_3)
        plain = declared(lambda x: x * 2)
        for captured in (ms.jit(plain), declared(ms.jit(double))):
            assert captured._inputs_hint.given == {"x": ANY_BY_3}
            assert np.array_equal(captured(X).asnumpy(), X.asnumpy() * 2)
        assert ms.jit(lambda x: x)._inputs_hint is None

    @pytest.mark.parametrize(
        ("declared", "function", "error", "words"),
        [
            ({}, double, ValueError, "declare at least one argument"),
            ({"z": ANY_BY_3}, double, ValueError, "the inputs are x, but got z"),
            ({"x": 3}, double, TypeError, "'x' must be a Tensor with an open size"),
            ({"x": None}, double, TypeError, "'x' must be a Tensor with an open size"),
            ({"x": X}, double, TypeError, "'x' must be a Tensor with an open size"),
            ({"x": ()}, double, TypeError, "'x' must be a Tensor with an open size"),
            ({"x": [X, X]}, double, TypeError, "'x' must be a Tensor with an open size"),
            ({"x": [ANY_BY_3, 3]}, double, TypeError, "'x' must be a Tensor with an open size"),
            ({"x": ANY_BY_3}, 3, TypeError, "decorate a function"),
            ({"x": ANY_BY_3}, nn.ReLU(), TypeError, "decorate a function"),
        ],
    )
    def test_errors(self, declared, function, error, words):
        with pytest.raises(error, match=f"For 'enable_dynamic', {words}"):
            ms.enable_dynamic(**declared)(function)
