"""Whatever is at a path: it is read, or an error names who read it and the file; in little memory and time."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import fuzz
import torchspore as ms
from torchspore.dataset import config, vision

PROGRAM = pathlib.Path(__file__).parent / "hostile_files.py"
MEMORY = 2**29  # that a loader may take beside what the process has

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits of memory and time are Linux's")


@pytest.mark.slow
def test_damaged_files_of_all_kinds():
    for package in ("PIL", "sentencepiece", "safetensors", "cryptography", "onnxscript", "google.protobuf"):
        pytest.importorskip(package)
    environment = {**os.environ, "MALLOC_ARENA_MAX": "1", "OMP_NUM_THREADS": "1"}
    seed = f"tests{fuzz.seeds(1)[0] or ''}"
    arguments = [sys.executable, "-W", "ignore", str(PROGRAM), seed, str(fuzz.inputs(3)), str(MEMORY)]
    done = subprocess.run(arguments, capture_output=True, text=True, env=environment)
    found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert done.returncode == 0, f"ended by {found[-1]}: {done.stderr[-3000:]}"
    results = [each for each in found if each[2] is not None]
    assert len(results) > 500
    assert [each for each in results if each[2] not in ("read", "named")] == []
    assert {"read", "named"} == {each[2] for each in results}


def picture(kind, **options):
    image = pytest.importorskip("PIL.Image")
    import io

    file = io.BytesIO()
    image.new("RGB", (9, 7)).save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["jpeg", "png", "bmp", "tiff", "ppm"])
def test_images_that_mindspore_decodes(kind, tmp_path):
    (tmp_path / "a.jpg").write_bytes(picture(kind))
    assert vision.read_image(str(tmp_path / "a.jpg")).shape == (7, 9, 3)
    assert vision.Decode()(vision.read_file(str(tmp_path / "a.jpg"))).shape == (7, 9, 3)


@pytest.mark.parametrize("kind", ["eps", "gif", "webp", "ico", "jpeg2000"])
def test_images_that_it_does_not(kind, tmp_path):
    """An EPS would start Ghostscript; the other ones are for `to_pil` only, where Pillow decodes in MindSpore, too."""
    options = {"sizes": [(9, 7)]} if kind == "ico" else {}  # before Pillow 13, 16 pixels and more
    (tmp_path / "a.jpg").write_bytes(picture(kind, **options))
    content = vision.read_file(str(tmp_path / "a.jpg"))
    with pytest.raises(ValueError, match=r"^For 'read_image', the bytes must be a whole image, JPEG, .*a\.jpg"):
        vision.read_image(str(tmp_path / "a.jpg"))
    with pytest.raises(ValueError, match=r"^For 'Decode', the bytes must be a whole image"):
        vision.Decode()(content)
    if kind == "eps":
        with pytest.raises(ValueError, match=r"^For 'Decode', the bytes must be a whole image"):
            vision.Decode(to_pil=True)(content)
    else:
        assert vision.Decode(to_pil=True)(content).mode == "RGB"


def test_a_decompression_bomb_is_named():
    zlib = pytest.importorskip("zlib")

    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    size = (10**5).to_bytes(4, "big")
    content = (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size + size + b"\x08\x02\0\0\0") + chunk(b"IDAT", zlib.compress(bytes(9)))
    )
    with pytest.raises(ValueError, match=r"^For 'Decode', the bytes must be a whole image, .*exceeds limit"):
        vision.Decode()(ms.Tensor(list(content), ms.uint8).asnumpy())


BAD_SETTINGS = ['{"prefetchSize": 7, "seed": -1}', '{"seed": 1, "numParallelWorkers": 0}',
                '{"prefetchSize": 7, "seed": "3"}', "[1]", "3", "{", "[" * 10**5]  # fmt: skip


@pytest.mark.parametrize("content", BAD_SETTINGS, ids=range(len(BAD_SETTINGS)))
def test_settings_are_taken_all_or_not_at_all(content, tmp_path):
    (tmp_path / "a.json").write_text(content)
    before = config.get_prefetch_size(), config.get_seed(), config.get_num_parallel_workers()
    with pytest.raises(RuntimeError, match=f"^For 'load', .*{re.escape(str(tmp_path / 'a.json'))}"):
        config.load(str(tmp_path / "a.json"))
    assert (config.get_prefetch_size(), config.get_seed(), config.get_num_parallel_workers()) == before


TOO_LARGE = [
    "ms.numpy.bartlett(2**60)", "ms.numpy.hamming(2**60)", "ms.numpy.hanning(2**60)", "ms.numpy.blackman(2**60)",
    "ms.ops.bartlett_window(2**60)", "ms.ops.kaiser_window(2**60)", "ms.ops.hann_window(2**60)",
    "ms.ops.ifftn(x, s=(2**60,))", "ms.ops.rfft(x, 2**60)", "ms.ops.fft2(ms.ops.ones((2, 2)), (2**30, 2**30))",
    "ms.ops.zeros(2**60)", "ms.numpy.eye(2**30)", "ms.ops.arange(2**60)", "ms.numpy.tri(2**30)",
    "ms.ops.linspace(0, 1, 2**60)", "ms.ops.tile(x, (2**60,))", "ms.ops.one_hot(ms.Tensor([1]), 2**60)",
]  # fmt: skip


@pytest.mark.parametrize("expression", TOO_LARGE)
def test_sizes_that_no_memory_holds_are_refused(expression):
    with pytest.raises((ValueError, RuntimeError), match=r"^For '\w+', "):
        eval(expression, {"ms": ms, "x": ms.ops.ones(4)})


def test_what_the_memory_holds_is_computed(monkeypatch):
    """The limit is the machine's memory over the copies on the way."""
    monkeypatch.setattr("torchspore.common.memory.total", lambda: 4 * 4 * 100)
    assert ms.numpy.bartlett(100).shape == (100,)
    with pytest.raises(ValueError, match="For 'bartlett', 101 elements need"):
        ms.numpy.bartlett(101)
