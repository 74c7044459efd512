"""Names that programs import from below MindSpore's packages: functions of transforms, bases, cleaning up."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore.dataset import audio, transforms, vision
from torchspore.dataset.transforms import py_transforms_util as wrappers

pytest.importorskip("PIL")

from PIL import Image

from torchspore.dataset.vision import py_transforms_util as functions

PIXELS = np.zeros((6, 8, 3), np.uint8) + np.array([50, 9, 7], np.uint8)
PICTURE = Image.fromarray(PIXELS)
WAVE = np.zeros((2, 16), np.float32)

# What MindSpore's functions return: the shape, and one value
CALLS = [
    ("adjust_brightness(p, 2.0)", (6, 8, 3), [100, 18, 14]), ("invert_color(p)", (6, 8, 3), [205, 246, 248]),
    ("resize(p, (3, 4))", (3, 4, 3), [50, 9, 7]), ("center_crop(p, 3)", (3, 3, 3), [50, 9, 7]),
    ("crop(p, 1, 2, 3, 4)", (3, 4, 3), [50, 9, 7]), ("pad(p, (1, 2, 3, 4), 0, 'constant')", (12, 12, 3), [0, 0, 0]),
    ("grayscale(p, 1)", (6, 8), None), ("horizontal_flip(p)", (6, 8, 3), [50, 9, 7]),
    ("hwc_to_chw(a)", (3, 6, 8), None), ("rgb_to_hsv(a, True)", (6, 8, 3), None),
    ("to_tensor(p, 'float32')", (3, 6, 8), None), ("to_pil(a)", (6, 8, 3), [50, 9, 7]),
    ("normalize(to_tensor(p, 'float32'), [0.5] * 3, [0.2] * 3)", (3, 6, 8), None),
    ("random_crop(p, 3, None, False, 0, 'constant')", (3, 3, 3), [50, 9, 7]),
    ("random_rotation(p, (0, 0), vision.Inter.NEAREST, False, None, 0)", (6, 8, 3), [50, 9, 7]),
]  # fmt: skip


@pytest.mark.parametrize(("call", "shape", "pixel"), CALLS, ids=[call for call, _, _ in CALLS])
def test_functions_of_images(call, shape, pixel):
    names = {
        "p": PICTURE,
        "a": PIXELS,
        "vision": vision,
        **{name: getattr(functions, name) for name in functions.__all__},
    }
    result = np.asarray(eval(call, names))
    assert result.shape == shape
    assert pixel is None or result[0, 0].tolist() == pixel


def test_further_functions(tmp_path):
    assert [np.asarray(part).shape for part in functions.five_crop(PICTURE, 3)] == [(3, 3, 3)] * 5
    assert functions.is_pil(PICTURE)
    assert not functions.is_pil(PIXELS)
    PICTURE.save(tmp_path / "x.png")
    assert functions.decode((tmp_path / "x.png").read_bytes()).size == (8, 6)
    assert functions.to_type(np.zeros(2), np.int32).dtype == np.int32


def test_functions_of_transforms():
    values = np.array([1, 2])
    assert wrappers.compose([lambda x: x + 1, lambda x: x * 2], values)[0].tolist() == [4, 6]
    assert [wrappers.all_numpy(each) for each in (values, (values, 3), 3)] == [True, False, False]
    assert wrappers.random_apply(values, [lambda x: x + 1], 1.0).tolist() == [2, 3]
    assert wrappers.random_choice(values, [lambda x: x + 1]).tolist() == [2, 3]
    assert wrappers.random_order(values, [lambda x: x + 1]).tolist() == [2, 3]
    assert wrappers.one_hot_encoding(np.array(1), 3, 0.0).tolist() == [0, 1, 0]
    assert wrappers.FuncWrapper(lambda x: x + 1)(3) == 4
    with pytest.raises(ValueError, match="FuncWrapper"):
        wrappers.FuncWrapper(3)
    for package in (transforms, vision):
        assert package.not_random(lambda x: x).random is False


def test_bases():
    assert isinstance(vision.Invert(), vision.ImageTensorOperation)
    assert isinstance(audio.Angle(), audio.AudioTensorOperation)
    assert isinstance(transforms.Compose([np.sin]), transforms.CompoundOperation)
    data = ds.NumpySlicesDataset([1, 2, 3], ["x"])
    iterator = data.create_dict_iterator()
    assert isinstance(iterator, ds.Iterator)
    next(iterator)
    ds._cleanup()
    with pytest.raises(RuntimeError, match="epochs"):
        next(iterator)


def test_the_data_of_a_training_is_noted():
    assert ds._get_training_dataset() is None
    ds._set_training_dataset(3)
    assert ds._get_training_dataset() == 3
    ds._set_training_dataset(None)


@pytest.mark.parametrize(("package", "name"), [(transforms, "Plugin")])
def test_refused(package, name):
    with pytest.raises(NotImplementedError, match=f"^For '{name}'"):
        getattr(package, name)(1, 2)
