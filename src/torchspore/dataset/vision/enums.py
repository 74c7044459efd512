"""Ways to interpolate, to fill borders and to read images."""

from __future__ import annotations

import enum

__all__ = ["Border", "ImageReadMode", "Inter"]


class Inter(enum.IntEnum):
    """How values between pixels are computed.

    NEAREST, BILINEAR (LINEAR), BICUBIC (CUBIC) and AREA are of arrays and PIL images, ANTIALIAS of PIL images, and
    PILCUBIC of arrays: Pillow's bicubic interpolation, which looks at all pixels when it makes an image smaller.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.Inter.LINEAR is vision.Inter.BILINEAR
        True

    MindSpore: `mindspore.dataset.vision.Inter`.
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(str, enum.Enum):
    """What a border is filled with.

    CONSTANT: a value. EDGE: the last pixel. REFLECT: the image mirrored, without repeating the last pixel. SYMMETRIC:
    the image mirrored, the last pixel twice.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.Border.EDGE.value
        'edge'

    MindSpore: `mindspore.dataset.vision.Border`.
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ImageReadMode(enum.IntEnum):
    """In which colors an image file is read: its own, gray, or red, green and blue.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.ImageReadMode.COLOR.value
        2

    MindSpore: `mindspore.dataset.vision.ImageReadMode`.
    """

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2
