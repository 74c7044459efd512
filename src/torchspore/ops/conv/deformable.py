"""Deformable convolutions, and grey-scale dilation."""

from __future__ import annotations

from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive
from torchspore.ops.conv.windows import check_format, check_pad_mode, each, same_total

__all__ = ["DeformableOffsets", "Dilation2D", "deformable_conv2d"]


def _fours(api: str, layout: str, **values: Any) -> list[tuple[int, int]]:
    """Return the spatial numbers of tuples with one number per dimension of the input."""
    pairs = []
    for name, value in values.items():
        four = each(value, 4, name, api)
        outer, pair = ((four[0], four[1]), four[2:]) if layout == "NCHW" else ((four[0], four[3]), four[1:3])
        if outer != (1, 1):
            raise ValueError(f"'{name}' must be 1 for the batch and the channels, but got {value}")
        pairs.append((pair[0], pair[1]))
    return pairs


def _sampled(
    x: Tensor, offsets: Tensor, kernel: tuple[int, ...], stride: Any, pads: tuple[int, ...], dilation: Any, groups: int
) -> Tensor:
    """Return the values of deformed windows, side by side: of shape (N, C, H' * kernel height, W' * width)."""
    batch, channels, height, width = x.shape
    rows, columns = kernel
    tall, wide = [
        (size + sum(pads[2 * i : 2 * i + 2]) - (kernel[i] - 1) * dilation[i] - 1) // stride[i] + 1
        for i, size in enumerate((height, width))
    ]
    if tuple(offsets.shape) != (batch, 3 * groups * rows * columns, tall, wide):
        raise ValueError(
            f"the offsets must be of shape {(batch, 3 * groups * rows * columns, tall, wide)}, but are of shape "
            f"{tuple(offsets.shape)}"
        )
    right, down, scale = offsets.reshape(batch, 3, groups, rows, columns, tall, wide).unbind(1)

    def origins(i: int, count: int) -> Tensor:
        return torch.arange(count, device=x.device, dtype=x.dtype) * stride[i] - pads[2 * i]

    def inside(i: int) -> Tensor:
        return torch.arange(kernel[i], device=x.device, dtype=x.dtype) * dilation[i]

    y = down + inside(0)[:, None, None, None] + origins(0, tall)[:, None]
    z = right + inside(1)[:, None, None] + origins(1, wide)
    # (N, groups, rows, columns, H', W') -> windows side by side
    y, z, scale = [t.permute(0, 1, 4, 2, 5, 3).flatten(0, 1).flatten(1, 2).flatten(2, 3) for t in (y, z, scale)]
    grid = torch.stack((2 * z / max(width - 1, 1) - 1, 2 * y / max(height - 1, 1) - 1), -1)
    if min(height, width) == 1:  # a grid has no scale there: append a row and a column of zeros
        grid = torch.stack((2 * z / width - 1, 2 * y / height - 1), -1)
        x = torch.constant_pad_nd(x, (0, 1, 0, 1))
    parts = x.reshape(batch * groups, channels // groups, *x.shape[2:])
    seen = F.grid_sample(parts, grid, "bilinear", "zeros", align_corners=True) * scale.unsqueeze(1)
    return seen.reshape(batch, channels, *seen.shape[2:])


@as_primitive
def DeformableOffsets(
    x: Tensor, offsets: Tensor, *, strides: Any, pads: Any, ksize: Any, dilations: Any = (1, 1, 1, 1),
    data_format: Literal["NCHW", "NHWC"] = "NCHW", deformable_groups: int = 1, modulated: Literal[True] = True,
) -> Tensor:  # fmt: skip
    """Sample images in the deformed windows of `deformable_conv2d`, the windows side by side.

    Args:
        x: a Tensor of shape (N, C, H, W), or (N, H, W, C) by `data_format`.
        ksize, strides, pads, dilations: the size, stride, padding and dilation of the window, as for
            `deformable_conv2d`, in the order of `data_format`.
        offsets, deformable_groups, modulated: as for `deformable_conv2d`.
        data_format: "NCHW" or "NHWC". Default: "NCHW".

    Returns a Tensor of shape (N, C, H' * kernel height, W' * width).
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    api = "DeformableOffsets"
    stride, dilation = _fours(api, data_format, strides=strides, dilations=dilations)
    window = (each(ksize, 2, "ksize", api), stride, each(pads, 4, "pads", api, minimum=0), dilation, deformable_groups)
    if data_format == "NHWC":
        return _sampled(x.movedim(-1, 1), offsets.movedim(-1, 1), *window).movedim(1, -1)
    return _sampled(x, offsets, *window)


@op
def deformable_conv2d(
    x: Tensor, weight: Tensor, offsets: Tensor, kernel_size: Any, strides: Any, padding: Any,
    bias: Tensor | None = None, dilations: Any = (1, 1, 1, 1), groups: int = 1, deformable_groups: int = 1,
    modulated: Literal[True] = True,
) -> Tensor:  # fmt: skip
    """Convolve images by windows whose elements are moved and weighted, `Deformable ConvNets v2`.

    Args:
        x: a Tensor of shape (N, C, H, W).
        weight: a Tensor of shape (outputs, C / groups, *kernel).
        offsets: of shape (N, 3 * deformable_groups * kernel height * width, H', W'): the shifts of the elements of
            every window to the right and down, and their factors.
        kernel_size: the size of the kernel, two ints.
        strides: the stride of the window, four ints: 1, 1, down, right.
        padding: the zeros on every side, (top, bottom, left, right).
        bias: a Tensor of shape (outputs,). Default: None.
        dilations: the dilation of the window, four ints. Default: (1, 1, 1, 1).
        groups: the number of groups of channels. Default: 1.
        deformable_groups: the number of groups of channels that move together. Default: 1.
        modulated: True, nothing else.

    Returns a Tensor of shape (N, outputs, H', W').
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> x, weight, offsets = ms.ops.ones((1, 3, 6, 6)), ms.ops.ones((2, 3, 3, 3)), ms.ops.ones((1, 27, 4, 4))
        >>> ms.ops.deformable_conv2d(x, weight, offsets, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)).shape
        (1, 2, 4, 4)
    """
    api = "deformable_conv2d"
    stride, dilation = _fours(api, "NCHW", strides=strides, dilations=dilations)
    kernel, pads = each(kernel_size, 2, "kernel_size", api), each(padding, 4, "padding", api, minimum=0)
    seen = _sampled(x, offsets, kernel, stride, pads, dilation, deformable_groups)
    return torch.conv2d(seen, weight, bias, kernel, groups=groups)


@as_primitive
def Dilation2D(
    x: Tensor, filter: Tensor, *, stride: Any, dilation: Any, pad_mode: str = "SAME", data_format: str = "NCHW"
) -> Tensor:
    """Grey-scale dilation: the maxima over sliding windows of images after a filter is added.

    Args:
        x: a Tensor of shape (N, C, H, W).
        filter: a Tensor of shape (C, height, width), of the same dtype.
        stride, dilation: the window's stride and dilation, an int, two, or four, the first two being 1.
        pad_mode: "VALID" or "SAME" (one window per stride). Default: "SAME".
        data_format: "NCHW", nothing else.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.Dilation2D(1, 1, "VALID")(ms.Tensor([[[[1.0, 5.0, 2.0]]]]), ms.Tensor([[[0.0, 1.0]]])))
        [[[[6. 5.]]]]
    """
    api = "Dilation2D"
    check_format(data_format, api, ("NCHW",))
    stride, dilation = [
        _fours(api, "NCHW", **{name: value})[0]
        if isinstance(value, (tuple, list)) and len(value) == 4
        else each(value, 2, name, api)
        for name, value in (("stride", stride), ("dilation", dilation))
    ]
    if x.dim() != 4 or filter.dim() != 3 or filter.shape[0] != x.shape[1]:
        raise ValueError("the input must be of shape (N, C, H, W) and the filter of shape (C, height, width)")
    rows, columns = filter.shape[1:]
    reach = [(k - 1) * d + 1 for k, d in zip((rows, columns), dilation)]
    if check_pad_mode(pad_mode, api, ("valid", "same")) == "same":
        top, left = [same_total(n, r, s) for n, r, s in zip(x.shape[2:], reach, stride)]
        minimum = -torch.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
        x = F.pad(x, (left // 2, left - left // 2, top // 2, top - top // 2), value=minimum)
    counts = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, stride)]
    if min(counts) < 1:
        raise ValueError(f"the windows, {tuple(reach)}, are larger than the input, {tuple(x.shape)}")
    result: Any = None
    for i in range(rows):
        for j in range(columns):
            top, left = i * dilation[0], j * dilation[1]
            seen = x[
                :, :, top : top + (counts[0] - 1) * stride[0] + 1 : stride[0],
                left : left + (counts[1] - 1) * stride[1] + 1 : stride[1],
            ] + filter[:, i, j, None, None]  # fmt: skip
            result = seen if result is None else torch.maximum(result, seen)
    return result
