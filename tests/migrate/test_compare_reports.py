"""The texts of reports of `compare`: counts, causes of every row, moving statistics."""

from __future__ import annotations

import pytest
import torch

import torchspore as ms
from torchspore import migrate


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_summary_counts_the_same_in_both_modes(mode: int) -> None:
    report = migrate.compare(ms.nn.Dense(4, 2), torch.nn.Linear(4, 2), torch.rand(3, 4), mode=mode)
    assert report.summary().endswith(": 1 layer, 1 output, 3 gradients.")
