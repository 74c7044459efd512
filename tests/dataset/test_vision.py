"""Image transforms with chance, of boxes and of batches, image files, and errors; the rest is in the recorded cases."""

from __future__ import annotations

import pathlib
import sys
from collections import Counter

import numpy as np
import pytest

import torchspore as ms
import torchspore.dataset as ds
from torchspore.dataset import transforms, vision
from torchspore.dataset.rows.draws import Draws, draws_of
from torchspore.dataset.transforms.base import Random
from torchspore.dataset.vision import augmentation

pytest.importorskip("PIL")
sys.path.insert(0, str(pathlib.Path(__file__).parent))

from transform_cases import INPUTS

RGB = INPUTS["rgb"]
BOX = np.array([[1, 2, 3, 4]], np.float32)
RAMP = np.arange(256, dtype=np.uint8).reshape(16, 16)
BATCH = np.random.default_rng(3).integers(0, 256, (3, 12, 10, 3)).astype(np.uint8)
LABELS = np.eye(3, dtype=np.float32)


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


def shares(values):
    values = list(values)
    return {key: count / len(values) for key, count in Counter(values).items()}


@pytest.mark.parametrize(
    ("kind", "happened"),
    [
        (lambda prob: vision.RandomInvert(prob), lambda found: (found == 255 - RGB).all()),
        (lambda prob: vision.RandomEqualize(prob), lambda found: (found == vision.Equalize()(RGB)).all()),
        (lambda prob: vision.RandomAutoContrast(prob=prob), lambda found: (found == vision.AutoContrast()(RGB)).all()),
        (lambda prob: vision.RandomAdjustSharpness(0.0, prob), lambda found: (found != RGB).any()),
        (lambda prob: vision.RandomHorizontalFlipWithBBox(prob), lambda found: found[1][0, 0] == 6),
        (lambda prob: vision.RandomVerticalFlipWithBBox(prob), lambda found: (found[0] == RGB[::-1]).all()),
        (lambda prob: vision.BoundingBoxAugment(vision.Invert(), prob), lambda found: (found[0] != RGB).any()),
    ],
)
def test_probability(kind, happened):
    name = type(kind(0.5)).__name__
    values = (RGB, BOX) if "BBox" in name or "BoundingBox" in name else (RGB,)
    for prob in (0.0, 0.3, 1.0):
        transform = kind(prob)
        assert abs(np.mean([happened(transform(*values)) for _ in range(300)]) - prob) <= 0.1 * (prob == 0.3)


def test_random_levels():
    posterize = vision.RandomPosterize((2, 4))
    found = shares(len(np.unique(posterize(RAMP))) for _ in range(600))
    assert found.keys() == {4, 8, 16}
    assert all(abs(share - 1 / 3) < 0.08 for share in found.values())
    solarize = vision.RandomSolarize((3, 5))
    changed = [np.flatnonzero(solarize(RAMP).ravel() != RAMP.ravel()) for _ in range(600)]
    found = shares((each[0], each[-1]) for each in changed)
    wanted = {(3, 4): 2, (3, 5): 2, (4, 5): 2, (3, 255): 1, (4, 255): 1, (5, 255): 1}  # of nine pairs of ends
    assert found.keys() == wanted.keys()
    assert all(abs(found[key] - wanted[key] / 9) < 0.07 for key in wanted)


@pytest.mark.parametrize("kind", [vision.RandomColor, vision.RandomSharpness])
def test_degrees_keep_their_range(kind):
    transform = kind((0.2, 0.8))
    drawn = [transform._draw(9, 9)[0] for _ in range(300)]
    assert 0.2 <= min(drawn) < 0.22 < 0.78 < max(drawn) <= 0.8
    assert 0.47 < np.mean(drawn) < 0.53


