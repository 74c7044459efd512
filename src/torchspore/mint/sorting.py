"""Sorting, searching, and counting unique values, with torch's signatures."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.widening import ordering

__all__ = ["argsort", "bincount", "sort", "topk", "unique"]


@op
def sort(input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Tensor, Tensor]:
    """Sort along `dim`, and return the values and their int64 indices in `input`.

    Args:
        input: a Tensor.
        dim: the dimension. Default: -1.
        descending: whether to sort in descending order. Default: False.
        stable: whether equal elements must keep their order. Default: False.
    """
    return torch.sort(input, dim=dim, descending=descending, stable=stable)


@op
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Return the indices that sort along one dimension, as int64; arguments as for `sort`."""
    return torch.argsort(input, dim=dim, descending=descending, stable=stable)


@op(trait=ordering)
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """Return the `k` largest or smallest elements along `dim`, and their int64 indices.

    Args:
        input: a Tensor.
        k: the number of elements.
        dim: the dimension. Default: -1.
        largest: whether to return the largest, else the smallest. Default: True.
        sorted: whether they must be in order. Default: True.
    """
    return torch.topk(input, k, dim, largest, sorted)


@op
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the unique elements, or a tuple of them and what else is asked for.

    Args:
        input: a Tensor.
        sorted: whether they must be in ascending order. Default: True.
        return_inverse: whether to return the index of every element among them too. Default: False.
        return_counts: whether to return their counts too. Default: False.
        dim: compare whole slices of this dimension. Default: None, single elements.
    """
    return torch.unique(input, sorted, return_inverse, return_counts, dim)


@op
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count the occurrences of each of the integers from 0 on.

    Args:
        input: a Tensor of ints >= 0, of one dimension.
        weights: the weights of the elements, a Tensor of the same shape. Default: None, 1.
        minlength: the minimum length of the result. Default: 0.

    Returns:
        A Tensor of one dimension: int64; with weights of float32 that, with others float64.
    """
    return torch.bincount(input, weights, minlength)
