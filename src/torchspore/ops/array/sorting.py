"""Sorting, searching, and unique values."""

from __future__ import annotations

from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.common.conversion import as_torch
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.private_torch.error_texts import NEGATIVE_COUNTED, says
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Operand, op
from torchspore.engine.parameters import Dimensions, NotNegative
from torchspore.engine.primitive import Primitive, primitive
from torchspore.engine.widening import ordering
from torchspore.ops.array.gathering import check_indices

__all__ = [
    "SearchSorted", "Sort", "TopK", "Unique", "UniqueConsecutive", "UniqueWithPad", "argsort", "bincount", "bucketize",
    "histc", "msort", "searchsorted", "sort", "top_k", "topk", "unique", "unique_consecutive", "unique_with_pad",
]  # fmt: skip


@op
def sort(input_x: Tensor, axis: int = -1, descending: bool = False) -> tuple[Tensor, Tensor]:
    """Stable sort along one dimension.

    Args:
        input_x: a Tensor.
        axis: the dimension. Default: -1.
        descending: whether to sort in descending order. Default: False.

    Returns:
        The sorted Tensor, and an int32 Tensor of the original indices of its elements.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.sort(ms.Tensor([3, 1, 2])))
        [1 2 3] [1 2 0]
    """
    values, indices = input_x.sort(stable=True, dim=axis, descending=descending)
    return values, indices.int()


@op(method="sort")
def _sort(
    self: Tensor, axis: int = -1, descending: bool = False, stable: bool = True, *, dim: int | None = None
) -> tuple[Tensor, Tensor]:
    """Sort along dimension `axis` (or `dim`); see `ops.sort`. The sort is always stable."""
    return sort.body(self, axis if dim is None else dim, descending)


@op
def argsort(input: Tensor, axis: int = -1, descending: bool = False) -> Tensor:
    """Return the indices that sort along one dimension, as int32; see `sort`."""
    return sort.body(input, axis, descending)[1]


@op(method="argsort")
def _argsort(
    self: Tensor, axis: int = -1, descending: bool = False, stable: bool = True, *, dim: int | None = None
) -> Tensor:
    """Return the indices that sort along dimension `axis` (or `dim`); the sort is always stable."""
    return sort.body(self, axis if dim is None else dim, descending)[1]


@op(method="msort")
def msort(input: Tensor) -> Tensor:
    """Sort along dimension 0."""
    return input.msort()


@op(method="topk", trait=ordering)
def topk(
    input: Tensor, k: int, dim: int | None = None, largest: bool = True, sorted: bool = True
) -> tuple[Tensor, Tensor]:
    """Return the `k` largest or smallest elements along one dimension.

    Args:
        input: a Tensor.
        k: the number of elements.
        dim: the dimension. Default: None, the last.
        largest: whether to return the largest, else the smallest. Default: True.
        sorted: whether to sort them. Default: True.

    Returns:
        A Tensor of the elements, and an int32 Tensor of their indices.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.topk(ms.Tensor([3, 1, 2]), 2))
        [3 2] [0 2]
    """
    values, indices = input.topk(k, -1 if dim is None else dim, largest, sorted)
    return values, indices.int()


@op(method="top_k")
def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """Return the `k` largest elements along the last dimension and their indices; see `topk`."""
    return topk.body(input_x, k, sorted=sorted)


def _search(sequence: Tensor, values: Any, out_int32: bool, right: bool, side: str | None, sorter: Any) -> Tensor:
    if side not in (None, "left", "right") or (side == "left" and right):
        raise ValueError(
            f"For 'searchsorted', 'side' must be None, 'left' or 'right' and must not contradict 'right', but got "
            f"{side!r} and right={right}."
        )
    return torch.searchsorted(sequence, values, out_int32=out_int32, right=right, side=side, sorter=sorter)


