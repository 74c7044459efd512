"""Attention combined from parts of the keys, and deformable attention to points of feature maps."""

from __future__ import annotations

from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from torchspore.engine.op import op

__all__ = ["multi_scale_deformable_attn_function", "ring_attention_update"]


@op
def ring_attention_update(
    prev_attn_out: Tensor, prev_softmax_max: Tensor, prev_softmax_sum: Tensor, cur_attn_out: Tensor,
    cur_softmax_max: Tensor, cur_softmax_sum: Tensor, actual_seq_qlen: Any = None,
    layout: Literal["SBH", "TND"] = "SBH",
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    """Combine the attention to two parts of the keys into the attention to all.

    Args:
        prev_attn_out: the attention to the first part, of shape (S, B, H), where H is the number of heads N times their
            size D; or (T, N, D) in the layout "TND".
        prev_softmax_max: the maximum score of each query, of float32 and shape (B, N, S, 8) or (T, N, 8): the same
            number eight times.
        prev_softmax_sum: the sum of the exponentials of the scores minus the maximum, likewise.
        cur_attn_out, cur_softmax_max, cur_softmax_sum: the same for the second part.
        actual_seq_qlen: without effect. Default: None.
        layout: "SBH" or "TND". Default: "SBH".

    Returns the attention to both parts, and their maximum scores and sums.
    Raises ValueError if the shapes do not fit, or for another layout.

    Examples:
        >>> import torchspore as ms
        >>> first, second = ms.Tensor([[[1.0, 1.0]]]), ms.Tensor([[[3.0, 3.0]]])
        >>> zeros, ones = ms.ops.zeros((1, 1, 1, 8)), ms.ops.ones((1, 1, 1, 8))
        >>> print(ms.ops.ring_attention_update(first, zeros, ones, second, zeros, ones)[0])
        [[[2. 2.]]]
    """
    maximum = torch.maximum(prev_softmax_max, cur_softmax_max)
    sums = [
        part * torch.exp(peak - maximum)
        for part, peak in ((prev_softmax_sum, prev_softmax_max), (cur_softmax_sum, cur_softmax_max))
    ]
    total = sums[0] + sums[1]
    result: Any = 0
    for attention, part in zip((prev_attn_out, cur_attn_out), sums):
        share = (part / total)[..., :1]
        if layout == "SBH":  # a head's share, for all its elements
            by_head = share.permute(2, 0, 1, 3)
            result = result + (attention.unflatten(2, (by_head.shape[2], -1)) * by_head).flatten(2)
        else:
            result = result + attention * share
    return result.to(prev_attn_out.dtype), maximum, total


@op
def multi_scale_deformable_attn_function(
    value: Tensor, shape: Tensor, offset: Tensor, locations: Tensor, weight: Tensor
) -> Tensor:
    """Sum up the values of feature maps at given points, interpolated and weighted.

    Args:
        value: the maps in sequence, each row by row: of shape (B, elements of all maps, heads, D).
        shape: the height and width of each map, a Tensor of ints of shape (levels, 2).
        offset: the start of each map in `value`, a Tensor of ints of shape (levels,).
        locations: the points (x, y), from 0 to 1 across each map: of shape (B, queries, heads, levels, points, 2).
        weight: the weight of each point, of shape (B, queries, heads, levels, points).

    Returns a Tensor of shape (B, queries, heads * D).
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> maps = ms.Tensor([1.0, 2.0, 3.0, 4.0]).reshape((1, 4, 1, 1))  # one map of 2 rows and 2 columns
        >>> middle, weight = ms.ops.ones((1, 1, 1, 1, 1, 2)) / 2, ms.ops.ones((1, 1, 1, 1, 1))
        >>> sizes, start = ms.Tensor([[2, 2]]), ms.Tensor([0])
        >>> print(ms.ops.multi_scale_deformable_attn_function(maps, sizes, start, middle, weight))
        [[[2.5]]]
    """
    queries = locations.shape[1]
    result: Any = 0
    for level, (begin, (height, width)) in enumerate(zip(offset.tolist(), shape.tolist())):
        part = value[:, begin : begin + height * width].permute(0, 2, 3, 1)  # (B, heads, D, elements)
        points = 2 * locations[:, :, :, level].transpose(1, 2) - 1  # (B, heads, queries, points, 2)
        found = F.grid_sample(
            part.unflatten(3, (height, width)).flatten(0, 1), points.flatten(0, 1), align_corners=False
        )
        weights = weight[:, :, :, level].transpose(1, 2).flatten(0, 1).unsqueeze(1)
        result = result + (found * weights).sum(-1)  # (B * heads, D, queries)
    return result.reshape(value.shape[0], -1, queries).transpose(1, 2)
