"""Pooling primitives of volumes, and those that return the indices of the maxima."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.engine.parameters import IndexType, NotNegative
from torchspore.engine.primitive import as_primitive
from torchspore.ops.conv.windows import check_format, check_pad_mode, check_windows, each
from torchspore.ops.pooling.windowed import (
    LAYERS,
    average_uneven,
    lowest_value,
    max_pool2d,
    max_pool3d,
    same_paddings,
)

__all__ = ["AvgPool3D", "MaxPool3D", "MaxPool3DWithArgmax", "MaxPoolWithArgmax", "MaxPoolWithArgmaxV2"]


def _paddings(
    api: str, input: Tensor, kernel: tuple[int, ...], strides: tuple[int, ...], pad_mode: str, pad: Any, name: str
) -> tuple[int, ...]:
    """Return the padding (begin, end) of every spatial dimension."""
    count = len(kernel)
    mode = check_pad_mode(pad_mode, api)
    paddings = each(pad, 2 * count, name, api, minimum=0)
    if mode != "pad" and any(paddings):
        raise ValueError(f"'{name}' must be 0 unless pad_mode is 'pad', but got {pad} and {pad_mode!r}")
    return same_paddings(input.shape[-count:], kernel, strides) if mode == "same" else paddings


def _padded(input: Tensor, paddings: tuple[int, ...]) -> Tensor:
    """Pad the last dimensions by (begin, end) of each with the lowest number of the data type."""
    if not any(paddings):
        return input
    last_first = [end for i in range(len(paddings) - 2, -1, -2) for end in paddings[i : i + 2]]
    return F.pad(input, last_first, value=lowest_value(input))


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
    divisor_override: NotNegative = 0,
    data_format: str = "NCDHW",
) -> Tensor:
    """`avg_pool3d` with pad modes.

    Args:
        x: a Tensor of shape (N, C, D, H, W), of a floating point type.
        kernel_size, ceil_mode, count_include_pad, divisor_override: as for `avg_pool3d`.
        strides: its `stride`.
        pad_mode: "valid", "same", which makes the size of the output ceil(size / strides), or "pad", which pads by
            `pad`. Default: "valid".
        pad: the zeros on every side, an int or six. Default: 0.
        data_format: must be "NCDHW".

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.AvgPool3D(2, 2)(ms.ops.ones((1, 3, 4, 4, 4))).shape
        (1, 3, 2, 2, 2)
    """
    check_format(data_format, "AvgPool3D", ("NCDHW",))
    kernel, stride = each(kernel_size, 3, "kernel_size", "AvgPool3D"), each(strides, 3, "strides", "AvgPool3D")
    paddings = _paddings("AvgPool3D", x, kernel, stride, pad_mode, pad, "pad")
    wide = x.float() if x.dtype is torch.float16 and x.device.type == "cpu" else x  # torch has no kernel for it
    options = (ceil_mode, count_include_pad, divisor_override or None)
    begins = paddings[::2]
    if begins != paddings[1::2] or any(2 * p > k for p, k in zip(begins, kernel)):
        return average_uneven(wide, kernel, stride, paddings, *options).to(x.dtype)
    return LAYERS["AvgPool3d"].body(wide, kernel, stride, begins, *options).to(x.dtype)


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
    """`max_pool3d` with pad modes.

    Args:
        x: a Tensor of shape (N, C, D, H, W).
        kernel_size, strides, pad_mode, data_format: as for `AvgPool3D`.
        pad_list: its `pad`; the padding is lower than any number.
        ceil_mode: whether the last window may extend past the end, for "PAD" only. Default: None, False.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.MaxPool3D(2, 2)(ms.ops.ones((1, 3, 4, 4, 4))).shape
        (1, 3, 2, 2, 2)
    """
    check_format(data_format, "MaxPool3D", ("NCDHW",))
    kernel, stride = each(kernel_size, 3, "kernel_size", "MaxPool3D"), each(strides, 3, "strides", "MaxPool3D")
    if ceil_mode is not None and check_pad_mode(pad_mode, "MaxPool3D") != "pad":
        raise ValueError("'ceil_mode' must be None unless pad_mode is 'PAD'")
    paddings = _paddings("MaxPool3D", x, kernel, stride, pad_mode, pad_list, "pad_list")
    return LAYERS["MaxPool3d"].body(_padded(x, paddings), kernel, stride, 0, 1, bool(ceil_mode))


@as_primitive
def MaxPoolWithArgmaxV2(
    x: Tensor,
    *,
    kernel_size: int | tuple[int, ...],
    strides: int | tuple[int, ...] | None = None,
    pads: int | tuple[int, ...] = 0,
    dilation: int | tuple[int, ...] = (1, 1),
    ceil_mode: bool = False,
    argmax_type: IndexType = mstype.int64,
) -> Any:
    """`max_pool2d` with indices: returns the maxima and their indices.

    Args:
        x: a Tensor of shape (N, C, H, W).
        kernel_size, dilation, ceil_mode: as for `max_pool2d`.
        strides, pads: its `stride` and `padding`.
        argmax_type: the dtype of the indices, int32 or int64. Default: int64.
    """
    values, indices = max_pool2d.body(x, kernel_size, strides, pads, dilation, True, ceil_mode)
    return values, indices.to(argmax_type)


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
    argmax_type: IndexType = mstype.int64,
) -> Any:
    """`MaxPoolWithArgmaxV2` for volumes, with `ksize` for `kernel_size`; `data_format` must be "NCDHW"."""
    check_format(data_format, "MaxPool3DWithArgmax", ("NCDHW",))
    values, indices = max_pool3d.body(x, ksize, strides, pads, dilation, ceil_mode, True)
    return values, indices.to(argmax_type)


@as_primitive
def MaxPoolWithArgmax(
    x: Tensor,
    *,
    kernel_size: int | tuple[int, ...] = 1,
    strides: int | tuple[int, ...] = 1,
    pad_mode: str = "valid",
    data_format: str = "NCHW",
) -> Any:
    """`MaxPool` with indices: returns the maxima, and each one's index in its image, in int32.

    Args:
        x: a Tensor of shape (N, C, H, W). Indices count row by row, through all channels.
        kernel_size, strides, pad_mode: as for `MaxPool`.
        data_format: must be "NCHW": transpose other images.
    """
    api = "MaxPoolWithArgmax"
    check_format(data_format, api, ("NCHW",))
    kernel, stride = each(kernel_size, 2, "kernel_size", api), each(strides, 2, "strides", api)
    check_pad_mode(pad_mode, api, ("valid", "same"))
    paddings = _paddings(api, x, kernel, stride, pad_mode, 0, "pad")
    top, _, left, right = paddings
    values, indices = LAYERS["MaxPool2d with indices"].body(_padded(x, paddings), kernel, stride, 0, 1, False)
    height, width = x.shape[2:]
    padded_width = width + left + right
    rows = indices // padded_width - top + height * torch.arange(x.shape[1], device=x.device)[:, None, None]
    return values, (rows * width + indices % padded_width - left).to(torch.int32)


check_windows(2, MaxPoolWithArgmax, MaxPoolWithArgmaxV2)
check_windows(3, AvgPool3D, MaxPool3D, MaxPool3DWithArgmax)
