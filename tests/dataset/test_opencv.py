"""OpenCV's kernels return what the kernels in NumPy and Pillow return, except for a level in few pixels."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from torchspore.dataset import vision
from torchspore.dataset.rows import opencv
from torchspore.dataset.vision import jpeg, kernels
from torchspore.dataset.vision.augmentation import _OPERATIONS, _RANDOM, _applied
from torchspore.dataset.vision.enums import Inter

pytest.importorskip("cv2")
RANDOM = np.random.default_rng(0)
SHAPES = [(37, 45, 3), (37, 45), (37, 45, 1), (37, 45, 4), (2, 3, 3), (1, 1, 3)]
INTERS = [Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC]
FILL = (3, 70, 200)
# Those that differ: the largest part of the pixels, and by how many levels. MindSpore's are OpenCV's.
RARELY = {"Resize": (0.13, 1), "bicubic": (0.02, 1)}

TRANSFORMS: dict[str, Any] = {
    "flip": vision.HorizontalFlip(),
    "blur": vision.GaussianBlur((3, 5), (0.8, 1.7)),
    "sharpness": vision.AdjustSharpness(1.7),
    "brightness": vision.AdjustBrightness(1.3),
    "auto contrast": vision.AutoContrast(2.0, [3, 200]),
    "equalize": vision.Equalize(),
    "solarize": vision.Solarize((50, 180)),
    "gamma": vision.AdjustGamma(0.7, 1.1),
    **{f"Resize {inter.name}": vision.Resize((29, 40), inter) for inter in (Inter.BILINEAR, Inter.AREA)},
    **{f"rotate {inter.name}": vision.Rotate(33.0, inter, True, fill_value=FILL) for inter in INTERS},
    **{f"affine {inter.name}": vision.Affine(-20.5, (0.1, -0.3), 1.3, (8.0, -3.0), inter, 9) for inter in INTERS},
    "perspective": vision.Perspective([[0, 0], [9, 0], [9, 9], [0, 9]], [[1, 2], [8, 1], [9, 9], [-1, 7]]),
}
COLORED: dict[str, Any] = {
    "contrast": vision.AdjustContrast(0.4),
    "saturation": vision.AdjustSaturation(1.9),
    "color": vision.RandomColor((1.7, 1.7)),
    **{name: lambda image, name=name: _applied(name, image, _strength(name), Inter.NEAREST, 0) for name in _OPERATIONS},
}


def _strength(name: str) -> float:
    return _RANDOM.magnitude(name, 9, 31, 37, 45)


def both(transform: Any, image: Any, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Return the result with OpenCV, and that without it."""
    assert opencv.module() is not None
    first = transform(image)
    monkeypatch.setattr(opencv, "module", lambda: None)
    return first, transform(image)


def check_close(name: str, first: Any, second: Any) -> None:
    """Check that two images differ as rarely as allowed."""
    assert (first.shape, first.dtype) == (second.shape, second.dtype)
    part, levels = next((RARELY[each] for each in RARELY if each.lower() in name.lower()), (0.0, 0))
    apart = np.abs(first.astype(int) - second.astype(int))
    assert (apart > 0).mean() <= part
    assert apart.max(initial=0) <= levels


BORDERS = ("blur", "Resize AREA", "Resize BILINEAR")  # they differ at the borders


@pytest.mark.parametrize(
    ("name", "shape"), [(n, shape) for n in TRANSFORMS for shape in SHAPES if min(shape[:2]) > 2 or n not in BORDERS]
)
def test_images(name: str, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    transform = TRANSFORMS[name]
    if shape[2:] == (4,) and transform._channels:
        shape = shape[:2]
    check_close(name, *both(transform, RANDOM.integers(0, 256, shape, np.uint8), monkeypatch))


@pytest.mark.parametrize("name", COLORED)
def test_colors(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    image = RANDOM.integers(0, 256, (37, 45, 3), np.uint8)
    check_close(name, *both(COLORED[name], image, monkeypatch))


@pytest.mark.parametrize("view", ["columns", "rows", "flipped", "transposed"])
def test_views(view: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = RANDOM.integers(0, 256, (40, 40, 3), np.uint8)
    image = {
        "columns": whole[:, ::2], "rows": whole[3:30], "flipped": whole[::-1, ::-1],
        "transposed": whole.transpose(1, 0, 2),
    }[view]  # fmt: skip
    for transform in (vision.HorizontalFlip(), vision.Rotate(20.0), vision.AdjustSaturation(0.5), vision.Equalize()):
        check_close("view", *both(transform, image, monkeypatch))
        monkeypatch.undo()


def encoded(mode: str, **options: Any) -> bytes:
    """Return a JPEG file."""
    image_module = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    smooth = np.add.outer(np.arange(50) * 3, np.arange(70))[:, :, None] + np.array([0, 30, 60])
    noisy = (smooth + RANDOM.integers(-9, 10, (50, 70, 3))).clip(0, 255).astype(np.uint8)
    image_module.fromarray(noisy).convert(mode).save(file, "JPEG", **options)
    return file.getvalue()


@pytest.mark.parametrize("progressive", [False, True])
@pytest.mark.parametrize("subsampling", [0, 1, 2])
@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_jpeg_files(mode: str, subsampling: int, progressive: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    content = encoded(mode, subsampling=subsampling, progressive=progressive, quality=87)
    assert (jpeg.fast_pixels(content) is None) is (mode == "CMYK")
    np.testing.assert_array_equal(*both(vision.Decode(), np.frombuffer(content, np.uint8), monkeypatch))


def test_the_orientation_in_a_file_is_ignored() -> None:
    exif = pytest.importorskip("PIL.Image").Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    assert vision.Decode()(np.frombuffer(encoded("RGB", exif=exif.tobytes()), np.uint8)).shape == (50, 70, 3)


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 20, 100, 600, -200, -2, -1])
def test_a_file_that_is_cut_short_is_left_to_pillow(length: int) -> None:
    content = encoded("RGB")
    assert jpeg.fast_pixels(content[:length]) is None
    if length:
        with pytest.raises(ValueError, match="must be a whole image"):
            vision.Decode()(np.frombuffer(content[:length], np.uint8))


def test_damaged_files_yield_an_image_or_none() -> None:
    content = encoded("RGB")
    for _ in range(300):
        damaged = bytearray(content)
        damaged[RANDOM.integers(len(content))] = RANDOM.integers(256)
        pixels = jpeg.fast_pixels(bytes(damaged))
        assert pixels is None or (pixels.ndim, pixels.dtype) == (3, np.uint8)


def test_other_images_are_left_to_numpy() -> None:
    for image in (np.zeros((0, 4, 3), np.uint8), np.zeros((4, 4, 5), np.uint8), np.zeros((4, 4, 3), np.int64)):
        assert opencv.installed_for(image) is None
    assert kernels.resized(np.ones((4, 4, 3)), 2, 2, Inter.NEAREST).dtype == np.float64
