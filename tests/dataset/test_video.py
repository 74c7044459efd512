"""Videos: small files that the tests write, with what MindSpore reads from the same files."""

from __future__ import annotations

import contextlib
import importlib
import os

import numpy as np
import pytest

import torchspore.dataset as ds
from torchspore.dataset import vision

FRAMES, RATE, HEIGHT, WIDTH = 10, 5, 32, 48


def _images():
    """Return frames whose red tells their number, and whose blue the column."""
    images = np.zeros((FRAMES, HEIGHT, WIDTH, 3), np.uint8)
    images[..., 0] = 20 * np.arange(FRAMES)[:, None, None]
    images[..., 2] = np.arange(WIDTH)
    return images


def _tones():
    time = np.arange(8000 * FRAMES // RATE) / 8000
    return (8000 * np.sin(2 * np.pi * np.array([[220], [330]]) * time)).astype(np.int16)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    av = pytest.importorskip("av", reason="PyAV is optional")
    path = tmp_path_factory.mktemp("videos")
    for name, codec, sound in (("silent.mp4", "mpeg4", None), ("loud.avi", "mjpeg", "pcm_s16le")):
        with av.open(str(path / name), "w") as container:
            stream = container.add_stream(codec, rate=RATE)
            stream.height, stream.width = HEIGHT, WIDTH
            stream.pix_fmt = "yuvj420p" if codec == "mjpeg" else "yuv420p"
            if sound:
                track = container.add_stream(sound, rate=8000)
                track.layout = "stereo"
            for image in _images():
                container.mux(stream.encode(av.VideoFrame.from_ndarray(image, format="rgb24")))
            container.mux(stream.encode())
            if sound:
                packed = np.ascontiguousarray(_tones().T.reshape(1, -1))
                frame = av.AudioFrame.from_ndarray(packed, format="s16", layout="stereo")
                frame.sample_rate, frame.pts = 8000, 0
                container.mux(track.encode(frame))
                container.mux(track.encode())
    return path


def _close(found, expected):
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert np.abs(found.astype(int) - expected).sum() <= 6 * expected.size  # the codecs and their colors lose that much


# In MindSpore: frames from, to; the sound from, to; of a part of the frames it is the same part.
PARTS = [
    ("silent.mp4", (), (0, 10), None),
    ("silent.mp4", (2, 5), (0, 0), None),
    ("silent.mp4", (2048, 6144), (1, 4), None),
    ("silent.mp4", (0.5, 1.2, "sec"), (3, 7), None),
    ("silent.mp4", (100000,), (0, 0), None),
    ("loud.avi", (), (0, 10), (0, 16000)),
    ("loud.avi", (2, 5), (2, 6), (3200, 9600)),
    ("loud.avi", (0.5, 1.2, "sec"), (3, 7), (4800, 11200)),
]


@pytest.mark.parametrize(("name", "given", "frames", "samples"), PARTS)
def test_read_video(folder, name, given, frames, samples):
    images, sound, rates = vision.read_video(str(folder / name), *given)
    _close(images, _images()[slice(*frames)])
    if samples is None:
        assert (sound.dtype, sound.shape, rates) == (np.float32, (1, 0), {"video_fps": 5.0})
    else:
        np.testing.assert_array_equal(sound, _tones()[:, slice(*samples)])
        assert rates == {"audio_fps": 8000, "video_fps": 5.0}


@pytest.mark.parametrize(("name", "tick"), [("silent.mp4", 2048), ("loud.avi", 1)])
def test_timestamps(folder, name, tick):
    assert vision.read_video_timestamps(str(folder / name)) == ([tick * each for each in range(FRAMES)], 5.0)
    seconds, rate = vision.read_video_timestamps(str(folder / name), "sec")
    assert (seconds[:4], rate) == ([0.0, 0.20000000298023224, 0.4000000059604645, 0.6000000089406967], 5.0)


@pytest.mark.parametrize("name", ["silent.mp4", "loud.avi"])
def test_decode_video_in_a_pipeline(folder, name):
    data = np.fromfile(folder / name, np.uint8)
    rows = ds.GeneratorDataset([data], ["data"], shuffle=False)
    rows = rows.map(vision.DecodeVideo(), "data", ["video", "audio"])
    (row,) = rows.create_dict_iterator(num_epochs=1, output_numpy=True)
    images, sound, _ = vision.read_video(str(folder / name))
    np.testing.assert_array_equal(row["video"], images)
    np.testing.assert_array_equal(row["audio"], sound)


@pytest.mark.parametrize("data", [b"", b"no video", b"RIFF" + bytes(60), bytes(5000)])
def test_what_is_not_a_video_is_refused(folder, tmp_path, data):
    path = tmp_path / "what.mp4"
    path.write_bytes(data)
    for call in (vision.read_video, vision.read_video_timestamps):
        with pytest.raises(ValueError, match=f"^For '{call.__name__}', the data must be a video"):
            call(str(path))
    with pytest.raises(RuntimeError, match=r"^For 'DecodeVideo', the "):
        vision.DecodeVideo()(np.frombuffer(data, np.uint8))


def test_cut_videos_are_errors_or_have_fewer_frames(folder):
    for name in ("silent.mp4", "loud.avi"):
        data = np.fromfile(folder / name, np.uint8)
        for part in np.linspace(0.05, 0.98, 25):
            with contextlib.suppress(ValueError):
                assert len(vision.DecodeVideo()(data[: int(len(data) * part)])[0]) <= FRAMES


def test_playlists_do_not_read_other_files(folder, tmp_path):
    (tmp_path / "list.mp4").write_text(f"ffconcat version 1.0\nfile {folder / 'silent.mp4'}\n")
    (tmp_path / "list2.mp4").write_text(f"#EXTM3U\n#EXTINF:2,\n{folder / 'silent.mp4'}\n#EXT-X-ENDLIST\n")
    for name in ("list.mp4", "list2.mp4"):
        with pytest.raises(ValueError, match="must be a video"):
            vision.read_video(str(tmp_path / name))


ERRORS = [
    ("read_video", (1,), TypeError), ("read_video", ("missing.mp4",), ValueError), ("read_video", ("/",), ValueError),
    ("read_video", (__file__, "1"), TypeError), ("read_video", (__file__, True), TypeError),
    ("read_video", (__file__, 0, "1"), TypeError), ("read_video", (__file__, -1), ValueError),
    ("read_video", (__file__, 5, 2), ValueError), ("read_video", (__file__, float("nan")), ValueError),
    ("read_video", (__file__, 0, None, "min"), ValueError), ("read_video", (__file__, 0, None, 1), TypeError),
    ("read_video_timestamps", (1,), TypeError), ("read_video_timestamps", ("missing.mp4",), RuntimeError),
    ("read_video_timestamps", (__file__, "min"), ValueError), ("read_video_timestamps", (__file__, 1), TypeError),
    ("DecodeVideo", (np.zeros((2, 2), np.uint8),), RuntimeError), ("DecodeVideo", (np.zeros(2, int),), RuntimeError),
    ("DecodeVideo", (np.zeros(0, np.uint8),), RuntimeError), ("DecodeVideo", ([1],), TypeError),
]  # fmt: skip


@pytest.mark.parametrize(("name", "given", "error"), ERRORS)
def test_errors(name, given, error):
    call = vision.DecodeVideo() if name == "DecodeVideo" else getattr(vision, name)
    with pytest.raises(error, match=f"^For '{name}', "):
        call(*given)


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="is a folder, a pipe or a device"):
        vision.read_video(str(tmp_path / "pipe"))


def test_without_pyav_the_error_names_the_package(monkeypatch):
    real = importlib.import_module

    def missing(name, *given):
        if name == "av":
            raise ImportError("no av")
        return real(name, *given)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match=r"For 'read_video', videos need the package av: .*torchspore\[video\]"):
        vision.read_video(__file__)
