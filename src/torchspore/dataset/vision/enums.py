"""Ways to interpolate, to fill borders, to convert, to cut and to read images."""

from __future__ import annotations

import enum

__all__ = ["AutoAugmentPolicy", "Border", "ConvertMode", "ImageBatchFormat", "ImageReadMode", "Inter", "SliceMode"]


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


class AutoAugmentPolicy(str, enum.Enum):
    """For which data set the policies of `AutoAugment` were found: ImageNet, CIFAR-10 or SVHN.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.AutoAugmentPolicy.SVHN.value
        'svhn'

    MindSpore: `mindspore.dataset.vision.AutoAugmentPolicy`.
    """

    IMAGENET = "imagenet"
    CIFAR10 = "cifar10"
    SVHN = "svhn"


class ConvertMode(enum.IntEnum):
    """From which order of channels to which: R is red, G green, B blue, A opacity; GRAY is one channel.

    Where the same is to be done, two names stand for one member: BGR to BGRA is RGB to RGBA.

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.ConvertMode.COLOR_RGB2RGBA is vision.ConvertMode.COLOR_BGR2BGRA
        True

    MindSpore: `mindspore.dataset.vision.ConvertMode`.
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
    """Where the channels of a batch of images are: last (NHWC), or before the rows and columns (NCHW).

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.ImageBatchFormat.NCHW.value
        1

    MindSpore: `mindspore.dataset.vision.ImageBatchFormat`.
    """

    NHWC = 0
    NCHW = 1


class SliceMode(enum.IntEnum):
    """What happens to an image that cannot be cut into equal parts: it grows (PAD), or what is left over goes (DROP).

    Examples:
        >>> import torchspore.dataset.vision as vision
        >>> vision.SliceMode.DROP.value
        1

    MindSpore: `mindspore.dataset.vision.SliceMode`.
    """

    PAD = 0
    DROP = 1
