"""Histograms, counts by value, and concatenated ranges."""

from __future__ import annotations

from typing import Annotated, Literal

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.common.tensor import wrap
from torchspore.engine.op import Type, op
from torchspore.engine.parameters import Dimensions, Ints, Positive
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.array.sorting import histc

__all__ = ["Bincount", "Histogram", "HistogramFixedWidth", "RaggedRange"]


@as_primitive
def Bincount(array: Ints, size: int, weights: Tensor) -> Tensor:
    """Count the occurrences of each int below `size`.

    Args:
        array: a Tensor of ints >= 0; those from `size` on are ignored.
        size: the length of the result, an int or a scalar Tensor.
        weights: the weights of the elements, a Tensor of the shape of `array`; if empty, 1.

    Returns:
        A Tensor of one dimension in the dtype of `weights`.
    """
    if size < 0 or (weights.numel() and weights.shape != array.shape):
        raise ValueError("'size' must be >= 0 and 'weights' as large as 'array'")
    counts = weights if weights.numel() else torch.ones_like(array, dtype=weights.dtype)
    bins = array.long().clamp(max=size).reshape(-1)
    return counts.new_zeros(size + 1).index_add(0, bins, counts.reshape(-1))[:size]


@as_primitive
def Histogram(x: Tensor, *, bins: int = 100, min: float = 0.0, max: float = 0.0) -> Tensor:
    """Count the elements in `bins` bins between `min` and `max`; int32 for int32, else float32."""
    return histc.body(x, bins, min, max).to(torch.int32 if x.dtype is torch.int32 else torch.float32)


@as_primitive
def HistogramFixedWidth(x: Tensor, range: Tensor, *, nbins: Positive, dtype: Literal["int32"] = "int32") -> Tensor:
    """Count the elements in `nbins` bins of equal width; those out of range count in the first or last bin.

    Args:
        x: a Tensor.
        range: the limits, a Tensor of two elements.
        nbins: the number of bins.
        dtype: must be "int32".
    """
    low, high = range.to(torch.float32)
    bins = ((x - low) / (high - low) * nbins).floor().clamp(0, nbins - 1).long().reshape(-1)
    return torch.zeros(nbins, dtype=torch.int32, device=x.device).index_add(0, bins, torch.ones_like(bins).int())


@op(name="RaggedRange")
def _ragged_range(
    starts: Annotated[Tensor, Dimensions(0, 1), "*S"],
    limits: Annotated[Tensor, "*S"],
    deltas: Annotated[Tensor, "*S"],
    Tsplits: Type = mstype.int64,
) -> tuple[Tensor, Tensor]:
    """Concatenated ranges.

    Args:
        starts, limits, deltas: the start, end (exclusive) and step of each range, Tensors with at most one dimension.
        Tsplits: the dtype of the offsets, int32 or int64.

    Returns:
        The offset of each range and the total length; and the elements.
    """
    starts, limits, deltas = starts.reshape(-1), limits.reshape(-1), deltas.reshape(-1)
    counts = torch.ceil((limits - starts) / deltas).clamp(min=0).long()
    ends = counts.cumsum(0)
    within = torch.arange(int(wrap(counts.sum())), device=starts.device) - (ends - counts).repeat_interleave(counts)
    values = starts.repeat_interleave(counts) + within * deltas.repeat_interleave(counts)
    return torch.cat([ends.new_zeros(1), ends]).to(Tsplits), values.to(starts.dtype)


RaggedRange = primitive("RaggedRange", _ragged_range, "Tsplits")
