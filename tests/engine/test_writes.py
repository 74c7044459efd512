"""Writes inside differentiated functions: gradients and values are the same as when the program runs plainly."""

from __future__ import annotations

import gc
import importlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from data.write_programs import DIFFERENCES, PARAMETER_PROGRAMS, PROGRAMS, cells
from torchspore import Parameter, Tensor, nn, ops

RECORDED = json.loads((Path(__file__).parent.parent / "data" / "writes.json").read_text())
X = np.array([0.5, 1.0, 2.0])

# Programs in which a write, or the program itself, detaches a value from the graph.
CUT = {
    "y = ops.exp(x); v = ops.stop_gradient(y); v[0] = 7; return (y * v).sum()": [0, np.e**2, np.e**4],
    "y = ops.exp(x); v = ops.stop_gradient(y); y[0] = 7; return (y * v).sum()": [0, np.e**2, np.e**4],
    "y = ops.exp(x); ops.assign(y, x * 2); return (y * y).sum()": 4 * X * np.exp(X),
    "y = ops.exp(x); ops.assign_add(y, x); return (y * y).sum()": 2 * (np.exp(X) + X) * np.exp(X),
    "ops.assign(x, x * 2); return (x * x).sum()": 4 * X,
}


# The methods, which MindSpore only has in graph mode on the CPU.
IN_PLACE = re.compile(r"\.[a-z]+_\(")
MODES = ["plain", *(pytest.param(name, marks=pytest.mark.slow) for name in ("jit", "graph"))]


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    programs = [*PROGRAMS, *PARAMETER_PROGRAMS]
    (folder / "write_programs.py").write_text(cells("torchspore", programs))
    sys.path.insert(0, str(folder))
    try:
        module = importlib.import_module("write_programs")
    finally:
        sys.path.remove(str(folder))
    return {program: getattr(module, f"Program{number}") for number, program in enumerate(programs)}


def numbers(tensor):
    return tensor.asnumpy().astype(float).ravel()


def state(net, x, c):
    tensors = {"x": x, "p": net.p, "h": net.h, "c": c}
    assert not any(tensor.torch.requires_grad for tensor in tensors.values())
    return {name: numbers(tensor) for name, tensor in tensors.items()}


def plain(kind, values=X):
    net, x = kind(), Tensor(values.astype(np.float32))
    c = net.c
    return {"value": numbers(net(x)), **state(net, x, c)}


def gradients(kind, mode):
    net, x = kind(), Tensor(X.astype(np.float32))
    c, called = net.c, ms.value_and_grad(net, 0, [net.p])
    if mode == "graph":
        ms.set_context(mode=ms.GRAPH_MODE)
    try:
        value, (of_x, of_p) = (ms.jit(called) if mode == "jit" else called)(x)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    return {"value": numbers(value), "of_x": numbers(of_x), "of_p": numbers(of_p[0]), **state(net, x, c)}


def assert_close(found, expected, tolerance=1e-4):
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, tolerance, tolerance, err_msg=name)


def differences(kind):
    """Return the derivative of the plain run, by differences."""
    step = 2.0**-7
    up, down = ([plain(kind, X + sign * step * row)["value"][0] for row in np.eye(3)] for sign in (1, -1))
    return (np.array(up) - np.array(down)) / (2 * step)


# Of in-place methods MindSpore has no kernels on the CPU.
PLAIN = [program for program, found in RECORDED.items() if found["plain"] is not None and not IN_PLACE.search(program)]


@pytest.mark.parametrize("program", PLAIN)
def test_a_plain_run(kinds, program):
    assert_close(plain(kinds[program]), RECORDED[program]["plain"])


@pytest.mark.filterwarnings("ignore:.*runs eagerly.*the shape of what 'index' returns:RuntimeWarning")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(kinds, program, mode):
    kind = kinds[program]
    found = gradients(kind, mode)
    assert_close(found, plain(kind))
    of_x = CUT.get(program)
    assert_close(found, {"of_x": differences(kind)}, 1e-2) if of_x is None else assert_close(found, {"of_x": of_x})


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PARAMETER_PROGRAMS)
def test_gradients_beside_written_parameters(kinds, program, mode):
    found = gradients(kinds[program], mode)
    assert_close(found, plain(kinds[program]))
    of_graph = RECORDED[program]["graph gradients"]
    if program in DIFFERENCES:
        return
    recorded = of_graph if of_graph and IN_PLACE.search(program) else RECORDED[program]["gradients"] or of_graph
    if recorded is not None:
        assert_close(found, recorded)


KINKS = ("relu", "maximum", "floor", "clamp")  # differences across them are not derivatives


