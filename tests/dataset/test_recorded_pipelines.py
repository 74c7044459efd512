"""Pipelines yield the same rows, and raise the same types of errors, as MindSpore."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import torchspore as ms
import torchspore.dataset as ds

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import pipeline_cases

DATA = pathlib.Path(__file__).parent.parent / "data" / "dataset_pipelines.json"
RECORDED = json.loads(DATA.read_text(encoding="utf-8"))
NAMES = pipeline_cases.namespace(ms, ds)


def outcome(expression):
    """Return the result of an expression as JSON has it, or the type and the message of its error."""
    try:
        found = eval(expression, NAMES)
    except Exception as error:
        return {"error": type(error).__name__, "message": str(error)}
    return json.loads(json.dumps(found if isinstance(found, (list, tuple, int, str)) else None))


@pytest.mark.parametrize("expression", pipeline_cases.expressions())
def test_pipeline(expression):
    result = outcome(expression)
    if isinstance(result, dict):
        message = result.pop("message")
        assert message.startswith("For '") or "unexpected keyword" in message
    assert (result == RECORDED[expression]) == (expression not in pipeline_cases.DIFFERENCES)


def test_every_recorded_expression_is_in_the_table():
    assert sorted(RECORDED) == sorted(pipeline_cases.expressions())
