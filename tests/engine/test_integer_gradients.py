"""Gradients of integers and bools are MindSpore's, in their own data type; plainly, captured, and in GRAPH_MODE."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest
import torch
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

import torchspore as ms
from torchspore.common.scopes.scope import scope

DATA = pathlib.Path(__file__).parents[1] / "data"
sys.path.append(str(DATA))
from record_integer_gradients import TABLE, gradient, names, value  # noqa: E402

RECORDED = json.loads(TABLE.read_text(encoding="utf-8"))
NAMES = {"int8": ms.int8, "int64": ms.int64, "uint8": ms.uint8, "bool": ms.bool_}

# MindSpore's gradient is float32 where the last operation of its backward pass happens to make floats.
FLOATS = {"x / 2", "1 / x", "ops.reciprocal(x)", "ops.sqrt(x)", "x.mean()", "x.mean(1)"}
DIFFERENCES = {
    ("(x * 2) / 4", "bool"): "floats on their way through integers are not cut",
    ("x.astype(ms.int32) / 4", "bool"): "floats on their way through integers are not cut",
    ("x.var()", "int8"): "cut in the middle of the formula",
    ("x.var()", "int64"): "cut in the middle of the formula",
    ("x[0, x[0, 0]]", "bool"): "a bool is taken for an int as an index",
    ("ops.cumprod(x, 0)", "uint8"): "what is behind a 0 counts as constant",
    ("ops.cumprod(x, 0)", "bool"): "what is behind a 0 counts as constant",
    ("x.copy() * 3", "bool"): "the copy of bools has no gradient, a copy of integers has",
}
OTHER_ERRORS = {
    "ms.grad(Given(Tensor(np.ones((2, 3), np.float32))))(F(2, 3))": "ValueError for a shape that does not fit",
    "ms.grad(Given(Tensor(np.ones((6,), np.float32))))(Tensor(np.ones((2, 3), np.float32)))": "the same",
    "ms.grad(filled)(I(3, 4))": "MindSpore takes it or not, by what ran before",
}
_CAPTURED = [pytest.param(name, marks=pytest.mark.slow) for name in ("jit", "graph")]


@pytest.fixture(params=["plain", *_CAPTURED])
def way(request):
    """How a gradient function runs."""
    if request.param == "graph":
        ms.set_context(mode=ms.GRAPH_MODE)
    yield ms.jit if request.param == "jit" else lambda function: function
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.filterwarnings("ignore:.*eager")
@pytest.mark.parametrize("body", RECORDED["bodies"])
def test_functions_of_integers(body, way):
    for dtype, expected in RECORDED["bodies"][body].items():
        if expected.startswith("!"):
            continue
        found = gradient(ms, body, dtype, way)
        if body in FLOATS:
            assert found.startswith((str(NAMES[dtype]), "!TypeError")), dtype  # bools have no mean
        else:
            assert (found == expected) is ((body, dtype) not in DIFFERENCES), dtype


@pytest.mark.parametrize("program", RECORDED["programs"])
def test_programs(program):
    found, expected = value(ms, program), RECORDED["programs"][program]
    assert (found == expected) is (program not in OTHER_ERRORS)


def prepared(source):
    """Return a function of the programs' names."""
    return eval(source, names(ms))


# Cases without a record: MindSpore's graphs, and programs that it rejects.
CLOSED_FORMS = {
    "ms.jacrev(square)(I(3, 4))": "Int64[2, 2] [[6, 0], [0, 8]]",
    "ms.jacfwd(square)(I(3, 4))": "Int64[2, 2] [[6, 0], [0, 8]]",
    "ms.jvp(of_square, I(3), I(1))[1]": "Int64[1] [2]",
    "ms.jacrev(ms.grad(lambda x: (x * x * x).sum()))(I(1, 2))": "Int64[2, 2] [[6, 0], [0, 12]]",
    "ms.grad(lambda x: ms.grad(lambda y: y * y * y)(x).sum() * x)(I(2, 3))": "Int64[2] [99, 129]",
    "ms.grad(lambda x: ms.recompute(lambda y: y * y * y, x))(I(2, 3))": "Int64[2] [12, 27]",
    "ms.grad(lambda x: ops.unique(x)[0])(I(1, 5, 1))": "Int64[3] [0, 0, 0]",
    "ms.grad(lambda x: x * 2)(Tensor(np.zeros((0, 3), np.int64)))": "Int64[0, 3] []",
    "ms.grad(filled)(I(3, 4))": "Int64[2] [0, 6]",
    "ms.grad(lambda x: sum([v * v for v in x]))(I(3, 2))": "Int64[2] [6, 4]",
    "ms.grad(lambda w, m: (w * m).sum(), (0, 1))(F(1, 2), Tensor([True, False]))": (
        "(Float32[2] [1.0, 0.0], Bool[2] [True, True])"
    ),
    "ops.GradOperation(get_all=True)(entry)(F(2), ms.mutable({'a': F(3), 'b': 4}))": (
        "(Float32[1] [3.0], {a: Float32[1] [2.0], b: 0})"
    ),
    "ops.GradOperation(get_all=True)(first)(F(2), ms.mutable([F(3), 4.5]))": (
        "(Float32[1] [3.0], [Float32[1] [2.0], 0.0])"
    ),
}


