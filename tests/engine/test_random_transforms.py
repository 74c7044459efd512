"""Every transformation of random functions that write: derivatives are the same as in NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fuzz
import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.engine.gradients.custom import _Function
from torchspore.engine.values.nested import map_tensors, tensors
from write_steps import START, InNumPy, Ours, Program

STEP = 1e-5
BATCH = np.stack([np.add(START["x"], 0.1037 * i) for i in range(3)])


class Function:
    """A random function of `x` and a parameter, which returns some of the tensors of a program, nested.

    Args:
        seed: of the random numbers.
    """

    def __init__(self, seed):
        self._draw = random.Random(seed)
        self.program = Program(seed)
        written = [step[1] for step in self.program.steps if step[0] not in ("unary", "binary", "view", "alias")]
        names = [*dict.fromkeys(written), *self.program.names[-2:]]
        self._names = self._draw.sample(names, self._draw.randint(1, min(3, len(names))))
        self.tree = self._nested(list(self._names)) if len(self._names) > 1 else self._names[0]
        self._written = None
        self.value = self._in_numpy()

    def _nested(self, names):
        if len(names) == 1:
            return names[0]
        cut = self._draw.randint(1, len(names) - 1)
        first, second = self._nested(names[:cut]), self._nested(names[cut:])
        return self._draw.choice(
            (lambda: (first, second), lambda: [first, second], lambda: {"a": first, "b": second})
        )()

    def results(self, values):
        """Return the results of the function, nested."""
        return self._filled(self.tree, values)

    def _filled(self, tree, values):
        if isinstance(tree, dict):
            return {key: self._filled(branch, values) for key, branch in tree.items()}
        return values[tree] if isinstance(tree, str) else type(tree)(self._filled(branch, values) for branch in tree)

    def _in_numpy(self, of_x=0.0, of_p=0.0, writes=True):
        arrays = {name: np.array(value) for name, value in START.items()}
        arrays["x"] += of_x
        shift = np.zeros((2, 3)) + of_p
        arrays["p"] += shift
        api = InNumPy(arrays["p"], shift, self._written)
        values = self.program.run(api, arrays)
        if self._written is None:
            self._written = api.written
        return np.concatenate([np.ravel(values[name]) for name in self._names])

    def at(self, x):
        """Return the results for another input, as one vector."""
        return self._in_numpy(of_x=x - np.array(START["x"]))

    def jacobian(self, of):
        """Return the derivatives of the results by `x` or `p`."""
        columns = []
        for place in np.ndindex(2, 3):
            step = np.zeros((2, 3))
            step[place] = STEP
            up, down = (self._in_numpy(**{f"of_{of}": sign * step}) for sign in (1, -1))
            columns.append((up - down) / (2 * STEP))
        return np.stack(columns, axis=1)

    def ours(self):
        """Return the function, its input and its parameter, all new."""
        held = {name: Tensor(value, ms.float64) for name, value in START.items()}
        parameter = held["p"] = Parameter(held["p"], name="p")

        def function(x):
            return self.results(self.program.run(Ours(), {**held, "x": x}))

        return function, held["x"], parameter

    def for_vmap(self):
        """Return the function; what it writes depends on its input, as under `vmap`."""

        def function(x):
            held = {name: Tensor(START[name], ms.float64) + x * 0 for name in ("p", "c")}
            held["x"] = x * 1
            return self.results(self.program.run(Ours(), held))

        return function


def flat(tree):
    return np.concatenate([np.ravel(tensor.asnumpy()) for tensor in tensors(tree)])


def seeds_of(function, draw):
    """Return a function that makes a random gradient for each result, and the numbers of these, as one vector."""
    numbers = draw.uniform(-1, 1, function.value.size)

    def seeds(tree):
        remaining = iter(numbers)
        return map_tensors(
            lambda t: Tensor(np.reshape([next(remaining) for _ in range(t.size)], t.shape), ms.float64), tree
        )

    return seeds, numbers


class Net(nn.Cell):
    """A cell that calls a function."""

    def __init__(self, function, parameter):
        super().__init__()
        self.function = function
        self.p = parameter

    def construct(self, x):
        return self.function(x)


class WithBprop(Net):
    """A cell with a backward function of its own."""

    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        return (dout * 2,)


class Doubled(_Function):
    """A function with a backward function of its own."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


