"""Captured functions keep no memory: not of the calls that they served, not of cells that are gone."""

from __future__ import annotations

import gc
import itertools
import sys
import weakref

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn

BATCH = Tensor(np.random.default_rng(0).standard_normal((8, 3)).astype(np.float32))
LABELS = Tensor([1, 0, 0, 1, 1, 0, 1, 0], ms.int32)


class Step:
    """A training step of a small network.

    Args:
        branches: whether it branches on its loss.
    """

    def __init__(self, branches):
        self.net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Dense(4, 2)).set_train()
        self.optimizer = nn.Momentum(self.net.trainable_params(), 0.01, 0.9)
        loss_fn = nn.CrossEntropyLoss()
        forward = lambda x, y: loss_fn(self.net(x), y)  # noqa: E731
        self.gradients = ms.value_and_grad(forward, None, self.net.trainable_params())
        self.branches = branches

    def __call__(self, x, y):
        loss, gradients = self.gradients(x, y)
        if self.branches and x[0, 0] > 0:
            gradients = tuple(gradient * 0.5 for gradient in gradients)
        self.optimizer(gradients)
        return loss


def resident_bytes():
    if sys.platform != "linux":
        return 0
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def live_objects():
    gc.collect()
    return len(gc.get_objects())


@pytest.mark.slow
@pytest.mark.parametrize("branches", [False, True])
def test_ten_thousand_calls_keep_nothing(branches):
    step = ms.jit(Step(branches), fullgraph=True)
    batches = [BATCH, BATCH * -1]
    for batch in batches * 50:
        step(batch, LABELS)
    captures = step.captures
    assert captures == 1 + branches
    objects = live_objects()
    memory = [resident_bytes()]
    for _ in range(2):
        for _ in range(5_000):
            for batch in batches:
                step(batch, LABELS)
        memory.append(resident_bytes())
    assert step.captures == captures
    assert live_objects() - objects < 50
    # 10,000 results would take 7 MiB, each time; a heap that other tests left in pieces grows once.
    assert min(after - before for before, after in itertools.pairwise(memory)) < 2 * 2**20


@pytest.mark.slow
def test_the_tensors_of_the_first_call_are_not_kept():
    captured = ms.jit(lambda x, pair: x * pair[0] if x.sum() > 0 else x - pair[1], fullgraph=True)
    for sign in (1, -1, 1):
        x, pair = BATCH * sign, (BATCH + 1, BATCH + 2)
        result = captured(x, pair)
        memory = [weakref.ref(tensor.torch) for tensor in (x, *pair, result)]
        del x, pair, result
        gc.collect()
        assert [reference() for reference in memory] == [None] * 4


class Branching(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor([1.0, 2.0, 3.0]), name="weight")
        self.last = None

    def construct(self, x):
        print("of", self.weight, x.sum())
        if x.sum() > 0:
            self.last = x * self.weight
            return self.last
        return x - self.weight


class WithCapturedMethod(Branching):
    @ms.jit
    def construct(self, x):
        return super().construct(x)


def captured_cell():
    net = Branching()
    captured = ms.jit(net, fullgraph=True)
    captured(BATCH)
    captured(BATCH * -1)
    return captured, net, captured


def cell_of_a_captured_method():
    net = WithCapturedMethod()
    net(BATCH)
    net(BATCH * -1)
    return net, net, None


def cell_in_graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net = Branching()
        net(BATCH)
        net(BATCH * -1)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    return net, net, net._captured


def captured_training_step():
    step = Step(True)
    captured = ms.jit(step, fullgraph=True)
    captured(BATCH, LABELS)
    captured(BATCH * -1, LABELS)
    return captured, step.net, captured


def captured_closure():
    net = Branching()
    captured = ms.jit(lambda x: net(x) * 2, fullgraph=True)
    captured(BATCH)
    return captured, net, captured


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [captured_cell, cell_of_a_captured_method, cell_in_graph_mode, captured_training_step, captured_closure],
)
def test_a_cell_that_is_deleted_is_freed_with_its_graphs(make):
    kept, net, captured = make()
    watched = [net, *net.cells(), *[parameter.torch for parameter in net.get_parameters()]]
    if captured is not None:
        watched += [captured, *[graph for graphs in captured._graphs.values() for graph in graphs]]
        assert any(type(thing).__name__ == "Graph" for thing in watched)
    references = [weakref.ref(thing) for thing in watched]
    del kept, net, captured, watched
    gc.collect()
    assert [reference() for reference in references] == [None] * len(references)
