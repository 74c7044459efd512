"""Layers for images: pixel shuffles, resizing, patches, gradients and similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias

import numpy as np

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import (
    Length,
    Limits,
    Positive,
    PositiveFloat,
    Rule,
    StrictFloat,
    StrictPositive,
    Where,
    checked,
    kind_of,
)
from torchspore.engine.parameters.limits import Strict
from torchspore.nn.cell import Cell
from torchspore.nn.layer.activation import ReLU
from torchspore.nn.layer.checks import SAME_TYPE, rank
from torchspore.nn.layer.container import CellList
from torchspore.nn.layer.conv import Conv2d
from torchspore.nn.layer.pooling import AvgPool2d
from torchspore.ops.array.padding import pad
from torchspore.ops.conv.blocks import ExtractImagePatches
from torchspore.ops.image.channels import channel_shuffle, pixel_shuffle, pixel_unshuffle
from torchspore.ops.image.resizing import interpolate

__all__ = [
    "MSSSIM", "PSNR", "SSIM", "CentralCrop", "ChannelShuffle", "ImageGradients", "PixelShuffle", "PixelUnshuffle",
    "Unfold", "Upsample",
]  # fmt: skip


# The size of a window, its stride or its dilation, as (1, rows, columns, 1).
_Window: TypeAlias = Annotated[
    Sequence[Any],
    Where(
        "(1, rows, columns, 1), ints >= 1",
        lambda sizes: (
            all(isinstance(size, int) and size >= 1 for size in sizes) and [*sizes[::3], len(sizes)] == [1, 1, 4]
        ),
    ),
]

_IMAGES = kind_of(Annotated[Tensor, Where("of 4 dimensions, (N, C, H, W)", lambda images: images.ndim == 4)])
_ONE_SHAPE = Rule("the inputs must be of one shape", lambda x, y: x.shape == y.shape)


class PixelShuffle(Cell):
    """Rearrange channels into larger images, `ops.pixel_shuffle`.

    Args:
        upscale_factor: r, the factor of height and width, >= 1.

    Inputs and outputs: a Tensor of shape (*, C * r * r, H, W) becomes (*, C, H * r, W * r).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.PixelShuffle(2)(ms.Tensor([[[1]], [[2]], [[3]], [[4]]])))
        [[[1 2]
          [3 4]]]
    """

    @checked
    def __init__(self, upscale_factor: Positive) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """Rearrange images into smaller ones with more channels, `ops.pixel_unshuffle`.

    Args:
        downscale_factor: r, the divisor of height and width, >= 1.

    Inputs and outputs: a Tensor of shape (*, C, H * r, W * r) becomes (*, C * r * r, H, W).
    """

    @checked
    def __init__(self, downscale_factor: Positive) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input: Tensor) -> Tensor:
        return pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """Interleave the channels of groups, `ops.channel_shuffle`.

    Args:
        groups: the number of groups, a divisor of the number of channels.

    Inputs: a Tensor of shape (N, C, *).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.ChannelShuffle(2)(ms.Tensor([[[0], [1], [2], [3]]])).reshape(-1))
        [0 2 1 3]
    """

    @checked
    def __init__(self, groups: Positive) -> None:
        super().__init__()
        self.groups = groups

    def construct(self, x: Tensor) -> Tensor:
        return channel_shuffle(x, self.groups)


class Upsample(Cell):
    """Resize sequences, images or volumes: `ops.interpolate` with its arguments, which are checked when called.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.Upsample(scale_factor=2.0)(ms.Tensor([[[1.0, 2.0]]])))
        [[[1. 1. 2. 2.]]]
    """

    def __init__(
        self,
        size: int | tuple[int, ...] | None = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def construct(self, x: Tensor) -> Tensor:
        target = (self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)
        return interpolate(x, *target)


class Unfold(Cell):
    """Take the windows of images as channels.

    Args:
        ksizes: the size of the window, (1, height, width, 1).
        strides: the stride of the window, (1, vertical, horizontal, 1).
        rates: the dilation, (1, vertical, horizontal, 1).
        padding: "valid", or "same": with zeros, so that there are ceil(size / stride) windows. Default: "valid".

    Inputs and outputs: a Tensor of shape (N, C, H, W) becomes (N, height * width * C, H', W').

    Examples:
        >>> import torchspore as ms
        >>> net = ms.nn.Unfold((1, 1, 2, 1), (1, 1, 1, 1), (1, 1, 1, 1))
        >>> print(net(ms.Tensor([[[[1, 2, 3]]]])))
        [[[[1 2]]
          [[2 3]]]]
    """

    @checked
    def __init__(
        self,
        ksizes: _Window,
        strides: _Window,
        rates: _Window,
        padding: Annotated[
            str, Where("'same' or 'valid'", lambda padding: padding.lower() in ("same", "valid"))
        ] = "valid",
    ) -> None:
        super().__init__()
        patches: Any = ExtractImagePatches
        self.extract_image_patches = patches(tuple(ksizes[1:3]), tuple(strides[1:3]), tuple(rates[1:3]), padding)

    def construct(self, input_x: Tensor) -> Tensor:
        return self.extract_image_patches(input_x)


class CentralCrop(Cell):
    """Crop the center of images.

    Args:
        central_fraction: the fraction of height and width to keep, a float in (0, 1].

    Inputs: a Tensor of shape (N, C, H, W) or (C, H, W).

    Outputs:
        A Tensor of the same dtype, its last dimensions H - 2 * int((1 - central_fraction) * H / 2) and likewise for W.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.CentralCrop(0.5)(ms.ops.arange(16).reshape(1, 4, 4)))
        [[[ 5  6]
          [ 9 10]]]
    """

    @checked
    def __init__(self, central_fraction: Annotated[float, Strict(), Limits(above=0, maximum=1)]) -> None:
        super().__init__()
        self.central_fraction = central_fraction

    def construct(self, image: Tensor) -> Tensor:
        if rank(image, "CentralCrop") not in (3, 4):
            raise ValueError("the input must have 3 or 4 dimensions")
        height, width = image.shape[-2:]
        top, left = [int((size - size * self.central_fraction) / 2) for size in (height, width)]
        return image[..., top : height - top, left : width - left]


class ImageGradients(Cell):
    """The differences between each pixel and the next one below and to the right; 0 for the last.

    Inputs: a Tensor of shape (N, C, H, W).
    Outputs: (vertical, horizontal), Tensors of the input's shape and dtype.

    Examples:
        >>> import torchspore as ms
        >>> vertical, horizontal = ms.nn.ImageGradients()(ms.Tensor([[[[1, 2], [4, 8]]]]))
        >>> print(vertical, horizontal)
        [[[[3 6]
           [0 0]]]] [[[[1 0]
           [4 0]]]]
    """

    def construct(self, images: Tensor) -> tuple[Tensor, Tensor]:
        _IMAGES.take(images, "images", "ImageGradients")
        vertical = pad(images[:, :, 1:] - images[:, :, :-1], (0, 0, 0, 1))
        return vertical, pad(images[..., 1:] - images[..., :-1], (0, 1))


def _take_pair(x: Tensor, y: Tensor, api: str) -> None:
    given = {"x": _IMAGES.take(x, "img1", api), "y": _IMAGES.take(y, "img2", api)}
    for rule in (SAME_TYPE, _ONE_SHAPE):
        rule.check(given, api)


class PSNR(Cell):
    r"""The peak signal-to-noise ratio of two images, in decibels.

    .. math::
        10 \cdot \log_{10}(max\_val^2 / mean((img1 - img2)^2))

    Args:
        max_val: the range of the pixels, > 0: 255 for images of 8 bits, for example. Default: 1.0.

    Inputs: two Tensors of one shape (N, C, H, W) and one dtype.
    Outputs: a float32 Tensor of shape (N,).

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.PSNR()(ms.ops.zeros((1, 1, 2, 2)), ms.ops.ones((1, 1, 2, 2))))
        [0.]
    """

    @checked
    def __init__(self, max_val: PositiveFloat = 1.0) -> None:
        super().__init__()
        self.max_val = max_val

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        _take_pair(img1, img2, "PSNR")
        difference = img1.astype(mstype.float32) - img2.astype(mstype.float32)
        return 10 * (self.max_val**2 / difference.square().mean((1, 2, 3))).log10()


def _constant(name: str, doc: str) -> property:
    """Return the property of (k * max_val) ** 2, k being an attribute."""

    def get(self: _Similarity) -> float:
        return (getattr(self, name) * self.max_val) ** 2

    def set(self: _Similarity, value: float) -> None:
        setattr(self, name, value**0.5 / self.max_val)

    return property(get, set, doc=doc)


class _Similarity(Cell):
    """The base of the layers that compare the means and variances of images in windows."""

    @checked
    def __init__(
        self,
        max_val: PositiveFloat,
        filter_size: Positive,
        filter_sigma: StrictPositive,
        k1: StrictFloat,
        k2: StrictFloat,
    ) -> None:
        super().__init__()
        self.max_val = max_val
        self.k1 = k1
        self.k2 = k2

    c1 = _constant("k1", "The constant that stabilizes the quotient where images are dark.")
    c2 = _constant("k2", "The constant that stabilizes the quotient where images are flat.")

    def _window(self, size: int, sigma: float) -> Conv2d:
        """Return a convolution of one channel with a Gaussian of sum 1."""
        line = np.exp(-0.5 * ((np.arange(size) - (size - 1) // 2) / sigma) ** 2)  # as in MindSpore, off-centre if even
        window = (np.outer(line, line) / line.sum() ** 2).astype(np.float32)
        layer = Conv2d(1, 1, size, pad_mode="valid", weight_init=Tensor(window[None, None]))
        layer.weight.requires_grad = False
        return layer

    def _prepared(self, img1: Tensor, img2: Tensor, conv: Any) -> tuple[Tensor, Tensor]:
        """Return the images in float32."""
        api, size = self.cls_name, conv.weight.shape[-1]
        _take_pair(img1, img2, api)
        if img1.dtype not in (mstype.float16, mstype.float32):
            raise TypeError("the images must be of float16 or float32")
        if min(img1.shape[2:]) < size:
            raise ValueError(f"the images must be at least as high and wide as 'filter_size', {size}")
        return img1.astype(mstype.float32), img2.astype(mstype.float32)

    def _compared(self, conv: Cell, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Return the similarity, and its factor without the brightness, of every channel: Tensors of shape (N, C)."""
        shape = x.shape[:2]
        x, y = [image.reshape(-1, 1, *image.shape[2:]) for image in (x, y)]
        mean_x, mean_y = conv(x), conv(y)
        product, squares = mean_x * mean_y * 2, mean_x.square() + mean_y.square()
        brightness = (product + self.c1) / (squares + self.c1)
        covariance = conv(x * y) * 2 - product
        variances = conv(x.square() + y.square()) - squares
        contrast = (covariance + self.c2) / (variances + self.c2)
        return (brightness * contrast).mean((1, 2, 3)).reshape(shape), contrast.mean((1, 2, 3)).reshape(shape)