def test_lighting_is_a_mix_of_the_principal_components():
    lighting = vision.RandomLighting(0.1)
    gray = np.full((1, 1, 3), 100, np.float32)
    shifts = np.array([lighting(gray)[0, 0] - 100 for _ in range(2000)])
    assert np.abs(shifts.mean(0)).max() < 0.35
    deviations = np.sqrt(np.linalg.eigvalsh(np.cov(shifts.T)))
    assert np.abs(deviations / [0.1148, 0.4794, 5.546] - 1).max() < 0.08


def test_affine_draws_within_its_ranges():
    transform = vision.RandomAffine(30, (-0.1, 0.2, 0, 0.5), (0.5, 2), (-5, 5, 10, 20))
    drawn = [transform._draw(100, 200) for _ in range(400)]
    degrees, shifts, scales, shears = (np.array(each) for each in zip(*drawn))
    for values, low, high in (
        (degrees, -30, 30), (shifts[:, 0], -20, 40), (shifts[:, 1], 0, 50), (scales, 0.5, 2), (shears[:, 0], -5, 5),
        (shears[:, 1], 10, 20),
    ):  # fmt: skip
        assert low <= values.min() < low + (high - low) / 20
        assert high - (high - low) / 20 < values.max() <= high


def test_perspective_moves_corners_inwards():
    transform = vision.RandomPerspective(0.5, 1.0)
    ends = np.array([transform._draw(40, 80)[1] for _ in range(300)])
    assert ends[:, 0].min(0).tolist() == [0, 0]
    assert ends[:, 0].max(0).tolist() == [20, 10]
    assert ends[:, 2].min(0).tolist() == [59, 29]
    assert ends[:, 2].max(0).tolist() == [79, 39]
    image = vision.ToPIL()(np.full((40, 80, 3), 255, np.uint8))
    found = np.asarray(transform(image))
    assert found.shape == (40, 80, 3)
    assert (found == 0).any()
    assert (np.asarray(vision.RandomPerspective(0.0, 1.0)(image)) == 255).all()


def test_cut_out_squares_can_lie_outside():
    cut = vision.CutOut(3)
    heights = Counter()
    for _ in range(2000):
        found = cut(np.ones((6, 7, 2), np.uint8))
        rows, columns = np.nonzero(found[:, :, 0] == 0)
        assert (found[:, :, 0] == found[:, :, 1]).all()
        assert len(rows) == np.prod([len(set(rows)), len(set(columns))])
        heights[len(set(rows))] += 1
    shares_by_height = {3: 4 * 9, 2: 2 * 9, 1: 2 * 9}  # of the 10 * 11 positions
    assert all(abs(heights[key] / 2000 - places / 110) < 0.05 for key, places in shares_by_height.items())
    assert (vision.CutOut(2, 400, is_hwc=False)(np.ones((2, 4, 5), np.uint8)) == 0).all()


def test_augmentations_draw_all_operations_and_both_signs(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        augmentation, "_applied", lambda name, image, magnitude, *_: (drawn.append((name, magnitude)), image)[1]
    )
    image = np.zeros((8, 331, 3), np.uint8)
    for transform, times in ((vision.RandAugment(2, 30), 1500), (vision.TrivialAugmentWide(2), 6000)):
        drawn.clear()
        for _ in range(times):
            transform(image)
        found = shares(name for name, _ in drawn)
        assert len(found) == 14
        assert all(abs(share - (1 + (name == "AutoContrast")) / 15) < 0.02 for name, share in found.items())
        moved = [magnitude for name, magnitude in drawn if name == "TranslateX" and magnitude]
        assert abs(np.mean(np.array(moved) > 0) - 2 / 3) < 0.15
        assert {round(abs(each)) for each in moved} == {150 if isinstance(transform, vision.RandAugment) else 32}


