"""Random nested containers keep their types through transformations, graphs and casts, as arguments and as results."""

from __future__ import annotations

import random
from collections import OrderedDict, namedtuple

import pytest

import fuzz
import torchspore as ms
from torchspore import Tensor, nn, ops
from torchspore.engine.gradients.custom import _Function
from torchspore.engine.values.nested import map_tensors, tensors

Pair = namedtuple("Pair", "first second")
MAKERS = (
    lambda parts: tuple(parts),
    lambda parts: list(parts),
    lambda parts: {"b": parts[0], "a": parts[-1]},
    lambda parts: OrderedDict([("z", parts[0]), ("y", parts[-1])]),
    lambda parts: Pair(parts[0], parts[-1]),
)


def nested(draw, depth):
    """Return a random container with tensors and constants."""
    if depth == 0 or draw.random() < 0.2:
        return Tensor([1.0, 2.0]) if draw.random() < 0.8 else draw.choice((3, None, "text", 2.5, Tensor([1, 2])))
    return draw.choice(MAKERS)([nested(draw, depth - 1) for _ in range(draw.randint(1, 3))])


def shape(tree):
    """Return the types of a container and of what is in it."""
    if isinstance(tree, dict):
        return f"{type(tree).__name__}({', '.join(f'{key}={shape(value)}' for key, value in tree.items())})"
    if isinstance(tree, (tuple, list)):
        return f"{type(tree).__name__}({', '.join(map(shape, tree))})"
    return type(tree).__name__


def total(tree):
    return sum([(t * t).sum() for t in tensors(tree) if t.is_floating_point()], Tensor(0.0))


