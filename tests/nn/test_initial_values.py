"""Initial values of layers: their distributions, in TorchSpore and as MindSpore 2.10 recorded them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import torchspore as ms
from data import record_initial_values as record

RECORD = {
    (layer, attribute): found
    for layer, attribute, found in json.loads(
        (Path(__file__).parent.parent / "data" / "initial_values.json").read_text(encoding="utf-8")
    )
}
# The accepted number of standard deviations: a correct quantile exceeds it once in a billion.
_DEVIATIONS = 6.0


def probability(kind, number, value):
    """The share of a distribution that is below a value."""
    if kind == "uniform":
        return min(max((value + number) / (2 * number), 0.0), 1.0)
    return 0.5 * (1 + math.erf(value / (number * math.sqrt(2))))


def assert_distribution(quantiles, size, kind, number):
    if kind == "constant":
        assert quantiles == [number] * len(quantiles)
        return
    least, *inner, most = quantiles
    for level, value in zip(record.LEVELS[1:-1], inner, strict=True):
        allowed = _DEVIATIONS * math.sqrt(level * (1 - level) / size) + 1 / size
        assert abs(probability(kind, number, value) - level) < allowed, (level, value)
    if kind == "uniform":
        assert -number * (1 + 1e-6) <= least < -number * (1 - 30 / size)
        assert number * (1 - 30 / size) < most <= number * (1 + 1e-6)


@pytest.mark.parametrize(("layer", "attribute", "kind", "number"), record.ROWS)
def test_distribution(layer, attribute, kind, number):
    ms.set_seed(2)
    found = record.described(ms, layer, attribute)
    assert_distribution(found["quantiles"], math.prod(found["shape"]), kind, number)


@pytest.mark.parametrize(("layer", "attribute", "kind", "number"), [row for row in record.ROWS if row[:2] in RECORD])
def test_recorded(layer, attribute, kind, number):
    theirs, ours = RECORD[layer, attribute], record.described(ms, layer, attribute)
    assert (ours["shape"], ours["dtype"]) == (theirs["shape"], theirs["dtype"])
    assert_distribution(theirs["quantiles"], math.prod(theirs["shape"]), kind, number)


def test_another_seed_gives_other_values():
    found = []
    for seed in (1, 1, 2):
        ms.set_seed(seed)
        found.append(ms.nn.Dense(10, 10).weight.asnumpy())
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
