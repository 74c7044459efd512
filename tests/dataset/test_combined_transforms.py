"""Transforms of whole batches, and two as one: rows and errors are the same as with one transform and row at a time."""

from __future__ import annotations

import platform
import sys
from typing import Any

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore.dataset import text, transforms, vision
from torchspore.dataset.rows.memory import reuse_freed_memory
from torchspore.dataset.text import characters
from torchspore.dataset.transforms import combined

RANDOM = np.random.default_rng(0)
DIGITS = RANDOM.integers(0, 256, (10, 6, 5, 1), np.uint8)
PHOTOS = RANDOM.integers(0, 256, (10, 6, 5, 3), np.uint8)
FLOATS = RANDOM.random((10, 3, 4, 5)).astype(np.float32)
NUMBERS = np.arange(10)
MEAN, STD = [120.0, 110.0, 100.0], [60.0, 50.0, 40.0]

# The columns before; the transforms of one map, or lists of them for several.
WHOLE_BATCHES: list[tuple[Any, list[Any]]] = [
    (DIGITS, [vision.Rescale(1 / 255, 0.5), vision.Normalize([0.1307], [0.3081]), vision.HWC2CHW()]),
    (DIGITS, [[vision.Rescale(1 / 255, 0.0)], [vision.HWC2CHW()]]),
    (DIGITS[..., 0], [vision.Normalize([3.0], [2.0]), vision.HWC2CHW()]),
    (DIGITS[..., 0], [vision.ToTensor()]),
    (PHOTOS, [vision.Normalize(MEAN, STD), vision.HWC2CHW()]),
    (PHOTOS, [vision.ToTensor(np.float64)]),
    (PHOTOS, [vision.HWC2CHW(), vision.ToType(np.float32)]),
    (FLOATS, [vision.Normalize([0.1, 0.2, 0.3, 0.4, 0.5], [1.0] * 5)]),
    (FLOATS, [vision.Normalize([0.1, 0.2, 0.3], [1.0] * 3, is_hwc=False)]),
    (NUMBERS, [transforms.TypeCast(np.int32)]),
    (NUMBERS.astype(np.int32), [vision.Rescale(2.0, 1.0)]),
]


def mapped(data: Any, steps: list[Any]) -> Any:
    """Return a dataset after maps."""
    for each in steps if isinstance(steps[0], list) else [steps]:
        data = data.map(each, "x")
    return data


def rows_in_batches(data: Any, size: int) -> list[Any]:
    """Return the batches of a dataset, stacked here."""
    rows = list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))
    groups = [rows[start : start + size] for start in range(0, len(rows), size)]
    return [[np.stack(column) for column in zip(*group)] for group in groups]


@pytest.mark.parametrize("kind", ["slices", "generator"])
@pytest.mark.parametrize("case", range(len(WHOLE_BATCHES)))
def test_a_batch_has_the_values_of_its_rows(case: int, kind: str) -> None:
    column, steps = WHOLE_BATCHES[case]
    if kind == "slices":
        source: Any = ds.NumpySlicesDataset((column, NUMBERS), ["x", "y"], shuffle=False)
    else:
        source = ds.GeneratorDataset(list(zip(column, NUMBERS)), ["x", "y"], shuffle=False)
    expected = rows_in_batches(mapped(source, steps), 4)
    found = list(mapped(source, steps).batch(4).create_tuple_iterator(num_epochs=1, output_numpy=True))
    assert len(found) == len(expected)
    for batch, wanted in zip(found, expected):
        for values, others in zip(batch, wanted):
            assert values.dtype == others.dtype
            assert values.flags.c_contiguous
            np.testing.assert_array_equal(values, others)


