"""Colours of images as red, green and blue, or as hue, saturation and value."""

from __future__ import annotations

from typing import Annotated

import torch
from torch import Tensor

from torchspore.engine.parameters import Floats
from torchspore.engine.primitive import as_primitive

__all__ = ["AdjustHue", "AdjustSaturation", "HSVToRGB", "RGBToHSV"]


def _to_hsv(images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    red, green, blue = images.unbind(-1)
    value, minimum = images.amax(-1), images.amin(-1)
    spread = value - minimum
    grey = spread <= 0
    saturation = torch.where(value > 0, spread / torch.where(value > 0, value, 1), 0)
    unit = 1 / (6 * torch.where(grey, 1, spread))
    hue = torch.where(
        red == value,
        unit * (green - blue),
        torch.where(green == value, unit * (blue - red) + 2 / 6, unit * (red - green) + 4 / 6),
    )
    hue = torch.where(grey, 0, hue)
    return torch.where(hue < 0, hue + 1, hue), saturation, value


def _to_rgb(hue: Tensor, saturation: Tensor, value: Tensor) -> Tensor:
    sector = hue * 6
    colors = (
        ((sector - 3).abs() - 1).clamp(0, 1),
        (2 - (sector - 2).abs()).clamp(0, 1),
        (2 - (sector - 4).abs()).clamp(0, 1),
    )
    return torch.stack([(1 - saturation + saturation * color) * value for color in colors], -1)


@as_primitive
def RGBToHSV(images: Annotated[Floats, "... 3"]) -> Tensor:
    """Convert images from red, green and blue to hue, saturation and value.

    Args:
        images: a Tensor of floats in [0, 1] whose last dimension has size 3.

    Returns a Tensor of the same shape and dtype, in [0, 1].
    Raises TypeError if the type is not floating-point, ValueError if the shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.RGBToHSV()(ms.Tensor([[[[0.25, 0.5, 0.5]]]])))
        [[[[0.5 0.5 0.5]]]]
    """
    return torch.stack(_to_hsv(images), -1)


@as_primitive
def HSVToRGB(x: Annotated[Floats, "... 3"]) -> Tensor:
    """Convert images from hue, saturation and value to red, green and blue, the inverse of `RGBToHSV`."""
    return _to_rgb(*x.unbind(-1))


@as_primitive
def AdjustHue(image: Annotated[Floats, "... H W 3"], delta: Tensor) -> Tensor:
    """Rotate the hue of all colours.

    Args:
        image: a floating-point Tensor of 3 dimensions or more, the last one red, green and blue.
        delta: the angle of the rotation, a Tensor of one float; 1 is a full turn.

    Raises TypeError if the type is not floating-point, ValueError if the shape does not fit.
    """
    hue, saturation, value = _to_hsv(image)
    return _to_rgb((hue + delta) % 1, saturation, value).to(image.dtype)


@as_primitive
def AdjustSaturation(image: Annotated[Floats, "... H W 3"], scale: Tensor) -> Tensor:
    """Multiply the saturation of all colours, up to 1.

    Args:
        image: as for `AdjustHue`.
        scale: the factor, a Tensor of one float.
    """
    hue, saturation, value = _to_hsv(image)
    return _to_rgb(hue, (saturation * scale).clamp(0, 1), value).to(image.dtype)
