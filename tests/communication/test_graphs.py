"""Captured functions that exchange data with other processes."""

from __future__ import annotations

import json
import pathlib

import pytest

from processes import outputs_of

PROGRAM = pathlib.Path(__file__).with_name("graphs_of_processes.py")
EXPECTED = {
    "O0": [True, 1],
    "O1": [True, 1],
    "one message each": [True, 1],
    "three messages": [True, 1],
    "messages of 0 MB": [True, 1],
    "a value after": [True, True, True, True],
    "a value before": [True, True, True, True],
    "ignored": [True, True, True],
    "writes": [True, True, True],
}


@pytest.mark.slow
def test_graphs_of_two_processes():
    first, second = (dict(map(json.loads, out.splitlines())) for out in outputs_of(str(PROGRAM)))
    assert first == {**EXPECTED, "one records again": [True, 1]}
    assert second == {**EXPECTED, "one records again": [True, 2]}
