"""Reductions over segments: groups of elements with the same segment number."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from torchspore.common.private_torch.error_texts import OUT_OF_RANGE, says
from torchspore.common.tensor import wrap
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import op
from torchspore.engine.parameters import Ints
from torchspore.engine.primitive import primitive
from torchspore.engine.widening import ordering, wrapping
from torchspore.ops.array.gathering import check_indices, is_checked
from torchspore.ops.array.overloads import documented

__all__ = [
    "SegmentMax", "SegmentMean", "SegmentMin", "SegmentProd", "SegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin",
    "UnsortedSegmentProd", "UnsortedSegmentSum", "sparse_segment_mean", "unsorted_segment_max", "unsorted_segment_min",
    "unsorted_segment_prod", "unsorted_segment_sum",
]  # fmt: skip


def _combined(api: str, x: Tensor, segment_ids: Tensor, num_segments: int, how: str, initial: Any) -> Tensor:
    """Reduce the elements of each segment, starting from `initial`."""
    check_indices(segment_ids, api)
    if num_segments < 1:
        raise ValueError(f"For '{api}', 'num_segments' must be positive, but got {num_segments}.")
    if segment_ids.shape != x.shape[: segment_ids.dim()]:
        raise ValueError(
            f"For '{api}', the shape of 'segment_ids' must equal the first dimensions of the tensor, but got "
            f"{tuple(segment_ids.shape)} and {tuple(x.shape)}."
        )
    rest = x.shape[segment_ids.dim() :]
    rows = x.reshape(segment_ids.numel(), math.prod(rest))
    segments = segment_ids.reshape(-1).long()
    shape = (num_segments, *rest)
    if not is_checked(segments):
        return _without_negative(rows, segments, num_segments, how, initial, api).reshape(shape)
    try:
        return _reduced(rows, segments, num_segments, how, initial).reshape(shape)
    except (IndexError, RuntimeError):  # for torch a negative number is out of range, too
        return _without_negative(rows, segments, num_segments, how, initial, api).reshape(shape)


def _without_negative(rows: Tensor, segments: Tensor, count: int, how: str, initial: Any, api: str) -> Tensor:
    """Reduce the rows of each segment; row 0 takes the rows with a negative number."""
    try:
        return _reduced(rows, (segments + 1).clamp(min=0), count + 1, how, initial)[1:]
    except (IndexError, RuntimeError) as error:
        if not says(error, OUT_OF_RANGE):
            raise
        raise ValueError(
            f"For '{api}', 'segment_ids' must be less than 'num_segments', {count}, but they go up to "
            f"{int(segments.max())}."
        ) from None


def _reduced(rows: Tensor, segments: Tensor, count: int, how: str, initial: Any) -> Tensor:
    start = rows.new_full((count, rows.shape[1]), initial)
    if how == "sum":
        return start.index_add(0, segments, rows)
    return start.scatter_reduce(0, segments.unsqueeze(1).expand_as(rows), rows, how)


@op
def unsorted_segment_sum(input_x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
    """Sum the elements of each segment.

    Args:
        input_x: a Tensor.
        segment_ids: the segment of each element or slice, a Tensor of ints whose shape equals the first dimensions
            of `input_x`; negative ones are ignored.
        num_segments: the number of segments.

    Returns:
        A Tensor of shape `(num_segments,) + input_x.shape[segment_ids.ndim:]`; empty segments are 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.unsorted_segment_sum(ms.Tensor([1, 2, 3]), ms.Tensor([0, 1, 0]), 2))
        [4 2]
    """
    return _combined("unsorted_segment_sum", input_x, segment_ids, num_segments, "sum", 0)


def _reducing(name: str, how: str, trait: Callable[..., Any], what: str, empty: str, initial: Any) -> Any:
    """Make the operation that reduces segments by torch's reduction `how`."""

    def body(x: Tensor, segment_ids: Tensor, num_segments: int) -> Tensor:
        return _combined(name, x, segment_ids, num_segments, how, initial(x.dtype))

    doc = f"The {what} of each segment, {empty} for empty ones; arguments as for `unsorted_segment_sum`."
    return op(documented(body, name, doc), method=name, trait=trait)


def _limits(dtype: torch.dtype) -> Any:
    return torch.finfo(dtype) if dtype.is_floating_point else torch.iinfo(dtype)


