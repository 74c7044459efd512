"""A training of several processes resumes where it was killed, and processes agree before they start."""

from __future__ import annotations

import json
import pathlib

import pytest

from processes import outputs_of

PROGRAM = str(pathlib.Path(__file__).with_name("resumed_processes.py"))


@pytest.mark.slow
def test_a_killed_training_resumes_from_the_last_step_of_all(tmp_path: pathlib.Path) -> None:
    outputs_of(PROGRAM, str(tmp_path), "kill")
    assert sorted(file.name for file in tmp_path.glob("*.ckpt")) == [
        "resumed.rank_0.ckpt",
        "resumed.rank_0.previous.ckpt",
        "resumed.rank_1.ckpt",
        "resumed.rank_1.previous.ckpt",
    ]
    for rank, out in enumerate(outputs_of(PROGRAM, str(tmp_path), "resume")):
        first, damaged, *refused = out.splitlines()
        (losses, weights), (all_losses, all_weights) = json.loads(first)
        assert [step for step, _ in losses] == [5, 6, 7, 8, 9]  # the second process has not saved the fifth step
        assert losses == all_losses[4:]
        assert weights == all_weights
        assert damaged.startswith("For 'load_checkpoint', '/whole.rank_1.ckpt' cannot be loaded: it is cut short")
        assert damaged.endswith("(in process 1)") == (rank == 0)
        assert refused == [
            "For 'ResumeTraining', the files of the processes have no step in common, but steps of [[8, 9], [-1]], by "
            "rank. Bring back the missing files, or remove all of them to start again.",
            "For 'Model.train', an epoch must have the same number of batches in all processes, but has 2 in process "
            "0, 3 in process 1. 'num_shards' and 'shard_id' of datasets make equal parts, and 'sink_size' sets the "
            "number of batches.",
        ]
