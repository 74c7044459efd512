"""Random transforms: their draws, how often they apply, and several columns together."""

from __future__ import annotations

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore.dataset import transforms, vision
from torchspore.dataset.rows.draws import Draws, draws_of
from torchspore.dataset.transforms import base
from torchspore.dataset.transforms.base import Random


@pytest.fixture(autouse=True)
def _seed():
    ds.config.set_seed(5)
    yield
    ds.config.set_seed(5489)


@pytest.fixture(autouse=True)
def _draws(monkeypatch):
    """Let calls outside pipelines continue one sequence, although a seed is set."""
    draws = Draws(5)
    monkeypatch.setattr(Random, "_random", lambda transform: draws_of(transform) or draws)


def image(height=12, width=16):
    """Return an image whose pixels are their positions: (row, column, 0)."""
    rows, columns = np.mgrid[0:height, 0:width]
    return np.stack([rows, columns, 0 * rows], 2).astype(np.uint8)


def share(transform, happened, times=400):
    return sum(happened(transform(image())) for _ in range(times)) / times


def gray(prob):
    transform = vision.RandomGrayscale(prob)
    return lambda image: np.asarray(transform(vision.ToPIL()(image)))


@pytest.mark.parametrize("prob", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    ("kind", "happened"),
    [
        (vision.RandomHorizontalFlip, lambda found: found[0, 0, 1] == 15),
        (vision.RandomVerticalFlip, lambda found: found[0, 0, 0] == 11),
        (gray, lambda found: (found[..., 0] == found[..., 2]).all()),
        (lambda prob: transforms.RandomApply([vision.VerticalFlip()], prob), lambda found: found[0, 0, 0] == 11),
    ],
)
def test_probability(kind, happened, prob):
    assert abs(share(kind(prob), happened) - prob) < (0.1 if prob == 0.3 else 1e-9)


def test_choices_and_orders():
    choice = transforms.RandomChoice([transforms.Fill(value) for value in range(4)])
    drawn = [int(choice(np.array(9))) for _ in range(400)]
    assert all(60 < drawn.count(value) < 140 for value in range(4))
    order = transforms.RandomOrder([lambda x: x + 1, lambda x: x * 2])
    assert {int(order(np.array(1))) for _ in range(50)} == {3, 4}


def test_crops_are_parts_at_all_corners():
    crop = vision.RandomCrop((10, 14))
    corners = set()
    for _ in range(200):
        found = crop(image())
        top, left = found[0, 0, :2]
        assert (found == image()[top : top + 10, left : left + 14]).all()
        corners.add((top, left))
    assert corners == {(top, left) for top in range(3) for left in range(3)}


def test_padded_crops():
    crop = vision.RandomCrop((12, 16), 1, fill_value=200)
    found = {bytes(crop(image())) for _ in range(200)}
    assert len(found) == 9
    edge = vision.RandomCrop((14, 18), 1, padding_mode=vision.Border.EDGE)(image())
    assert edge[0, 0].tolist() == [0, 0, 0]
    assert edge[-1, -1].tolist() == [11, 15, 0]
    with pytest.raises(ValueError, match=r"^For 'RandomCrop', the image must be at least \(20, 20\)"):
        vision.RandomCrop(20)(image())
    assert vision.RandomCrop(20, pad_if_needed=True)(image()).shape == (20, 20, 3)


def test_resized_crops_keep_their_ranges():
    transform = vision.RandomResizedCrop((4, 4), scale=(0.2, 0.5), ratio=(0.5, 2.0))
    areas, shapes = [], []
    for _ in range(300):
        top, left, height, width = transform._draw(100, 120)
        assert 0 <= top <= 100 - height
        assert 0 <= left <= 120 - width
        areas.append(height * width / 12000)
        shapes.append(width / height)
    assert 0.19 < min(areas) < 0.25 < 0.45 < max(areas) < 0.52
    assert 0.48 < min(shapes) < 0.7 < 1.5 < max(shapes) < 2.1
    narrow = vision.RandomResizedCrop((4, 4), scale=(1, 1), ratio=(3, 3))
    assert narrow._draw(100, 120) == (30, 0, 40, 120)


