"""An attribute of a transform or a source that is set later counts as if it had been an argument of the constructor."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore.dataset import audio, text, transforms, vision

PICTURE = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
WAVE = np.linspace(-1, 1, 8, dtype=np.float32)[None]


@pytest.mark.parametrize(
    ("first", "changes", "second", "value"),
    [
        (vision.AdjustBrightness(0.5), {"brightness_factor": 2.0}, vision.AdjustBrightness(2.0), PICTURE),
        (vision.AdjustContrast(0.5), {"contrast_factor": 2.0}, vision.AdjustContrast(2.0), PICTURE),
        (vision.Resize((2, 3)), {"size": (4, 4)}, vision.Resize((4, 4)), PICTURE),
        (vision.Resize(3), {"interpolation": vision.Inter.NEAREST}, vision.Resize(3, vision.Inter.NEAREST), PICTURE),
        (vision.Crop((0, 0), 2), {"coordinates": (1, 1), "size": 3}, vision.Crop((1, 1), 3), PICTURE),
        (vision.Rescale(1.0, 0.0), {"rescale": 2.0, "shift": 3.0}, vision.Rescale(2.0, 3.0), PICTURE),
        (vision.Solarize(10), {"threshold": (5, 40)}, vision.Solarize((5, 40)), PICTURE),
        (audio.Gain(2.0), {"gain_db": 1.0}, audio.Gain(1.0), WAVE),
        (audio.MuLawEncoding(), {"quantization_channels": 16}, audio.MuLawEncoding(16), WAVE),
        (audio.LowpassBiquad(4000, 900.0), {"quality_factor": 0.3}, audio.LowpassBiquad(4000, 900.0, 0.3), WAVE),
        (audio.LowpassBiquad(4000, 900.0), {"Q": 0.3}, audio.LowpassBiquad(4000, 900.0, 0.3), WAVE),
        (transforms.Fill(3), {"fill_value": 5}, transforms.Fill(5), PICTURE),
        (transforms.OneHot(3), {"num_classes": 4}, transforms.OneHot(4), np.array(2)),
        (text.Ngram(2), {"n": 3}, text.Ngram(3), ["a", "b", "c", "d"]),
        (
            text.Lookup(text.Vocab.from_list(["a", "b"])), {"vocab": text.Vocab.from_list(["b", "a"])},
            text.Lookup(text.Vocab.from_list(["b", "a"])), "a",
        ),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_an_attribute_counts(first, changes, second, value):
    before, expected = first(value), second(value)
    assert not np.array_equal(before, expected)
    for name, other in changes.items():
        setattr(first, name, other)
        assert getattr(first, name) is other or np.array_equal(getattr(first, name), getattr(second, name))
    np.testing.assert_array_equal(first(value), expected)


def test_an_attribute_is_checked():
    layer = vision.AdjustBrightness(0.5)
    with pytest.raises(ValueError, match="For 'AdjustBrightness', 'brightness_factor' must be in"):
        layer.brightness_factor = -1.0
    assert layer.brightness_factor == 0.5


def test_attributes_of_a_program_are_kept():
    class Louder(audio.Gain):
        def __init__(self, gain_db, note):
            super().__init__(gain_db)
            self.note = note

    louder = Louder(2.0, "a")
    louder.note = "b"
    assert louder.note == "b"
    louder.gain_db = 0.0
    np.testing.assert_array_equal(louder(WAVE), WAVE)
    assert louder.note == "b"
    gain = audio.Gain(2.0)
    gain.note, gain.gain_db = "c", 1.0
    assert gain.note == "c"


@pytest.mark.parametrize(
    "make",
    [
        lambda: ds.GeneratorDataset([1, 2], ["a"], shuffle=False),
        lambda: ds.NumpySlicesDataset([1, 2], ["a"], shuffle=False),
        lambda: ds.PaddedDataset([{"a": np.array(1)}, {"a": np.array(2)}]),
    ],
)
def test_names_of_columns_count(make):
    data = make()
    data.column_names = ["b"]
    assert (data.get_col_names(), data.column_names) == (["b"], ["b"])
    assert [row["b"] for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)] == [1, 2]
    with pytest.raises(ValueError, match="there must be 1 'column_names', one for each column, but got"):
        data.column_names = ["b", "c"]


def _rows(data):
    return [row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def test_arguments_of_sources_and_operations_count():
    data = ds.NumpySlicesDataset([1, 2, 3, 4, 5], ["a"], shuffle=False)
    data.note, data.num_samples = "mine", 4
    assert len(data) == 4
    groups = data.bucket_batch_by_length(["a"], [9], [2, 1], lambda n: 1)
    assert _rows(groups) == [[1, 2], [3, 4]]
    data.column_names, data.num_samples = ["b"], 3
    assert (_rows(data), len(data), data.get_col_names(), data.note) == ([1, 2, 3], 3, ["b"], "mine")
    groups.children, groups.bucket_batch_sizes, groups.drop_remainder = [data.rename("b", "a")], [2, 1], True
    assert _rows(groups) == [[1, 2]]
    data.sampler = ds.SubsetSampler([4, 0])
    groups.drop_remainder = False
    assert _rows(groups) == [[5, 1]]
    with pytest.raises(ValueError, match="'num_samples'"):
        data.num_samples = -1
    assert (_rows(data), data.num_samples) == ([5, 1], 3)
    data.sampler = ds.WeightedRandomSampler([1.0, 1.0], 2)
    data.sampler.weights = [0.0, 0.0, 1.0]
    assert _rows(copy.deepcopy(groups)) == [[3, 3]]


def test_an_order_may_stay():
    data = ds.NumpySlicesDataset(list(range(9)), shuffle=False).shuffle(9)
    data.reshuffle_each_epoch = False
    rows = _rows(data.repeat(2))
    assert rows[:9] == rows[9:] != sorted(rows[9:])
