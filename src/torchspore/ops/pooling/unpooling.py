"""Putting maxima back to where pooling found them."""

from __future__ import annotations

from typing import Any

import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive
from torchspore.ops.conv.windows import each
from torchspore.ops.pooling.windowed import check_rank

__all__ = ["MaxUnpool2D", "MaxUnpool3D", "max_unpool1d", "max_unpool2d", "max_unpool3d"]

_FUNCTIONS: dict[int, Any] = {1: F.max_unpool1d, 2: F.max_unpool2d, 3: F.max_unpool3d}


def _unpooled(
    api: str, count: int, x: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    check_rank(x, count)
    kernel = each(kernel_size, count, "kernel_size", api)
    steps = kernel if stride is None else each(stride, count, "stride", api)
    both = each(padding, count, "padding", api, minimum=0)
    sizes = tuple(output_size)[-count:] if output_size else None  # batch and channels may be named too
    return _FUNCTIONS[count](x, indices.long(), kernel, steps, both, sizes)


@op
def max_unpool1d(
    x: Tensor,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Put the maxima of sequences, shape (N, C, L) or (C, L), back; arguments as for `max_unpool2d`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.max_unpool1d(ms.Tensor([[2.0, 4.0]]), ms.Tensor([[1, 2]]), 2))
        [[0. 2. 4. 0.]]
    """
    sizes = (output_size,) if isinstance(output_size, int) else output_size
    return _unpooled("max_unpool1d", 1, x, indices, kernel_size, stride, padding, sizes)


@op
def max_unpool2d(
    x: Tensor,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Put the maxima of images back to where they were; everything else is zero.

    Args:
        x: the maxima, a Tensor of shape (N, C, H, W) or (C, H, W).
        indices: their places, as `max_pool2d` returns them, of the same shape, int32 or int64.
        kernel_size: the size of the window, an int or (height, width).
        stride: the steps of the window, an int or two. Default: None, its size.
        padding: the padding of the pooling, an int or two. Default: 0.
        output_size: the sizes of the images, or the whole shape, as several may fit. Default: None, the least.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ, a number is out of its range, or `output_size` does not fit.
    """
    return _unpooled("max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size)


@op
def max_unpool3d(
    x: Tensor,
    indices: Tensor,
    kernel_size: int | tuple[int, ...],
    stride: int | tuple[int, ...] | None = None,
    padding: int | tuple[int, ...] = 0,
    output_size: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Put the maxima of volumes, shape (N, C, D, H, W) or (C, D, H, W), back; arguments as for `max_unpool2d`."""
    return _unpooled("max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size)


def _with_layout(
    api: str, count: int, x: Tensor, argmax: Tensor, ksize: Any, strides: Any, pads: Any, shape: Any, layout: str
) -> Tensor:
    formats = ("NCHW", "NHWC") if count == 2 else ("NCDHW", "NDHWC")
    if layout not in formats:
        raise ValueError(f"For '{api}', 'data_format' must be '{formats[0]}' or '{formats[1]}', but got {layout!r}.")
    steps = None if strides in (0, (0,) * count) else strides
    if layout == formats[0]:
        return _unpooled(api, count, x, argmax, ksize, steps, pads, shape)
    x, argmax = x.movedim(-1, 1), argmax.movedim(-1, 1)
    return _unpooled(api, count, x, argmax, ksize, steps, pads, shape[1:-1]).movedim(1, -1)


@as_primitive
def MaxUnpool2D(
    x: Tensor,
    argmax: Tensor,
    *,
    ksize: int | tuple[int, ...],
    strides: int | tuple[int, ...] = 0,
    pads: int | tuple[int, ...] = 0,
    output_shape: Any = (),
    data_format: str = "NCHW",
) -> Tensor:
    """Put the maxima of images back to where they were: `max_unpool2d` with fixed attributes.

    Args:
        x: the maxima, a Tensor of shape (N, C, H, W).
        argmax: their places in the image, int32 or int64.
        ksize: the size of the window, an int or two.
        strides: the steps of the window, an int or two; 0 is its size. Default: 0.
        pads: the padding of the pooling, an int or two. Default: 0.
        output_shape: the shape of the result. Default: (), the least that fits.
        data_format: "NCHW" or "NHWC". Default: "NCHW".

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes differ, a number is out of its range, or `output_shape` does not fit.
    """
    return _with_layout("MaxUnpool2D", 2, x, argmax, ksize, strides, pads, output_shape, data_format)


@as_primitive
def MaxUnpool3D(
    x: Tensor,
    argmax: Tensor,
    *,
    ksize: int | tuple[int, ...],
    strides: int | tuple[int, ...] = 0,
    pads: int | tuple[int, ...] = 0,
    output_shape: Any = (),
    data_format: str = "NCDHW",
) -> Tensor:
    """Put the maxima of volumes back to where they were; as `MaxUnpool2D`, with three spatial dimensions.

    Args:
        x: the maxima, a Tensor of shape (N, C, D, H, W).
        argmax: their places in the volume, int32 or int64.
        ksize, strides, pads, output_shape: as for `MaxUnpool2D`.
        data_format: "NCDHW" or "NDHWC". Default: "NCDHW".
    """
    return _with_layout("MaxUnpool3D", 3, x, argmax, ksize, strides, pads, output_shape, data_format)