def aux(f):
    return lambda x: (f(x), x * 3, x)


def curved(f):
    """Return a function of one number: the sum of the results' sines and squares."""
    return lambda x: sum((ops.sin(tensor) + tensor * tensor).sum() for tensor in tensors(f(x)))


def in_numpy_curved(vector):
    return float(np.sum(np.sin(vector) + vector * vector))


def in_scope(f, x, then):
    """Return a result that is computed inside of an outer scope."""
    found = []

    def outer(x):
        found.append(then(x))
        return x.sum()

    ms.grad(outer)(x)
    return found[0]


def pulled(f, x, v, **options):
    output, pull_back, *_ = ms.vjp(f, x, **options)
    return pull_back(*tensors(v(output)))


BY_INPUT = {
    "vjp": lambda f, x, p, v: pulled(f, x, v),
    "vjp, aux": lambda f, x, p, v: pulled(aux(f), x, v, has_aux=True),
    "vjp in a scope": lambda f, x, p, v: in_scope(f, x, lambda x: pulled(f, x, v)),
    "vjp, cell": lambda f, x, p, v: pulled(Net(f, p), x, v),
    "vjp, jit inside": lambda f, x, p, v: pulled(ms.jit(f), x, v),
    "vjp, bprop": lambda f, x, p, v: pulled(lambda x: f(WithBprop(f, p)(x / 2)), x, v),
    "vjp, function": lambda f, x, p, v: pulled(lambda x: f(Doubled.apply(x / 2)), x, v),
    "vjp, custom": lambda f, x, p, v: pulled(lambda x: f(ops.InsertGradientOf(lambda g: g)(x)), x, v),
    "grad of dot": lambda f, x, p, v: ms.grad(dot(f, v))(x),
    "grad, cell": lambda f, x, p, v: ms.grad(Net(dot(f, v), p))(x),
    "grad, set_grad": lambda f, x, p, v: after_call(Net(dot(f, v), p), x),
    "grad, aux": lambda f, x, p, v: ms.grad(aux(dot(f, v)), has_aux=True)(x)[0],
    "grad in a scope": lambda f, x, p, v: in_scope(f, x, ms.grad(dot(f, v))),
    "grad, jit": lambda f, x, p, v: ms.jit(ms.grad(dot(f, v)))(x),
    "value_and_grad": lambda f, x, p, v: ms.value_and_grad(dot(f, v))(x)[1],
    "GradOperation": lambda f, x, p, v: ops.GradOperation()(dot(f, v))(x),
    "GradOperation, all": lambda f, x, p, v: ops.GradOperation(get_all=True)(dot(f, v))(x),
    "recompute": lambda f, x, p, v: ms.grad(lambda x: dot(lambda y: ms.recompute(f, y), v)(x))(x),
}
BY_BOTH = {
    "vjp": lambda f, x, p, v: pulled(f, x, v, weights=p),
    "vjp, list, aux": lambda f, x, p, v: pulled(aux(f), x, v, weights=[p], has_aux=True),
    "vjp, cell": lambda f, x, p, v: pulled(Net(f, p), x, v, weights=p),
    "grad": lambda f, x, p, v: ms.grad(dot(f, v), 0, p)(x),
    "grad, jit": lambda f, x, p, v: ms.jit(ms.grad(dot(f, v), 0, p))(x),
    "value_and_grad, cell": lambda f, x, p, v: ms.value_and_grad(Net(dot(f, v), p), 0, [p])(x)[1],
    "GradOperation": lambda f, x, p, v: ops.GradOperation(get_all=True, get_by_list=True)(dot(f, v), [p])(x),
}


def dot(f, v):
    def product(x):
        output = f(x)
        return sum((a * b).sum() for a, b in zip(tensors(output), tensors(v(output))))

    return product