@pytest.mark.parametrize(
    "transform",
    [vision.RandAugment(), vision.AutoAugment(), vision.RandomAffine(20), vision.RandomLighting(1.0), vision.CutOut(3)],
    ids=lambda each: type(each).__name__,
)
def test_threads_and_processes_draw_the_same(transform):
    def rows(processes):
        data = ds.NumpySlicesDataset({"a": np.stack([RGB] * 24)}, shuffle=False)
        data = data.map(transform, "a", num_parallel_workers=3, python_multiprocessing=processes)
        return [bytes(row["a"]) for row in data.create_dict_iterator(num_epochs=1, output_numpy=True)]

    assert rows(False) == rows(True)
    assert len(set(rows(False))) > 4


def test_mix_up_batch():
    parts, mix = [], vision.MixUpBatch(3.0)
    for _ in range(400):
        images, labels = mix(BATCH[:2], LABELS[:2, :2])
        part = np.float32(labels[0, 0])
        wanted = BATCH[0] * float(part) + BATCH[1] * (1 - float(part))
        assert np.abs(images[0] - wanted).max() < 0.51
        parts.append(part)
    mixed = [part for part in parts if part < 1]
    assert 0.4 < len(mixed) / 400 < 0.6  # otherwise each image meets itself
    assert abs(np.var(mixed) - 9 / (36 * 7)) < 0.01


def test_cut_mix_batch():
    areas, changed = [], 0
    cut = vision.CutMixBatch(vision.ImageBatchFormat.NCHW, 1.0, 0.6)
    marked = np.arange(3, dtype=np.uint8)[:, None, None, None] * np.ones((3, 1, 20, 30), np.uint8)
    for _ in range(400):
        images, labels = cut(marked, LABELS)
        for place in range(3):
            counted = np.bincount(images[place].ravel(), minlength=3) / 600
            assert np.allclose(labels[place], counted, atol=1e-6)
            changed += labels[place, place] < 1
            areas.append(1 - labels[place, place])
    assert abs(changed / 1200 - 0.6 * 2 / 3) < 0.1
    assert max(areas) < 1
    assert max(areas) > 0.5


def test_mix_up():
    images, labels = vision.MixUp(3, 1.0)(BATCH, LABELS)
    for place, following in ((0, 1), (1, 2), (2, 0)):
        part = labels[place, place]
        assert labels[place, following] == 1 - part
        assert np.allclose(images[place], part * BATCH[place] + (1 - part) * BATCH[following])
    assert len(set(labels.diagonal())) == 3
    parts = [vision.MixUp(1, 3.0)(BATCH, LABELS)[1] for _ in range(20)]
    assert all(len(set(each.diagonal())) == 1 for each in parts)
    mix = vision.MixUp(1, 1.0, is_single=False)
    assert (mix(BATCH, LABELS)[0] == BATCH).all()
    images, labels = mix(BATCH[::-1], LABELS[::-1])
    part = labels[0, 2]
    assert np.allclose(images[0], part * BATCH[2] + (1 - part) * BATCH[0])


def test_batches_are_mixed_in_pipelines():
    data = ds.NumpySlicesDataset((BATCH, np.arange(3)), ["image", "label"], shuffle=False)
    data = data.map(transforms.OneHot(3), "label").batch(3)
    data = data.map(vision.CutMixBatch(vision.ImageBatchFormat.NHWC), ["image", "label"])
    (row,) = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert row["image"].shape == BATCH.shape
    assert np.allclose(row["label"].sum(1), 1)


