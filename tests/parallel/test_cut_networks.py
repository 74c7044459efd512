"""Networks whose tensors are cut over processes compute what a single process does."""

from __future__ import annotations

import json
import pathlib

import pytest

from processes import outputs_of

PROGRAM = str(pathlib.Path(__file__).with_name("cut_networks.py"))
OTHER_ROWS = (
    "For 'TrainOneStepCell', the inputs of a call must have the same shapes in all processes of a network that is cut, "
    "but by rank they have ((4, 8), (4,)), ((3, 8), (3,)), ((4, 8), (4,)), ((3, 8), (3,)). Give each process as many "
    "rows, or use 'drop_remainder=True' in 'batch'."
)
OTHERS = {
    "held at level1": [1.0, 0.25, 0.25],
    "held at level3": [0.25, 0.25, 0.25],
    "names": [1, 4, 1, 4],
    "rows": [8, 4],
    "all rows": [8, 4],
    "too many parts": "For 'MatMul', the strategy ((8, 1), (1, 1)) needs 8 devices of 4.",
    "unequal parts": "For 'MatMul', the strategy ((1, 1), (1, 3)) cuts a dimension of 16 into 3 parts, which are not "
    "equal.",
    "too few numbers": "For 'MatMul', the strategy ((1,), (1, 1)) needs a number for each dimension of [(8, 8), (8, "
    "16)].",
    "inner dimension": "For 'MatMul', the strategy ((1, 4), (1, 1)) cuts one dimension of [(8, 8), (8, 16)] into 4 "
    "parts and into 1.",
    "other axes": "For 'MatMul', the strategy ((4, 1), (4, 1)) cuts one dimension of [(8, 8), (8, 16)] into 1 "
    "parts and into 4.",
    "other strategies": "For 'MatMul', the strategies of an operation must be the same in all processes, but by rank "
    "they are ((1, 1), (1, 1)), ((1, 1), (1, 2)), ((1, 1), (1, 2)), ((1, 1), (1, 2)).",
    **{
        f"other rows{strategies}, {mode}": ["", "", "", OTHER_ROWS, ""]
        for strategies in ("", " without strategies")
        for mode in (0, 1)
    },
}  # fmt: skip


@pytest.mark.slow
def test_four_processes() -> None:
    for out in outputs_of(PROGRAM, "2", count=4):
        found = dict(map(json.loads, out.splitlines()))
        assert {name: found.pop(name) for name in OTHERS} == OTHERS
        assert len(found) > 25
        assert {name: value for name, value in found.items() if value > 1e-6} == {}


@pytest.mark.slow
def test_twenty_steps_in_two_processes() -> None:
    names = ("columns, 0", "columns, 1", "parts of both", "Adam in both", "functions", "optimizer level3")
    for out in outputs_of(PROGRAM, "20", *names, count=2):
        found = dict(map(json.loads, out.splitlines()))
        assert sorted(found) == sorted(names)
        assert max(found.values()) < 1e-5


@pytest.mark.slow
def test_a_gpt_in_four_processes() -> None:
    program = str(pathlib.Path(__file__).with_name("cut_gpt.py"))
    for out in outputs_of(program, count=4):
        found = [json.loads(line) for line in out.splitlines()]
        assert len(found) == 4
        assert [row for row in found if row[1] > 1e-5] == []