def after_call(net, x):
    net.set_grad()
    if ms.get_context("mode") == ms.PYNATIVE_MODE:  # a graph runs again, on what the first call has written
        net(x)
    return ms.grad(net)(x)


FORWARD = {
    "jvp": lambda f, x, u: ms.jvp(f, x, u)[1],
    "jvp, tuple, aux": lambda f, x, u: ms.jvp(aux(f), (x,), (u,), has_aux=True)[1],
    "jvp, jit": lambda f, x, u: ms.jvp(ms.jit(f), x, u)[1],
    "vjp of vjp": lambda f, x, u: twice_pulled(f, x, u),
}
JACOBIANS = {
    "jacrev": lambda f, x: ms.jacrev(f)(x),
    "jacrev, aux": lambda f, x: ms.jacrev(aux(f), has_aux=True)(x)[0],
    "jacfwd": lambda f, x: ms.jacfwd(f)(x),
    "jacfwd, tuple": lambda f, x: ms.jacfwd(f, (0,))(x),
    "jit of jacrev": lambda f, x: ms.jit(ms.jacrev(f))(x),
}
SECOND = {
    "grad of grad": lambda f, x, u: ms.grad(lambda x: (ms.grad(f)(x) * u).sum())(x),
    "grad of vjp": lambda f, x, u: ms.grad(lambda x: (ms.vjp(f, x)[1](Tensor(1.0, ms.float64))[0] * u).sum())(x),
    "grad of GradOperation": lambda f, x, u: ops.GradOperation()(lambda x: (ops.GradOperation()(f)(x) * u).sum())(x),
    "vjp of grad": lambda f, x, u: ms.vjp(ms.grad(f), x)[1](u),
    "vjp of vjp": lambda f, x, u: ms.vjp(lambda x: ms.vjp(f, x)[1](Tensor(1.0, ms.float64))[0], x)[1](u),
    "jvp of grad": lambda f, x, u: ms.jvp(ms.grad(f), x, u)[1],
    "jvp of vjp": lambda f, x, u: ms.jvp(lambda x: ms.vjp(f, x)[1](Tensor(1.0, ms.float64))[0], x, u)[1],
    "grad of jvp": lambda f, x, u: ms.grad(lambda x: ms.jvp(f, x, u)[1])(x),
    "jit of grad of grad": lambda f, x, u: ms.jit(ms.grad(lambda x: (ms.grad(f)(x) * u).sum()))(x),
    "jacfwd of grad": lambda f, x, u: times(ms.jacfwd(ms.grad(f))(x), u),
    "jacrev of grad": lambda f, x, u: times(ms.jacrev(ms.grad(f))(x), u),
    "jacrev of jacrev": lambda f, x, u: times(ms.jacrev(ms.jacrev(f))(x), u),
    "jacfwd of jacrev": lambda f, x, u: times(ms.jacfwd(ms.jacrev(f))(x), u),
    "jacrev of jacfwd": lambda f, x, u: times(ms.jacrev(ms.jacfwd(f))(x), u),
}
MAPPED = {
    "vmap of grad": lambda f, xs: ms.vmap(ms.grad(f))(xs),
    "vmap of value_and_grad": lambda f, xs: ms.vmap(ms.value_and_grad(f))(xs)[1],
    "vmap of vjp": lambda f, xs: ms.vmap(lambda x: ms.vjp(f, x)[1](Tensor(1.0, ms.float64))[0])(xs),
    "vmap of jacrev": lambda f, xs: ms.vmap(ms.jacrev(f))(xs),
    "vmap of jacfwd": lambda f, xs: ms.vmap(ms.jacfwd(f))(xs),
    "grad of vmap": lambda f, xs: ms.grad(lambda xs: ms.vmap(f)(xs).sum())(xs),
    "vjp of vmap": lambda f, xs: ms.vjp(ms.vmap(f), xs)[1](ops.ones(3, ms.float64)),
    "jit of vmap of grad": lambda f, xs: ms.jit(ms.vmap(ms.grad(f)))(xs),
    "vmap of GradOperation": lambda f, xs: ms.vmap(ops.GradOperation()(f))(xs),
    "vmap of recompute": lambda f, xs: ms.vmap(ms.grad(lambda x: ms.recompute(f, x)))(xs),
}


