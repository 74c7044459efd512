"""Transforms as functions of a PIL image, or an array, and of their arguments.

MindSpore: `mindspore.dataset.vision.py_transforms_util`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchspore.dataset import vision
from torchspore.dataset.transforms.base import is_pil
from torchspore.dataset.vision.enums import Border

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation", "auto_contrast",
    "center_crop", "crop", "decode", "equalize", "erase", "five_crop", "grayscale", "horizontal_flip", "hsv_to_rgb",
    "hsv_to_rgbs", "hwc_to_chw", "invert_color", "is_pil", "linear_transform", "normalize", "pad", "perspective",
    "random_color", "random_color_adjust", "random_crop", "random_horizontal_flip", "random_lighting",
    "random_resize_crop", "random_rotation", "random_sharpness", "random_vertical_flip", "resize", "rgb_to_bgr",
    "rgb_to_bgrs", "rgb_to_hsv", "rgb_to_hsvs", "rotate", "ten_crop", "to_pil", "to_tensor", "to_type",
    "uniform_augment", "vertical_flip",
]  # fmt: skip


def _function(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that makes a transform of its further arguments, and applies it to the first one."""

    def apply(img: Any, *args: Any, **kwargs: Any) -> Any:
        return transform(*args, **kwargs)(img)

    apply.__doc__ = f"Return `vision.{transform.__name__}(...)(img)`."
    return apply


adjust_brightness = _function(vision.AdjustBrightness)
adjust_contrast = _function(vision.AdjustContrast)
adjust_gamma = _function(vision.AdjustGamma)
adjust_hue = _function(vision.AdjustHue)
adjust_saturation = _function(vision.AdjustSaturation)
auto_contrast = _function(vision.AutoContrast)
center_crop = _function(vision.CenterCrop)
equalize = _function(vision.Equalize)
erase = _function(vision.Erase)
five_crop = _function(vision.FiveCrop)
grayscale = _function(vision.Grayscale)
horizontal_flip = _function(vision.HorizontalFlip)
hsv_to_rgb = hsv_to_rgbs = _function(vision.HsvToRgb)
hwc_to_chw = _function(vision.HWC2CHW)
invert_color = _function(vision.Invert)
linear_transform = _function(vision.LinearTransformation)
perspective = _function(vision.Perspective)
random_color = _function(vision.RandomColor)
random_color_adjust = _function(vision.RandomColorAdjust)
random_horizontal_flip = _function(vision.RandomHorizontalFlip)
random_lighting = _function(vision.RandomLighting)
random_resize_crop = _function(vision.RandomResizedCrop)
random_sharpness = _function(vision.RandomSharpness)
random_vertical_flip = _function(vision.RandomVerticalFlip)
resize = _function(vision.Resize)
rgb_to_hsv = rgb_to_hsvs = _function(vision.RgbToHsv)
rotate = _function(vision.Rotate)
ten_crop = _function(vision.TenCrop)
to_pil = _function(vision.ToPIL)
to_tensor = _function(vision.ToTensor)
to_type = _function(vision.ToType)
uniform_augment = _function(vision.UniformAugment)
vertical_flip = _function(vision.VerticalFlip)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Return `vision.Crop((top, left), (height, width))(img)`."""
    return vision.Crop((top, left), (height, width))(img)


def decode(img: Any) -> Any:
    """Return the PIL image of the bytes of a file."""
    data = np.frombuffer(img, np.uint8) if isinstance(img, (bytes, bytearray)) else img
    return vision.Decode(to_pil=True)(data)


def normalize(img: Any, mean: Any, std: Any, pad_channel: bool = False, dtype: str = "float32") -> Any:
    """Return a normalised array (channels, height, width), maybe with a channel of zeros."""
    if pad_channel:
        return vision.NormalizePad(mean, std, dtype, is_hwc=False)(img)
    return vision.Normalize(mean, std, is_hwc=False)(img)


def pad(img: Any, padding: Any, fill_value: Any, padding_mode: Any) -> Any:
    """Return `vision.Pad(padding, fill_value, padding_mode)(img)`; the mode may be its name."""
    return vision.Pad(padding, fill_value, Border(padding_mode))(img)


def random_crop(img: Any, size: Any, padding: Any, pad_if_needed: bool, fill_value: Any, padding_mode: Any) -> Any:
    """Return `vision.RandomCrop(...)(img)`; the mode may be its name."""
    return vision.RandomCrop(size, padding, pad_if_needed, fill_value, Border(padding_mode))(img)


def random_rotation(img: Any, degrees: Any, resample: Any, expand: bool, center: Any, fill_value: Any) -> Any:
    """Return `vision.RandomRotation(...)(img)`."""
    return vision.RandomRotation(degrees, resample, expand, center, fill_value)(img)


def rgb_to_bgr(np_rgb_img: Any, is_hwc: bool) -> Any:
    """Return an image, or several, with the color channels in reverse order."""
    channels = -1 if is_hwc else -3
    if not isinstance(np_rgb_img, np.ndarray) or np_rgb_img.ndim not in (3, 4) or np_rgb_img.shape[channels] != 3:
        raise TypeError(f"For 'rgb_to_bgr', the image must be an array with 3 channels, but got {np_rgb_img!r:.100}.")
    return np.flip(np_rgb_img, channels).copy()


rgb_to_bgrs = rgb_to_bgr
