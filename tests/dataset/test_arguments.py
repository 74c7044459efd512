"""Errors about wrong arguments state the same types and intervals as MindSpore's."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

import torchspore as ms
from torchspore import dataset as ds
from torchspore.dataset import audio, text, transforms, vision
from torchspore.dataset.value_checks import wrong_type

pytest.importorskip("PIL")
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import argument_cases as cases

DATA = pathlib.Path(__file__).parent.parent / "data" / "dataset_arguments.json"
RECORDED = json.loads(DATA.read_text(encoding="utf-8"))
NAMES = cases.namespace(ms, ds, transforms, vision, text, audio)


@pytest.mark.parametrize("call", cases.CALLS)
def test_wrong_arguments(call):
    different = {}
    for expression, (kind, said) in RECORDED.items():
        if not expression.startswith(f"{call}("):
            continue
        with pytest.raises((TypeError, ValueError, RuntimeError), match=f"^For '{call.split('.', 1)[1]}', ") as caught:
            eval(expression, NAMES)
        said = cases.OF_TWO_MISTAKES.get(expression, said)
        classes = [each.__name__ for each in type(caught.value).__mro__]
        if kind not in classes or not cases.same(cases.statement(caught.value), said):
            different[expression] = (kind, said, str(caught.value))
    assert not different


class _Unprintable:
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([0] * 1000, "must be of type int, but got an object of type list"),
        (_Unprintable(), "must be of type int, but got an object of type _Unprintable"),
        ("", 'must be of type int, but got ""'),
    ],
)
def test_a_value_that_is_long_or_has_no_text_is_described(value, words):
    with pytest.raises(TypeError, match=words):
        raise wrong_type(value, (int,), "size", "Resize")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400])
def test_numbers_without_a_place_in_the_interval(value):
    with pytest.raises(ValueError, match=r"^For 'AutoContrast', 'cutoff' must be in \[0, 50\), but got"):
        vision.AutoContrast(value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: vision.Resize(), "missing a required argument: 'size'"),
        (lambda: ds.KMnistDataset(), "missing a required argument: 'dataset_dir'"),
        (lambda: NAMES["rows"].batch(), "missing a required argument: 'batch_size'"),
        (lambda: audio.Biquad(1.0), "missing a required argument: 'b1', 'b2', 'a0', 'a1', and 'a2'"),
    ],
)
def test_missing_arguments(call, words):
    with pytest.raises(TypeError, match=words):
        call()