def test_boxes_follow_crops():
    places = np.mgrid[0:8, 0:10][..., None][[1, 0]][:, :, :, 0].transpose(1, 2, 0)
    image = np.concatenate([places, 0 * places[:, :, :1]], 2).astype(np.uint8)  # each pixel is its position (x, y)
    columns = np.array([[x, 0, 1, 8] for x in range(10)], np.float32)
    crop = vision.RandomCropWithBBox((8, 3))
    for _ in range(20):
        found, boxes = crop(image, columns)
        left = int(found[0, 0, 0])
        assert {tuple(box) for box in boxes if box[2]} == {(x, 0, 1, 8) for x in range(3)}
        touching = (left > 0) + (left + 3 < 10)  # boxes that end or begin at the border stay, as in MindSpore
        assert len(boxes) == 3 + touching
    assert vision.RandomCropWithBBox(3)(image, np.array([[9, 7, 1, 1, 5]], np.float32))[1].shape[1] == 5
    zoom = vision.RandomResizedCropWithBBox((8, 10), (0.2, 0.5), (1.0, 1.0), vision.Inter.NEAREST)
    for _ in range(20):
        found, boxes = zoom(image, np.array([[0, 0, 10, 8], [2, 3, 4, 3]], np.float32))
        assert boxes[0].tolist() == [0, 0, 10, 8]
        if len(boxes) > 1:
            left, top, width, height = boxes[1].round().astype(int)
            inside = found[top : top + height, left : left + width, :2].reshape(-1, 2)
            assert ((inside >= (1, 2)) & (inside <= (6, 6))).all()


def test_given_arrays_are_not_written():
    image, boxes = RGB.copy(), BOX.copy()
    vision.RandomHorizontalFlipWithBBox(1.0)(image, boxes)
    vision.BoundingBoxAugment(vision.Invert(), 1.0)(image, boxes)
    vision.Erase(0, 0, 2, 2)(image)
    vision.CutOut(8, 9)(image)
    vision.AutoContrast(10, 5)(image)
    assert (image == RGB).all()
    assert (boxes == BOX).all()
    assert vision.Erase(0, 0, 2, 2, inplace=True)(image) is image
    assert (image[:2, :2] == 0).all()


