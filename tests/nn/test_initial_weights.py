"""Initial values after `set_seed` are MindSpore 2.10's, number for number."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import torchspore as ms
from data import record_initial_weights as record
from torchspore.common.initial_values import philox
from torchspore.common.initializer import Normal, initializer

RECORD = json.loads((Path(__file__).parent.parent / "data" / "initial_weights.json").read_text(encoding="utf-8"))
# A truncated normal needs an inverse function and an orthogonal matrix a decomposition, whose last digits differ.
ROUNDED = ("TruncatedNormal", "Orthogonal")


@pytest.mark.parametrize("row", record.ROWS)
def test_recorded(row: str) -> None:
    theirs, ours = RECORD[row], record.drawn(ms, row)
    assert ours["next"] == theirs["next"]
    assert list(ours["values"]) == list(theirs["values"])
    for name, values in theirs["values"].items():
        if any(word in row for word in ROUNDED):
            np.testing.assert_allclose(ours["values"][name], values, rtol=1e-6, atol=2e-7)
        else:
            np.testing.assert_array_equal(ours["values"][name], values)


def test_known_answers_of_philox() -> None:
    """The vector that the authors of Philox published for zeros."""
    zeros = philox._words(0, 0, 1)
    assert [hex(word) for word in zeros.tolist()] == ["0x6627e8d5", "0xe169c58d", "0xbc57ac4c", "0x9b00dbd8"]


def test_any_chunk_continues_the_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = torch.empty(101), torch.empty(101)
    philox.fill_normal(whole, 0, 1, seed=5)
    monkeypatch.setattr(philox, "_CHUNK", 7)
    philox.fill_normal(parts, 0, 1, seed=5)
    torch.testing.assert_close(parts, whole, rtol=1e-6, atol=0)  # vectorized functions round their last elements apart
    assert not torch.equal(whole[:50], whole[50:100])


def test_seeds_come_from_numpy() -> None:
    """`numpy.random.seed` repeats weights, as in MindSpore; `manual_seed` does not change them."""
    found = []
    for seed in (1, 1, 2):
        np.random.seed(seed)
        ms.manual_seed(len(found))
        found.append(initializer(Normal(), (4,)).init_data().asnumpy())
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
