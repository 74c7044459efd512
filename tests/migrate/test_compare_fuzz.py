"""Random networks: equal ones are never reported, and a changed setting of one layer is found there."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch
from torch import nn as tnn

import torchspore as ms
from torchspore import nn
from torchspore.migrate import compare

pytestmark = pytest.mark.slow

# Layers of images of 4 channels: the cell's and the module's, and a setting of the module to change.
LAYERS: tuple[tuple[Any, Any, tuple[str, float] | None], ...] = (
    (lambda: nn.Conv2d(4, 4, 3, 1, "pad", 1, has_bias=True), lambda: tnn.Conv2d(4, 4, 3, padding=1), None),
    (lambda: nn.BatchNorm2d(4), lambda: tnn.BatchNorm2d(4), ("eps", 1e-3)),
    (lambda: nn.GroupNorm(2, 4), lambda: tnn.GroupNorm(2, 4), ("eps", 1e-3)),
    (lambda: nn.LayerNorm((6,), epsilon=1e-5), lambda: tnn.LayerNorm(6), ("eps", 1e-3)),
    (lambda: nn.LeakyReLU(0.1), lambda: tnn.LeakyReLU(0.1), ("negative_slope", 1e-3)),
    (lambda: nn.ELU(), lambda: tnn.ELU(), None),
    (lambda: nn.ReLU(), lambda: tnn.ReLU(), None),
    (lambda: nn.GELU(False), lambda: tnn.GELU(), None),
    (lambda: nn.Softmax(1), lambda: tnn.Softmax(1), None),
    (lambda: nn.Dense(6, 6), lambda: tnn.Linear(6, 6), None),
    (lambda: nn.AvgPool2d(3, 1, "pad", 1), lambda: tnn.AvgPool2d(3, 1, 1), None),
    (lambda: nn.MaxPool2d(3, 1, "pad", 1), lambda: tnn.MaxPool2d(3, 1, 1), None),
)  # fmt: skip
TYPES = ((ms.float32, torch.float32), (ms.float16, torch.float16), (ms.bfloat16, torch.bfloat16))


def pair(seed: int) -> tuple[list[int], nn.Cell, tnn.Module]:
    """Return the numbers of random layers, and networks of them."""
    torch.manual_seed(seed)
    numbers = [random.Random(seed + i).randrange(len(LAYERS)) for i in range(0, 1000 * (5 + seed % 20), 1000)]
    ours, theirs = zip(*[(LAYERS[n][0](), LAYERS[n][1]()) for n in numbers])
    return numbers, nn.SequentialCell(*ours), tnn.Sequential(*theirs)


@pytest.mark.parametrize("seed", range(12))
def test_equal_networks_are_never_reported(seed: int) -> None:
    _, cell, module = pair(seed)
    ours, theirs = TYPES[seed % 3]
    report = compare(
        cell.to(ours), module.to(theirs), torch.randn(2, 4, 6, 6).to(theirs), steps=2, training=seed % 2 == 0
    )
    report.assert_equal()


@pytest.mark.parametrize("seed", range(12))
def test_a_changed_setting_is_found_at_its_layer(seed: int) -> None:
    numbers, cell, module = pair(seed)
    places = [i for i, number in enumerate(numbers) if LAYERS[number][2]]
    if not places:
        numbers, places = [2], [0]
        cell, module = nn.SequentialCell(LAYERS[2][0]()), tnn.Sequential(LAYERS[2][1]())
    place = random.Random(seed).choice(places)
    name, change = LAYERS[numbers[place]][2] or ("", 0)
    setattr(module[place], name, getattr(module[place], name) + change)
    inputs = []
    module[place].register_forward_pre_hook(lambda _, args: inputs.append(args[0].detach()))
    report = compare(cell, module, torch.randn(2, 4, 6, 6), training=True)
    if report.first is None or report.first.part != "layers":  # the values that reach the layer do not show it
        assert report.notes
        assert inputs[0].min() >= 0 or inputs[0].abs().max() > 100 or inputs[0].std() < 1e-6
    else:
        assert (report.first.name, report.first.cause.verified) == (str(place), True), str(report)
