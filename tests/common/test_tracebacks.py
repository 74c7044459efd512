"""Tracebacks: at most two frames of TorchSpore between two of the user's lines."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

import torchspore as ms
from torchspore import Tensor, dataset, nn, ops

X = Tensor([[1.0, 2.0]])


class Broken(nn.Cell):
    """A cell whose own code fails."""

    def construct(self, x):
        raise ZeroDivisionError("here")


class Nested(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = nn.SequentialCell(nn.SequentialCell(inner), nn.ReLU())

    def construct(self, x):
        return self.inner(x)


class WithBprop(nn.Cell):
    def construct(self, x):
        return x * 2

    def bprop(self, x, out, dout):
        raise ZeroDivisionError("here")


class Stops(ms.Callback):
    def on_train_step_end(self, run_context):
        raise ZeroDivisionError("here")


def broken(x, *others):
    raise ZeroDivisionError("here")


def nested(x):
    return Nested(Broken())(x)


def hooked(x):
    net = nn.Dense(2, 2)
    net.register_forward_hook(broken)
    return net(x)


def recomputed(x):
    net = Nested(Broken())
    net.recompute()
    return ms.grad(net)(x)


def mixed_precision(x):
    return ms.amp.auto_mixed_precision(Nested(Broken()), "O2")(x)


def trained(*callbacks, network=None):
    network = network or nn.Dense(2, 1)
    weights = network.trainable_params() or [ms.Parameter(X, name="w")]
    model = ms.Model(network, nn.MSELoss(), nn.SGD(weights, 0.1))
    data = dataset.NumpySlicesDataset((np.ones((2, 2), np.float32), np.ones((2, 1), np.float32)), ["x", "y"]).batch(1)
    model.train(1, data, callbacks=list(callbacks))


def rows(function, **options):
    for _ in dataset.NumpySlicesDataset([1, 2], ["x"]).map(function, "x", **options).batch(2):
        pass


ENTRIES = {
    "cell": lambda: nested(X),
    "hook": lambda: hooked(X),
    "grad": lambda: ms.grad(nested)(X),
    "grad in grad": lambda: ms.grad(ms.grad(broken))(X),
    "value_and_grad of a cell": lambda: ms.value_and_grad(Nested(Broken()), None, [ms.Parameter(X, name="w")])(X),
    "GradOperation": lambda: ops.GradOperation()(nested)(X),
    "bprop": lambda: ms.grad(Nested(WithBprop()))(X),
    "vmap": lambda: ms.vmap(nested)(X),
    "vjp": lambda: ms.vjp(nested, X),
    "jvp": lambda: ms.jvp(nested, X, X),
    "jacfwd": lambda: ms.jacfwd(nested)(X),
    "jacrev": lambda: ms.jacrev(nested)(X),
    "jit": lambda: ms.jit(nested)(X),
    "jit in jit": lambda: ms.jit(ms.jit(broken))(X),
    "grad in jit": lambda: ms.jit(ms.grad(nested))(X),
    "HyperMap": lambda: ops.HyperMap()(broken, (X,)),
    "ForiLoop": lambda: ops.ForiLoop()(0, 2, broken, X),
    "while_loop": lambda: ops.WhileLoop()(lambda x: True, broken, X),
    "recompute": lambda: recomputed(X),
    "amp": lambda: mixed_precision(X),
    "callback": lambda: trained(Stops()),
    "network of Model": lambda: trained(network=Nested(Broken())),
    "map": lambda: rows(broken),
}


def _frames(error: BaseException) -> list[str]:
    """Return "user" or "ours" for each frame."""
    modules = [step.f_globals["__name__"] for step, _ in traceback.walk_tb(error.__traceback__)]
    return ["ours" if module.split(".")[0] in ("torchspore", "torch") else "user" for module in modules]


@pytest.mark.parametrize("graph_mode", [False, True])
@pytest.mark.parametrize("entry", list(ENTRIES))
def test_frames_between_the_users_lines(entry, graph_mode):
    ms.set_context(mode=ms.GRAPH_MODE if graph_mode else ms.PYNATIVE_MODE)
    try:
        with pytest.raises((ZeroDivisionError, RuntimeError), match="here") as caught:
            ENTRIES[entry]()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    frames = _frames(caught.value)
    assert frames[-1] == "user" or entry == "map"  # whose error has the user's as its cause
    between = " ".join(frames).rpartition("user")[0]
    assert "ours ours ours" not in between, "".join(traceback.format_tb(caught.value.__traceback__))


def test_a_full_traceback_on_request(monkeypatch):
    monkeypatch.setenv("TORCHSPORE_TRACEBACK", "full")
    with pytest.raises(ZeroDivisionError) as caught:
        ms.grad(nested)(X)
    assert "ours ours ours" in " ".join(_frames(caught.value))


def test_what_failed_below_the_users_line_remains():
    with pytest.raises(ValueError, match="For 'Dense'") as caught:
        ms.grad(Nested(nn.Dense(3, 2)))(X)
    frames = _frames(caught.value)
    assert frames[-2:] == ["ours", "ours"]
