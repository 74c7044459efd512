"""Deterministic transforms return the same values as MindSpore."""

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

DATA = pathlib.Path(__file__).parent.parent / "data"
RECORDED = json.loads((DATA / "dataset.json").read_text(encoding="utf-8"))
# Where OpenCV's integers and our floats round differently, and where MindSpore's OpenCV differs from another one: the
# maximum difference, and for which part of the pixels there may be one.
ROUNDING = {
    "V.Resize((40, 50))(wide)": (1, 0.02),
    "V.Resize((13, 17))(rgb)": (1, 0.03),
    "V.Resize((4, 5), V.Inter.AREA)(rgb)": (1, 0.1),
    "V.Resize((13, 17), V.Inter.AREA)(rgb)": (1, 0.1),
    "V.Resize((13, 17), V.Inter.BICUBIC)(rgb)": (1, 0.05),
    "V.Affine(15, (0, 0), 1, 0, V.Inter.BICUBIC)(noise)": (1, 0.005),
    "V.RandomAffine((0, 0), None, (0.8, 0.8), None, V.Inter.BICUBIC, 7)(noise)": (1, 0.005),
    next(each for each in cases.EXPRESSIONS if "V.Perspective" in each and "BICUBIC" in each): (1, 0.005),
    "V.BoundingBoxAugment(V.Resize((2, 2)), 1.0)(rgb, np.array([[1, 2, 4, 4]], np.float32))": (1, 0.01),
}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    import torchspore.dataset.transforms as transforms
    import torchspore.dataset.vision as vision

    return cases.namespace(ms, transforms, vision, tmp_path_factory.mktemp("images"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "opencv"),
    [
        *[pytest.param(each, True, id=f"{each}-OpenCV") for each in cases.EXPRESSIONS],
        *[pytest.param(each, False, id=f"{each}-NumPy") for each in cases.EXPRESSIONS if "V." in each],
    ],
)
def test_transform(expression, opencv, names, monkeypatch):
    if not opencv:
        monkeypatch.setattr("torchspore.dataset.rows.opencv.module", lambda: None)
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


@pytest.mark.parametrize(
    ("expression", "array"),
    [
        *[(f"V.{name}", True) for name in (
            "CutOut(2)", "Rotate(30)", "AutoAugment()", "RandAugment()", "TrivialAugmentWide()", "Erase(1, 1, 2, 2)",
            "Affine(15, (0.1, 0.1), 1.1, [1, 1])", "HorizontalFlip()", "VerticalFlip()", "Crop((0, 0), 5)",
            "Posterize(3)", "Solarize(100.0)", "GaussianBlur(3)", "AdjustSharpness(1.5)", "RandomPosterize()",
            "RandomAdjustSharpness(2.0)", "RandomAutoContrast(prob=1.0)", "RandomEqualize(1.0)", "RandomInvert(0.0)",
            "RandomSolarize()", "ResizedCrop(0, 0, 9, 9, 5)", "ConvertColor(V.ConvertMode.COLOR_RGB2GRAY)",
            "PadToSize((20, 20))", "RandomResize(4)", "RandomSelectSubpolicy([[(V.Invert(), 1.0)]])",
        )],
        *[(f"V.{name}", False) for name in (
            "RandomLighting()", "AdjustHue(0.1)",
            "RandomRotation(9)", "RandomHorizontalFlip(1.0)", "RandomVerticalFlip(0.0)", "Invert()", "Pad(2)",
            "Resize(4)", "CenterCrop(4)", "Equalize()", "AutoContrast()", "AdjustBrightness(1.2)", "RandomCrop(4)",
        )],
    ],
)  # fmt: skip
def test_pil_images_become_arrays_where_mindspore_has_no_version_in_python(expression, array, names):
    """MindSpore 2.10 on a PIL image of 12 by 10."""
    image = names["V"].ToPIL()(np.zeros((12, 10, 3), np.uint8))
    assert isinstance(eval(expression, dict(names))(image), np.ndarray) is array
