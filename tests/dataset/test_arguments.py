"""Errors about wrong arguments state the same types and intervals as MindSpore's."""

from __future__ import annotations

import json
import pathlib
import re
import sys

import pytest

import torchspore as ms
from torchspore import dataset as ds
from torchspore.dataset import audio, text, transforms, vision
from torchspore.dataset.value_checks import check_int, check_number

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
        classes = [each.__name__ for each in type(caught.value).__mro__]
        if kind not in classes or cases.statement(caught.value) != said:
            different[expression] = (kind, said, str(caught.value))
    assert not different


class _Unprintable:
    def __str__(self):
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([0] * 1000, "with value an object of type list is not of type .<class .int.>., but got"),
        (_Unprintable(), "with value an object of type _Unprintable is not of type .<class .int.>., but got"),
        ("", 'with value "" is not of type .<class .int.>., but got'),
    ],
)
def test_a_value_that_is_long_or_has_no_text_is_described(value, words):
    with pytest.raises(TypeError, match=words):
        check_int(value, "size", "Resize")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 10**400])
def test_numbers_without_a_place_in_the_interval(value):
    with pytest.raises(
        ValueError, match=r"^For 'Gain', Input gain is not within the required interval of \[0, 5\)\. Got"
    ):
        check_number(value, "gain", "Gain", minimum=0, below=5)


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


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("V.Resize(0)", "Input size is not within the required interval of [1, 16777216]."),
        (
            "V.Resize('x')",
            "Argument size with value x is not of type [<class 'int'>, <class 'list'>, <class 'tuple'>],",
        ),
        ("V.AdjustGamma(True)", "Argument gamma with value True is not of type (<class 'float'>, <class 'int'>), but"),
        ("V.Resize((1, 2, 3))", "Size should be a single integer or a list/tuple (h, w) of length 2"),
        ("V.Affine(1, (0, 0), 0, (0, 0))", "Input scale must be greater than 0."),
        ("X.BasicTokenizer(lower_case=1.5)", "Wrong input type for lower_case, should be boolean."),
        ("X.WordpieceTokenizer(None)", "vocab is not provided."),
        ("ds.NumpySlicesDataset([1], num_shards=2)", "num_shards and shard_id need to be passed in together."),
        (
            "ds.ImageFolderDataset('.', num_shards=2)",
            "num_shards is specified and currently requires shard_id as well.",
        ),
        ("ds.ImageFolderDataset('.', shard_id=2)", "shard_id is specified but num_shards is not."),
        ("ds.ImageFolderDataset('no')", "The folder no does not exist or is not a directory or permission denied!"),
        ("ds.MnistDataset('.', usage='x')", "Input usage is not within the valid set of ['train', 'test', 'all']."),
        ("ds.DistributedSampler('x', 1)", "num_shards must be integer but was: x."),
        ("ds.CSVDataset([__file__], shuffle=3)", "shuffle must be of boolean or enum of 'Shuffle' values like"),
        ("rows.map(abs, num_parallel_workers=0)", "num_parallel_workers exceeds the boundary between 1 and "),
    ],
)
def test_words_that_programs_look_for_in_errors(call, words):
    with pytest.raises((TypeError, ValueError, RuntimeError), match=re.escape(words)):
        eval(call, NAMES | {"__file__": __file__})