class Net(nn.Cell):
    """A cell that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *args):
        return self.function(*args)


class WithBprop(Net):
    """A cell with a backward function of its own."""

    def bprop(self, x, out, dout):
        return (map_tensors(lambda tensor: tensor * 0, x),)


def function_of(function):
    class Run(_Function):
        @staticmethod
        def forward(ctx, *args):
            return function(*args)

        @staticmethod
        def backward(ctx, *gradients):
            return gradients[0]

    return Run.apply


def recorded(function):
    net = Net(function)
    net.set_grad()
    return net


def recomputed(function):
    net = Net(function)
    net.recompute()
    return net


def in_scope(function, x):
    return ms.grad(lambda t: (t.sum(), function(x)), has_aux=True)(Tensor([1.0]))[1][0]


X = Tensor([1.0, 2.0])
# Each calls a function of one argument; the result is the function's.
RUNS = {
    "plain": lambda f, x: f(x),
    "jit": lambda f, x: ms.jit(f)(x),
    "jit, again": lambda f, x: [captured := ms.jit(f), captured(x), captured(x)][-1],
    "cell": lambda f, x: Net(f)(x),
    "cell, again": lambda f, x: [net := Net(f), net(x), net(x)][-1],
    "recomputed cell": lambda f, x: recomputed(f)(x),
    "recompute": lambda f, x: ms.recompute(f, x),
    "set_grad": lambda f, x: recorded(f)(x),
    "to_float": lambda f, x: Net(f).to_float(ms.float16)(x),
    "float32": lambda f, x: Net(f).to_float(ms.float32)(x),
    "O2": lambda f, x: ms.amp.auto_mixed_precision(Net(f), "O2")(x),
    "O3": lambda f, x: ms.amp.auto_mixed_precision(Net(f), "O3")(x),
    "in a scope": in_scope,
    "in a scope, recompute": lambda f, x: in_scope(recomputed(f), x),
    "inner cell": lambda f, x: Net(Net(f))(x),
    "jit of a cell": lambda f, x: ms.jit(Net(f))(x),
    "cast_inputs": lambda f, x: nn.Cell().cast_inputs(f(x), ms.float16),
    "stop_gradient": lambda f, x: ops.stop_gradient(f(x)),
}
# Each returns results for a tensor.
OF_TENSORS = {
    "value_and_grad": lambda f: ms.value_and_grad(f)(X)[0],
    "value_and_grad, jit": lambda f: ms.jit(ms.value_and_grad(f))(X)[0],
    "value_and_grad, set_grad": lambda f: [net := recorded(f), net(X), ms.value_and_grad(net)(X)][-1][0],
    "value_and_grad, aux": lambda f: ms.value_and_grad(lambda x: (x.sum(), f(x)), has_aux=True)(X)[0][1],
    "grad, aux": lambda f: ms.grad(lambda x: (x.sum(), f(x)), has_aux=True)(X)[1][0],
    "vjp": lambda f: ms.vjp(f, X)[0],
    "vjp, aux": lambda f: ms.vjp(lambda x: (x, f(x)), X, has_aux=True)[2],
    "jvp": lambda f: ms.jvp(f, X, X)[0],
    "jvp, product": lambda f: ms.jvp(f, X, X)[1],
    "jvp, aux": lambda f: ms.jvp(lambda x: (x, f(x)), X, X, has_aux=True)[2],
    "jacrev, aux": lambda f: ms.jacrev(lambda x: (x, f(x)), has_aux=True)(X)[1],
    "jacrev": lambda f: ms.jacrev(f)(X),
    "jacfwd": lambda f: ms.jacfwd(f)(X),
    "bprop": lambda f: WithBprop(f)(X),
    "_Function": lambda f: function_of(f)(X),
}
# Each returns the gradient by a container.
GRADIENTS = {
    "grad": lambda f, a: ms.grad(f)(a),
    "grad, jit": lambda f, a: ms.jit(ms.grad(f))(a),
    "grad, cell": lambda f, a: ms.grad(Net(f))(a),
    "grad, recompute": lambda f, a: ms.grad(recomputed(f))(a),
    "grad, second": lambda f, a: ms.grad(lambda x, a: f(a), 1)(X, a),
    "grad, keyword": lambda f, a: ms.grad(lambda a: f(a))(a=a),
    "vjp": lambda f, a: ms.vjp(f, a)[1](Tensor(1.0))[0],
    "GradOperation": lambda f, a: ops.GradOperation()(f)(a),
    "jacrev of grad": lambda f, a: ms.jacrev(lambda x: (x, ms.grad(f)(a)), has_aux=True)(X)[1],
}


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def containers():
    for seed in range(fuzz.inputs(8)):
        draw = random.Random(seed)
        yield seed, draw.choice(MAKERS)([nested(draw, 2) for _ in range(2)])


def made_of(tree, x):
    """Return a new container like `tree`."""
    if isinstance(tree, dict):
        return type(tree)((key, made_of(part, x)) for key, part in tree.items())
    if isinstance(tree, Pair):
        return Pair(*[made_of(part, x) for part in tree])
    if isinstance(tree, (tuple, list)):
        return type(tree)([made_of(part, x) for part in tree])
    if isinstance(tree, Tensor):
        return tree * x if tree.is_floating_point() else tree * 1
    return tree


@pytest.mark.usefixtures("mode")
class TestContainers:
    @pytest.mark.parametrize("name", RUNS)
    def test_calls(self, name):
        for seed, tree in containers():
            run = RUNS[name]
            assert shape(run(lambda x: made_of(tree, x), X)) == shape(tree), f"result of seed {seed}"  # noqa: B023
            assert shape(run(lambda a: a, tree)) == shape(tree), f"argument of seed {seed}"

    @pytest.mark.parametrize("name", OF_TENSORS)
    def test_results(self, name):
        for seed, tree in containers():
            assert shape(OF_TENSORS[name](lambda x: made_of(tree, x))) == shape(tree), f"seed {seed}"  # noqa: B023

    @pytest.mark.parametrize("name", GRADIENTS)
    def test_gradients(self, name):
        for seed, tree in containers():
            assert shape(GRADIENTS[name](total, tree)) == shape(tree), f"seed {seed}"


@pytest.mark.parametrize("name", [name for name in RUNS if "jit" not in name and name != "plain"])
def test_what_the_function_sees(name):
    for seed, tree in containers():
        seen = []
        RUNS[name](lambda a: [seen.append(shape(a)), X][1], tree)  # noqa: B023
        assert seen[0] == shape(tree), f"seed {seed}"


@pytest.mark.parametrize(
    ("given", "in_axes"),
    [
        ([X, X], 0), ([X, [X]], ([0, 0],)), ({"a": X, "b": [X]}, 0), (Pair(X, (X,)), 0), (Pair(X, X), ((0, 0),)),
        (OrderedDict(b=X, a={"c": X}), 0),
    ],
)  # fmt: skip
def test_arguments_of_vmap(given, in_axes):
    seen = []
    assert ms.vmap(lambda a: [seen.append(shape(a)), total(a)][1], in_axes)(given).shape == (2,)
    assert seen == [shape(given)]


@pytest.mark.parametrize(
    ("result", "expected"),
    [  # lists become tuples, as in MindSpore
        (lambda x: [x, [x, 2]], "tuple(Tensor, tuple(Tensor, Tensor))"),
        (lambda x: Pair(x, [x]), "Pair(Tensor, tuple(Tensor))"),
        (lambda x: {"a": (x, 2.5)}, "dict(a=tuple(Tensor, Tensor))"),
        (lambda x: OrderedDict(b=x, a=None), "OrderedDict(b=Tensor, a=NoneType)"),
        (lambda x: (x, "text"), "tuple(Tensor, str)"),
    ],
)
@pytest.mark.parametrize("out_axes", [0, -1])
def test_results_of_vmap(result, expected, out_axes):
    assert shape(ms.vmap(result, 0, out_axes)(X)) == expected


def test_an_output_of_vmap_that_varies_has_an_axis():
    with pytest.raises(ValueError, match="For 'vmap', an output without an axis in 'out_axes' must not depend"):
        ms.vmap(lambda x: (x, x * 2), 0, (0, None))(X)


@pytest.mark.parametrize("transform", [ms.jacrev, ms.jacfwd])
def test_positions_of_jacobians(transform):
    def fn(x, y):
        return x * y, [x + y]

    of_one, of_two = "tuple(Tensor, list(Tensor))", "tuple(tuple(Tensor, Tensor), list(tuple(Tensor, Tensor)))"
    for position, expected in ((0, of_one), ((1,), of_one), ((0, 1), of_two)):
        assert shape(transform(fn, position)(X, X)) == expected
