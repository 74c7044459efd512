"""Sorting, searching, and counting distinct values, with torch's signatures."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import op

__all__ = ["argsort", "bincount", "sort", "topk", "unique"]


@op
def sort(input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Tensor, Tensor]:
    """Sort along one dimension.

    Args:
        input: a Tensor.
        dim: the dimension. Default: -1.
        descending: whether the greatest comes first. Default: False.
        stable: whether equal elements must keep their order. Default: False.

    Returns:
        The sorted Tensor, and an int64 Tensor of the places that its elements had.
    """
    values, places = torch.sort(input, dim=dim, descending=descending, stable=stable)
    return values, places


@op
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the indices that sort along one dimension, as int64; arguments as for `sort`."""
    return torch.argsort(input, dim=dim, descending=descending, stable=stable)


@op
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """Return the `k` greatest or least elements along one dimension.

    Args:
        input: a Tensor.
        k: how many.
        dim: the dimension. Default: -1.
        largest: whether the greatest, else the least. Default: True.
        sorted: whether they must be in order. Default: True.

    Returns:
        A Tensor of the elements, and an int64 Tensor of their places.
    """
    values, places = torch.topk(input, k, dim, largest, sorted)
    return values, places


@op
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the distinct elements.

    Args:
        input: a Tensor.
        sorted: whether they must be in ascending order. Default: True.
        return_inverse: whether to return, too, which of them every element is. Default: False.
        return_counts: whether to return, too, how often each appears. Default: False.
        dim: compare whole slices of this dimension. Default: None, single elements.

    Returns:
        A Tensor, or a tuple of what is asked for.
    """
    return torch.unique(input, sorted, return_inverse, return_counts, dim)


@op
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count how often each of the ints from 0 on appears.

    Args:
        input: a Tensor of ints >= 0, of one dimension.
        weights: what every element counts, a Tensor of the same shape. Default: None, 1.
        minlength: the least length of the result. Default: 0.

    Returns:
        A Tensor of one dimension: int64; with weights of float32 that, with others float64.
    """
    return torch.bincount(input, weights, minlength)