@pytest.mark.slow
@pytest.mark.parametrize("program", [p for p in PROGRAMS if p not in CUT and not any(kink in p for kink in KINKS)])
def test_second_derivatives(kinds, program):
    """The second derivative is the derivative of the first one, by differences."""
    kind = kinds[program]

    def first(values):
        return numbers(ms.grad(lambda v: kind()(v))(Tensor(values.astype(np.float32))))

    step = 2.0**-7
    expected = [(first(X + step * row) - first(X - step * row)).sum() / (2 * step) for row in np.eye(3)]
    found = ms.grad(lambda x: ms.grad(lambda v: kind()(v))(x).sum())(Tensor(X.astype(np.float32)))
    np.testing.assert_allclose(numbers(found), expected, 1e-2, 1e-2)


TRANSFORMS = {
    "vmap(grad)": lambda f: ms.vmap(ms.grad(f)),
    "grad(vmap)": lambda f: ms.grad(ms.vmap(f)),
    "jacrev": lambda f: lambda rows: ops.stack([ms.jacrev(f)(row * 1) for row in rows]),
    "jacfwd": lambda f: lambda rows: ops.stack([ms.jacfwd(f)(row * 1) for row in rows]),
    "grad(grad)": lambda f: lambda rows: ops.stack([ms.grad(lambda r: ms.grad(f)(r).sum())(row * 1) for row in rows]),
    "vmap(grad(grad))": lambda f: ms.vmap(lambda r: ms.grad(lambda s: ms.grad(f)(s).sum())(r)),
    "jacfwd(grad)": lambda f: lambda rows: ops.stack([ms.jacfwd(ms.grad(f))(row * 1).sum(0) for row in rows]),
}


def element(x):
    y = ops.exp(x)
    y[0] = 0
    return (y * y).sum()


def through_a_view(x):
    y = ops.exp(x)
    v = y[1:]
    z = v * v
    v[0] = x[2]
    return (y * y).sum() + z.sum()


def method(x):
    y = x * 2
    z = y * y
    y.masked_fill_(y > 1.1, 0.0)
    y[2] += x[0]
    return (z * y).sum()


def own_input(x):
    x[0] = ops.sin(x[1])
    return (x * x).sum()


@pytest.mark.slow
@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("function", [element, through_a_view, method, own_input])
def test_under_transforms(function, transform):
    rows = np.array([[0.5, 1.0, 2.0], [1.0, 0.2, -1.0]], np.float32)
    first = np.stack([numbers(ms.grad(function)(Tensor(row))) for row in rows])
    if "grad(grad" in transform or "jacfwd(grad)" in transform:
        step = 2.0**-7
        changes = [
            (numbers(ms.grad(function)(Tensor(row + s))) - numbers(ms.grad(function)(Tensor(row - s)))).sum()
            for row in rows
            for s in step * np.eye(3, dtype=np.float32)
        ]
        first = np.array(changes).reshape(2, 3) / (2 * step)
    np.testing.assert_allclose(TRANSFORMS[transform](function)(Tensor(rows)).asnumpy(), first, 1e-2, 1e-2)


class TestFailures:
    """What fails leaves nothing behind: every later gradient is right."""

    @staticmethod
    def forward(x, w):
        ops.assign(w, w * 2)
        raise ZeroDivisionError("stop")

    @staticmethod
    def backward(x, w):
        def stop(gradient):
            raise ZeroDivisionError("stop")

        y = ops.exp(x)
        ops.assign(w, w * 2)
        y[0] = 0
        y = ops.InsertGradientOf(stop)(y)
        return (y * w).sum()

    @staticmethod
    def interrupt(x, w):
        def stop(gradient):
            raise KeyboardInterrupt

        y = ops.tanh(x)
        y[1:] = x[1:]
        return (ops.InsertGradientOf(stop)(y * w)).sum()

    @staticmethod
    def endless(x, w):
        def again(gradient):
            return again(gradient)

        return (ops.InsertGradientOf(again)(x) * w).sum()

    @pytest.mark.parametrize("kind", ["forward", "backward", "interrupt", "endless"])
    @pytest.mark.parametrize(
        "transform",
        [
            lambda f, w: ms.grad(f),
            lambda f, w: ms.value_and_grad(f, 0, [w]),
            lambda f, w: ms.jit(ms.grad(f)),
            lambda f, w: ms.vmap(ms.grad(f)),
            lambda f, w: ms.vmap(ms.grad(f, 0, [w])),
            lambda f, w: ms.grad(ms.vmap(f)),
            lambda f, w: ms.vmap(lambda x: ms.grad(ms.grad(f))(x)),
            lambda f, w: ms.grad(lambda x: ms.grad(f)(x).sum()),
            lambda f, w: ms.jacrev(f),
            lambda f, w: ms.jacfwd(ms.grad(f)),
        ],
    )
    @pytest.mark.filterwarnings("ignore:.*runs eagerly:RuntimeWarning")
    def test_state(self, kind, transform):
        w, x = Parameter(Tensor([1.0, 2.0, 3.0]), name="w"), Tensor([[0.5, 1.0, 2.0], [1.0, 0.2, -1.0]])
        value = w.torch
        with pytest.raises((Exception, KeyboardInterrupt)):
            transform(lambda t: getattr(self, kind)(t, w), w)(x)
        assert w.torch is value
        assert (w.asnumpy().tolist(), w.torch.requires_grad) == ([1, 2, 3], False)
        assert ms.grad(lambda t: (t * t * w).sum(), 0, w)(x[0])[0].asnumpy().tolist() == [1, 4, 12]
        assert ms.vmap(ms.grad(lambda t: (t * w).sum()))(x).asnumpy().tolist() == [[1, 2, 3]] * 2
        assert not (x * w).torch.requires_grad


