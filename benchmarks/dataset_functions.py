"""What several contestants of `dataset.py` compute with NumPy, Pillow and the standard library."""

from __future__ import annotations

import io
import pathlib
import wave
from typing import Any

import dataset_files as files
import numpy as np

VECTORS, VECTOR = 2048, 4096
IMAGENET_MEAN, IMAGENET_STD = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
Array = np.ndarray[Any, Any]


class Vectors:
    """A source with random access."""

    def __init__(self) -> None:
        self.x = np.random.default_rng(0).random((VECTORS, VECTOR), np.float32)

    def __len__(self) -> int:
        return VECTORS

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self.x[index], np.array(index)


def scaled(x: Any) -> Any:
    """Return a row's value, standardized."""
    return (x - x.mean()) / x.std()


def digits(folder: pathlib.Path) -> tuple[Array, Array]:
    """Return the images and the labels."""
    images = np.frombuffer((folder / "train-images-idx3-ubyte").read_bytes()[16:], np.uint8)
    labels = np.frombuffer((folder / "train-labels-idx1-ubyte").read_bytes()[8:], np.uint8)
    return images.reshape(-1, 28, 28, 1), labels


def digit(image: Array, label: Any) -> tuple[Array, Any]:
    """Return one of them, normalized."""
    scaled_image = (image.astype(np.float32) * np.float32(1 / 255) - np.float32(0.1307)) / np.float32(0.3081)
    return np.ascontiguousarray(scaled_image.transpose(2, 0, 1)), np.int32(label)


def photos(folder: pathlib.Path) -> list[tuple[str, int]]:
    """Return the paths of the photographs, and their classes."""
    classes = sorted((folder / "photos").iterdir())
    return [(str(path), number) for number, each in enumerate(classes) for path in sorted(each.iterdir())]


def photo(path: str, random: Any) -> Array:
    """Return a photograph: decoded, a random part of it resized, flipped at random, normalized.

    Args:
        path: the file.
        random: a NumPy generator.
    """
    from PIL import Image

    image = Image.open(path).convert("RGB")
    width, height = image.size
    for _ in range(10):
        area = width * height * random.uniform(0.08, 1)
        ratio = np.exp(random.uniform(np.log(3 / 4), np.log(4 / 3)))
        wide, high = round((area * ratio) ** 0.5), round((area / ratio) ** 0.5)
        if wide <= width and high <= height:
            break
    else:
        wide = high = min(width, height)
    left, top = random.integers(width - wide + 1), random.integers(height - high + 1)
    part = image.resize((224, 224), Image.Resampling.BILINEAR, (left, top, left + wide, top + high))
    if random.random() < 0.5:
        part = part.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    planes = np.asarray(part).transpose(2, 0, 1).astype(np.float32)
    planes -= np.array(IMAGENET_MEAN, np.float32)[:, None, None]
    planes /= np.array(IMAGENET_STD, np.float32)[:, None, None]
    return planes


def numbers(line: str, known: dict[str, int]) -> Array:
    """Return the numbers of the words of a line."""
    return np.array([known[word] for word in line.split()], np.int32)


def bucketed(rows: Any) -> Any:
    """Yield padded batches of rows of similar lengths."""
    buckets: list[list[Array]] = [[] for _ in files.SIZES]
    for row in rows:
        number = int(np.searchsorted(files.BOUNDARIES, len(row), side="right"))
        buckets[number].append(row)
        if len(buckets[number]) == files.SIZES[number]:
            yield padded(buckets[number])
            buckets[number] = []
    for bucket in buckets:
        if bucket:
            yield padded(bucket)


def padded(rows: list[Array]) -> Array:
    """Return rows as one batch, with zeros after the shorter ones."""
    batch = np.zeros((len(rows), max(map(len, rows))), rows[0].dtype)
    for target, row in zip(batch, rows):
        target[: len(row)] = row
    return batch


def waves(folder: pathlib.Path) -> list[str]:
    """Return the paths of the recordings."""
    return sorted(map(str, (folder / "waves").iterdir()))


def sound(path: str) -> Array:
    """Return a recording as floats."""
    with wave.open(io.BytesIO(pathlib.Path(path).read_bytes())) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
    return samples.astype(np.float32) / 32768


def mel_spectrogram(torch: Any) -> Any:
    """Return the function from a recording to its spectrogram on the mel scale, with PyTorch."""
    window, bins, mels = torch.hann_window(400), 201, 64
    top = 2595 * np.log10(1 + files.RATE / 2 / 700)
    points = 700 * (10 ** (np.linspace(0, top, mels + 2) / 2595) - 1)
    slopes = points[None] - np.linspace(0, files.RATE / 2, bins)[:, None]
    widths = np.diff(points)
    bank = np.minimum(-slopes[:, :-2] / widths[:-1], slopes[:, 2:] / widths[1:]).clip(0)
    triangles = torch.from_numpy(bank.astype(np.float32)).T.contiguous()

    def spectrogram(samples: Array) -> Any:
        spectrum = torch.stft(torch.from_numpy(samples)[None], 400, 200, window=window, return_complex=True)
        return triangles @ (spectrum.real**2 + spectrum.imag**2)

    return spectrogram
