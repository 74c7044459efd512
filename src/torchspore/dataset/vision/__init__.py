"""Transforms of images: arrays (height, width, channels), and PIL images.

All raise TypeError for an argument or an image of another type, and ValueError for an argument outside its range. So do
transforms of colors for an image that does not have three channels, and those that count or invert levels for an image
that is not of uint8. The documentation of each names only what else it raises.
"""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.dataset.transforms.py_transforms_util import not_random
from torchspore.dataset.vision.augmentation import *
from torchspore.dataset.vision.base import ImageOperation
from torchspore.dataset.vision.boxes import *
from torchspore.dataset.vision.color import *
from torchspore.dataset.vision.conversion import *
from torchspore.dataset.vision.enums import *
from torchspore.dataset.vision.filters import *
from torchspore.dataset.vision.geometry import *
from torchspore.dataset.vision.image_files import *
from torchspore.dataset.vision.intensity import *
from torchspore.dataset.vision.mixing import *
from torchspore.dataset.vision.patches import *
from torchspore.dataset.vision.policies import *
from torchspore.dataset.vision.random_color import *
from torchspore.dataset.vision.random_geometry import *
from torchspore.dataset.vision.video import *
from torchspore.dataset.vision.warping import *

ImageTensorOperation = ImageOperation  # for `isinstance`

__all__ = [
    "HWC2CHW", "AdjustBrightness", "AdjustContrast", "AdjustGamma", "AdjustHue", "AdjustSaturation", "AdjustSharpness",
    "Affine", "AutoAugment", "AutoAugmentPolicy", "AutoContrast", "Border", "BoundingBoxAugment", "CenterCrop",
    "ConvertColor", "ConvertMode", "Crop", "CutMixBatch", "CutOut", "Decode", "DecodeVideo", "Equalize", "Erase",
    "FiveCrop", "GaussianBlur", "Grayscale", "HorizontalFlip", "HsvToRgb", "ImageBatchFormat", "ImageReadMode", "Inter",
    "Invert", "LinearTransformation", "MixUp", "MixUpBatch", "Normalize", "NormalizePad", "Pad", "PadToSize",
    "Perspective", "Posterize", "RandAugment", "RandomAdjustSharpness", "RandomAffine", "RandomAutoContrast",
    "RandomColor", "RandomColorAdjust", "RandomCrop", "RandomCropDecodeResize", "RandomCropWithBBox", "RandomEqualize",
    "RandomErasing", "RandomGrayscale", "RandomHorizontalFlip", "RandomHorizontalFlipWithBBox", "RandomInvert",
    "RandomLighting", "RandomPerspective", "RandomPosterize", "RandomResize", "RandomResizeWithBBox",
    "RandomResizedCrop", "RandomResizedCropWithBBox", "RandomRotation", "RandomSelectSubpolicy", "RandomSharpness",
    "RandomSolarize", "RandomVerticalFlip", "RandomVerticalFlipWithBBox", "Rescale", "Resize", "ResizeWithBBox",
    "ResizedCrop", "RgbToHsv", "Rotate", "SliceMode", "SlicePatches", "Solarize", "TenCrop", "ToNumpy", "ToPIL",
    "ToTensor", "ToType", "TrivialAugmentWide", "UniformAugment", "VerticalFlip", "VideoDecoder", "encode_jpeg",
    "encode_png", "get_image_num_channels", "get_image_size", "not_random", "read_file", "read_image", "read_video",
    "read_video_timestamps", "write_file", "write_jpeg", "write_png",
]  # fmt: skip

_suggest_names(globals())
