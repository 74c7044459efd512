"""Pooling."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.serialization.onnx_graph.operations.convolutions import edges
from torchspore.serialization.onnx_graph.table import Operation, Table

__all__ = ["TABLE"]

_MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_MEAN: dict[int, Any] = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}


class _Windows:
    """The windows of a pooling: their sizes, and the padding before and after the image.

    Attributes:
        before, after: the padding that the node asks for.
        beyond: the padding after the image so that each window is whole.
    """

    def __init__(
        self,
        x: Tensor,
        kernel: Sequence[int],
        strides: Sequence[int] | None,
        dilations: Sequence[int] | None,
        pads: Sequence[int] | None,
        auto_pad: str,
        ceil_mode: int,
    ) -> None:
        self.rank = rank = x.ndim - 2
        self.kernel = list(kernel)
        self.strides = [1] * rank if strides is None else list(strides)
        self.dilations = [1] * rank if dilations is None else list(dilations)
        if not len(self.kernel) == len(self.strides) == len(self.dilations) == rank or rank not in _MAX:
            raise ValueError(f"windows of shape {self.kernel} are not for images of shape {tuple(x.shape)}")
        if min(*self.kernel, *self.strides, *self.dilations) < 1:
            raise ValueError("sizes, strides and dilations of windows must be positive")
        sizes = x.shape[2:]
        self.before, self.after = edges(sizes, self.kernel, self.strides, self.dilations, pads, auto_pad)
        self.beyond = []
        for i, size in enumerate(sizes):
            width = (self.kernel[i] - 1) * self.dilations[i] + 1
            room = size + self.before[i] + self.after[i] - width
            count = (-(-room // self.strides[i]) if ceil_mode else room // self.strides[i]) + 1
            if ceil_mode and (count - 1) * self.strides[i] >= size + self.before[i]:
                count -= 1  # a window begins in the image or before it
            self.beyond.append(max((count - 1) * self.strides[i] + width - size - self.before[i], self.after[i]))

    @property
    def is_plain(self) -> bool:
        """Whether torch's own padding does."""
        halves = all(0 <= 2 * pad <= size for pad, size in zip(self.before, self.kernel))
        return halves and self.before == self.after == self.beyond

    def padded(self, x: Tensor, fill: float, after: Sequence[int]) -> Tensor:
        """Return the image with padding."""
        pads = [pad for pair in zip(reversed(self.before), reversed(after)) for pad in pair]
        return F.pad(x, pads, value=fill) if any(pads) else x

    def means(self, x: Tensor) -> Tensor:
        """Return the means of the windows of a padded image."""
        if all(dilation == 1 for dilation in self.dilations):
            return _MEAN[self.rank](x, self.kernel, self.strides)
        weight = x.new_full((1, 1, *self.kernel), 1 / math.prod(self.kernel))
        flat = x.reshape(-1, 1, *x.shape[2:])
        zeros = [0] * self.rank
        result = torch.convolution(flat, weight, None, self.strides, zeros, self.dilations, False, zeros, 1)
        return result.reshape(*x.shape[:2], *result.shape[2:])


def _max_pool(
    x: Tensor,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    storage_order: int = 0,
    strides: Sequence[int] | None = None,
    outputs: int,
) -> Any:
    windows = _Windows(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    dtype = x.dtype
    x = x if x.is_floating_point() else x.float()
    is_plain = windows.is_plain
    given = x if is_plain else windows.padded(x, -torch.inf, windows.beyond)
    padding = windows.before if is_plain else [0] * windows.rank
    function = _MAX[windows.rank]
    if outputs == 1:
        return function(given, windows.kernel, windows.strides, padding, windows.dilations).to(dtype)
    y, places = function(given, windows.kernel, windows.strides, padding, windows.dilations, return_indices=True)
    coordinates: list[Tensor] = []
    for i in reversed(range(windows.rank)):
        coordinates.insert(0, places % given.shape[2 + i] - (0 if is_plain else windows.before[i]))
        places = places // given.shape[2 + i]
    sizes = list(x.shape[2:])
    order = range(windows.rank) if not storage_order else reversed(range(windows.rank))
    index = torch.zeros_like(places)
    for i in order:
        index = index * sizes[i] + coordinates[i]
    images = torch.arange(x.shape[0] * x.shape[1], device=x.device).reshape(*x.shape[:2], *[1] * windows.rank)
    return y.to(dtype), index + images * math.prod(sizes)


def _average_pool(
    x: Tensor,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    windows = _Windows(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    if windows.is_plain and all(dilation == 1 for dilation in windows.dilations):
        count = bool(count_include_pad)
        return _MEAN[windows.rank](x, windows.kernel, windows.strides, windows.before, False, count)
    counted = torch.ones_like(x[:1, :1])
    if count_include_pad:
        counted = windows.padded(counted, 1.0, windows.after)
        beyond = [all_of_it - pad for all_of_it, pad in zip(windows.beyond, windows.after)]
        counted = F.pad(counted, [pad for end in reversed(beyond) for pad in (0, end)])
    else:
        counted = windows.padded(counted, 0.0, windows.beyond)
    return windows.means(windows.padded(x, 0.0, windows.beyond)) / windows.means(counted)


def _lp_pool(
    x: Tensor,
    *,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] | None = None,
    p: int = 2,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    windows = _Windows(x, kernel_shape, strides, dilations, pads, auto_pad, ceil_mode)
    sums = windows.means(windows.padded(x.abs() ** p, 0.0, windows.beyond)) * math.prod(windows.kernel)
    return sums ** (1 / p)


def _spatial_axes(x: Tensor) -> tuple[int, ...]:
    if x.ndim < 3:
        raise ValueError(f"an image has at least three dimensions, not the shape {tuple(x.shape)}")
    return tuple(range(2, x.ndim))


def _global_average(x: Tensor) -> Tensor:
    return x.mean(_spatial_axes(x), keepdim=True)


def _global_max(x: Tensor) -> Tensor:
    return x.amax(_spatial_axes(x), keepdim=True)


def _global_lp(x: Tensor, *, p: int = 2) -> Tensor:
    return (x.abs() ** p).sum(_spatial_axes(x), keepdim=True) ** (1 / p)


def _unpool(
    x: Tensor,
    indices: Tensor,
    output_shape: Sequence[int] | None = None,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Tensor:
    rank = x.ndim - 2
    strides = [1] * rank if strides is None else list(strides)
    pads = [0] * 2 * rank if pads is None else list(pads)
    sizes = [(x.shape[2 + i] - 1) * strides[i] - pads[i] - pads[i + rank] + kernel_shape[i] for i in range(rank)]
    shape = [*x.shape[:2], *sizes]
    # The indices count within an image of the inferred shape, also where another shape is given.
    flat = torch.zeros(math.prod(shape), dtype=x.dtype, device=x.device)
    result = flat.scatter(0, indices.reshape(-1), x.reshape(-1)).reshape(shape)
    if output_shape is not None and list(output_shape) != shape:
        wider = [wanted - size for wanted, size in zip(list(output_shape)[2:], sizes)]
        result = F.pad(result, [pad for end in reversed(wider) for pad in (0, end)])
    return result


TABLE: Table = {
    "AveragePool": Operation(_average_pool),
    "GlobalAveragePool": Operation(_global_average),
    "GlobalLpPool": Operation(_global_lp),
    "GlobalMaxPool": Operation(_global_max),
    "LpPool": Operation(_lp_pool),
    "MaxPool": Operation(_max_pool, given=("outputs",)),
    "MaxUnpool": Operation(_unpool, (2,)),
}
