"""Functions of videos, which are not supported: their errors say what to use."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["DecodeVideo", "VideoDecoder", "read_video", "read_video_timestamps"]


def _refuse(api: str) -> NoReturn:
    raise NotImplementedError(
        f"For '{api}', videos are not supported: read the frames with PyAV or torchcodec, and pass them to a "
        f"'GeneratorDataset'."
    )


class DecodeVideo:
    """Would decode the bytes of a video; videos are not supported.

    Raises:
        NotImplementedError: always.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.DecodeVideo()
        Traceback (most recent call last):
            ...
        NotImplementedError: For 'DecodeVideo', videos are not supported: read the frames with PyAV or torchcodec, ...
    """

    def __init__(self) -> None:
        _refuse("DecodeVideo")


class VideoDecoder:
    """Would decode frames of a video file; videos are not supported.

    Raises:
        NotImplementedError: always.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.VideoDecoder("film.mp4")
        Traceback (most recent call last):
            ...
        NotImplementedError: For 'VideoDecoder', videos are not supported: read the frames with PyAV or torchcodec, ...
    """

    def __init__(self, source: str) -> None:
        _refuse("VideoDecoder")


def read_video(filename: str, start_pts: float = 0, end_pts: float | None = None, pts_unit: str = "pts") -> Any:
    """Would read the frames and the sound of a video file; videos are not supported.

    Raises:
        NotImplementedError: always.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.read_video("film.mp4")
        Traceback (most recent call last):
            ...
        NotImplementedError: For 'read_video', videos are not supported: read the frames with PyAV or torchcodec, ...
    """
    _refuse("read_video")


def read_video_timestamps(filename: str, pts_unit: str = "pts") -> Any:
    """Would read the times of the frames of a video file; videos are not supported.

    Raises:
        NotImplementedError: always.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.read_video_timestamps("film.mp4")
        Traceback (most recent call last):
            ...
        NotImplementedError: For 'read_video_timestamps', videos are not supported: read the frames with PyAV ...
    """
    _refuse("read_video_timestamps")
