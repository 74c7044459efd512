"""Transforms without chance give what MindSpore gives."""

from __future__ import annotations

import json
import pathlib
import sys

import numpy as np
import pytest

import torchspore as ms

pytest.importorskip("PIL")
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import transform_cases as cases

RECORDED = json.loads((pathlib.Path(__file__).parent.parent / "data" / "dataset.json").read_text(encoding="utf-8"))
# Where OpenCV's whole numbers and our floats round differently: the greatest difference, and for which part of the
# pixels there may be one.
ROUNDING = {
    "V.Resize((40, 50))(wide)": (1, 0.02),
    "V.Resize((13, 17))(rgb)": (1, 0.03),
    "V.Resize((4, 5), V.Inter.AREA)(rgb)": (1, 0.1),
    "V.Resize((13, 17), V.Inter.AREA)(rgb)": (1, 0.1),
    "V.Resize((13, 17), V.Inter.BICUBIC)(rgb)": (1, 0.05),
    "V.Rotate(30, V.Inter.BILINEAR)(rgb)": (1, 0.01),
    "V.Rotate(30, V.Inter.BILINEAR)(pil)": (1, 0.01),
    "V.AdjustHue(0.2)(rgb)": (3, 0.25),  # there, colors go through hues of 8 bits
    "V.AdjustHue(-0.4)(rgb)": (7, 0.35),
}


@pytest.fixture(scope="module")
def names():
    import torchspore.dataset.transforms as transforms
    import torchspore.dataset.vision as vision

    return cases.namespace(ms, transforms, vision)


@pytest.mark.parametrize("expression", cases.EXPRESSIONS)
def test_transform(expression, names):
    found, recorded = cases.plain(eval(expression, names)), RECORDED[expression]
    many = isinstance(recorded, list)
    pairs = zip(found, recorded) if many else [(found, recorded)]
    assert not many or len(found) == len(recorded)
    for ours, theirs in pairs:
        assert (ours["dtype"], ours["shape"]) == (theirs["dtype"], theirs["shape"])
        if ours["dtype"].startswith("<U"):
            assert ours["values"] == theirs["values"]
            continue
        difference = np.abs(np.array(ours["values"], float) - np.array(theirs["values"], float))
        exact = np.dtype(theirs["dtype"]).kind in "biu"
        allowed = 0 if exact else 2e-6 * max(1, np.abs(theirs["values"]).max(initial=0))
        most, part = ROUNDING.get(expression, (allowed, 1))
        assert difference.max(initial=0) <= most
        assert (difference > allowed).mean() <= part


def test_every_recorded_expression_is_in_the_table():
    assert sorted(RECORDED) == sorted(cases.EXPRESSIONS)
