"""Convolutions whose windows are bent, and grey-scale dilation."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.primitive import as_primitive
from torchspore.ops.conv.windows import check_format, check_pad_mode, each, same_total

__all__ = ["DeformableOffsets", "Dilation2D", "deformable_conv2d"]


def _fours(api: str, layout: str, **values: Any) -> list[tuple[int, int]]:
    """Return the spatial numbers of tuples of four, one for every dimension of the input."""
    pairs = []
    for name, value in values.items():
        four = each(value, 4, name, api)
        other, pair = ((four[0], four[1]), four[2:]) if layout == "NCHW" else ((four[0], four[3]), four[1:3])
        if other != (1, 1):
            raise ValueError(f"For '{api}', '{name}' must be 1 for the batch and the channels, but got {value}.")
        pairs.append((pair[0], pair[1]))
    return pairs


def _bent(
    x: Tensor, offsets: Tensor, kernel: tuple[int, ...], stride: Any, pads: tuple[int, ...], dilation: Any, groups: int
) -> Tensor:
    """Return what bent windows see, the windows side by side: of shape (N, C, H' * kernel height, W' * width)."""
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

    def places(i: int, count: int) -> Tensor:
        return torch.arange(count, device=x.device, dtype=x.dtype) * stride[i] - pads[2 * i]

    def inside(i: int) -> Tensor:
        return torch.arange(kernel[i], device=x.device, dtype=x.dtype) * dilation[i]

    y = down + inside(0)[:, None, None, None] + places(0, tall)[:, None]
    z = right + inside(1)[:, None, None] + places(1, wide)
    # (N, groups, rows, columns, H', W') -> windows side by side
    y, z, scale = [t.permute(0, 1, 4, 2, 5, 3).flatten(0, 1).flatten(1, 2).flatten(2, 3) for t in (y, z, scale)]
    grid = torch.stack((2 * z / max(width - 1, 1) - 1, 2 * y / max(height - 1, 1) - 1), -1)
    if min(height, width) == 1:  # a grid has no scale there: put another row and column of zeros behind
        grid = torch.stack((2 * z / width - 1, 2 * y / height - 1), -1)
        x = torch.constant_pad_nd(x, (0, 1, 0, 1))
    parts = x.reshape(batch * groups, channels // groups, *x.shape[2:])
    seen = F.grid_sample(parts, grid, "bilinear", "zeros", align_corners=True) * scale.unsqueeze(1)
    return seen.reshape(batch, channels, *seen.shape[2:])


@as_primitive
def DeformableOffsets(
    x: Tensor,
    offsets: Tensor,
    *,
    strides: Any,
    pads: Any,
    ksize: Any,
    dilations: Any = (1, 1, 1, 1),
    data_format: str = "NCHW",
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Tensor:
    """What the bent windows of `deformable_conv2d` see, the windows side by side.

    Args:
        x: a Tensor of shape (N, C, H, W), or (N, H, W, C) by `data_format`.
        offsets: of shape (N, 3 * deformable_groups * kernel height * width, H', W'): how far the elements of every
            window are moved to the right and down, and what they are multiplied by.
        strides: the steps of the window, four ints in the order of `data_format`, 1 for batch and channels.
        pads: the zeros on every side, (top, bottom, left, right).
        ksize: the size of the window, two ints.
        dilations: the distance of its elements, four ints. Default: (1, 1, 1, 1).
        data_format: "NCHW" or "NHWC". Default: "NCHW".
        deformable_groups: the number of groups of channels that move together. Default: 1.
        modulated: True, nothing else.

    Returns:
        A Tensor of shape (N, C, H' * kernel height, W' * width).

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.
    """
    api = "DeformableOffsets"
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"For '{api}', 'data_format' must be 'NCHW' or 'NHWC', but got {data_format!r}.")
    if modulated is not True:
        raise ValueError(f"For '{api}', 'modulated' must be True, but got {modulated!r}.")
    stride, dilation = _fours(api, data_format, strides=strides, dilations=dilations)
    window = (each(ksize, 2, "ksize", api), stride, each(pads, 4, "pads", api, least=0), dilation, deformable_groups)
    if data_format == "NHWC":
        return _bent(x.movedim(-1, 1), offsets.movedim(-1, 1), *window).movedim(1, -1)
    return _bent(x, offsets, *window)


@op
def deformable_conv2d(
    x: Tensor,
    weight: Tensor,
    offsets: Tensor,
    kernel_size: Any,
    strides: Any,
    padding: Any,
    bias: Tensor | None = None,
    dilations: Any = (1, 1, 1, 1),
    groups: int = 1,
    deformable_groups: int = 1,
    modulated: bool = True,
) -> Tensor:
    """Convolve images by windows whose elements are moved and weighted, `Deformable ConvNets v2`.

    Args:
        x: a Tensor of shape (N, C, H, W).
        weight: a Tensor of shape (outputs, C / groups, *kernel).
        offsets: of shape (N, 3 * deformable_groups * kernel height * width, H', W'): how far the elements of every
            window are moved to the right and down, and what they are multiplied by.
        kernel_size: the size of the kernel, two ints.
        strides: the steps of the window, four ints: 1, 1, down, right.
        padding: the zeros on every side, (top, bottom, left, right).
        bias: a Tensor of shape (outputs,). Default: None.
        dilations: the distance of the window's elements, four ints. Default: (1, 1, 1, 1).
        groups: the number of groups into which the channels are split. Default: 1.
        deformable_groups: the number of groups of channels that move together. Default: 1.
        modulated: True, nothing else.

    Returns:
        A Tensor of shape (N, outputs, H', W').

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> x, weight, offsets = ms.ops.ones((1, 3, 6, 6)), ms.ops.ones((2, 3, 3, 3)), ms.ops.ones((1, 27, 4, 4))
        >>> ms.ops.deformable_conv2d(x, weight, offsets, (3, 3), (1, 1, 1, 1), (0, 0, 0, 0)).shape
        (1, 2, 4, 4)
    """
    api = "deformable_conv2d"
    if modulated is not True:
        raise ValueError(f"For '{api}', 'modulated' must be True, but got {modulated!r}.")
    stride, dilation = _fours(api, "NCHW", strides=strides, dilations=dilations)
    kernel, pads = each(kernel_size, 2, "kernel_size", api), each(padding, 4, "padding", api, least=0)
    seen = _bent(x, offsets, kernel, stride, pads, dilation, deformable_groups)
    return torch.conv2d(seen, weight, bias, kernel, groups=groups)


@as_primitive
def Dilation2D(
    x: Tensor, filter: Tensor, *, stride: Any, dilation: Any, pad_mode: str = "SAME", data_format: str = "NCHW"
) -> Tensor:
    """Grey-scale dilation: the maxima over sliding windows of images after a filter is added.

    Args:
        x: a Tensor of shape (N, C, H, W).
        filter: a Tensor of shape (C, height, width), of the same dtype.
        stride: the steps of the window, an int, two, or four, the first two being 1.
        dilation: the distance of its elements, likewise.
        pad_mode: "VALID" or "SAME" (as many windows as steps fit). Default: "SAME".
        data_format: "NCHW", nothing else.

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.Dilation2D(1, 1, "VALID")(ms.Tensor([[[[1.0, 5.0, 2.0]]]]), ms.Tensor([[[0.0, 1.0]]])))
        [[[[6. 5.]]]]
    """
    api = "Dilation2D"
    check_format(data_format, api, ("NCHW",))
    steps, distances = [
        _fours(api, "NCHW", **{name: value})[0]
        if isinstance(value, (tuple, list)) and len(value) == 4
        else each(value, 2, name, api)
        for name, value in (("stride", stride), ("dilation", dilation))
    ]
    if x.dim() != 4 or filter.dim() != 3 or filter.shape[0] != x.shape[1]:
        raise ValueError(
            f"For '{api}', the input must be of shape (N, C, H, W) and the filter of shape (C, height, width), but got "
            f"{tuple(x.shape)} and {tuple(filter.shape)}."
        )
    rows, columns = filter.shape[1:]
    reach = [(k - 1) * d + 1 for k, d in zip((rows, columns), distances)]
    if check_pad_mode(pad_mode, api, ("valid", "same")) == "same":
        top, left = [same_total(n, r, s) for n, r, s in zip(x.shape[2:], reach, steps)]
        least = -torch.inf if x.is_floating_point() else torch.iinfo(x.dtype).min
        ends = (left // 2, left - left // 2, top // 2, top - top // 2)
        x = F.pad(x, ends, value=least)
    counts = [(n - r) // s + 1 for n, r, s in zip(x.shape[2:], reach, steps)]
    if min(counts) < 1:
        raise ValueError(f"For '{api}', the windows, {tuple(reach)}, are larger than the input, {tuple(x.shape)}.")
    result: Any = None
    for i in range(rows):
        for j in range(columns):
            top, left = i * distances[0], j * distances[1]
            seen = x[
                :, :, top : top + (counts[0] - 1) * steps[0] + 1 : steps[0],
                left : left + (counts[1] - 1) * steps[1] + 1 : steps[1],
            ] + filter[:, i, j, None, None]  # fmt: skip
            result = seen if result is None else torch.maximum(result, seen)
    return result
