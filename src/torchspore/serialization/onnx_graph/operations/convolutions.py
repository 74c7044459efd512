"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["TABLE", "convolve", "edges"]


def edges(
    sizes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
    pads: Sequence[int] | None,
    auto_pad: str,
) -> tuple[list[int], list[int]]:
    """Return the padding before and after each dimension of an image."""
    rank = len(sizes)
    if auto_pad == "NOTSET":
        pads = [0] * 2 * rank if pads is None else list(pads)
        if len(pads) != 2 * rank:
            raise ValueError(f"pads {pads} are not for {rank} dimensions")
        return pads[:rank], pads[rank:]
    if auto_pad == "VALID":
        return [0] * rank, [0] * rank
    if auto_pad not in ("SAME_UPPER", "SAME_LOWER"):
        raise ValueError(f"the padding '{auto_pad}' is not known")
    totals = [
        max((-(-size // stride) - 1) * stride + (width - 1) * dilation + 1 - size, 0)
        for size, width, stride, dilation in zip(sizes, kernel, strides, dilations)
    ]
    smaller, larger = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return (smaller, larger) if auto_pad == "SAME_UPPER" else (larger, smaller)


def _spatial(x: Tensor, **given: Sequence[int] | None) -> list[list[int]]:
    """Return lists with a number for each dimension of an image, 1 where none is given."""
    rank = x.ndim - 2
    lists = [[1] * rank if numbers is None else list(numbers) for numbers in given.values()]
    if rank < 1 or any(len(numbers) != rank for numbers in lists):
        raise ValueError(f"{given} are not for the dimensions of an image of shape {tuple(x.shape)}")
    return lists


def convolve(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    """Return the convolution of an image of one to three dimensions."""
    dilations, strides = _spatial(x, dilations=dilations, strides=strides)
    _check_kernel(w, kernel_shape)
    before, after = edges(x.shape[2:], w.shape[2:], strides, dilations, pads, auto_pad)
    if before != after or min(before) < 0:
        x = F.pad(x, [pad for pair in zip(reversed(before), reversed(after)) for pad in pair])
        before = [0] * len(before)
    return torch.convolution(x, w, b, strides, before, dilations, False, [0] * len(before), group)


def _check_kernel(w: Tensor, kernel_shape: Sequence[int] | None) -> None:
    if kernel_shape is not None and tuple(kernel_shape) != tuple(w.shape[2:]):
        raise ValueError(f"the kernel of shape {tuple(w.shape)} is declared as {tuple(kernel_shape)}")


def _transposed(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    dilations, strides = _spatial(x, dilations=dilations, strides=strides)
    rank = len(strides)
    _check_kernel(w, kernel_shape)
    more = [0] * rank if output_padding is None else list(output_padding)
    widths = [(width - 1) * dilation + 1 for width, dilation in zip(w.shape[2:], dilations)]
    full = [(size - 1) * stride + width for size, stride, width in zip(x.shape[2:], strides, widths)]
    if output_shape is not None or auto_pad.startswith("SAME"):
        wanted = [size * stride for size, stride in zip(x.shape[2:], strides)]
        wanted = wanted if output_shape is None else list(output_shape)[-rank:]
        totals = [max(size + extra - want, 0) for size, extra, want in zip(full, more, wanted)]
        smaller, larger = [total // 2 for total in totals], [total - total // 2 for total in totals]
        before, after = (smaller, larger) if auto_pad == "SAME_UPPER" else (larger, smaller)
        more = [max(want + total - size, 0) for want, total, size in zip(wanted, totals, full)]
    else:
        before, after = edges(x.shape[2:], w.shape[2:], strides, dilations, pads, auto_pad)
    is_plain = before == after and min(before) >= 0
    if is_plain and all(0 <= extra < max(stride, d) for extra, stride, d in zip(more, strides, dilations)):
        return torch.convolution(x, w, b, strides, before, dilations, True, more, group)
    y = torch.convolution(x, w, None, strides, [0] * rank, dilations, True, [0] * rank, group)
    ends = [extra - pad for extra, pad in zip(more, after)]
    y = F.pad(y, [pad for pair in zip([-pad for pad in reversed(before)], reversed(ends)) for pad in pair])
    return y if b is None else y + b.reshape(-1, *[1] * rank)


def _deformed(
    x: Tensor,
    w: Tensor,
    offset: Tensor,
    b: Tensor | None = None,
    mask: Tensor | None = None,
    *,
    dilations: Sequence[int] | None = None,
    group: int = 1,
    kernel_shape: Sequence[int] | None = None,
    offset_group: int = 1,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    """Return a convolution whose kernel reads at moved positions, by sampling the image there."""
    if x.ndim != 4:
        raise ValueError(f"images of two dimensions are supported, not of the shape {tuple(x.shape)}")
    dilations, strides = _spatial(x, dilations=dilations, strides=strides)
    _check_kernel(w, kernel_shape)
    before, _ = edges(x.shape[2:], w.shape[2:], strides, dilations, pads, "NOTSET")
    batch, channels, *sizes = x.shape
    kernel, counts = w.shape[2:], offset.shape[2:]
    moved = offset.reshape(batch, offset_group, *kernel, 2, *counts)
    places = []
    for i in range(2):
        start = torch.arange(counts[i], device=x.device) * strides[i] - before[i]
        inside = torch.arange(kernel[i], device=x.device) * dilations[i]
        position = inside.reshape([-1 if axis == i else 1 for axis in range(2)] + [1, 1])
        position = position + start.reshape([1, 1] + [-1 if axis == i else 1 for axis in range(2)])
        places.append((position + moved[:, :, :, :, i]) * (2 / max(sizes[i] - 1, 1)) - 1)
    grid = torch.stack([places[1], places[0]], -1).reshape(batch * offset_group, -1, counts[0] * counts[1], 2)
    parts = x.reshape(batch * offset_group, channels // offset_group, *sizes)
    sampled = F.grid_sample(parts, grid.to(x.dtype), align_corners=True)
    sampled = sampled.reshape(batch, offset_group, channels // offset_group, *kernel, *counts)
    if mask is not None:
        sampled = sampled * mask.reshape(batch, offset_group, 1, *kernel, *counts)
    columns = sampled.reshape(batch, group, -1, counts[0] * counts[1])
    result = torch.matmul(w.reshape(group, w.shape[0] // group, -1), columns).reshape(batch, -1, *counts)
    return result if b is None else result + b.reshape(-1, 1, 1)


TABLE: Table = {
    "Conv": Operation(convolve),
    "ConvTranspose": Operation(_transposed),
    "DeformConv": Operation(_deformed),
}
