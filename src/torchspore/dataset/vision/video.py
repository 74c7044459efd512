"""Videos: their frames, sound and timestamps, decoded by PyAV, which is optional."""

from __future__ import annotations

import contextlib
import importlib
import io
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, BinaryIO, Literal, TypeAlias

import numpy as np

from torchspore.common.error_classes import also
from torchspore.common.names.unsupported import refusing
from torchspore.dataset.parameters import checked
from torchspore.dataset.transforms.base import Array, TensorOperation, given_array
from torchspore.engine.parameters import AnyFloat, Rule
from torchspore.engine.storage.reading import check_regular

__all__ = ["DecodeVideo", "VideoDecoder", "read_video", "read_video_timestamps"]

VideoDecoder = refusing("dataset.vision", "VideoDecoder")

_Unit: TypeAlias = Literal["pts", "sec"]
_Time: TypeAlias = Fraction | AnyFloat
# MindSpore's formats. Playlists, which name other files and addresses, are not among them.
_OPTIONS = {"format_whitelist": "avi,h264,hevc,mov,mp4,m4a,3gp,3g2,mj2,asf", "protocol_whitelist": "pipe"}


def _pyav(api: str) -> Any:
    try:
        return importlib.import_module("av")
    except ImportError as error:
        raise ImportError(f"For '{api}', videos need the package av: pip install 'torchspore[video]'.") from error


@contextlib.contextmanager
def _opened(api: str, file: BinaryIO) -> Iterator[Any]:
    """Open a video for a while; errors of its contents name the API."""
    av = _pyav(api)
    file.seek(0)
    try:
        with av.open(file, options=_OPTIONS) as container:
            yield container
    except (av.FFmpegError, OSError, IndexError, TypeError, AttributeError) as error:
        is_empty = isinstance(error, (IndexError, TypeError, AttributeError))  # no stream, no timestamps, no decoder
        message = "it has no frames with timestamps" if is_empty else str(error)
        raise also(ValueError, RuntimeError)(
            f"For '{api}', the data must be a video (AVI, H264, H265, MOV, MP4 or WMV), but it cannot be decoded: "
            f"{message}."
        ) from error


class _Video:
    """The frames of a video between two timestamps, and all timestamps."""

    def __init__(self, api: str, file: BinaryIO, start: Any = None, end: Any = None, unit: str = "pts") -> None:
        self.images: list[Array] = []
        self.times: list[Any] = []
        self.first = 0
        with _opened(api, file) as container:
            stream = container.streams.video[0]
            self.rate, self.size = float(stream.average_rate), (stream.height, stream.width)
            self.tick = float(stream.time_base)
            for frame in container.decode(stream):
                time = frame.pts if unit == "pts" else float(frame.pts * frame.time_base)
                if start is not None and time >= start and (end is None or time <= end):
                    self.first = self.first if self.images else len(self.times)
                    self.images.append(frame.to_ndarray(format="rgb24"))
                self.times.append(time)

    def frames(self) -> Array:
        return np.stack(self.images) if self.images else np.zeros((0, *self.size, 3), np.uint8)


def _sound(api: str, file: BinaryIO) -> tuple[Array, int | None]:
    """Return the samples (channels, length) of a video, and their rate, or None without sound."""
    parts = [np.zeros((1, 0), np.float32)]
    with _opened(api, file) as container:
        if not container.streams.audio:
            return parts[0], None
        stream = container.streams.audio[0]
        for frame in container.decode(stream):
            part = frame.to_ndarray()
            parts.append(part if frame.format.is_planar else part.reshape(-1, frame.layout.nb_channels).T)
        return np.concatenate(parts[1:] or parts, 1), int(stream.rate)


def _file(api: str, filename: str) -> BinaryIO:
    try:
        check_regular(filename)
        return open(filename, "rb")
    except OSError as error:
        raise also(ValueError, RuntimeError)(
            f"For '{api}', 'filename' must be a video file, but got {filename!r}: {error}."
        ) from error


