"""Schedulers: learning rates as MindSpore 2.10 gives them, in eager and captured steps, and errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import torchspore as ms
from data import record_experimental_optimizers as record
from torchspore import Parameter, Tensor
from torchspore.experimental import optim
from torchspore.experimental.optim import lr_scheduler

RECORD = json.loads((Path(__file__).parent.parent / "data" / "experimental_optimizers.json").read_text("utf-8"))


def make_optimizer(lr=0.1):
    return optim.SGD([Parameter(Tensor([0.0]), name="w")], lr)


# A value of a wrong type, of which the error is a ValueError, too.
WRONG_TYPES = {
    "sch.CosineAnnealingWarmRestarts(optimizer, 1.5)", "sch.CosineAnnealingWarmRestarts(optimizer, 2, 1.5)",
    "sch.CyclicLR(optimizer, 0.1, 0.2, 'a')",
}  # fmt: skip


@pytest.mark.parametrize("expression", RECORD["schedules"])
def test_schedule(expression):
    found, expected = record.schedule(ms, expression), RECORD["schedules"][expression]
    if isinstance(expected, dict):
        assert found == ({"error": "TypeError"} if expression in WRONG_TYPES else expected)
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-9)


@pytest.mark.parametrize("expression", [e for e, facts in RECORD["schedules"].items() if isinstance(facts, dict)])
def test_error_message(expression):
    with pytest.raises((TypeError, ValueError, KeyError, AttributeError)) as caught:
        eval(expression, record.names(ms))
    assert str(caught.value).strip("\"'").startswith("For '")


@pytest.mark.parametrize("expression", RECORD["guided"])
def test_guided_schedule(expression):
    found = record.schedule(ms, expression, record.GUIDED[expression])
    np.testing.assert_allclose(found, RECORD["guided"][expression], rtol=2e-6, atol=1e-9)


def test_warm_restarts_at_any_epoch():
    """MindSpore 2.10 fails there; torch does not."""
    twin = torch.optim.SGD([torch.zeros(1)], 0.1)
    ours = lr_scheduler.CosineAnnealingWarmRestarts(make_optimizer(), 2, 3)
    theirs = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(twin, 2, 3)
    for epoch in (0.5, 1.9, 2, 3.5, 7.9, 8.5, 30, 0):
        ours.step(epoch)
        theirs.step(epoch)
        np.testing.assert_allclose(ours.get_last_lr()[0].asnumpy(), theirs.get_last_lr()[0], rtol=1e-6, atol=1e-9)
    with pytest.raises(ValueError, match="'epoch' must be >= 0"):
        ours.step(-1)


def test_a_step_at_a_milestone():
    """MindSpore 2.10 fails there."""
    scheduler = lr_scheduler.MultiStepLR(make_optimizer(), [2, 4], 0.5)
    for epoch, factor in ((1, 1), (2, 0.5), (5, 0.25), (3, 0.5)):
        scheduler.step(epoch)
        np.testing.assert_allclose(scheduler.get_last_lr()[0].asnumpy(), 0.1 * factor, rtol=1e-6)


def test_other_changes_last():
    optimizer = make_optimizer()
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    ms.ops.assign(optimizer.param_groups[0]["lr"], 1.0)
    scheduler.step()
    assert optimizer.param_groups[0]["lr"].item() == 0.5


def test_last_rates_are_values():
    scheduler = lr_scheduler.ExponentialLR(make_optimizer(), 0.5)
    last = scheduler.get_last_lr()
    scheduler.step()
    assert type(last[0]) is Tensor
    assert [value.item() for value in last] == pytest.approx([0.1])


def test_constant_factor_of_zero():
    scheduler = lr_scheduler.ConstantLR(make_optimizer(), 0.0, 2)
    found = []
    for _ in range(3):
        found.append(scheduler.get_last_lr()[0].item())
        scheduler.step()
    assert found == pytest.approx([0.0, 0.0, 0.1])


@pytest.mark.parametrize("package", [optim, ms.mint.optim])
@pytest.mark.parametrize("jit", [False, True], ids=["eager", "graph"])
def test_steps_see_the_rates(package, jit):
    weight = Parameter(Tensor([0.0]), name="w")
    optimizer = package.SGD([weight], 1.0)
    scheduler = lr_scheduler.StepLR(optimizer, 1, 0.5)
    step = ms.jit(lambda g: optimizer((g,)), fullgraph=True) if jit else lambda g: optimizer((g,))
    for _ in range(4):
        step(Tensor([1.0]))
        scheduler.step()
    assert weight.item() == -1.875


def test_a_scheduler_of_ones_own():
    class Halving(lr_scheduler.LRScheduler):
        def get_lr(self):
            return [lr * (0.5 if self.last_epoch else 1.0) for lr in self._last_lr]

    scheduler = Halving(make_optimizer(1.0))
    for _ in range(3):
        scheduler.step()
    assert str(scheduler.get_last_lr()) == "[Tensor(shape=[], dtype=Float32, value= 0.125)]"
    with pytest.raises(NotImplementedError, match="For 'LRScheduler', define 'get_lr'"):
        lr_scheduler.LRScheduler(make_optimizer())


def test_a_sequence_goes_step_by_step():
    optimizer = make_optimizer()
    scheduler = lr_scheduler.SequentialLR(optimizer, [lr_scheduler.StepLR(optimizer, 2)], [])
    with pytest.raises(NotImplementedError, match="For 'SequentialLR', 'epoch' is not supported"):
        scheduler.step(3)
