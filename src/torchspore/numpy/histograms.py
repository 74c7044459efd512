"""Histograms in one and several dimensions."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.numpy.arrays import along, array, floating, single

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]


def _edges(x: Tensor, bins: Any, limits: Any) -> Tensor:
    """Return the edges of the bins of a vector."""
    if isinstance(bins, str):
        raise NotImplementedError(f"For 'histogram', 'bins' must be an int or edges; {bins!r} is not supported.")
    if not isinstance(bins, int):
        edges = array(bins)
        if edges.dim() != 1:
            raise ValueError(f"edges must be a vector, but got {edges.dim()} dimensions")
        return edges
    if bins < 1:
        raise ValueError(f"'bins' must be positive, but got {bins}")
    x = single(x)
    if limits is not None:
        if limits[0] > limits[1]:
            raise ValueError(f"'range' must be ascending, but got {tuple(limits)}")
        low, high = [array(limit).to(x.device, x.dtype) for limit in limits]
    elif x.numel():
        low, high = x.amin(), x.amax()
    else:
        low, high = torch.zeros(2, dtype=x.dtype, device=x.device).unbind()
        high = high + 1
    half = torch.where(low == high, 0.5, 0.0).to(x.dtype)  # equal values get a range of width 1
    low, high = low - half, high + half
    inner = low + (high - low) * torch.arange(1, bins, device=x.device).to(x.dtype) / bins
    return torch.cat((low.reshape(1), inner, high.reshape(1)))


def _bins_of(x: Tensor, edges: Tensor) -> tuple[Tensor, Tensor]:
    """Return the bin of every element, and whether it lies in one at all."""
    index = torch.searchsorted(edges.to(x.dtype), x.contiguous(), right=True) - 1
    last = edges.numel() - 2
    index = torch.where((index == last + 1) & (x == edges[-1]), last, index)  # the last bin includes both edges
    inside = (index >= 0) & (index <= last)
    return torch.clamp(index, 0, max(last, 0)), inside


def _counts(columns: list[Tensor], edges: list[Tensor], weights: Any, density: bool) -> Tensor:
    """Return the histogram of points, given the columns of their coordinates."""
    shape = [axis_edges.numel() - 1 for axis_edges in edges]
    amounts = torch.ones_like(columns[0], dtype=torch.float32) if weights is None else array(weights).float()
    if amounts.shape != columns[0].shape:
        shapes = f"{tuple(columns[0].shape)}, but got {tuple(amounts.shape)}"
        raise ValueError(f"'weights' must have a number for each element, {shapes}")
    if not math.prod(shape):  # a single edge, without bins
        return amounts.new_zeros(shape)
    flat = torch.zeros(columns[0].shape, dtype=torch.int64, device=columns[0].device)
    for column, axis_edges, size in zip(columns, edges, shape):
        index, inside = _bins_of(column, axis_edges)
        flat = flat * size + index
        amounts = torch.where(inside, amounts, 0)
    counts = torch.zeros(math.prod(shape), device=flat.device).index_add(0, flat, amounts).reshape(shape)
    if density:
        for axis, axis_edges in enumerate(edges):
            counts = counts / along(torch.diff(axis_edges).to(counts.dtype), len(shape), axis)
        counts = counts / torch.sum(amounts)
    return counts


@op
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Tensor:
    """The edges of the bins of `histogram`; arguments as there."""
    x = array(a)
    _weights_of(x, weights)
    return _edges(x, bins, range)


def _weights_of(x: Tensor, weights: Any) -> Tensor | None:
    """Return the weights of elements, which must have their shape, or None."""
    found = None if weights is None else array(weights)
    if found is not None and found.shape != x.shape:
        raise ValueError(f"'weights' must have the shape of 'a', {tuple(x.shape)}, but have {tuple(found.shape)}")
    return found


@op
def histogram(a: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """Count the elements in bins; return (counts, edges), the counts in float32.

    Args:
        a: an array; it is flattened.
        bins: the number of bins of equal width, or their edges, an ascending vector. Default: 10.
        range: (minimum, maximum) of the bins if `bins` is an int. Default: None, the extremes of `a`.
        weights: the weight of each element, an array in the shape of `a`. Default: None, 1.
        density: whether the histogram is normalized to an integral of 1. Default: False.

    Raises:
        NotImplementedError: `bins` is a string.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(*np.histogram([1, 2, 1], bins=[0, 1, 2, 3]))
        [0. 2. 1.] [0 1 2 3]
    """
    x = array(a)
    edges = _edges(x, bins, range)
    weights = _weights_of(x, weights)
    flat = floating(x).reshape(-1)
    return _counts([flat], [edges], None if weights is None else weights.reshape(-1), density), edges


def _columns(sample: Any) -> list[Tensor]:
    if isinstance(sample, (list, tuple)):
        columns = [array(column) for column in sample]
        if any(column.dim() != 1 or column.shape != columns[0].shape for column in columns):
            raise ValueError("'sample' must have a vector for every dimension, all of the same length")
    else:
        points = array(sample)
        if points.dim() != 2:
            raise ValueError(f"'sample' must be an array of points (N, D), but has {points.dim()} dimensions")
        columns = list(points.unbind(1))
    return [floating(column) for column in columns]


def _of_points(
    columns: list[Tensor], bins: Any, limits: Any, weights: Any, density: bool
) -> tuple[Tensor, list[Tensor]]:
    each = [bins] * len(columns) if isinstance(bins, int) else list(bins)
    if len(each) != len(columns):
        raise ValueError(f"'bins' must be an int or have an element for each of the {len(columns)} dimensions")
    ends = [None] * len(columns) if limits is None else list(limits)
    if len(ends) != len(columns):
        raise ValueError(f"'range' must have an element for each of the {len(columns)} dimensions")
    edges = [_edges(*arguments) for arguments in zip(columns, each, ends)]
    return _counts(columns, edges, weights, density), edges


@op
def histogramdd(sample: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """Count points in the cells of a grid; return (counts, list of edges).

    Args:
        sample: an array (N, D) of points, or a list of D vectors of coordinates.
        bins: the number of bins along every dimension, or a list with that number or the edges for each. Default: 10.
        range: a list with (minimum, maximum) or None for every dimension. Default: None, the extremes of the points.
        weights: the weight of each point, a vector. Default: None, 1.
        density: whether the histogram is normalized to an integral of 1. Default: False.
    """
    return _of_points(_columns(sample), bins, range, weights, density)


@op
def histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, weights: Any = None, density: bool = False) -> Any:
    """Count points in the cells of a two-dimensional grid; return (counts, edges of `x`, edges of `y`).

    Args:
        x, y: the coordinates, vectors.
        bins: the number of bins along both dimensions, their edges, or a list with one of these for each. Default: 10.
        range, weights, density: as for `histogramdd`.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.histogram2d([1, 2, 3], [4, 5, 6], 2)[0])
        [[1. 0.]
         [0. 2.]]
    """
    if not isinstance(bins, int) and len(bins) != 2:
        bins = [bins, bins]
    counts, edges = _of_points(_columns((x, y)), bins, range, weights, density)
    return counts, *edges
