"""SyncBatchNorm: in one process, and in two, which compute what one process does with both batches."""

from __future__ import annotations

import json

import numpy as np
import pytest

import torchspore as ms
from processes import outputs_of
from torchspore import Tensor, nn

PROGRAM = """
import json, sys
import numpy as np
import torchspore as ms
from torchspore import Tensor, nn
from torchspore.mint import distributed as dist

dist.init_process_group()
rank = dist.get_rank()
groups, rows, shape = json.loads(sys.argv[1])
rng = np.random.default_rng(0)
whole = rng.normal(30, 2, [sum(rows), 3, *shape]).astype(np.float32)
weights = rng.normal(size=whole.shape).astype(np.float32)
own = slice(0, rows[0]) if rank == 0 else slice(rows[0], None)


def run(make, x, weights):
    ms.set_seed(0)
    net = make(3, gamma_init="uniform", beta_init="uniform").set_train()
    loss = lambda x: (net(x) * Tensor(weights)).sum()
    found = []
    for _ in range(2):
        _, (of_x, (of_gamma, of_beta)) = ms.value_and_grad(loss, 0, net.trainable_params())(Tensor(x))
        found += [net(Tensor(x)), of_x, net.moving_mean, net.moving_variance, of_gamma, of_beta]
    net.set_train(False)
    return [value.asnumpy() for value in [*found, net(Tensor(x))]]


apart = groups is not None and all(len(group) == 1 for group in groups)
kind = nn.BatchNorm2d if shape else nn.BatchNorm1d
expected = run(kind, whole[own] if apart else whole, weights[own] if apart else weights)
sync = lambda *args, **options: nn.SyncBatchNorm(*args, process_groups=groups, **options)
found = run(sync, whole[own], weights[own])
for position, (mine, all_in_one) in enumerate(zip(found, expected, strict=True)):
    if position % 6 in (4, 5) and position < 12:  # gradients of parameters: each process has its share
        share = Tensor(mine)
        if not apart:
            dist.all_reduce(share)
        mine = share.asnumpy()
    elif position % 6 in (0, 1) and not apart:
        all_in_one = all_in_one[own]
    np.testing.assert_allclose(mine, all_in_one, rtol=1e-3, atol=2e-4, err_msg=str(position))
dist.destroy_process_group()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "job",
    [
        [None, [2, 2], [4, 5]], [None, [5, 1], [3, 3]], [[[1, 0]], [3, 4], []], [[[0], [1]], [3, 4], [2, 2]],
    ],
)  # fmt: skip
def test_two_processes(job, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    outputs_of(tmp_path / "program.py", json.dumps(job))


@pytest.mark.parametrize(("shape", "other"), [((6, 3), nn.BatchNorm1d), ((4, 3, 5, 2), nn.BatchNorm2d)])
@pytest.mark.parametrize("training", [True, False])
def test_one_process(shape, other, training):
    x = np.random.default_rng(0).normal(2, 3, shape).astype(np.float32)
    found = []
    for make in (nn.SyncBatchNorm, other):
        ms.set_seed(0)
        net = make(3, gamma_init="uniform", moving_mean_init="uniform").set_train(training)
        gradient = ms.grad(lambda x, net=net: (net(x) ** 3).sum())(Tensor(x))
        found.append([net(Tensor(x)), gradient, net.moving_mean, net.moving_variance])
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), two.asnumpy())


@pytest.mark.parametrize(
    ("groups", "error", "message"),
    [
        (3, TypeError, "must be a list of lists"),
        ([0], TypeError, "must be a list of lists"),
        ([["a"]], TypeError, "must hold ints"),
        ([[0, 0]], ValueError, "ranks below 1, each once"),
        ([[0, 1]], ValueError, "ranks below 1, each once"),
        ([[-1]], ValueError, "ranks below 1, each once"),
    ],
)
def test_groups(groups, error, message):
    with pytest.raises(error, match=f"For 'SyncBatchNorm', 'process_groups' .*{message}"):
        nn.SyncBatchNorm(3, process_groups=groups)


def test_a_wrong_input():
    with pytest.raises(ValueError, match="the input must have 2 or 4 dimensions"):
        nn.SyncBatchNorm(3)(Tensor(np.ones((2, 3, 4), np.float32)))
    assert nn.SyncBatchNorm(3, process_groups=[[0]]).process_groups == [[0]]
