"""Functions of videos, which are not supported: their errors say what to use."""

from __future__ import annotations

from torchspore.common.unsupported import refusing

DecodeVideo = refusing("dataset.vision", "DecodeVideo")
VideoDecoder = refusing("dataset.vision", "VideoDecoder")
read_video = refusing("dataset.vision", "read_video")
read_video_timestamps = refusing("dataset.vision", "read_video_timestamps")

__all__ = ["DecodeVideo", "VideoDecoder", "read_video", "read_video_timestamps"]
