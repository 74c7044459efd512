"""What `Compose` returns outside pipelines: the kinds of results that MindSpore 2.10 returned."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from PIL import Image

import torchspore.dataset as ds
from torchspore.dataset import audio, text, transforms, vision

ARRAY = np.arange(6 * 8 * 3, dtype=np.uint8).reshape(6, 8, 3)
PICTURE = Image.fromarray(ARRAY)
FILE = vision.encode_png(ARRAY)


def kinds(result: Any) -> Any:
    if isinstance(result, tuple):
        return [kinds(each) for each in result]
    return type(result).__name__, result.shape if isinstance(result, np.ndarray) else result.size


CASES = [
    # A PIL image: the results as they are, in a tuple.
    ([vision.ToTensor()], PICTURE, [("ndarray", (3, 6, 8))]),
    ([vision.Resize((4, 4))], PICTURE, [("Image", (4, 4))]),
    ([vision.Resize((4, 4)), vision.ToTensor()], PICTURE, [("ndarray", (3, 4, 4))]),
    ([vision.HWC2CHW()], PICTURE, [("ndarray", (3, 6, 8))]),
    ([transforms.Compose([vision.ToTensor()])], PICTURE, [("ndarray", (3, 6, 8))]),
    ([lambda image: image], PICTURE, [("Image", (8, 6))]),
    # Transforms of Python objects.
    ([vision.ToPIL()], ARRAY, [("Image", (8, 6))]),
    ([vision.ToPIL(), vision.ToTensor()], ARRAY, [("ndarray", (3, 6, 8))]),
    ([transforms.Compose([vision.ToPIL()]), vision.ToTensor()], ARRAY, [("ndarray", (3, 6, 8))]),
    ([vision.Decode(to_pil=True)], FILE, [("Image", (8, 6))]),
    ([vision.Decode(to_pil=True), vision.ToTensor()], FILE, [("ndarray", (3, 6, 8))]),
    ([vision.RandomErasing(1.0)], ARRAY, [("ndarray", (6, 8, 3))]),
    # Others: arrays.
    ([vision.ToTensor()], ARRAY, ("ndarray", (3, 6, 8))),
    ([vision.ToNumpy()], ARRAY, ("ndarray", (6, 8, 3))),
    ([vision.Decode(), vision.Resize(3)], FILE, ("ndarray", (3, 4, 3))),
    ([lambda image: (image, 1)], ARRAY, [("ndarray", (6, 8, 3)), ("ndarray", ())]),
    ([Image.fromarray], ARRAY, ("ndarray", (6, 8, 3))),
    ([lambda number: 3], 1, ("ndarray", ())),
    ([lambda number: [1, 2]], 1, ("ndarray", (2,))),
    ([lambda value: value + 1], [1, 2], ("ndarray", (2,))),
    ([lambda image: (image,)], ARRAY, ("ndarray", (6, 8, 3))),
]
# Of RandomApply, RandomChoice and RandomOrder, which return single results of objects as they are
RANDOM = [
    ([vision.ToPIL()], ARRAY, ("Image", (8, 6))),
    ([vision.Invert()], PICTURE, ("Image", (8, 6))),
    ([lambda image: image[0]], ARRAY, ("ndarray", (8, 3))),
]


@pytest.mark.parametrize(("steps", "value", "expected"), CASES)
def test_results_have_mindspores_kinds(steps: list[Any], value: Any, expected: Any) -> None:
    assert kinds(transforms.Compose(steps)(value)) == expected


@pytest.mark.parametrize("kind", [transforms.RandomApply, transforms.RandomChoice, transforms.RandomOrder])
@pytest.mark.parametrize(("steps", "value", "expected"), RANDOM)
def test_results_of_random_compositions(kind: Any, steps: list[Any], value: Any, expected: Any) -> None:
    made = kind(steps, **({"prob": 1.0} if kind is transforms.RandomApply else {}))
    assert kinds(made(value)) == expected


def test_random_compositions_return_arrays() -> None:
    for value in (5, [1, 2]):
        assert transforms.RandomApply([lambda x: x], 1.0)(value).tolist() == value
        assert transforms.RandomChoice([lambda x: x])(value).tolist() == value
    assert transforms.RandomOrder([lambda x: x])([1, 2]) == [1, 2]  # as it is


def test_compositions_are_flattened() -> None:
    assert len(transforms.Compose([np.sin, transforms.Compose([np.cos, np.tan])]).transforms) == 3


def test_operations_that_programs_write() -> None:
    class Scaled(transforms.PyTensorOperation):
        def __init__(self, factor: int) -> None:
            super().__init__()
            self.factor = factor

        def _execute_py(self, value: Any) -> Any:
            return value * self.factor

    assert transforms.Compose([Scaled(3)])(np.array([1, 2])).tolist() == [3, 6]
    assert Scaled.from_json('{"factor": 4}')(2) == 8
    assert '{"factor": 3}' in Scaled(3).to_json()
    assert isinstance(vision.ToPIL(), transforms.PyTensorOperation)
    assert not Scaled(3).long_and_safe  # to run on threads
    assert [vision.Resize(3).random, transforms.RandomApply([np.sin]).random] == [False, True]


def test_two_inputs_become_arrays() -> None:
    assert kinds(transforms.Compose([lambda a, b: (a, b)])(PICTURE, 3)) == [("ndarray", (6, 8, 3)), ("ndarray", ())]


@pytest.mark.parametrize("steps", [[vision.ToPIL(), vision.ToTensor()], [vision.ToTensor()]])
def test_a_pipeline_has_one_column(steps: list[Any]) -> None:
    data = ds.NumpySlicesDataset([ARRAY], ["image"], shuffle=False).map(transforms.Compose(steps), "image")
    assert [row["image"].shape for row in data.create_dict_iterator()] == [(3, 6, 8)]


def test_an_iterator_of_tensors_prints_as_numpy_does() -> None:
    data = ds.NumpySlicesDataset([[1.0, 2.5]], ["column"], shuffle=False)
    assert str(list(data)) == "[[Tensor(shape=[2], dtype=Float64, value= [1. , 2.5])]]"


@pytest.mark.parametrize(
    ("made", "name", "expected"),
    [
        (lambda: audio.AllpassBiquad(44100, 200.0), "quality_factor", 0.707),
        (lambda: audio.MelScale(5, n_stft=10), "n_mels", 5),
        (lambda: audio.MelScale(5, n_stft=10), "sample_rate", 16000),
        (lambda: vision.AdjustBrightness(2.0), "brightness_factor", 2.0),
        (lambda: text.RegexReplace("a", "b"), "replace", "b"),
        (lambda: vision.HorizontalFlip(), "device_target", "CPU"),
    ],
)
def test_arguments_are_attributes(made, name, expected):
    for transform in (made(), copy.deepcopy(made()), pickle.loads(pickle.dumps(made()))):
        assert getattr(transform, name) == expected
        assert not hasattr(transform, "colour")