@op
def searchsorted(
    sorted_sequence: Tensor,
    values: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Find the indices where values can be inserted into a sorted sequence.

    Args:
        sorted_sequence: a Tensor, ascending along its last dimension.
        values: a Tensor; its dimensions before the last match the sequence's, if that has more than one.
        out_int32: whether to return int32 instead of int64. Default: False.
        right: whether to insert after equal elements, instead of before them. Default: False.
        side: "right" or "left", an alternative to `right`. Default: None.
        sorter: an int64 Tensor of the indices that sort an unsorted `sorted_sequence`. Default: None.

    Raises:
        ValueError: `side` contradicts `right`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.searchsorted(ms.Tensor([1, 3, 5]), ms.Tensor([2, 3, 9])))
        [1 1 3]
    """
    return _search(sorted_sequence, values, out_int32, right, side, sorter)


@op(method="searchsorted")
def _searchsorted(self: Tensor, v: Operand, side: str = "left", sorter: Tensor | None = None) -> Tensor:
    """Find the int32 indices where the values `v` can be inserted into this sorted tensor; see `ops.searchsorted`."""
    return _search(self, v, True, False, side, sorter)


@op
def bucketize(input: Tensor, boundaries: Any, *, right: bool = False) -> Tensor:
    """Find the bucket of each element.

    Args:
        input: a Tensor.
        boundaries: the boundaries of the buckets, ascending: a list or a Tensor of one dimension; or for each row of
            `input` a row of boundaries, a nested list or a Tensor with its shape before the last dimension.
        right: whether a boundary belongs to the bucket above it, instead of that below. Default: False.

    Returns:
        An int32 Tensor of the shape of `input`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.bucketize(ms.Tensor([1.0, 2.0, 3.0]), [2, 4]))
        [0 0 1]
    """
    if isinstance(boundaries, _Tensor):
        edges = boundaries._t
    elif isinstance(boundaries, (list, tuple)):
        edges = as_torch(boundaries, None, input.device)
    else:
        raise TypeError("'boundaries' must be a list of numbers")
    if edges.dim() > 1 and edges.shape[:-1] != input.shape[:-1]:
        raise ValueError(
            "'boundaries' must have one dimension, or the shape of 'input' before the last one, but got shapes "
            f"{tuple(edges.shape)} and {tuple(input.shape)}"
        )
    edges = edges.to(torch.promote_types(edges.dtype, input.dtype))
    return torch.searchsorted(edges, input.to(edges.dtype).contiguous(), out_int32=True, right=right)


# Unique values


@op
def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """Return the unique elements, in the order of their first occurrence.

    Args:
        input: a Tensor, which is flattened.

    Returns:
        A Tensor of one dimension, and for each element of `input` its index in it: int64 if `input` is, else int32.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.unique(ms.Tensor([3, 1, 3])))
        [3 1] [0 1 0]
    """
    values, inverse = input.reshape(-1).unique(return_inverse=True)
    positions = torch.arange(inverse.numel(), device=input.device)
    first = torch.full_like(values, inverse.numel(), dtype=torch.int64).scatter_reduce(0, inverse, positions, "amin")
    order = first.argsort()
    inverse = order.argsort()[inverse].reshape(input.shape)
    return values[order], inverse if input.dtype is torch.int64 else inverse.int()


@op(method="unique")
def _unique(
    self: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the unique elements in ascending order.

    Args:
        sorted: accepted for compatibility; they are always sorted. Default: True.
        return_inverse: whether to also return the index of each element among them. Default: False.
        return_counts: whether to also return their counts. Default: False.
        dim: the dimension whose slices are compared. Default: None, single elements.

    Returns:
        A Tensor, or a tuple.
    """
    return torch.unique(self, sorted=sorted, return_inverse=return_inverse, return_counts=return_counts, dim=dim)


