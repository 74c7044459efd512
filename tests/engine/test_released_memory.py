"""Tensors of a recomputed cell, and of a call that failed, are freed without the garbage collector."""

from __future__ import annotations

import contextlib
import gc
import weakref

import pytest
import torch

import torchspore as ms
from torchspore import Tensor, nn, ops

X = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])


@pytest.fixture(autouse=True, scope="module")
def only_new_objects():
    ms.grad(lambda x: ms.recompute(ops.exp, x))(X)  # the first time, torch imports modules, which keep their callers
    gc.collect()
    gc.freeze()  # the objects of earlier tests, which each collection would visit
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def without_collector(only_new_objects):
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Block(nn.Cell):
    """A chain of operations, each of whose results is noted.

    Args:
        made: where weak references to the results go.
        inner: what runs in the middle.
    """

    def __init__(self, made, inner=None):
        super().__init__()
        self.dense, self.inner = nn.Dense(3, 3), inner
        self.note = lambda x: made.append(weakref.ref(x._t)) or x

    def construct(self, x):
        x = self.note(ops.relu(self.note(self.dense(x))))
        if self.inner is not None:
            x = self.note(self.inner(x))
        return self.note(ops.exp(self.note(ops.sigmoid(x))))


class Plain(Block):
    """A chain of operations that can be captured."""

    def __init__(self, made, inner=None):
        super().__init__(made, inner)
        self.note = ops.tanh


def recomputed(cls, depth, made):
    """Return a chain of cells inside each other, all of them recomputed."""
    net = None
    for _ in range(depth):
        net = cls(made, net)
        net.recompute()
    return net


def fail(x):
    raise ValueError("on purpose")


def live(made):
    assert made
    return [ref for ref in made if ref() is not None]


class TestRecomputedCells:
    @pytest.mark.parametrize("depth", [1, 2, 3])
    def test_gradients_keep_nothing(self, depth):
        made = []
        net = recomputed(Block, depth, made)
        for _ in range(2):
            ms.grad(net)(X)
            ms.value_and_grad(net, None, net.trainable_params())(X)
        assert not live(made)

    @pytest.mark.parametrize("depth", [1, 2, 3])
    def test_captured_gradients_keep_nothing(self, depth):
        gradient = ms.jit(ms.grad(recomputed(Plain, depth, [])), fullgraph=True)
        counts = []
        for _ in range(3):
            gradient(X)
            counts.append(sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects()))
        assert counts[1] == counts[2]

    def test_second_derivatives_keep_nothing(self):
        made = []
        net = Block(made)
        net.recompute()
        ms.grad(lambda x: ms.grad(net)(x).sum())(X)
        assert not live(made)

    @pytest.mark.parametrize("in_backward", [False, True])
    def test_an_error_inside_keeps_nothing(self, in_backward):
        made = []
        failing = ops.InsertGradientOf(fail) if in_backward else fail
        net = Block(made, failing)
        net.recompute()
        with contextlib.suppress(ValueError):
            ms.grad(net)(X)
        assert not live(made)

    def test_a_forward_run_without_gradients_keeps_nothing(self):
        made = []
        ms.recompute(Block(made), X)
        assert not live(made)


FAILURES = {
    "operation": lambda x: ops.matmul(x, Tensor([1.0, 2.0])),
    "argument": lambda x: ops.add(x, "a"),
    "method": lambda x: x.reshape(7),
    "operator": lambda x: x + Tensor([1.0, 2.0]),
    "division": lambda x: x // Tensor([1.0, 2.0]),
    "remainder": lambda x: x % Tensor([1.0, 2.0]),
    "primitive": lambda x: ops.MatMul()(x, Tensor([1.0, 2.0])),
    "update": lambda x: ops.ScatterNdUpdate()(x, Tensor([[9]]), x),
    "cell": lambda x: nn.Dense(4, 4)(x),
    "sequence of cells": lambda x: nn.SequentialCell(nn.ReLU(), nn.Dense(4, 4))(x),
    "constructor": lambda x: nn.Dense(x, 4),
    "index": lambda x: x[Tensor([7])],
    "assignment by index": lambda x: x.copy().__setitem__(Tensor([7]), x),
    "assignment of a shape": lambda x: x.copy().__setitem__(0, Tensor([1.0, 2.0])),
    "mint": lambda x: ms.mint.matmul(x, Tensor([1.0, 2.0])),
    "numpy": lambda x: ms.numpy.dot(x, Tensor([1.0, 2.0])),
    "gradient": lambda x: ms.grad(lambda y: y.reshape(7))(x),
    "gradient of a failing function": lambda x: ms.grad(fail)(x),
    "captured": lambda x: ms.jit(lambda y: y.reshape(7))(x),
    "captured, of a user": lambda x: ms.jit(fail)(x),
    "vmap": lambda x: ms.vmap(lambda y: y.reshape(7))(x),
    "vmap of a failing function": lambda x: ms.vmap(fail)(x),
    "jvp": lambda x: ms.jvp(lambda y: y.reshape(7), x, x),
}


class TestFailures:
    @pytest.mark.parametrize("name", FAILURES)
    def test_a_failing_call_keeps_nothing(self, name):
        kept = []

        def call():
            x = ops.exp(X)
            kept.append(weakref.ref(x))
            with contextlib.suppress(Exception):
                FAILURES[name](x)
                pytest.fail("no error")

        call()
        assert not live(kept)