class SSIM(_Similarity):
    r"""The structural similarity of two images: 1 for equal ones.

    .. math::
        \frac{(2 \mu_x \mu_y + c_1)(2 \sigma_{xy} + c_2)}
        {(\mu_x^2 + \mu_y^2 + c_1)(\sigma_x^2 + \sigma_y^2 + c_2)}, \quad c_i = (k_i \cdot max\_val)^2

    averaged over Gaussian windows and channels.

    Args:
        max_val: the range of the pixels, > 0: 255 for images of 8 bits, for example. Default: 1.0.
        filter_size: the size of the window, an int >= 1. Default: 11.
        filter_sigma: its standard deviation, a float > 0. Default: 1.5.
        k1: stabilizes the quotient where images are dark, a float. Default: 0.01.
        k2: stabilizes it where they are flat, a float. Default: 0.03.

    Inputs: two Tensors of one shape (N, C, H, W), H and W being >= `filter_size`, in float16 or float32.
    Outputs: a float32 Tensor of shape (N,).

    Examples:
        >>> import torchspore as ms
        >>> x = ms.ops.ones((1, 3, 16, 16))
        >>> print(ms.nn.SSIM()(x, x))
        [1.]
    """

    def __init__(
        self, max_val: float = 1.0, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.conv = self._window(filter_size, filter_sigma)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        x, y = self._prepared(img1, img2, self.conv)
        return self._compared(self.conv, x, y)[0].mean(-1)


class MSSSIM(_Similarity):
    r"""The structural similarity of two images on several scales, each half as large as the previous one.

    The contrasts of all scales but the last, and the similarity (see `SSIM`) of the last, none of them negative, are
    raised to the powers `power_factors` and multiplied.

    Args:
        max_val, filter_size, filter_sigma, k1, k2: as for `SSIM`.
        power_factors: the powers, a tuple or list of numbers, one for each scale. Default: (0.0448, 0.2856, 0.3001,
            0.2363, 0.1333).

    Inputs: two Tensors of one shape (N, C, H, W), in float16 or float32. H and W are >= `filter_size` on every scale.
    Outputs: a float32 Tensor of shape (N,), in [0, 1].

    Examples:
        >>> import torchspore as ms
        >>> x = ms.ops.ones((1, 3, 64, 64))
        >>> print(ms.nn.MSSSIM(power_factors=(0.5, 0.5))(x, x))
        [1.]
    """

    @checked
    def __init__(
        self,
        max_val: PositiveFloat = 1.0,
        power_factors: Annotated[Sequence[float], Length(1)] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: Positive = 11,
        filter_sigma: StrictPositive = 1.5,
        k1: StrictFloat = 0.01,
        k2: StrictFloat = 0.03,
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        self.power_factors = tuple(power_factors)
        self.multi_convs_list = CellList([self._window(filter_size, filter_sigma) for _ in power_factors])
        self.avg_pool = AvgPool2d(2, 2)
        self.relu = ReLU()

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        x, y = self._prepared(img1, img2, self.multi_convs_list[0])
        scales = []
        for level, conv in enumerate(self.multi_convs_list):
            if level:
                x, y = self.avg_pool(x), self.avg_pool(y)
            similarity, contrast = self._compared(conv, x, y)
            scales.append(contrast)
        scales[-1] = similarity
        powers = [self.relu(scale) ** factor for scale, factor in zip(scales, self.power_factors)]
        return math.prod(powers[1:], start=powers[0]).mean(-1)
