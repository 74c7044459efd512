"""Networks in stages that are cut within each stage compute what a single process does."""

from __future__ import annotations

import json
import pathlib

import pytest

from processes import outputs_of

PROGRAM = str(pathlib.Path(__file__).with_name("cut_stages.py"))
HELD = {  # what a process holds of weights, and of their moments
    "heads": {0.5},
    "rows and heads": {0.5},
    "gpipe, functions": {0.5},
    "zero bubble": {0.5},
    "recompute": {0.5},
    "level1": {1.0, 0.5},
    "level3": {0.5},
}


@pytest.mark.slow
def test_four_processes(tmp_path: pathlib.Path) -> None:
    outs = [dict(map(json.loads, out.splitlines())) for out in outputs_of(PROGRAM, str(tmp_path), count=4)]
    for found in outs:
        assert found.pop("saved") == [0.0, 1.0]
        assert found.pop("other strategy") == (
            "For 'dataset_strategy', a network in stages needs a tuple of numbers for each of its 2 inputs, of which "
            "the first is 1 or 2, and the others are 1, but got ((1, 2), (1, 1))."
        )
        assert {name for name, (difference, *_) in found.items() if difference > 1e-5} == set()
    for name, held in HELD.items():
        assert set().union(*[found[name][1:] for found in outs]) == held