@op(method="unique_consecutive")
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Return the elements without consecutive duplicates; arguments and results as for the method `unique`."""
    return torch.unique_consecutive(input, return_inverse=return_inverse, return_counts=return_counts, dim=dim)


@op
def unique_with_pad(x: Annotated[Tensor, Dimensions(1)], pad_num: Operand) -> tuple[Tensor, Tensor]:
    """`unique`, with the unique elements padded to the length of `x`."""
    values, inverse = unique.body(x)
    if isinstance(pad_num, Tensor) and pad_num.numel() == 1:
        pad_num = pad_num.reshape(())
    result = x.new_empty(x.shape).fill_(pad_num)
    result[: values.numel()] = values
    return result, inverse


def _integers_among(input: Tensor, weights: Tensor | None, minlength: int) -> tuple[Tensor, Tensor | None, int]:
    counted = input == input.trunc() if input.is_floating_point() else torch.ones_like(input)
    if not counted.all():
        warn_user("For 'bincount', elements that are not ints are not counted.")
        minlength = max(minlength, int(input[input.isfinite()].max()) + 1)
    return input[counted].long(), None if weights is None else weights[counted], minlength


@op(method="bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: NotNegative = 0) -> Tensor:
    """Count the occurrences of each int from 0.

    Args:
        input: a Tensor of one dimension; negative elements and those that are not ints are not counted, with a warning.
        weights: the weight of each element, a Tensor of the same shape. Default: None, 1.
        minlength: the minimum length of the result. Default: 0.

    Returns:
        A float32 Tensor of one dimension.
    """
    if input.is_complex() or input.dim() != 1:
        check_indices(input, "bincount")
    if input.dim() != 1 or (weights is not None and weights.shape != input.shape):
        raise ValueError("'input' must have one dimension, and 'weights' the same shape")
    if input.is_floating_point() or input.dtype is torch.bool:
        input, weights, minlength = _integers_among(input, weights, minlength)
    try:
        counts = torch.bincount(input, weights, minlength)
    except RuntimeError as error:
        if not says(error, NEGATIVE_COUNTED):
            raise
        warn_user(f"For 'bincount', negative elements are not counted, but the minimum is {int(input.min())}.")
        counted = input >= 0
        counts = torch.bincount(input[counted], None if weights is None else weights[counted], minlength)
    return counts.to(torch.float32)


@op(method="histc")
def histc(input: Tensor, bins: int = 100, min: Operand = 0.0, max: Operand = 0.0) -> Tensor:
    """Count the elements in bins of equal width.

    Args:
        input: a Tensor.
        bins: the number of bins. Default: 100.
        min, max: the limits; elements out of range are not counted. Default: 0; both 0 is the range of the elements.

    Returns:
        A Tensor of one dimension in the data type of `input`; of float16, in float32.
    """
    if bins < 1 or min > max:
        raise ValueError("'bins' must be positive and 'min' <= 'max'")
    values = input.detach() if input.dtype is torch.float64 else input.detach().float()
    counts = torch.histc(values, bins, min, max)
    return counts.float() if input.dtype is torch.float16 else counts.to(input.dtype)


Sort = primitive("Sort", sort, axis=-1, descending=False)
TopK = primitive("TopK", top_k, sorted=True)
Unique = primitive("Unique", unique)


@op(name="UniqueConsecutive")
def _unique_consecutive_in_three(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """As `unique_consecutive`, always with three results: those that are not wanted are 0."""
    results = unique_consecutive.body(input, return_inverse, return_counts, dim)
    found = list(results) if isinstance(results, tuple) else [results]
    absent = input.new_zeros((), dtype=torch.int64)
    inverse = found.pop(1) if return_inverse else absent
    return found[0], inverse, found[1] if return_counts else absent


UniqueConsecutive = primitive(
    "UniqueConsecutive", _unique_consecutive_in_three, return_inverse=False, return_counts=False, dim=None
)
UniqueWithPad = primitive("UniqueWithPad", unique_with_pad)


class SearchSorted(Primitive):
    """`ops.searchsorted` with fixed attributes.

    Args:
        dtype: the data type of the indices, int32 or int64. Default: int64.
        right: whether to insert after equal elements. Default: False.
    """

    def __init__(self, dtype: mstype.Type = mstype.int64, right: bool = False) -> None:
        super().__init__()
        if dtype not in (mstype.int32, mstype.int64):
            raise ValueError("'dtype' must be int32 or int64")
        self.dtype = dtype
        self.right = right

    def __call__(self, sorted_sequence: _Tensor, values: _Tensor, sorter: _Tensor | None = None) -> _Tensor:
        """Return the indices."""
        is_narrow = self.dtype is mstype.int32
        return searchsorted(sorted_sequence, values, out_int32=is_narrow, right=self.right, sorter=sorter)


rules.cut_by(rules.along_axis, Sort)
rules.cut_by(rules.last_whole, TopK)
