"""The files that the rows of `dataset.py` read: seeded, in a folder that the caller removes.

Photographs are imitated by smooth colors with some noise, which compress to about the size of real ones.
"""

from __future__ import annotations

import io
import pathlib
import struct
import wave

import numpy as np

DIGITS, PHOTOS, LINES, RECORDS, WAVES = 4096, 192, 4096, 2048, 96
CLASSES = 4
RATE, SECONDS = 16000, 1
VOCABULARY = [f"word{number}" for number in range(5000)]
BOUNDARIES, SIZES = [8, 16, 32], [64, 32, 16, 8]


def write(folder: pathlib.Path) -> None:
    """Write all files into an empty folder."""
    random = np.random.default_rng(0)
    _write_digits(folder, random)
    _write_photos(folder / "photos", random)
    _write_lines(folder / "lines.txt", random)
    _write_records(folder, random)
    _write_waves(folder / "waves", random)


def _write_digits(folder: pathlib.Path, random: np.random.Generator) -> None:
    images = random.integers(0, 256, (DIGITS, 28, 28), np.uint8)
    labels = random.integers(0, 10, DIGITS, np.uint8)
    (folder / "train-images-idx3-ubyte").write_bytes(struct.pack(">4i", 2051, DIGITS, 28, 28) + images.tobytes())
    (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 2049, DIGITS) + labels.tobytes())


def _write_photos(folder: pathlib.Path, random: np.random.Generator) -> None:
    for number in range(PHOTOS):
        path = folder / f"class{number % CLASSES}" / f"{number:03}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(_photo(random))


def _photo(random: np.random.Generator) -> bytes:
    from PIL import Image

    colors = Image.fromarray(random.integers(0, 256, (24, 32, 3), np.uint8)).resize(
        (500, 375), Image.Resampling.BICUBIC
    )
    noisy = np.asarray(colors).astype(int) + random.integers(-12, 13, (375, 500, 3))
    file = io.BytesIO()
    Image.fromarray(noisy.clip(0, 255).astype(np.uint8)).save(file, "JPEG", quality=90)
    return file.getvalue()


def _write_lines(path: pathlib.Path, random: np.random.Generator) -> None:
    lengths = random.lognormal(2.5, 0.6, LINES).astype(int).clip(1, 60)
    words = random.zipf(1.3, int(lengths.sum())) % len(VOCABULARY)
    ends = np.cumsum(lengths)
    path.write_text("\n".join(" ".join(VOCABULARY[word] for word in part) for part in np.split(words, ends[:-1])))


def _write_records(folder: pathlib.Path, random: np.random.Generator) -> None:
    from torchspore.mindrecord import FileWriter
    from torchspore.mindrecord.tfrecord_file import pack_example, write_records

    rows = [
        {"x": random.random(256).astype(np.float32), "label": number % 10, "data": random.bytes(1000)}
        for number in range(RECORDS)
    ]
    writer = FileWriter(str(folder / "rows.mindrecord"))
    writer.add_schema(
        {"x": {"type": "float32", "shape": [256]}, "label": {"type": "int32"}, "data": {"type": "bytes"}}, "rows"
    )
    writer.write_raw_data(rows)
    writer.commit()
    with open(folder / "rows.tfrecord", "wb") as file:
        examples = [{"x": row["x"], "label": np.array([row["label"]]), "data": [row["data"]]} for row in rows]
        write_records(file, map(pack_example, examples))


def _write_waves(folder: pathlib.Path, random: np.random.Generator) -> None:
    folder.mkdir()
    for number in range(WAVES):
        samples = (random.normal(0, 3000, RATE * SECONDS)).astype("<i2")
        name = "_".join(f"{number:08b}")
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(samples.tobytes())
