"""Transforms of images: arrays (height, width, channels), and PIL images.

MindSpore: `mindspore.dataset.vision`.
"""

from __future__ import annotations

from torchspore.dataset.vision.chance import (
    RandomColorAdjust,
    RandomCrop,
    RandomCropDecodeResize,
    RandomErasing,
    RandomGrayscale,
    RandomHorizontalFlip,
    RandomResize,
    RandomResizedCrop,
    RandomRotation,
    RandomVerticalFlip,
)
from torchspore.dataset.vision.color import (
    AdjustBrightness,
    AdjustContrast,
    AdjustHue,
    AdjustSaturation,
    Grayscale,
    HsvToRgb,
    Invert,
    RgbToHsv,
)
from torchspore.dataset.vision.conversion import (
    HWC2CHW,
    Decode,
    Normalize,
    NormalizePad,
    Rescale,
    ToNumpy,
    ToPIL,
    ToTensor,
    ToType,
)
from torchspore.dataset.vision.enums import (
    Border,
    ImageReadMode,
    Inter,
)
from torchspore.dataset.vision.geometry import (
    CenterCrop,
    Crop,
    FiveCrop,
    HorizontalFlip,
    Pad,
    PadToSize,
    Resize,
    ResizedCrop,
    Rotate,
    TenCrop,
    VerticalFlip,
)

__all__ = [
    "HWC2CHW",
    "AdjustBrightness",
    "AdjustContrast",
    "AdjustHue",
    "AdjustSaturation",
    "Border",
    "CenterCrop",
    "Crop",
    "Decode",
    "FiveCrop",
    "Grayscale",
    "HorizontalFlip",
    "HsvToRgb",
    "ImageReadMode",
    "Inter",
    "Invert",
    "Normalize",
    "NormalizePad",
    "Pad",
    "PadToSize",
    "RandomColorAdjust",
    "RandomCrop",
    "RandomCropDecodeResize",
    "RandomErasing",
    "RandomGrayscale",
    "RandomHorizontalFlip",
    "RandomResize",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
    "Rescale",
    "Resize",
    "ResizedCrop",
    "RgbToHsv",
    "Rotate",
    "TenCrop",
    "ToNumpy",
    "ToPIL",
    "ToTensor",
    "ToType",
    "VerticalFlip",
]
