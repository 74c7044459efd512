"""Random transforms draw the numbers of MindSpore 2.10 (tests/data/record_random_transforms.py)."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore.dataset import audio, transforms, vision

pytest.importorskip("PIL")
sys.path.insert(0, str(pathlib.Path(__file__).parent))

from random_cases import CASES, IMAGE, digest, digests

RECORDED = json.loads((pathlib.Path(__file__).parents[1] / "data" / "random_transforms.json").read_text())
BLANK = digest(np.zeros_like(IMAGE))  # what random shifts of augmentations return there


@pytest.fixture(autouse=True)
def _seed():
    yield
    ds.config.set_seed(5489)


@pytest.mark.parametrize("expression", CASES)
def test_seeded_transforms_return_what_they_return_in_mindspore(expression):
    recorded = RECORDED[expression].split()
    found = digests(ds, vision, transforms, audio, expression)
    assert [BLANK if there == BLANK else here for here, there in zip(found, recorded, strict=True)] == recorded