@checked(
    Rule(
        "'start_pts' must be >= 0 and 'end_pts' >= 'start_pts'",
        lambda start_pts, end_pts: start_pts >= 0 and (end_pts is None or end_pts >= start_pts),
    )
)
def read_video(
    filename: str, start_pts: _Time = 0, end_pts: _Time | None = None, pts_unit: _Unit = "pts"
) -> tuple[Array, Array, dict[str, float | int]]:
    """Return the frames of a video file, its sound, and their rates.

    The frames are uint8 (frames, height, width, 3), the sound (channels, length) in the type of the file, or (1, 0)
    without sound. Of a part of the frames the sound is the same part. The rates are "video_fps" and "audio_fps".

    Args:
        filename: the path of an AVI, H264, H265, MOV, MP4 or WMV file.
        start_pts: the timestamp of the first frame, >= 0. Default: 0.
        end_pts: the timestamp of the last frame, >= `start_pts`. Default: None, the end.
        pts_unit: the unit of the timestamps, "pts" (ticks of the file) or "sec". Default: "pts".

    Raises:
        ImportError: PyAV is not installed.
        ValueError: also if there is no such file, or it is not a video.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> try:
        ...     vision.read_video("no.mp4")
        ... except ValueError:
        ...     print("There is no such file.")
        There is no such file.
    """
    api = "read_video"
    with _file(api, filename) as file:
        video = _Video(api, file, start_pts, end_pts, pts_unit)
        sound, rate = _sound(api, file)
    share = sound.shape[1] / max(len(video.times), 1)
    begin, length = round(video.first * share), round(len(video.images) * share)
    rates: dict[str, float | int] = {"audio_fps": rate} if rate is not None else {}
    return video.frames(), sound[:, begin : begin + length], rates | {"video_fps": video.rate}


@checked
def read_video_timestamps(filename: str, pts_unit: _Unit = "pts") -> tuple[list[Any], float]:
    """Return the timestamps of the frames of a video file, and their number in a second.

    Args:
        filename: as for `read_video`.
        pts_unit: "pts" for ints, or "sec" for floats. Default: "pts".

    Raises:
        ImportError: PyAV is not installed.
        ValueError: also if there is no such file, or it is not a video.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> try:
        ...     vision.read_video_timestamps("no.mp4", "min")
        ... except ValueError:
        ...     print("There is no such file.")
        There is no such file.
    """
    api = "read_video_timestamps"
    with _file(api, filename) as file:
        video = _Video(api, file)
    tick = float(np.float32(video.tick))  # as in MindSpore: 3 ticks of 0.2 s are 0.6000000089 s
    return video.times if pts_unit == "pts" else [time * tick for time in video.times], video.rate


class DecodeVideo(TensorOperation):
    """Decodes the bytes of a video file, a 1-D array of uint8, to its frames and its sound, as `read_video`.

    Raises:
        ImportError: PyAV is not installed.
        ValueError: the value is not a video.

    Examples:
        >>> import numpy as np
        >>> import torchspore.dataset.vision as vision
        >>> try:
        ...     vision.DecodeVideo()(np.zeros((2, 2), np.uint8))
        ... except ValueError as error:
        ...     print(error)
        For 'DecodeVideo', the value must be a 1-D array of uint8 that is not empty, but got uint8 of shape (2, 2).
    """

    def _taken(self, value: Any) -> Array:
        array = given_array("DecodeVideo", value)
        if array.dtype != np.uint8 or array.ndim != 1 or not array.size:
            raise also(ValueError, RuntimeError)(
                "For 'DecodeVideo', the value must be a 1-D array of uint8 that is not empty, but got "
                f"{array.dtype} of shape {array.shape}."
            )
        return array

    def _apply(self, value: Array) -> tuple[Array, Array]:
        file = io.BytesIO(value.tobytes())
        return _Video("DecodeVideo", file, 0).frames(), _sound("DecodeVideo", file)[0]
