"""JPEG files decoded by OpenCV, which is faster than Pillow; both contain libjpeg-turbo and return equal pixels."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from torchspore.dataset.rows import opencv
from torchspore.dataset.transforms.base import Array

__all__ = ["fast_pixels"]

_START, _END = b"\xff\xd8", b"\xff\xd9"
_FRAME = struct.Struct(">BHHB")  # bits, height, width, components
_FRAMES = (0xC0, 0xC1, 0xC2)  # markers of the frames: baseline, extended, progressive
_SCAN = 0xDA
_MAX_PIXELS = 2**25  # above, Pillow's protection applies


def fast_pixels(content: bytes) -> Array | None:
    """Return the pixels of a JPEG file in RGB; None for files that Pillow should read, or refuse.

    These are other formats and color spaces, damaged and very large files, and all of them without OpenCV.
    """
    array = np.frombuffer(content, np.uint8)
    cv2 = opencv.module()
    if cv2 is None or not _is_plain(content):
        return None
    try:
        flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
        pixels: Any = cv2.imdecode(array, flags)
    except cv2.error:
        return None
    return pixels


def _is_plain(content: bytes) -> bool:
    """Return whether a file is a whole JPEG in gray or YCbCr with 8 bits, by its markers."""
    if content[:2] != _START or content[-2:] != _END:
        return False
    position, size, frames = 2, len(content), 0
    while position + 4 <= size and content[position] == 0xFF:
        marker, length = content[position + 1], int.from_bytes(content[position + 2 : position + 4], "big")
        if marker in _FRAMES and length >= 2 + _FRAME.size and position + 4 + _FRAME.size <= size:
            bits, height, width, components = _FRAME.unpack_from(content, position + 4)
            if bits != 8 or components not in (1, 3) or not 0 < height * width <= _MAX_PIXELS:
                return False
            frames += 1
        elif marker == _SCAN:
            return frames == 1
        elif not 0xC4 <= marker <= 0xFE or length < 2:
            return False
        position += 2 + length
    return False