def test_image_files(tmp_path):
    png, jpeg, plain = (str(tmp_path / name) for name in ("a.png", "a.jpg", "plain"))
    vision.write_png(png, ms.Tensor(RGB))
    assert (vision.read_image(png) == RGB).all()
    assert (vision.read_file(png) == vision.encode_png(RGB)).all()
    gray = vision.read_image(png, vision.ImageReadMode.GRAYSCALE)
    assert np.abs(gray[:, :, 0].astype(int) - vision.Grayscale()(vision.ToPIL()(RGB))).max() <= 1
    vision.write_png(png, INPUTS["one"])
    assert (vision.read_image(png) == INPUTS["one"]).all()
    assert (vision.read_image(png, vision.ImageReadMode.COLOR) == np.repeat(INPUTS["one"], 3, 2)).all()
    vision.write_jpeg(jpeg, RGB, 100)
    assert np.abs(vision.read_image(jpeg).astype(int) - RGB).mean() < 20
    assert len(vision.encode_jpeg(RGB, 5)) < len(vision.encode_jpeg(RGB, 95))
    assert len(vision.encode_png(RAMP.repeat(9, 1), 9)) < len(vision.encode_png(RAMP.repeat(9, 1), 0))
    vision.write_file(plain, np.array([], np.uint8))
    assert vision.read_file(plain).shape == (0,)
    for call in (
        lambda: vision.read_image(plain), lambda: vision.read_image(png + "x"), lambda: vision.read_file(str(tmp_path)),
        lambda: vision.write_file(str(tmp_path / "none" / "a"), np.zeros(1, np.uint8)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"^For '(read|write)_"):
            call()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: vision.AdjustGamma(-1), ValueError, "must be in .0, 16777216."),
        (lambda: vision.AdjustGamma("x"), TypeError, "'gamma' must be a number"),
        (lambda: vision.AdjustGamma(1, "x"), TypeError, "'gain' must be a number"),
        (lambda: vision.AdjustGamma(1)(np.zeros(3, np.uint8)), ValueError, "2 dimensions or more"),
        (lambda: vision.AdjustGamma(1)(RGB.astype(np.int32)), TypeError, "must be of uint8"),
        (lambda: vision.AdjustSharpness(-1.0), ValueError, "must be in .0, 16777216."),
        (lambda: vision.AutoContrast(50.0), ValueError, "'cutoff' must be in .0, 50."),
        (lambda: vision.AutoContrast(1.0, 300), ValueError, "'ignore' must be in .0, 255."),
        (
            lambda: vision.AutoContrast(1.0, "x"),
            TypeError,
            "'ignore' must be an int, a tuple or a list of ints",
        ),
        (lambda: vision.AutoContrast(1.0, [1.5]), TypeError, "'ignore.0.' must be an int"),
        (lambda: vision.AutoContrast()(RGB * 1.0), TypeError, "must be of bool, uint8, but got float64"),
        (lambda: vision.Equalize()(RGB * 1.0), TypeError, "must be of bool, uint8"),
        (lambda: vision.Posterize(9), ValueError, "'bits' must be in .0, 8."),
        (lambda: vision.Posterize(3.0), TypeError, "'bits' must be an int"),
        (lambda: vision.Posterize(3)(RGB * 1.0), TypeError, "must be of bool, int8, uint8"),
        (lambda: vision.Solarize((200, 100)), ValueError, "from <= to"),
        (lambda: vision.Solarize(300), ValueError, "'threshold' must be in .0, 255."),
        (lambda: vision.Solarize((1, 2, 3)), TypeError, "'threshold' must have 2 elements"),
        (lambda: vision.GaussianBlur(2), ValueError, "'kernel_size' must be odd"),
        (lambda: vision.GaussianBlur(3, -1.0), ValueError, "'sigma' must be in .0, 16777216."),
        (lambda: vision.GaussianBlur((3, 3, 3)), TypeError, "'kernel_size' must have 2 elements"),
        (lambda: vision.GaussianBlur(3.0), TypeError, "'kernel_size' must be an int or a tuple or a list of 2 ints"),
        (lambda: vision.ConvertColor(0), TypeError, "'convert_mode' must be a ConvertMode"),
        (lambda: vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)(RAMP), ValueError, "must have 3 or 4 channels"),
        (lambda: vision.ConvertColor(vision.ConvertMode.COLOR_GRAY2RGB)(RGB), ValueError, "must have 1 channels"),
        (lambda: vision.LinearTransformation(1, np.ones(2)), TypeError, "'transformation_matrix' must be an array"),
        (lambda: vision.LinearTransformation(np.ones((3, 2)), np.ones(2)), ValueError, "must be square"),
        (lambda: vision.LinearTransformation(np.eye(3), np.ones(2)), ValueError, "must be square"),
        (lambda: vision.LinearTransformation(np.eye(3), np.ones(3))(RGB), ValueError, "must have 3 values"),
        (lambda: vision.Affine(200, (0, 0), 1, 5), ValueError, "'degrees' must be in .-180, 180."),
        (lambda: vision.Affine(0, (2, 0), 1, 5), ValueError, "'translate.0.' must be in .-1, 1."),
        (lambda: vision.Affine(0, 2, 1, 5), TypeError, "'translate' must be a tuple or a list of 2 numbers"),
        (lambda: vision.Affine(0, (0, 0), 0, 5), ValueError, "'scale' must be > 0"),
        (lambda: vision.Affine(0, (0, 0), 1, (1, 2, 3)), TypeError, "'shear' must have 2 elements"),
        (
            lambda: vision.Affine(0, (0, 0), 1, 0, 0),
            TypeError,
            "'resample' must be one of .Inter.NEAREST, ",
        ),
        (lambda: vision.Affine(0, (0, 0), 1, 0, vision.Inter.PILCUBIC), ValueError, "must be one of"),
        (lambda: vision.RandomAffine(-1), ValueError, "'degrees' must be in .0, 16777216."),
        (lambda: vision.RandomAffine((5, 1)), ValueError, "from <= to"),
        (lambda: vision.RandomAffine(5, (0.1,)), TypeError, "'translate' must be"),
        (lambda: vision.RandomAffine(5, (-2, 2)), ValueError, r"'translate\[0\]' must be in"),
        (lambda: vision.RandomAffine(5, None, (0, 0)), ValueError, "'scale' must be a range that ends above 0"),
        (lambda: vision.RandomAffine(5, None, None, -1), ValueError, "'shear' must be"),
        (
            lambda: vision.RandomAffine(5, None, None, "x"),
            TypeError,
            "'shear' must be a number, a tuple or",
        ),
        (lambda: vision.Perspective([[0, 0]] * 3, [[0, 0]] * 4), TypeError, "'start_points' must have 4 elements"),
        (
            lambda: vision.Perspective([[0, 0]] * 4, [[0, 0, 1]] * 4),
            TypeError,
            "'end_points.0.' must have 2 elements",
        ),
        (lambda: vision.Perspective([[0, 0.5]] * 4, [[0, 0]] * 4), TypeError, "'start_points.0..1.' must be an int"),
        (lambda: vision.RandomPerspective(2.0), ValueError, "'distortion_scale' must be in .0.0, 1.0."),
        (lambda: vision.RandomPerspective(0.5, 1.0)(RGB), TypeError, "must be a PIL image"),
        (lambda: vision.Erase(1, 2, 3, 4, 300), ValueError, "'value' must be in .0, 255."),
        (lambda: vision.Erase(1, 2, 3, 4, (1, 2)), TypeError, "'value' must have 3 elements"),
        (lambda: vision.Erase(-1, 2, 3, 4), ValueError, "'top' must be in .0, 2147483647."),
        (lambda: vision.Erase(1, 2, 30, 4)(RGB), ValueError, "must not be larger than the image"),
        (
            lambda: vision.Erase(1, 2, 3, 4)(RAMP),
            ValueError,
            "an image must have 3 channels",
        ),
        (lambda: vision.CutOut(0), ValueError, "must be in .1, 16777216."),
        (lambda: vision.CutOut(20)(RGB), ValueError, "at least 20 high"),
        (lambda: vision.CutOut(3)(RAMP), ValueError, "must have three dimensions"),
        (lambda: vision.SlicePatches(0), ValueError, "'num_height' must be in .1, 2147483647."),
        (lambda: vision.SlicePatches(2, 2, 0), TypeError, "'slice_mode' must be a SliceMode"),
        (lambda: vision.SlicePatches(20, 2)(RGB), ValueError, "more parts than pixels"),
        (lambda: vision.RandomPosterize((0, 8)), ValueError, "must be in .1, 8."),
        (lambda: vision.RandomPosterize((8, 4)), ValueError, "'bits' must be .from, to. with from <= to"),
        (lambda: vision.RandomPosterize(3.0), TypeError, "'bits' must be an int or a tuple or a list of 2 ints"),
        (lambda: vision.RandomSolarize(3), TypeError, "'threshold' must be a tuple or a list of 2 ints"),
        (lambda: vision.RandomSolarize((3, 300)), ValueError, "must be in .0, 255."),
        (lambda: vision.RandomColor((2, 1)), ValueError, "from <= to"),
        (lambda: vision.RandomColor(1), TypeError, "'degrees' must be"),
        (lambda: vision.RandomColor()(RAMP), ValueError, "an image must have 3 channels"),
        (lambda: vision.RandomSharpness((-2, 1)), ValueError, "must be in .0, 16777216."),
        (lambda: vision.RandomAdjustSharpness(-1.0), ValueError, "'degree' must be in .0, 16777216."),
        (lambda: vision.RandomInvert(2), ValueError, "'prob' must be in .0.0, 1.0."),
        (lambda: vision.RandomLighting(-1.0), ValueError, "'alpha' must be in .0, 16777216."),
        (lambda: vision.RandomLighting()(RAMP), ValueError, "an image must have 3 channels"),
        (lambda: vision.MixUp(0, 0.2), ValueError, "must be in .1, 16777216."),
        (lambda: vision.MixUp(2, 0.0), ValueError, "'alpha' must be > 0"),
        (lambda: vision.MixUp(2, 0.2, 1), TypeError, "'is_single' must be a bool"),
        (lambda: vision.MixUp(2, 0.2)(BATCH, LABELS), ValueError, "'batch_size' must be the number of images"),
        (lambda: vision.MixUpBatch(0.9)(BATCH), TypeError, "there must be a batch of images and its labels"),
        (lambda: vision.MixUpBatch(0.9)(BATCH, LABELS[:2]), ValueError, "must have four dimensions"),
        (lambda: vision.MixUpBatch("x"), TypeError, "'alpha' must be a number"),
        (lambda: vision.CutMixBatch("x"), TypeError, "'image_batch_format' must be an ImageBatchFormat"),
        (lambda: vision.CutMixBatch(vision.ImageBatchFormat.NCHW)(BATCH, LABELS), ValueError, "1 or 3 channels"),
        (
            lambda: vision.CutMixBatch(vision.ImageBatchFormat.NHWC, 1.0, 1.1),
            ValueError,
            "'prob' must be in .0, 1.",
        ),
        (
            lambda: vision.UniformAugment([vision.Invert()]),
            ValueError,
            "'num_ops' must be at most the number",
        ),
        (
            lambda: vision.UniformAugment(vision.Invert()),
            TypeError,
            "'transforms' must be a tuple or a list of f",
        ),
        (lambda: vision.RandomSelectSubpolicy([]), ValueError, "'policy' must not be empty"),
        (lambda: vision.RandomSelectSubpolicy([[]]), ValueError, "'policy.0.' must not be empty"),
        (
            lambda: vision.RandomSelectSubpolicy([[vision.Invert()]]),
            ValueError,
            "'policy.0..0.' must be a tuple of a fun",
        ),
        (
            lambda: vision.RandomSelectSubpolicy([[(vision.Invert(), 2.0)]]),
            ValueError,
            "'policy.0..0..1.' must be in .0.0, 1.0.",
        ),
        (lambda: vision.RandomSelectSubpolicy([[(3, 1.0)]]), TypeError, "must be a function"),
        (
            lambda: vision.RandomSelectSubpolicy([(vision.Invert(), 1.0)]),
            TypeError,
            "'policy.0.' must be a list of tuples",
        ),
        (lambda: vision.RandAugment(-1), ValueError, "'num_ops' must be in .0, 16777216."),
        (lambda: vision.RandAugment(1, 31), ValueError, "'magnitude' must be in .0, num_magnitude_bins."),
        (lambda: vision.RandAugment(1)(RAMP), ValueError, "an image must have 3 channels"),
        (lambda: vision.TrivialAugmentWide(1), ValueError, "'num_magnitude_bins' must be in .2, 16777216."),
        (lambda: vision.AutoAugment("svhn"), TypeError, "'policy' must be an AutoAugmentPolicy"),
        (lambda: vision.AutoAugment(fill_value=-1), ValueError, "'fill_value' must be in .0, 255."),
        (lambda: vision.ResizeWithBBox(3)(RGB), TypeError, "an image and its bounding boxes, but got 1"),
        (lambda: vision.ResizeWithBBox(3)(RGB, BOX[0]), ValueError, "must be rows of four numbers"),
        (lambda: vision.ResizeWithBBox(3)(RGB, BOX[:0]), ValueError, "must be rows of four numbers"),
        (lambda: vision.ResizeWithBBox(3)(RGB, BOX * np.float32(9)), ValueError, "must lie inside the image"),
        (lambda: vision.ResizeWithBBox(3)(RGB, -BOX), ValueError, "must lie inside the image"),
        (lambda: vision.ResizeWithBBox(0), ValueError, "must be in .1, 16777216."),
        (lambda: vision.RandomCropWithBBox(20)(RGB, BOX), ValueError, "the image must be at least"),
        (lambda: vision.BoundingBoxAugment(lambda x: x), TypeError, "'transform' must be a TensorOperation"),
        (
            lambda: vision.BoundingBoxAugment(vision.Invert(), 1.5),
            ValueError,
            "'ratio' must be in .0.0, 1.0.",
        ),
        (lambda: vision.encode_jpeg(RGB, 0), ValueError, "'quality' must be in .1, 100."),
        (lambda: vision.encode_jpeg(RGB * 1.0), TypeError, "must be of uint8"),
        (lambda: vision.encode_png(RGB, 10), ValueError, "'compression_level' must be in .0, 9."),
        (lambda: vision.encode_png(np.zeros((2, 2, 4), np.uint8)), ValueError, "must have the shape"),
        (lambda: vision.read_image(3), TypeError, "'filename' must be a string"),
        (lambda: vision.read_image("x", 1), TypeError, "'mode' must be an ImageReadMode"),
        (lambda: vision.write_file("x", np.zeros((2, 2), np.uint8)), ValueError, "must have one dimension"),
        (lambda: vision.write_file("x", np.zeros(2)), TypeError, "must be of uint8"),
        (lambda: vision.get_image_size([1]), TypeError, "must be a NumPy array or a PIL image"),
        (lambda: vision.get_image_num_channels(np.zeros(3)), ValueError, "two dimensions or more"),
        (lambda: vision.VideoDecoder("x"), NotImplementedError, "Ascend"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=f"^For '.*{words}"):
        call()


