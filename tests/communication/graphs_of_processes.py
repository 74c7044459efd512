"""The program that `test_graphs` starts in several processes: captured functions that exchange data.

Each case prints whether its results equal plain calls', and the numbers that the test compares.
"""

from __future__ import annotations

import json
import warnings

import numpy as np

import torchspore as ms
from torchspore import Parameter, Tensor, nn, ops
from torchspore.mint import distributed as dist

dist.init_process_group()
RANK, COUNT = dist.get_rank(), dist.get_world_size()


def given(rows=4, seed=0):
    return Tensor(np.random.default_rng(seed + RANK).standard_normal((rows, 3)).astype(np.float32))


def same(one, other):
    return bool(np.allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-6))


def step_of(level, **settings):
    """Return a data-parallel step of a network with the same weights in all processes."""
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True, **settings)
    weights = np.random.default_rng(0)
    net = nn.SequentialCell(nn.Dense(3, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Dense(5, 2))
    for parameter in net.trainable_params():
        parameter.set_data(Tensor(weights.standard_normal(parameter.shape).astype(np.float32)))
    loss = nn.WithLossCell(net.set_train(), lambda out, x: (out - x[:, :2]).square().mean())
    step = nn.TrainOneStepCell(loss, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    ms.reset_auto_parallel_context()
    return net, step if level is None else ms.jit(step, jit_level=level)


def trained(level, sizes=(4, 4, 4), **settings):
    net, step = step_of(level, **settings)
    losses = [step(x, x) for x in (given(size, i) for i, size in enumerate(sizes))]
    return [*losses, *[p.value() for p in net.get_parameters()]], getattr(step, "captures", None)


def compare(level, sizes=(4, 4, 4), **settings):
    plain, _ = trained(None, sizes)
    graph, captures = trained(level, sizes, **settings)
    return [all(map(same, graph, plain)), captures]


def a_value_after_an_exchange():
    """One process alone must not run a call again: the answers differ between the processes."""

    def f(x):
        total = ops.AllReduce()(x)
        if (x * RANK).sum() > 0:
            return total * 2
        return total

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        g = ms.jit(f)
        results = [same(g(Tensor([sign])), f(Tensor([sign]))) for sign in (1.0, -1.0, 2.0)]
    return [*results, any("after it has exchanged data" in str(found.message) for found in caught)]


def a_value_before_an_exchange():
    """The process with a new answer records while the others replay."""

    def f(x):
        if (x * RANK).sum() > 0:
            x = x * 3
        return ops.AllReduce()(x)

    g = ms.jit(f)
    return [same(g(Tensor([sign])), f(Tensor([sign]))) for sign in (-1.0, 1.0, -2.0, 2.0)]


def one_process_records_again():
    """A last batch of another size in one process only."""
    return compare("O0", sizes=(4, 4, 4 - RANK, 4))


def results_that_one_process_ignores():
    """An exchange is no dead code."""

    def f(x):
        total = ops.AllReduce()(x)
        return total if RANK == 0 else x * 2

    g = ms.jit(f)
    return [same(g(Tensor([1.0 + i])), f(Tensor([1.0 + i]))) for i in range(3)]


def writes_between():
    """A tensor that is changed before it is sent, and again afterwards."""
    weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")

    def f(x):
        ops.assign_add(weight, x)
        total = ops.AllReduce()(weight)
        ops.assign_add(weight, x)
        return total + ops.AllReduce()(weight)

    plain = [f(given(1)[0]) for _ in range(3)]
    weight.set_data(Tensor(np.ones(3, np.float32)))
    g = ms.jit(f)
    return [*map(same, [g(given(1)[0]) for _ in range(3)], plain)]


CASES = {
    "O0": lambda: compare("O0"),
    "O1": lambda: compare("O1"),
    "one message each": lambda: compare("O0", comm_fusion={"openstate": False}),
    "three messages": lambda: compare("O0", all_reduce_fusion_config=[1, 3]),
    "messages of 0 MB": lambda: compare("O0", comm_fusion={"allreduce": {"mode": "size", "config": 0}}),
    "a value after": a_value_after_an_exchange,
    "a value before": a_value_before_an_exchange,
    "one records again": one_process_records_again,
    "ignored": results_that_one_process_ignores,
    "writes": writes_between,
}

for name, case in CASES.items():
    print(json.dumps([name, case()]), flush=True)
dist.destroy_process_group()
