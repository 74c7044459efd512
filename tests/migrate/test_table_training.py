"""The rows of optimizers, schedules and initial values, run on both sides."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import torchspore as ms
from migrate.cases.training import DIFFERENT, INIT, OPTIMIZERS, SCHEDULES
from migrate.table_runs import array, converted, in_mindspore, in_torch
from torchspore.migrate.table import rows_of

DRAW = np.random.default_rng(5)
START = DRAW.standard_normal((6, 4)).astype(np.float32)
GRADIENTS = [DRAW.standard_normal((6, 4)).astype(np.float32) for _ in range(5)]


def runs(cases):
    found = [(row, case) for name, case in cases.items() for row in rows_of(name) if row.mindspore]
    return pytest.mark.parametrize(("row", "case"), found, ids=[f"{row.torch}-{row.mindspore}" for row, _ in found])


def trained_in_torch(case):
    weight = torch.nn.Parameter(torch.tensor(START))
    optimizer = in_torch(case, {"params": [weight]})
    for gradient in GRADIENTS:
        weight.grad = torch.tensor(gradient)
        optimizer.step()
    return array(weight)


@runs(OPTIMIZERS)
def test_optimizers_agree(row, case):
    weight = ms.Parameter(ms.Tensor(START), name="weight")
    optimizer = in_mindspore(converted(row, case), {"params": [weight]})
    for gradient in GRADIENTS:
        optimizer((ms.Tensor(gradient),))
    difference = np.abs(array(weight) - trained_in_torch(case)).max()
    assert (difference > 1e-3) == (row.mindspore in DIFFERENT), difference


@runs(SCHEDULES)
def test_schedules_agree(row, case):
    theirs = torch.optim.SGD([torch.nn.Parameter(torch.ones(2))], lr=0.1)
    ours = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]), name="weight")], lr=0.1)
    schedule = in_torch(case, {"optimizer": theirs})
    other = in_mindspore(converted(row, case), {"optimizer": ours})
    arguments = (1.0,) if "Plateau" in row.torch else ()
    for _ in range(6):
        theirs.step()
        ours((ms.Tensor([1.0]),))
        schedule.step(*arguments)
        other.step(*arguments)
        np.testing.assert_allclose(float(ours.param_groups[0]["lr"]), theirs.param_groups[0]["lr"], rtol=1e-5)


@runs(INIT)
def test_initial_values_agree(row, case):
    theirs = torch.nn.Parameter(torch.zeros(80, 60))
    ours = ms.Parameter(ms.Tensor(np.zeros((80, 60), np.float32)), name="weight")
    in_torch(case, {"tensor": theirs})
    in_mindspore(converted(row, case), {"tensor": ours})
    a, b = array(ours).ravel(), array(theirs).ravel()
    error = 6 * b.std() / np.sqrt(b.size / 2)  # standard errors of a difference of means; std has smaller ones
    assert abs(a.mean() - b.mean()) <= error + 1e-6
    assert abs(a.std() - b.std()) <= error + 1e-6
    for quantile in (0.1, 0.5, 0.9):  # which tell distributions apart that have the same moments
        assert abs(np.quantile(a, quantile) - np.quantile(b, quantile)) <= 2 * error + 1e-6