def test_a_size_that_is_set_later_counts():
    image, resize = np.zeros((10, 20, 3), np.uint8), vision.Resize((5, 6))
    resize.size = 5
    assert resize(image).shape == (5, 10, 3)
    resize.size = (4, 3)
    assert resize(image).shape == (4, 3, 3)


@pytest.mark.parametrize(
    "transform",
    [
        vision.HorizontalFlip(), vision.VerticalFlip(), vision.CenterCrop(3), vision.Resize((3, 4)), vision.Rotate(30),
        vision.Normalize([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]), vision.RandomHorizontalFlip(1.0),
        vision.RandomResize((3, 4)), vision.RandomResizedCrop((3, 4)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("lead", [(3,), (2, 2)])
def test_batches_are_transformed_image_by_image(transform, lead):
    image = np.random.default_rng(0).integers(0, 256, (6, 7, 3)).astype(np.uint8)
    found = transform(np.broadcast_to(image, (*lead, *image.shape)))
    assert found.shape[: len(lead)] == lead
    images = found.reshape(-1, *found.shape[-3:])
    assert (images == images[0]).all()
    if not type(transform).__name__.startswith("RandomRes"):
        np.testing.assert_array_equal(images[0], transform(image))


def test_each_image_of_a_batch_is_cropped_elsewhere():
    images = vision.RandomCrop(2)(np.broadcast_to(np.arange(192, dtype=np.uint8).reshape(8, 8, 3), (9, 8, 8, 3)))
    assert len({image.tobytes() for image in images}) > 1


def test_values_as_recorded():
    image = np.random.default_rng(0).integers(0, 256, (16, 18, 3)).astype(np.uint8)
    np.testing.assert_array_equal(vision.AutoContrast(1.9)(image), vision.AutoContrast(1.0)(image))
    assert vision.ResizedCrop(1, 2, 4, 5, 7)(image).shape == (7, 7, 3)
    floats = np.full((2, 2, 3), 0.4, np.float32)
    np.testing.assert_allclose(vision.AdjustContrast(0.7)(floats), floats, 1e-3)
    assert vision.Resize((2, 3), vision.Inter.NEAREST)(image > 99).dtype == bool