unsorted_segment_max = _reducing(
    "unsorted_segment_max", "amax", ordering, "maximum", "the minimum of the dtype", lambda t: _limits(t).min
)
unsorted_segment_min = _reducing(
    "unsorted_segment_min", "amin", ordering, "minimum", "the maximum of the dtype", lambda t: _limits(t).max
)
unsorted_segment_prod = _reducing("unsorted_segment_prod", "prod", wrapping, "product", "1", lambda t: 1)


# Segments in ascending order


def _sorted_segments(api: str, x: Tensor, segment_ids: Tensor) -> int:
    """Return the number of segments."""
    check_indices(segment_ids, api)
    if segment_ids.dim() != 1 or x.dim() < 1 or segment_ids.shape[0] != x.shape[0]:
        raise ValueError(
            f"For '{api}', 'segment_ids' must have a number for each slice of dimension 0, but got shapes "
            f"{tuple(segment_ids.shape)} and {tuple(x.shape)}."
        )
    if wrap((segment_ids.diff() < 0).any() | (segment_ids < 0).any()):  # wrapped: a condition of captured graphs
        raise ValueError(f"For '{api}', 'segment_ids' must be in ascending order, beginning with 0 or more.")
    return int(wrap(segment_ids[-1])) + 1


def _mean_of_segments(x: Tensor, segment_ids: Tensor, count: int) -> Tensor:
    total = x.new_zeros(count, *x.shape[1:]).index_add(0, segment_ids, x)
    sizes = x.new_zeros(count).index_add(0, segment_ids, torch.ones_like(segment_ids, dtype=x.dtype))
    mean = total / sizes.clamp(min=1).reshape(-1, *[1] * (x.dim() - 1))
    return mean.to(x.dtype)


def _of_sorted(name: str, how: str, what: str, empty: int) -> Any:
    """Make the primitive that reduces segments of slices by torch's reduction `how`."""

    def body(input_x: Tensor, segment_ids: Tensor) -> Tensor:
        count = _sorted_segments(name, input_x, segment_ids)
        segments = segment_ids.long()
        if how == "mean":
            return _mean_of_segments(input_x, segments, count)
        start = input_x.new_full((count, *input_x.shape[1:]), empty)
        index = segments.reshape(-1, *[1] * (input_x.dim() - 1)).expand_as(input_x)
        return start.scatter_reduce(0, index, input_x, how, include_self=False)

    doc = f"The {what} of each segment of slices, with ascending segment numbers; {empty} for empty segments."
    return primitive(name, op(documented(body, name, doc)))


@op
def sparse_segment_mean(x: Tensor, indices: Ints, segment_ids: Tensor) -> Tensor:
    """The mean of segments of selected slices.

    Args:
        x: a Tensor with at least one dimension.
        indices: the indices of the slices along dimension 0, a Tensor of ints of one dimension.
        segment_ids: the segment of each, ascending, a Tensor of the same shape.

    Returns:
        A Tensor of shape (segments, x.shape[1:]); empty segments are 0.

    Raises:
        ValueError: the segments do not ascend.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        >>> print(ms.ops.sparse_segment_mean(x, ms.Tensor([0, 2]), ms.Tensor([0, 0])))
        [[3. 4.]]
    """
    slices = x[indices.long()]
    return _mean_of_segments(slices, segment_ids.long(), _sorted_segments("sparse_segment_mean", slices, segment_ids))


SegmentMax = _of_sorted("SegmentMax", "amax", "maximum", 0)
SegmentMin = _of_sorted("SegmentMin", "amin", "minimum", 0)
SegmentMean = _of_sorted("SegmentMean", "mean", "mean", 0)
SegmentProd = _of_sorted("SegmentProd", "prod", "product", 1)
SegmentSum = _of_sorted("SegmentSum", "sum", "sum", 0)
UnsortedSegmentSum = primitive("UnsortedSegmentSum", unsorted_segment_sum)
UnsortedSegmentMax = primitive("UnsortedSegmentMax", unsorted_segment_max)
UnsortedSegmentMin = primitive("UnsortedSegmentMin", unsorted_segment_min)
UnsortedSegmentProd = primitive("UnsortedSegmentProd", unsorted_segment_prod)
rules.cut_by(rules.segments, UnsortedSegmentMax, UnsortedSegmentMin, UnsortedSegmentProd, UnsortedSegmentSum)
