"""Options of image transforms: interpolations, borders, color conversions, formats."""

from __future__ import annotations

import enum

__all__ = ["AutoAugmentPolicy", "Border", "ConvertMode", "ImageBatchFormat", "ImageReadMode", "Inter", "SliceMode"]


class Inter(enum.IntEnum):
    """Interpolations.

    NEAREST, BILINEAR (LINEAR), BICUBIC (CUBIC) and AREA are for arrays and PIL images, ANTIALIAS for PIL images, and
    PILCUBIC for arrays: Pillow's bicubic interpolation, which uses all pixels when it shrinks an image.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.Inter.LINEAR is vision.Inter.BILINEAR
        True
    """

    NEAREST = 0
    ANTIALIAS = 1
    BILINEAR = LINEAR = 2
    BICUBIC = CUBIC = 3
    AREA = 4
    PILCUBIC = 5


class Border(str, enum.Enum):
    """How a border is filled.

    CONSTANT: a value. EDGE: the last pixel. REFLECT: the mirrored image without the last pixel. SYMMETRIC: the mirrored
    image with it.
    """

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class ImageReadMode(enum.IntEnum):
    """The color space in which an image file is read: its own, grayscale or RGB."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


class AutoAugmentPolicy(str, enum.Enum):
    """The data set for which policies of `AutoAugment` were learned: ImageNet, CIFAR-10 or SVHN."""

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


class ConvertMode(enum.IntEnum):
    """The source and target order of channels: R is red, G green, B blue, A opacity; GRAY is one channel.

    Equal conversions are one member with two names: BGR to BGRA is RGB to RGBA.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.ConvertMode.COLOR_RGB2RGBA is vision.ConvertMode.COLOR_BGR2BGRA
        True
    """

    COLOR_BGR2BGRA = COLOR_RGB2RGBA = 0
    COLOR_BGRA2BGR = COLOR_RGBA2RGB = 1
    COLOR_BGR2RGBA = COLOR_RGB2BGRA = 2
    COLOR_RGBA2BGR = COLOR_BGRA2RGB = 3
    COLOR_BGR2RGB = COLOR_RGB2BGR = 4
    COLOR_BGRA2RGBA = COLOR_RGBA2BGRA = 5
    COLOR_BGR2GRAY = 6
    COLOR_RGB2GRAY = 7
    COLOR_GRAY2BGR = COLOR_GRAY2RGB = 8
    COLOR_GRAY2BGRA = COLOR_GRAY2RGBA = 9
    COLOR_BGRA2GRAY = 10
    COLOR_RGBA2GRAY = 11


class ImageBatchFormat(enum.IntEnum):
    """The position of the channels in a batch of images: last (NHWC), or before the rows and columns (NCHW)."""

    NHWC = 0
    NCHW = 1


class SliceMode(enum.IntEnum):
    """How an image that cannot be cut into equal parts is treated: padded (PAD) or cropped (DROP)."""

    PAD = 0
    DROP = 1
