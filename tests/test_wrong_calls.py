"""A wrong call says what is wrong with it under the name that was called, and never ends or blocks the process."""

from __future__ import annotations

import pytest

import fuzz
import wrong_calls


@pytest.mark.slow
def test_errors_name_what_was_called():
    found = wrong_calls.run(seed=fuzz.seeds(1)[0] + 1, count=fuzz.inputs(400))
    assert [call for call in found if not wrong_calls.is_known(call[0], call[3])] == []


@pytest.mark.parametrize(
    ("error", "wrong"),
    [
        (ValueError("For 'add', no."), False),
        (ValueError("For 'Tensor.add', no."), False),
        (ValueError("For 'sub', no."), True),
        (TypeError("add() missing 1 required positional argument: 'x'"), False),
        (TypeError("sub() missing 1 required positional argument: 'x'"), True),
        (AttributeError("'int' object has no attribute '_t'"), True),
        (ZeroDivisionError("For 'add', no."), True),
        (TypeError("For 'add', both must be of one dtype, not torch.int8."), True),
    ],
)
def test_judgement(error, wrong):
    assert bool(wrong_calls.judge(error, lambda: None, {"add", "ops.add"})) is wrong