@pytest.mark.filterwarnings("ignore:.*eager")
@pytest.mark.parametrize("program", CLOSED_FORMS)
def test_closed_forms(program, way):
    assert value(ms, program, way) == CLOSED_FORMS[program]


def test_sparse_gradients_in_graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        gradient_of = prepared("lambda: (ms.grad(values)(COO), ms.grad(dense)(CSR))")
        of_coo, of_csr = gradient_of()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert of_coo.indices.asnumpy().tolist() == [[0, 1], [1, 0]]
    assert of_coo.values.asnumpy().tolist() == of_csr.values.asnumpy().tolist() == [2, 2]


def test_hooks_see_integers():
    seen = []
    scaled = lambda gradient: (seen.append(gradient.dtype), gradient * 10)[1]  # noqa: E731

    def function(x):
        y = x * 2
        y.register_hook(scaled)
        return y.sum()

    x = ms.Tensor([1, 2])
    assert ms.grad(function)(x).asnumpy().tolist() == [20, 20]
    x.register_hook(scaled)
    assert ms.grad(lambda x: x * 2)(x).asnumpy().tolist() == [20, 20]
    assert seen == [ms.int64, ms.int64]


class Kept(ms.nn.Cell):
    """Stores results of integers in an attribute and in a parameter."""

    def __init__(self):
        super().__init__()
        self.total = ms.Parameter(ms.Tensor([1, 1]), name="total")

    def construct(self, x):
        self.last = x * 2
        self.total += x
        return x * self.total


def test_nothing_outlives_the_scope():
    net = Kept()
    x = ms.Tensor([3, 4])
    value, gradients = ms.value_and_grad(net, (0,), [net.total])(x)
    assert value.asnumpy().tolist() == [12, 20]
    assert type(net.last._t) is type(net.total._t) is type(value._t) is torch.Tensor
    assert net.total.asnumpy().tolist() == [4, 5]
    assert gradients[0].dtype == ms.int64
    assert scope.integers is None
    assert not _get_current_function_mode_stack()


@pytest.mark.parametrize("transform", [lambda f: f, ms.vmap])
def test_a_failure_leaves_no_mode(transform):
    def fails(x):
        raise KeyError(x.astype(ms.int32))

    for x in (ms.Tensor([1, 2]), ms.Tensor([1.5, 2.5])):
        with pytest.raises(KeyError):
            transform(ms.grad(fails))(x)
        assert scope.integers is None
        assert not _get_current_function_mode_stack()


def test_modes_of_the_user_stay():
    class Mode(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    def function(x):
        with Mode():
            y = x.astype(ms.int32) * 2
        return y * x

    with Mode() as mode:
        assert ms.grad(function)(ms.Tensor([2.5])).asnumpy().tolist() == [8]
        assert _get_current_function_mode_stack() == [mode]


def test_random_numbers_are_drawn_once():
    ms.set_seed(3)
    value, _ = ms.value_and_grad(lambda x: x * ms.ops.rand_like(x.astype(ms.float32)))(ms.Tensor([1, 2, 3]))
    ms.set_seed(3)
    plain = ms.Tensor([1, 2, 3]) * ms.ops.rand_like(ms.Tensor([1.0, 2.0, 3.0]))
    assert value.asnumpy().tolist() == plain.asnumpy().tolist()


def test_a_recorded_pass_is_not_used_for_integers():
    net = ms.nn.Dense(2, 1, weight_init="ones")
    model = lambda ids: net(ids.astype(ms.float32)).sum()  # noqa: E731
    net.set_grad()
    ids = ms.Tensor([[1, 2]])
    net(ids.astype(ms.float32))
    assert ms.grad(model)(ids).asnumpy().tolist() == [[1, 1]]
    assert len(ms.grad(model, None, net.trainable_params())(ids)) == 2
