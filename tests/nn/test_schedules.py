"""Learning rates that change with the step: values, lists and errors as recorded from MindSpore 2.10."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from data import record_schedules as record
from torchspore import nn

RECORD = json.loads((Path(__file__).parent.parent / "data" / "schedules.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("expression", RECORD["schedules"])
def test_schedule(expression):
    found, expected = record.rates(ms, expression), RECORD["schedules"][expression]
    np.testing.assert_allclose(found["steps"], expected["steps"], rtol=2e-6, atol=1e-9)
    assert found["forms"].keys() == expected["forms"].keys()
    for form, (shape, dtype, values) in expected["forms"].items():
        assert found["forms"][form][:2] == [shape, dtype], form
        np.testing.assert_allclose(found["forms"][form][2], values, rtol=2e-6)


@pytest.mark.parametrize("expression", RECORD["schedules"])
def test_schedule_of_a_known_step(expression):
    schedule = eval(expression, record.names(ms))
    rates = [schedule._at(step) for step in range(12)]
    np.testing.assert_allclose(rates, RECORD["schedules"][expression]["steps"], rtol=2e-6, atol=1e-9)


@pytest.mark.parametrize("expression", RECORD["lists"])
def test_list(expression):
    found, expected = record.listed(ms, expression), RECORD["lists"][expression]
    if isinstance(expected, dict):
        assert found == expected
        return
    assert isinstance(found, list)
    assert all(isinstance(rate, float) for rate in found)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_piecewise_constant_is_exact():
    assert nn.piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01]) == [0.1] * 2 + [0.05] * 3 + [0.01] * 5


@pytest.mark.parametrize("expression", RECORD["calls"])
def test_arguments(expression):
    assert record.outcome(ms, expression) == RECORD["calls"][expression]


@pytest.mark.parametrize("expression", [call for call, outcome in RECORD["calls"].items() if outcome != "ok"])
def test_error_message(expression):
    with pytest.raises((TypeError, ValueError)) as caught:
        eval(expression, record.names(ms))
    assert str(caught.value).startswith(f"For '{expression.split('(')[0]}', '")


def test_base_has_no_formula():
    with pytest.raises(NotImplementedError, match="For 'LearningRateSchedule', define 'construct"):
        nn.learning_rate_schedule.LearningRateSchedule()(ms.Tensor(1))


def test_step_of_a_wrong_type():
    with pytest.raises(TypeError, match="For 'WarmUpLR', 'global_step' must be a number"):
        nn.WarmUpLR(0.1, 4)("a")


def test_subclass_with_its_own_construct():
    class Doubled(nn.WarmUpLR):
        def construct(self, global_step):
            return super().construct(global_step) * 2

    weight = ms.Parameter(ms.Tensor([0.0]), name="weight")
    optimizer = nn.SGD([weight], Doubled(0.1, 2))
    for _ in range(3):
        optimizer((ms.Tensor([1.0]),))
    np.testing.assert_allclose(weight.asnumpy(), [-0.3], rtol=1e-6)
