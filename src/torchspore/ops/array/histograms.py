"""Histograms, counts by value, and concatenated ranges."""

from __future__ import annotations

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.common.tensor import wrap
from torchspore.engine.op import Type, op
from torchspore.engine.parameters import Ints
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
def HistogramFixedWidth(x: Tensor, range: Tensor, *, nbins: int, dtype: str = "int32") -> Tensor:
    """Count the elements in `nbins` bins of equal width; those out of range count in the first or last bin.

    Args:
        x: a Tensor.
        range: the limits, a Tensor of two elements.
        nbins: the number of bins.
        dtype: must be "int32".
    """
    if nbins < 1 or dtype != "int32":
        raise ValueError(f"'nbins' must be >= 1, 'dtype' 'int32': {nbins} and {dtype!r}")
    low, high = range.to(torch.float32)
    bins = ((x - low) / (high - low) * nbins).floor().clamp(0, nbins - 1).long().reshape(-1)
    return torch.zeros(nbins, dtype=torch.int32, device=x.device).index_add(0, bins, torch.ones_like(bins).int())


@op(name="RaggedRange")
def _ragged_range(
    starts: Tensor, limits: Tensor, deltas: Tensor, Tsplits: Type = mstype.int64
) -> tuple[Tensor, Tensor]:
    """Concatenated ranges.

    Args:
        starts, limits, deltas: the start, end (exclusive) and step of each range, Tensors with at most one dimension.
        Tsplits: the dtype of the offsets, int32 or int64.

    Returns:
        The offset of each range and the total length; and the elements.
    """
    if not starts.shape == limits.shape == deltas.shape or starts.dim() > 1:
        raise ValueError("the inputs must be of one shape and at most one dimension")
    starts, limits, deltas = starts.reshape(-1), limits.reshape(-1), deltas.reshape(-1)
    counts = torch.ceil((limits - starts) / deltas).clamp(min=0).long()
    ends = counts.cumsum(0)
    within = torch.arange(int(wrap(counts.sum())), device=starts.device) - (ends - counts).repeat_interleave(counts)
    values = starts.repeat_interleave(counts) + within * deltas.repeat_interleave(counts)
    return torch.cat([ends.new_zeros(1), ends]).to(Tsplits), values.to(starts.dtype)


RaggedRange = primitive("RaggedRange", _ragged_range, "Tsplits")
