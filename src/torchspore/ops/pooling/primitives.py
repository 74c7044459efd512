"""The pooling primitives of volumes, and those that tell where the maxima are."""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.engine.op import Type
from torchspore.engine.primitive import as_primitive
from torchspore.ops.conv.windows import check_format, check_pad_mode, each, same_total
from torchspore.ops.pooling.windowed import LAYERS, average_uneven, max_pool2d, max_pool3d

__all__ = [
    "AvgPool3D", "MaxPool3D", "MaxPool3DWithArgmax", "MaxPoolWithArgmax", "MaxPoolWithArgmaxV2",
]  # fmt: skip


def _ends(
    api: str, input: Tensor, kernel: tuple[int, ...], strides: tuple[int, ...], pad_mode: str, pad: Any, name: str
) -> tuple[int, ...]:
    """Return the padding (begin, end) of every spatial dimension."""
    count = len(kernel)
    mode = check_pad_mode(pad_mode, api)
    both = each(pad, 2 * count, name, api, minimum=0)
    if mode == "pad":
        return both
    if any(both):
        raise ValueError(f"For '{api}', '{name}' must be 0 unless pad_mode is 'pad', but got {pad} and {pad_mode!r}.")
    if mode == "valid":
        return both
    totals = [same_total(n, k, s) for n, k, s in zip(input.shape[-count:], kernel, strides)]
    return tuple([end for total in totals for end in (total // 2, total - total // 2)])


def _surrounded(input: Tensor, both: tuple[int, ...]) -> Tensor:
    """Return `input` padded with the least number of its dtype by (begin, end) of each of the last dimensions."""
    if not any(both):
        return input
    least = -math.inf if input.is_floating_point() else torch.iinfo(input.dtype).min
    return F.pad(input, [end for i in range(len(both) - 2, -1, -2) for end in both[i : i + 2]], value=least)


@as_primitive
def AvgPool3D(
    x: Tensor,
    *,
    kernel_size: int | tuple[int, ...] = 1,
    strides: int | tuple[int, ...] = 1,
    pad_mode: str = "valid",
    pad: int | tuple[int, ...] = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
    data_format: str = "NCDHW",
) -> Tensor:
    """The averages over sliding windows of volumes.

    Args:
        x: a Tensor of shape (N, C, D, H, W), of a floating point type.
        kernel_size: the size of the window, an int or three. Default: 1.
        strides: the steps of the window, an int or three. Default: 1.
        pad_mode: "valid", "same" (as many windows as steps fit), or "pad", which pads as `pad` says. Default: "valid".
        pad: the zeros on every side, an int or six. Default: 0.
        ceil_mode: whether the last window may reach over the end. Default: False.
        count_include_pad: whether the padding counts as elements. Default: True.
        divisor_override: what the sum is divided by; 0 is the number of elements. Default: 0.
        data_format: "NCDHW", nothing else.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: an argument is out of its range, or the shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.AvgPool3D(2, 2)(ms.ops.ones((1, 3, 4, 4, 4))).shape
        (1, 3, 2, 2, 2)
    """
    check_format(data_format, "AvgPool3D", ("NCDHW",))
    kernel, steps = each(kernel_size, 3, "kernel_size", "AvgPool3D"), each(strides, 3, "strides", "AvgPool3D")
    both = _ends("AvgPool3D", x, kernel, steps, pad_mode, pad, "pad")
    if divisor_override < 0:
        raise ValueError(f"For 'AvgPool3D', 'divisor_override' must be >= 0, but got {divisor_override}.")
    wide = x.float() if x.dtype is torch.float16 and x.device.type == "cpu" else x  # torch has no kernel for it
    divisor = divisor_override or None
    if both[::2] != both[1::2] or any(2 * p > k for p, k in zip(both[::2], kernel)):
        return average_uneven(wide, kernel, steps, both, ceil_mode, count_include_pad, divisor).to(x.dtype)
    average = LAYERS["AvgPool3d"].body
    return average(wide, kernel, steps, both[::2], ceil_mode, count_include_pad, divisor).to(x.dtype)


@as_primitive
def MaxPool3D(
    x: Tensor,
    *,
    kernel_size: int | tuple[int, ...] = 1,
    strides: int | tuple[int, ...] = 1,
    pad_mode: str = "VALID",
    pad_list: int | tuple[int, ...] = 0,
    ceil_mode: bool | None = None,
    data_format: str = "NCDHW",
) -> Tensor:
    """The maxima over sliding windows of volumes.

    Args:
        x: a Tensor of shape (N, C, D, H, W).
        kernel_size: the size of the window, an int or three. Default: 1.
        strides: the steps of the window, an int or three. Default: 1.
        pad_mode: "VALID", "SAME" (as many windows as steps fit), or "PAD", which pads as `pad_list` says.
            Default: "VALID".
        pad_list: the elements, smaller than any number, on every side, an int or six. Default: 0.
        ceil_mode: whether the last window may reach over the end, for "PAD" only. Default: None, False.
        data_format: "NCDHW", nothing else.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: an argument is out of its range, or the shape does not fit.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.MaxPool3D(2, 2)(ms.ops.ones((1, 3, 4, 4, 4))).shape
        (1, 3, 2, 2, 2)
    """
    check_format(data_format, "MaxPool3D", ("NCDHW",))
    kernel, steps = each(kernel_size, 3, "kernel_size", "MaxPool3D"), each(strides, 3, "strides", "MaxPool3D")
    if ceil_mode is not None and check_pad_mode(pad_mode, "MaxPool3D") != "pad":
        raise ValueError(f"For 'MaxPool3D', 'ceil_mode' must be None unless pad_mode is 'PAD', but got {ceil_mode}.")
    both = _ends("MaxPool3D", x, kernel, steps, pad_mode, pad_list, "pad_list")
    return LAYERS["MaxPool3d"].body(_surrounded(x, both), kernel, steps, 0, 1, bool(ceil_mode))


def _with_argmax(function: Any, argmax_type: torch.dtype, api: str) -> Any:
    if argmax_type not in (torch.int32, torch.int64):
        raise TypeError(f"For '{api}', 'argmax_type' must be int32 or int64, but got {argmax_type}.")
    values, places = function()
    return values, places.to(argmax_type)


@as_primitive
def MaxPoolWithArgmaxV2(
    x: Tensor,
    *,
    kernel_size: int | tuple[int, ...],
    strides: int | tuple[int, ...] | None = None,
    pads: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = (1, 1),
    ceil_mode: bool = False,
    argmax_type: Type = mstype.int64,
) -> Any:
    """The maxima over sliding windows of images, and where they are: `max_pool2d` with `return_indices`.

    Args:
        x: a Tensor of shape (N, C, H, W).
        kernel_size, strides, dilation, ceil_mode: as for `max_pool2d`.
        pads: its padding.
        argmax_type: the dtype of the places, int32 or int64. Default: int64.

    Returns:
        (maxima, places): each maximum's index in its image, taken row by row.
    """
    return _with_argmax(
        lambda: max_pool2d.body(x, kernel_size, strides, pads, dilation, True, ceil_mode),
        argmax_type,
        "MaxPoolWithArgmaxV2",
    )


@as_primitive
def MaxPool3DWithArgmax(
    x: Tensor,
    *,
    ksize: int | tuple[int, ...],
    strides: int | tuple[int, ...],
    pads: int | tuple[int, ...],
    dilation: int | tuple[int, ...] = (1, 1, 1),
    ceil_mode: bool = False,
    data_format: str = "NCDHW",
    argmax_type: Type = mstype.int64,
) -> Any:
    """The maxima over sliding windows of volumes, and where they are: `max_pool3d` with `return_indices`.

    Args:
        x: a Tensor of shape (N, C, D, H, W).
        ksize, strides, dilation, ceil_mode: as for `max_pool3d`.
        pads: its padding.
        data_format: "NCDHW", nothing else.
        argmax_type: the dtype of the places, int32 or int64. Default: int64.

    Returns:
        (maxima, places): each maximum's index in its volume.
    """
    check_format(data_format, "MaxPool3DWithArgmax", ("NCDHW",))
    return _with_argmax(
        lambda: max_pool3d.body(x, ksize, strides, pads, dilation, ceil_mode, True), argmax_type, "MaxPool3DWithArgmax"
    )


@as_primitive
def MaxPoolWithArgmax(
    x: Tensor,
    *,
    kernel_size: int | tuple[int, ...] = 1,
    strides: int | tuple[int, ...] = 1,
    pad_mode: str = "valid",
    data_format: str = "NCHW",
) -> Any:
    """The maxima over sliding windows of images, and where they are.

    Args:
        x: a Tensor of shape (N, C, H, W).
        kernel_size: the size of the window, an int or two. Default: 1.
        strides: the steps of the window, an int or two. Default: 1.
        pad_mode: "valid" or "same" (as many windows as steps fit). Default: "valid".
        data_format: "NCHW", nothing else: transpose other images.

    Returns:
        (maxima, places): each maximum's index in its image, taken row by row, in int32.
    """
    api = "MaxPoolWithArgmax"
    check_format(data_format, api, ("NCHW",))
    kernel, steps = each(kernel_size, 2, "kernel_size", api), each(strides, 2, "strides", api)
    check_pad_mode(pad_mode, api, ("valid", "same"))
    top, bottom, left, right = _ends(api, x, kernel, steps, pad_mode, 0, "pad")
    values, places = LAYERS["MaxPool2d with indices"].body(
        _surrounded(x, (top, bottom, left, right)), kernel, steps, 0, 1, False
    )
    width = x.shape[-1]
    across = width + left + right
    return values, ((places // across - top) * width + places % across - left).to(torch.int32)
