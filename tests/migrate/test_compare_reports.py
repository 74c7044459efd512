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


class _Cell(ms.nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.conv = ms.nn.Conv2d(1, 8, 3, stride=2)
        self.bn = ms.nn.BatchNorm2d(8, momentum=0.1)
        self.norm = ms.nn.LayerNorm((128,))
        self.head = ms.nn.Dense(128, 10)

    def construct(self, x: ms.Tensor) -> ms.Tensor:
        return self.head(self.norm(ms.ops.relu(self.bn(self.conv(x))).reshape(x.shape[0], -1)))


class _Module(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(1, 8, 3, stride=2, padding=1, bias=False)
        self.bn = torch.nn.BatchNorm2d(8)
        self.norm = torch.nn.LayerNorm(128)
        self.head = torch.nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.norm(torch.relu(self.bn(self.conv(x))).flatten(1)))


def test_every_diverging_row_has_its_own_verified_cause() -> None:
    report = migrate.compare(_Cell(), _Module(), torch.rand(16, 1, 8, 8), training=True)
    found = {(row.part, row.name): row.cause for row in report.rows if row.part in ("layers", "buffers") and row.is_bad}
    causes = {key: cause and (cause.setting, cause.verified) for key, cause in found.items()}
    assert causes == {
        ("layers", "conv"): ("padding", True),
        ("layers", "norm"): ("eps", True),
        ("buffers", "bn.moving_mean"): ("momentum", True),
        ("buffers", "bn.moving_variance"): ("momentum", True),
    }
    assert not [note for note in report.notes if "momentum" in note]


def test_causes_are_searched_for_a_bounded_number_of_layers() -> None:
    cell = ms.nn.SequentialCell([ms.nn.LayerNorm((4,)) for _ in range(22)])
    module = torch.nn.Sequential(*[torch.nn.LayerNorm(4) for _ in range(22)])
    report = migrate.compare(cell, module, torch.rand(3, 4) * 1e-3)
    causes = [row.cause for row in report.rows if row.part == "layers" and row.is_bad]
    assert all(cause is not None for cause in causes)
    assert sum(cause.setting == "eps" for cause in causes if cause) <= 20