def test_rotations_and_colors_keep_their_ranges():
    rotation = vision.RandomRotation(30)
    angles = [rotation._draw(9, 9)[0] for _ in range(300)]
    assert all(angle <= 30 or angle >= 330 for angle in angles)
    assert min(angle for angle in angles if angle > 180) < 340
    bright = vision.RandomColorAdjust(brightness=(0.5, 1.5))
    levels = [int(bright(np.full((2, 2, 3), 100, np.uint8)).max()) for _ in range(300)]
    assert 50 <= min(levels) < 60 < 140 < max(levels) <= 150


def test_erasing():
    transform = vision.RandomErasing(1.0, scale=(0.1, 0.2), ratio=(0.5, 2.0), value=(7, 8, 9))
    for _ in range(50):
        given = np.ones((3, 40, 40), np.float32)
        found = transform(given)
        assert (given == 1).all()
        erased = found[0] == 7
        assert 0.08 < erased.mean() < 0.22
        assert (found[1] == 8).sum() == (found[2] == 9).sum() == erased.sum()
    noise = vision.RandomErasing(1.0, value="random")(np.zeros((3, 40, 40), np.float32))
    assert len(np.unique(noise)) > 50
    inplace = np.ones((3, 40, 40), np.float32)
    assert vision.RandomErasing(1.0, inplace=True)(inplace) is inplace
    with pytest.raises(
        TypeError, match=r"^For 'RandomErasing', the image must be an array \(channels, height, width\)"
    ):
        vision.RandomErasing(1.0)(np.zeros((3, 3)))


