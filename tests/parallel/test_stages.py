"""Networks in stages over processes compute what a single process does."""

from __future__ import annotations

import json
import pathlib

import pytest

from processes import outputs_of

PROGRAM = str(pathlib.Path(__file__).with_name("stages.py"))
CASES = (
    "model", "without_parts", "scaled", "inputs_and_hooks", "batches_in_two", "sizes_and_files", "moved", "irregular",
    "auto_parallel",
)  # fmt: skip
WRONG = {
    "too large": "ValueError: For 'PipelineCell', 'pipeline_stage' of 'head' must be less than the number of stages, 2",
    "do not divide": "ValueError: For 'set_auto_parallel_context', the number of stages must divide",
    "rows": "ValueError: For 'PipelineCell', the first dimension of every input must be a multiple of 4",
    "rows of one process": "ValueError: For 'PipelineCell', the first dimension of every input must be a multiple of 4",
    "other rows": "ValueError: For 'PipelineCell', the processes of a pipeline must have inputs of the same shapes",
    "no cell": "ValueError: For 'PipelineCell', stage 1 has no cell in 'Mlp'. Set 'pipeline_stage' of its cells",
    "backwards": "ValueError: For 'PipelineCell', the cell 'layers.7' on stage 0 has an input from stage 1.",
    "reads": "TypeError: For 'PipelineCell', a network in stages cannot read the value of a tensor",
    "no mode": "ValueError: For 'PipelineCell', 2 'pipeline_stages' need the parallel mode 'semi_auto_parallel'.",
    "twice": "NotImplementedError: For 'PipelineCell', a network in stages has first gradients by 'grad'",
}


@pytest.mark.slow
def test_two_processes(tmp_path: pathlib.Path) -> None:
    first, second = [
        dict(map(json.loads, out.splitlines()))
        for out in outputs_of(PROGRAM, str(tmp_path), "2", *CASES, "held", "wrong", "caught")
    ]
    assert first.pop("held") == [0.59, 0.59, 0.59]
    assert second.pop("held") == [0.41, 0.41, 0.41]
    for rank, found in enumerate((first, second)):
        caught = [name for name in found if name.startswith(("first", "last"))]
        assert len(caught) == 14
        for name in caught:
            error, is_right = found.pop(name)
            assert ("in process" in error) == name.startswith("last" if rank == 0 else "first")
            assert ("the third part" in error, is_right) == (True, True)
        assert {name: found.pop(name)[: len(words)] for name, words in WRONG.items()} == WRONG
        assert len(found) == 10 + len(CASES) + 2
        assert {name: value for name, value in found.items() if value > 1e-5} == {}


@pytest.mark.slow
def test_four_processes_of_which_one_ends(tmp_path: pathlib.Path) -> None:
    outs = outputs_of(PROGRAM, str(tmp_path), "2", "4", "wrong", "dies", count=4)
    for rank, out in enumerate(outs):
        found = dict(map(json.loads, out.splitlines()))
        assert {name: found.pop(name)[: len(words)] for name, words in WRONG.items()} == WRONG
        assert found.pop("dies", "ended") == ("ended" if rank == 1 else "RuntimeError")
        assert len(found) == 10
        assert {name: value for name, value in found.items() if value > 1e-5} == {}
