"""Every transformation of random functions that write: derivatives are those of the same function in NumPy."""

from __future__ import annotations

import random

import numpy as np
import pytest

import fuzz
import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.engine.custom import _Function
from torchspore.engine.nested import map_tensors, tensors
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
        self._tree = self._nested(list(self._names)) if len(self._names) > 1 else self._names[0]
        self._written = None
        self.value = self._in_numpy()

    def _nested(self, names):
        if len(names) == 1:
            return names[0]
        cut = self._draw.randint(1, len(names) - 1)
        first, second = self._nested(names[:cut]), self._nested(names[cut:])
        return self._draw.choice((lambda: (first, second), lambda: [first, second], lambda: {"a": first, "b": second}))()

    def results(self, values):
        """Return the results of the function, nested."""
        return self._filled(self._tree, values)

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

    def without_outer_writes(self, x):
        """Run it with tensors that depend on `x` in place of the others, as `vmap` needs where they are written."""
        zero = x.sum() * 0
        held = {name: Tensor(value, ms.float64) + zero for name, value in START.items()}
        return self.results(self.program.run(Ours(), {**held, "x": x + 0}))


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


def total(f):
    return lambda x: sum(tensor.sum() for tensor in tensors(f(x)))


def in_scope(f, x, then):
    """Return a result that is computed inside of an outer scope."""
    found = []

    def outer(x):
        found.append(then(x))
        return x.sum()

    ms.grad(outer)(x)
    return found[0]


# Each returns the gradient of the results times `v` by the input; where the function says so, also by the parameter.
BY_INPUT = {
    "vjp": lambda f, x, p, v: ms.vjp(f, x)[1](v(ms.vjp(f, x)[0])),
}


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
    net(x)
    return ms.grad(net)(x)


def check(name, seed, function, found, expected):
    scale = 1 + np.abs(expected).max(initial=0) + np.abs(function.value).max()
    where = f"{name}, seed {seed}: {function.program.steps} -> {function._tree}"
    np.testing.assert_allclose(found, expected, atol=1e-5 * scale, rtol=1e-5, err_msg=where)


def functions(count):
    for seed in range(fuzz.inputs(count)):
        function = Function(seed)
        if np.abs(function.value).max() < 1e6:
            yield seed, function


if __name__ == "__main__":
    import sys, collections, traceback
    lo, hi = int(sys.argv[1]), int(sys.argv[2])
    bad = collections.Counter(); first = {}
    for seed in range(lo, hi):
        function = Function(seed)
        if not np.abs(function.value).max() < 1e6: continue
        J = function.jacobian("x"); P = function.jacobian("p")
        for table, mats in ((BY_INPUT, [J]), (BY_BOTH, [J, P])):
            for name, call in table.items():
                v, numbers = seeds_of(function, np.random.default_rng(seed))
                f, x, p = function.ours()
                try:
                    found = flat(call(f, x, p, v))
                    check(name, seed, function, found, np.concatenate([numbers @ m for m in mats]))
                except Exception as e:
                    key = (len(mats), name)
                    bad[key] += 1
                    if key not in first: first[key] = (seed, traceback.format_exc()[-1500:])
    for k, n in bad.items(): print(k, n); print(first[k][0], first[k][1])
    print("done")