@pytest.mark.parametrize(
    "transform",
    [
        vision.RandomHorizontalFlip(), vision.RandomVerticalFlip(), vision.RandomCrop(6),
        vision.RandomResizedCrop(6), vision.RandomRotation(90), vision.RandomResize((7, 9)),
    ],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_columns_share_what_is_drawn(transform):
    images = np.stack([image()] * 20)
    data = ds.NumpySlicesDataset({"a": images, "b": images}).map(transform, ["a", "b"])
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    assert all((row["a"] == row["b"]).all() for row in rows)
    assert len({bytes(row["a"]) for row in rows}) > 1


def test_one_transform_of_one_column():
    with pytest.raises(TypeError, match=r"^For 'Resize', there must be one value to transform, but got 2"):
        vision.Resize(3)(image(), image())


def test_outside_pipelines_each_call_begins_with_the_seed(monkeypatch):
    monkeypatch.undo()
    flip = vision.RandomHorizontalFlip()

    def draws(seed):
        ds.config.set_seed(seed)
        return {int(flip(image())[0, 0, 1]) for _ in range(20)}

    assert [draws(seed) for seed in (3, 4, 5)] == [{15}, {0}, {15}]
    assert draws(5489) == {0, 15}  # no seed


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: vision.Resize(0), ValueError, "must be in .1, 16777216."),
        (lambda: vision.Resize((1, 2, 3)), TypeError, "'size' must have 2 elements"),
        (lambda: vision.Resize(3, "linear"), TypeError, "'interpolation' must be an Inter"),
        (lambda: vision.Rotate(3, vision.Inter.PILCUBIC), ValueError, "must be one of"),
        (lambda: vision.Resize(3, vision.Inter.ANTIALIAS)(image()), ValueError, "ANTIALIAS needs a PIL image"),
        (lambda: vision.Resize(3)(np.zeros(3)), ValueError, "2 or 3 dimensions"),
        (lambda: vision.Resize(3)("x"), TypeError, "the value must be a NumPy or PIL image"),
        (lambda: vision.Crop((10, 10), 5)(image()), ValueError, "must be inside the image"),
        (lambda: vision.Pad(-1), ValueError, "'padding' must be in .0, 2147483647."),
        (lambda: vision.Pad(1, 300), ValueError, "'fill_value' must be in .0, 255."),
        (lambda: vision.Pad(1, padding_mode="edge"), TypeError, "'padding_mode' must be a Border"),
        (lambda: vision.PadToSize(5)(image()), ValueError, "does not fit"),
        (lambda: vision.Normalize([1.0], [0.0]), ValueError, "'std.0.' must be in .0, 255."),
        (lambda: vision.Normalize([1.0, 2.0], [1.0, 1.0])(image()), ValueError, "must have a value for each of 3"),
        (lambda: vision.RandomHorizontalFlip(1.5), ValueError, "'prob' must be in .0.0, 1.0."),
        (lambda: vision.RandomColorAdjust(hue=(-1, 0)), ValueError, "must be in .-0.5, 0.5."),
        (lambda: vision.RandomRotation((5, 1)), ValueError, "from <= to"),
        (lambda: vision.Decode()(image()), TypeError, "must be the bytes of an image file"),
        (lambda: vision.Grayscale()(np.zeros((3, 3), np.uint8)), TypeError, "must be a PIL image"),
        (lambda: vision.RandomGrayscale()(image()), TypeError, "must be a PIL image"),
        (lambda: vision.ResizedCrop(-1, 0, 2, 2, 3), ValueError, r"'top' must be in \[0"),
        (lambda: vision.HsvToRgb()(image()), ValueError, "3 colors in the third last"),
        (lambda: vision.FiveCrop(3)(image()), TypeError, "must be a PIL image"),
        (lambda: vision.Resize(3).device("GPU"), ValueError, "'device_target' must be one of .'CPU', 'Ascend'."),
        (lambda: transforms.TypeCast("text"), TypeError, "'data_type' must be of type"),
        (lambda: transforms.OneHot(3)(np.array(3)), ValueError, r"must be in \[0, 2\]"),
        (lambda: transforms.OneHot(3)(np.array(-1)), ValueError, r"must be in \[0, 2\]"),
        (lambda: transforms.OneHot(3)(np.array(1.0)), TypeError, "must hold ints"),
        (lambda: transforms.Fill("x")(np.array(1)), TypeError, "must be a number"),
        (lambda: transforms.Mask("==", 1), TypeError, "'operator' must be a Relational"),
        (lambda: transforms.Mask(transforms.Relational.EQ, "x")(np.array(1)), TypeError, "cannot be compared"),
        (lambda: transforms.Slice(7)(np.arange(3)), ValueError, "an index must be in"),
        (lambda: transforms.Slice(0, 0)(np.arange(3)), ValueError, "cannot be sliced along 2"),
        (lambda: transforms.Concatenate(0)(np.arange(2), np.ones(2)), TypeError, "one data type"),
        (lambda: transforms.Concatenate(0)(np.ones((2, 2))), ValueError, "one dimension"),
        (lambda: transforms.PadEnd([2, 2])(np.ones(2)), ValueError, "must have 1 dimensions"),
        (lambda: transforms.PadEnd([2], "x")(np.ones(2)), ValueError, "must be padded with a number"),
        (lambda: transforms.Compose([]), ValueError, "'transforms' must not be empty"),
        (lambda: transforms.Compose([3]), TypeError, "'transforms.0.' must be a function"),
        (lambda: transforms.Compose(3), TypeError, "'transforms' must be a list of functions"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=f"^For '.*{words}"):
        call()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: transforms.Mask(transforms.Relational.EQ, 3)(np.array(3)), np.array(True)),
        (lambda: transforms.Mask(transforms.Relational.LT, 3, ms.int16)(np.array(2.5)), np.array(1, np.int16)),
        (lambda: transforms.PadEnd([3])(np.array(3)), np.array(3)),
        (lambda: transforms.PadEnd([2, 2])(np.array("ab")), np.array("ab")),
    ],
)
def test_values_without_dimensions(call, expected):
    """As in MindSpore."""
    assert (call() == expected, call().dtype, call().shape) == (True, expected.dtype, ())


def test_without_pillow_the_package_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r"pip install pillow, or pip install 'torchspore\[vision\]'"):
        vision.Decode()(np.zeros(3, np.uint8))
    assert vision.Resize(3)(image()).shape == (3, 4, 3)


def test_image_engine_of_ascend_is_the_cpu_with_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_replaced_before", False)
    with pytest.warns(RuntimeWarning, match=r"For 'Resize.device', the image engine of Ascend cards .* once") as warned:
        resize, _ = [each.device("Ascend") for each in (vision.Resize((2, 2)), vision.Crop((0, 0), 2))]
    assert len(warned) == 1
    np.testing.assert_array_equal(resize(image()), vision.Resize((2, 2))(image()))


@pytest.mark.parametrize("shape", [(3,), (3, 1), (1, 3), (1, 3, 1)])
def test_one_hot_leaves_out_dimensions_of_one_element(shape):
    numbers = np.array([2, 0, 1]).reshape(shape)
    np.testing.assert_array_equal(transforms.OneHot(3)(numbers), np.eye(3, dtype=int)[[2, 0, 1]])
    assert transforms.OneHot(3)(numbers.reshape(-1)[:1].reshape((1,) * len(shape))).shape == (3,)