class TestAround:
    """Writes together with other features that inspect tensors."""

    def test_of_an_input_whose_tensors_are_old(self):
        x = Tensor([[0.5, -1.0, 2.0], [1.0, 2.0, 3.0]])
        kept = x[1]  # a view from outside

        def forward(t):
            t[0] = -0.5
            gc.collect()
            t.mul_(2)
            gc.collect()
            kept[0] = t[0, 0] * 3
            return (t * t).sum()

        gradient = ms.grad(forward)(x)
        assert x.asnumpy().tolist() == [[-1, -1, -1], [-3, 4, 6]]
        assert kept.asnumpy().tolist() == [-3, 4, 6]
        assert gradient.asnumpy().tolist() == [[0, 0, 0], [0, 16, 24]]
        assert not any(tensor.torch.requires_grad for tensor in (x, kept))
        kept[0] = 1.0
        assert x[1, 0] == 1

    def test_tensors_that_are_kept(self):
        kept = []

        def forward(x):
            y = x * 2
            kept.extend([y, y[1:]])
            z = y * y
            y[1] = 0
            return z.sum() + y.sum()

        assert numbers(ms.grad(forward)(Tensor([1.0, 2.0, 3.0]))).tolist() == [10, 16, 26]
        assert [tensor.asnumpy().tolist() for tensor in kept] == [[2, 0, 6], [0, 6]]
        assert not any(tensor.torch.requires_grad for tensor in kept)

    def test_other_outputs(self):
        def forward(x):
            y = x * 2
            v = y[1:]
            z = y * y
            v[0] = x[0]
            return z.sum(), y, v

        gradient, (y, v) = ms.grad(forward, has_aux=True)(Tensor([1.0, 2.0, 3.0]))
        assert [t.asnumpy().tolist() for t in (gradient, y, v)] == [[8, 16, 24], [2, 1, 6], [1, 6]]

    def test_a_recorded_pass_that_wrote_what_it_needs(self):
        class Counting(nn.Cell):
            def __init__(self):
                super().__init__()
                self.w = Parameter(Tensor([2.0]), name="w")
                self.h = Parameter(Tensor([1.0]), name="h", requires_grad=False)

            def construct(self, x):
                y = self.h * x * self.w
                ops.assign(self.h, self.h + 1)
                return y

        net, x = Counting(), Tensor([3.0])
        net.set_grad()
        net(x)
        of_x, (of_w,) = ms.grad(net, 0, [net.w])(x)  # of the recorded pass, in which h was 1
        assert (of_x.item(), of_w.item(), net.h.item()) == (2, 3, 2)

    @pytest.mark.parametrize("how", ["recompute", "saved_tensors_hooks", "no_grad"])
    def test_beside(self, how):
        class Net(nn.Cell):
            def construct(self, x):
                y = ops.exp(x)
                v = y[1:]
                z = v * v
                v[0] = 0
                return (y * y).sum() + z.sum()

        net, x = Net(), Tensor(X.astype(np.float32))
        expected = numbers(ms.grad(Net())(x))
        if how == "recompute":
            net.recompute()
        elif how == "saved_tensors_hooks":
            net.register_saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor)
        else:
            net = lambda x: Net()(x) + Net()._unseen(x)  # noqa: E731
            Net._unseen = ms._no_grad()(lambda self, x: Net()(x))
        np.testing.assert_allclose(numbers(ms.grad(net)(x)), expected, rtol=1e-6)

    def test_hooks_of_a_tensor_stay_with_its_old_value(self):
        def forward(x):
            y = x * 3
            y.register_hook(lambda gradient: gradient * 10)
            y[0] = 0
            return y.sum()

        assert numbers(ms.grad(forward)(Tensor([1.0, 2.0]))).tolist() == [0, 30]