def test_columns_are_renamed_and_moved_as_without_batches() -> None:
    source = ds.NumpySlicesDataset((PHOTOS, NUMBERS), ["x", "y"], shuffle=False)
    data = source.map(vision.HWC2CHW(), "x", "z").batch(5)
    assert data.get_col_names() == source.map(vision.HWC2CHW(), "x", "z").get_col_names()
    row = next(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert {name: value.shape for name, value in row.items()} == {"z": (5, 3, 6, 5), "y": (5,)}


class Doubling(vision.Rescale):
    """A user's class."""

    def __call__(self, *inputs: Any) -> Any:
        return inputs[0] * 2


def test_the_classes_of_users_are_called() -> None:
    data = ds.NumpySlicesDataset([1, 2], ["x"], shuffle=False).map(Doubling(1.0, 0.0), "x").batch(2)
    assert [batch[0].tolist() for batch in data.create_tuple_iterator(num_epochs=1, output_numpy=True)] == [[2, 4]]


WRONG: list[tuple[Any, list[Any]]] = [
    (list(PHOTOS), [vision.Normalize([1.0] * 2, [1.0] * 2), vision.HWC2CHW()]),
    (list(PHOTOS), [vision.Normalize([1.0] * 2, [1.0] * 2)]),
    ([np.zeros(3), np.zeros(3)], [vision.HWC2CHW()]),
    ([PHOTOS[0], PHOTOS[0, :3]], [vision.HWC2CHW()]),
    ([PHOTOS[0], DIGITS[0, ..., 0]], [vision.Normalize(MEAN, STD), vision.HWC2CHW()]),
    (["deep sea", "deep sky"], [text.WhitespaceTokenizer(), text.Lookup(text.Vocab.from_list(["deep", "sea"]))]),
    ([np.array(3)], [text.WhitespaceTokenizer(), text.Lookup(text.Vocab.from_list(["deep", "sea"]))]),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_errors_are_those_of_single_steps(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, steps = WRONG[case]

    def message() -> str:
        data = ds.GeneratorDataset(rows, ["x"], shuffle=False).map(steps, "x").batch(2)
        with pytest.raises(RuntimeError) as caught:
            list(data.create_tuple_iterator(num_epochs=1))
        return str(caught.value)

    fast = message()
    monkeypatch.setattr(combined, "_pairs", {})
    monkeypatch.setattr(combined, "_batches", {})
    assert fast == message()


VOCAB = text.Vocab.from_list(["deep", "sea", ",", "d", "e", "p", "", "<unk>"])
TOKENIZERS = [
    text.WhitespaceTokenizer(),
    text.WhitespaceTokenizer(with_offsets=True),
    text.UnicodeCharTokenizer(),
    text.UnicodeScriptTokenizer(),
    text.RegexTokenizer("[ ,]", ","),
    text.BasicTokenizer(lower_case=True),
]
TEXTS = ["deep sea", "  deep,\tsea\u3000deep ", "", " ", "Deep \x1cs\u0301ea \u6df1\u6d77", "deep" * 50]


@pytest.mark.parametrize("data_type", [ms.int32, ms.int64, ms.float32])
@pytest.mark.parametrize("number", range(len(TOKENIZERS)))
def test_words_are_looked_up_as_in_two_steps(number: int, data_type: Any) -> None:
    tokenizer, lookup = TOKENIZERS[number], text.Lookup(VOCAB, "<unk>", data_type)
    data = ds.NumpySlicesDataset(TEXTS, ["x"], shuffle=False)
    outputs = ["x", "start", "end"] if tokenizer.with_offsets else ["x"]
    steps: list[Any] = [tokenizer, lookup]
    if tokenizer.with_offsets:
        steps = [tokenizer, lambda *values: (lookup(values[0]), *values[1:])]
    data = data.map(steps, ["x"], outputs)
    for row, line in zip(data.create_tuple_iterator(num_epochs=1, output_numpy=True), TEXTS):
        tokens = tokenizer(line)
        expected = lookup(tokens[0] if tokenizer.with_offsets else tokens)
        assert row[0].dtype == expected.dtype
        np.testing.assert_array_equal(row[0], expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(4, 5, 3), (4, 5, 1), (4, 5), (1, 1, 3), (4, 5, 4)])
def test_normal_planes_are_those_of_two_steps(shape: tuple[int, ...], dtype: Any) -> None:
    normalize = vision.Normalize(MEAN, STD) if shape[-1] == 3 else vision.Normalize(MEAN[:1], STD[:1])
    image = (RANDOM.random(shape) * 255).astype(dtype)
    ((_, step),) = combined.steps([normalize, vision.HWC2CHW()])
    np.testing.assert_array_equal(step(image), vision.HWC2CHW()(normalize(image)), strict=True)


def test_an_iterator_continues_within_batches() -> None:
    data = ds.NumpySlicesDataset((PHOTOS, NUMBERS), ["x", "y"], shuffle=True)
    data = data.map(vision.Rescale(0.5, 1.0), "x").batch(3).repeat(2)
    ds.config.set_seed(1)
    iterator = data.create_tuple_iterator(output_numpy=True)
    next(iterator)
    state, rest = iterator.state_dict(), [batch[1].tolist() for batch in iterator]
    again = data.create_tuple_iterator(output_numpy=True)
    again.load_state_dict(state)
    assert [batch[1].tolist() for batch in again] == rest


def test_no_later_character_is_white_space() -> None:
    spaces = [code for code in range(sys.maxunicode + 1) if characters.is_space(chr(code))]
    assert all(characters.words_between_spaces().fullmatch(chr(code)) is None for code in spaces)
    assert max(spaces) < characters._END_OF_SPACES


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="other allocators have other rules")
def test_freed_memory_is_reused() -> None:
    import resource

    reuse_freed_memory()
    np.zeros(1 << 18) + 1
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(1 << 18) + 1  # 2 MiB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 50 * 100
