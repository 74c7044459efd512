"""Transforms as functions of a PIL image or, where no PIL image has the form, an array, and of their arguments.

MindSpore: `mindspore.dataset.vision.py_transforms_util`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from torchspore.dataset import vision
from torchspore.dataset.transforms.base import given_array, is_pil
from torchspore.dataset.vision.base import pillow
from torchspore.dataset.vision.enums import Border, Inter
from torchspore.engine.failures.errors import describe

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation", "auto_contrast",
    "center_crop", "crop", "decode", "equalize", "erase", "five_crop", "get_erase_params", "get_perspective_params",
    "grayscale", "horizontal_flip", "hsv_to_rgb", "hsv_to_rgbs", "hwc_to_chw", "invert_color", "is_pil",
    "linear_transform", "mix_up_single", "normalize", "pad", "perspective", "random_affine", "random_color",
    "random_color_adjust", "random_crop", "random_horizontal_flip", "random_lighting", "random_resize_crop",
    "random_rotation", "random_sharpness", "random_vertical_flip", "resize", "rgb_to_bgr", "rgb_to_bgrs",
    "rgb_to_hsv", "rgb_to_hsvs", "rotate", "ten_crop", "to_pil", "to_tensor", "to_type", "uniform_augment",
    "vertical_flip",
]  # fmt: skip


def _of_pillow(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that makes a transform of its further arguments, and applies it to a PIL image."""
    name = transform.__name__

    def apply(img: Any, *args: Any, **kwargs: Any) -> Any:
        if not is_pil(img):
            raise TypeError(
                f"For '{name}', the image must be a PIL image, but got {describe(img)}. Use ToPIL() before."
            )
        result = transform(*args, **kwargs)(img)
        return pillow().fromarray(result) if isinstance(result, np.ndarray) else result

    apply.__doc__ = f"Return `vision.{name}(...)(img)`, a PIL image."
    return apply