def twice_pulled(f, x, u):
    """Return the product of the Jacobian with a vector: the gradient of a gradient by its seed."""
    output, pull_back = ms.vjp(f, x)
    seeds = map_tensors(lambda t: t * 0, output)
    return ms.vjp(lambda *seeds: pull_back(*seeds)[0], *tensors(seeds))[1](u)


def times(hessian, u):
    return (hessian * u).sum((-2, -1))


def second_differences(function, u):
    """Return the product of the Hessian of `curved` with `u`."""
    found = np.zeros((2, 3))
    start, h = np.array(START["x"]), 1e-4
    for place in np.ndindex(2, 3):
        step = np.zeros((2, 3))
        step[place] = h
        values = [
            in_numpy_curved(function.at(start + a * step + b * h * u)) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1))
        ]
        found[place] = (values[0] - values[1] - values[2] + values[3]) / (4 * h * h)
    return found


def gradient_of_curved(function, x):
    found = np.zeros((2, 3))
    for place in np.ndindex(2, 3):
        step = np.zeros((2, 3))
        step[place] = STEP
        found[place] = (in_numpy_curved(function.at(x + step)) - in_numpy_curved(function.at(x - step))) / (2 * STEP)
    return found


def attempt(name, seed, function, call, given, expected, tolerance=1e-5):
    where = f"{name}, seed {seed}: {function.program.steps} -> {function.tree}"
    try:
        found = flat(call(*given))
    except Exception as error:
        raise AssertionError(where) from error
    expected = np.ravel(expected)
    scale = 1 + np.abs(expected).max(initial=0) + np.abs(function.value).max()
    np.testing.assert_allclose(found, expected, atol=tolerance * scale, rtol=tolerance, err_msg=where)


def functions(count):
    for seed in range(fuzz.inputs(count)):
        function = Function(seed)
        if np.abs(function.value).max() < 1e3:
            yield seed, function


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.slow
@pytest.mark.usefixtures("mode")
@pytest.mark.filterwarnings("ignore:.*runs eagerly:RuntimeWarning")
class TestTransforms:
    def test_gradients(self):
        for seed, function in functions(1):
            seeds, numbers = seeds_of(function, np.random.default_rng(seed))
            by_input = numbers @ function.jacobian("x")
            for name, call in BY_INPUT.items():
                attempt(name, seed, function, call, (*function.ours(), seeds), by_input)
            by_both = np.concatenate([by_input, numbers @ function.jacobian("p")])
            for name, call in BY_BOTH.items():
                attempt(name, seed, function, call, (*function.ours(), seeds), by_both)

    def test_jacobians(self):
        for seed, function in functions(1):
            jacobian = function.jacobian("x")
            for name, call in JACOBIANS.items():
                attempt(name, seed, function, call, function.ours()[:2], jacobian)
            u = np.random.default_rng(seed).uniform(-1, 1, (2, 3))
            for name, call in FORWARD.items():
                attempt(name, seed, function, call, (*function.ours()[:2], Tensor(u)), jacobian @ u.ravel())

    def test_second_derivatives(self):
        for seed, function in functions(1):
            if function.program.writes_parameter:
                continue  # the value that is written is a constant
            u = np.random.default_rng(seed).uniform(-1, 1, (2, 3))
            expected = second_differences(function, u)
            for name, call in SECOND.items():
                f, x, _ = function.ours()
                attempt(name, seed, function, call, (curved(f), x, Tensor(u)), expected, 1e-4)

    def test_mapped(self):
        for seed, function in functions(1):
            if function.program.writes_parameter:
                continue
            expected = np.stack([gradient_of_curved(function, x) for x in BATCH])
            for name, call in MAPPED.items():
                f = curved(function.for_vmap())
                attempt(name, seed, function, call, (f, Tensor(BATCH, ms.float64)), expected, 1e-4)
