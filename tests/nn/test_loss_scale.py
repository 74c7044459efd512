"""Training with a scaled loss: the rule of the scale, skipped steps, one graph for all of it."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
from torchspore import Parameter, Tensor, nn

# Overflow or not, and MindSpore's scale, step counter and last overflow after it: scale 4, factor 2, window 3.
TRAJECTORY = [
    (False, 4, 2, 0), (False, 4, 3, 0), (True, 2, 4, 3), (False, 2, 5, 3), (False, 2, 6, 3), (False, 4, 7, 6),
    (False, 4, 8, 6), (False, 4, 9, 6), (False, 8, 10, 9), (False, 8, 11, 9), (True, 4, 12, 11), (True, 2, 13, 12),
    (True, 1, 14, 13), (True, 1, 15, 14), (False, 1, 16, 14), (False, 1, 17, 14), (False, 2, 18, 17),
    (False, 2, 19, 17),
]  # fmt: skip

X = Tensor(np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32))
Y = Tensor(np.random.default_rng(1).standard_normal((4, 2)).astype(np.float32))
HUGE = Tensor(np.full((4, 3), 1e38, np.float32))


def test_the_scale_follows_mindspores_rule():
    manager = nn.DynamicLossScaleUpdateCell(4, 2, 3)
    scale = Parameter(Tensor(4.0))
    for overflow, *expected in TRAJECTORY:
        assert bool(manager(scale, Tensor(overflow))) is overflow
        assert [float(scale), int(manager.cur_iter), int(manager.last_overflow_iter)] == expected


def training(scale, seed=0):
    """Return a network and its training step."""
    ms.set_seed(seed)
    net = nn.SequentialCell(nn.Dense(3, 4), nn.BatchNorm1d(4), nn.Dense(4, 2))
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    return net, nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, scale).set_train()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_scaled_step_is_the_plain_step(mode):
    net, step = training(Tensor([1024.0]))
    plain_net, _ = training(Tensor([1024.0]))
    optimizer = nn.Momentum(plain_net.trainable_params(), 0.1, 0.9)
    plain = nn.TrainOneStepCell(nn.WithLossCell(plain_net, nn.MSELoss()), optimizer).set_train()
    ms.set_context(mode=mode)
    try:
        for _ in range(3):
            loss, overflow, scale = step(X, Y)
            np.testing.assert_allclose(loss.asnumpy(), plain(X, Y).asnumpy(), rtol=1e-5)
            assert (bool(overflow), scale.asnumpy().tolist()) == (False, [1024])
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    for ours, theirs in zip(net.get_parameters(), plain_net.get_parameters()):
        np.testing.assert_allclose(ours.asnumpy(), theirs.asnumpy(), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("captured", [False, True])
def test_an_overflow_leaves_the_parameters_and_shrinks_the_scale(captured):
    net, step = training(nn.DynamicLossScaleUpdateCell(2.0**10, 2, 2))
    run = ms.jit(step, fullgraph=True) if captured else step
    scales = []
    for x in (X, X, HUGE, X, HUGE, X):
        before = [p.asnumpy().copy() for p in net.trainable_params()]
        _, overflow, scale = run(x, Y)
        same = [(p.asnumpy() == b).all() for p, b in zip(net.trainable_params(), before)]
        assert bool(overflow) is (x is HUGE)
        assert all(same) if x is HUGE else not any(same[:1])
        scales.append(float(scale))
    assert scales == [1024, 2048, 1024, 1024, 512, 512]
    if captured:
        assert run.captures == 2


def test_the_scale_can_be_set():
    _, step = training(Tensor([8.0]))
    step.set_sense_scale(Tensor(2.0))
    assert step(X, Y)[2].asnumpy().tolist() == [2]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: training(3.0), TypeError, "'scale_sense' must be a Tensor or a Cell"),
        (lambda: training(Tensor([1.0, 2.0])), ValueError, "'scale_sense' must be"),
        (lambda: training(Tensor([1.0]))[1].set_sense_scale(3), TypeError, "'sens'"),
        (lambda: nn.DynamicLossScaleUpdateCell("a", 2, 3), TypeError, "'loss_scale_value'"),
        (lambda: nn.FixedLossScaleUpdateCell([]), TypeError, "'loss_scale_value'"),
    ],
)
def test_wrong_use(make, error, text):
    with pytest.raises(error, match=text):
        make()