def _of_array(transform: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that makes a transform of its further arguments, and applies it to an array."""

    def apply(img: Any, *args: Any, **kwargs: Any) -> Any:
        return transform(*args, **kwargs)(given_array(transform.__name__, img))

    apply.__doc__ = f"Return `vision.{transform.__name__}(...)(img)`."
    return apply


adjust_brightness = _of_pillow(vision.AdjustBrightness)
adjust_contrast = _of_pillow(vision.AdjustContrast)
adjust_gamma = _of_pillow(vision.AdjustGamma)
adjust_hue = _of_pillow(vision.AdjustHue)
adjust_saturation = _of_pillow(vision.AdjustSaturation)
auto_contrast = _of_pillow(vision.AutoContrast)
center_crop = _of_pillow(vision.CenterCrop)
equalize = _of_pillow(vision.Equalize)
five_crop = _of_pillow(vision.FiveCrop)
grayscale = _of_pillow(vision.Grayscale)
horizontal_flip = _of_pillow(vision.HorizontalFlip)
hsv_to_rgb = hsv_to_rgbs = _of_array(vision.HsvToRgb)
hwc_to_chw = _of_array(vision.HWC2CHW)
invert_color = _of_pillow(vision.Invert)
linear_transform = _of_array(vision.LinearTransformation)
random_affine = _of_pillow(vision.RandomAffine)
random_color = _of_pillow(vision.RandomColor)
random_color_adjust = _of_pillow(vision.RandomColorAdjust)
random_horizontal_flip = _of_pillow(vision.RandomHorizontalFlip)
random_lighting = _of_pillow(vision.RandomLighting)
random_resize_crop = _of_pillow(vision.RandomResizedCrop)
random_rotation = _of_pillow(vision.RandomRotation)
random_sharpness = _of_pillow(vision.RandomSharpness)
random_vertical_flip = _of_pillow(vision.RandomVerticalFlip)
resize = _of_pillow(vision.Resize)
rgb_to_hsv = rgb_to_hsvs = _of_array(vision.RgbToHsv)
ten_crop = _of_pillow(vision.TenCrop)
to_type = _of_array(vision.ToType)
vertical_flip = _of_pillow(vision.VerticalFlip)
_perspective, _crop = _of_pillow(vision.Perspective), _of_pillow(vision.Crop)
_pad, _random_crop = _of_pillow(vision.Pad), _of_pillow(vision.RandomCrop)


def crop(img: Any, top: int, left: int, height: int, width: int) -> Any:
    """Return `vision.Crop((top, left), (height, width))(img)`, a PIL image."""
    return _crop(img, (top, left), (height, width))


def decode(img: Any) -> Any:
    """Return the PIL image of the bytes of a file."""
    data = np.frombuffer(img, np.uint8) if isinstance(img, (bytes, bytearray)) else img
    return vision.Decode(to_pil=True)(data)


def erase(np_img: Any, i: int, j: int, height: int, width: int, erase_value: Any, inplace: bool = False) -> Any:
    """Return an array (channels, height, width) with new values in the rectangle from row `i` and column `j`."""
    result = given_array("erase", np_img) if inplace else given_array("erase", np_img).copy()
    result[..., i : i + height, j : j + width] = erase_value
    return result


def get_erase_params(
    np_img: Any, scale: Any, ratio: Any, value: Any, bounded: bool, max_attempts: int
) -> tuple[int, int, int, int, Any]:
    """Return the top, left, height, width and values of a random rectangle for `erase`: the image if none fits.

    The part of a rectangle outside the image is cut off, unless it is bounded by the image.
    """
    image = given_array("get_erase_params", np_img)
    erasing = vision.RandomErasing(1.0, scale, ratio, value, max_attempts=max_attempts)
    rectangle = erasing.rectangle(image)
    if rectangle is None:
        return 0, 0, image.shape[-2], image.shape[-1], image
    top, left, height, width = rectangle
    if not bounded:
        top, left = [random.randrange(size) for size in image.shape[-2:]]
        height, width = min(height, image.shape[-2] - top), min(width, image.shape[-1] - left)
    return top, left, height, width, erasing.values((*image.shape[:-2], height, width))


def get_perspective_params(img: Any, distortion_scale: float) -> tuple[list[Any], list[Any]]:
    """Return the corners of a PIL image, and the random points that `vision.RandomPerspective` moves them to."""
    width, height = img.size
    return vision.RandomPerspective(float(distortion_scale)).corners(height, width)


def mix_up_single(batch_size: int, img: Any, label: Any, alpha: float = 0.2) -> Any:
    """Return `vision.MixUp(batch_size, alpha)(img, label)`."""
    return vision.MixUp(batch_size, alpha)(img, label)


def normalize(img: Any, mean: Any, std: Any, pad_channel: bool = False, dtype: str = "float32") -> Any:
    """Return a normalised array (channels, height, width) of floats, maybe with a channel of zeros."""
    image = given_array("normalize", img)
    if image.ndim != 3:
        raise TypeError(f"For 'normalize', the image must have 3 dimensions, but got {image.ndim}.")
    if image.dtype.kind in "iu":
        raise NotImplementedError(
            f"For 'normalize', the image must hold floats, but got {image.dtype}: ToTensor() first."
        )
    if pad_channel:
        return vision.NormalizePad(mean, std, dtype, is_hwc=False)(image)  # type: ignore[arg-type]
    return vision.Normalize(mean, std, is_hwc=False)(image)


def pad(img: Any, padding: Any, fill_value: Any, padding_mode: Any) -> Any:
    """Return `vision.Pad(padding, fill_value, padding_mode)(img)`, a PIL image; the mode may be its name."""
    return _pad(img, padding, fill_value, Border(padding_mode))


def perspective(img: Any, start_points: Any, end_points: Any, interpolation: Any = Inter.BICUBIC) -> Any:
    """Return `vision.Perspective(start_points, end_points, interpolation)(img)`, a PIL image."""
    return _perspective(img, start_points, end_points, interpolation)


def random_crop(img: Any, size: Any, padding: Any, pad_if_needed: bool, fill_value: Any, padding_mode: Any) -> Any:
    """Return `vision.RandomCrop(...)(img)`, a PIL image; the mode may be its name."""
    return _random_crop(img, size, padding, pad_if_needed, fill_value, Border(padding_mode))


def rgb_to_bgr(np_rgb_img: Any, is_hwc: bool) -> Any:
    """Return an image, or several, with the color channels in reverse order."""
    channels = -1 if is_hwc else -3
    if not isinstance(np_rgb_img, np.ndarray) or np_rgb_img.ndim not in (3, 4) or np_rgb_img.shape[channels] != 3:
        raise TypeError(f"For 'rgb_to_bgr', the image must be an array with 3 channels, but got {np_rgb_img!r:.100}.")
    return np.flip(np_rgb_img, channels).copy()


rgb_to_bgrs = rgb_to_bgr


def rotate(img: Any, angle: float, resample: Any, expand: bool, center: Any, fill_value: Any) -> Any:
    """Return a PIL image rotated counterclockwise."""
    return random_rotation(img, (angle, angle), resample, expand, center, fill_value)


def to_pil(img: Any) -> Any:
    """Return `vision.ToPIL()(img)`."""
    return vision.ToPIL()(img)


def to_tensor(img: Any, output_type: Any) -> Any:
    """Return `vision.ToTensor(output_type)(img)`."""
    return vision.ToTensor(output_type)(img)


def uniform_augment(img: Any, transforms: Any, num_ops: int) -> Any:
    """Return `vision.UniformAugment(transforms, num_ops)(img)`."""
    return vision.UniformAugment(transforms, num_ops)(img)
