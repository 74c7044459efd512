"""Indices of classes and rows: mapped to groups, filtered, and masked against repetition."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import Operand
from torchspore.engine.primitive import as_primitive

__all__ = ["MapUniform", "NoRepeatNGram", "SubAndFilter"]


@as_primitive
def NoRepeatNGram(state_seq: Tensor, log_probs: Tensor, *, ngram_size: int = 1) -> Tensor:
    """Mask the words that would repeat a sequence of words (n-gram).

    Args:
        state_seq: the words so far, a Tensor of ints of shape (N, beams, words).
        log_probs: the scores of the next word, a floating-point Tensor of shape (N, beams, vocabulary).
        ngram_size: the length of a sequence. Default: 1.

    Returns the scores, with the minimum of the dtype for words that would complete a sequence that occurred before.
    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

    Examples:
        >>> import torchspore as ms
        >>> scores = ms.ops.NoRepeatNGram(2)(ms.Tensor([[[1, 2, 1]]], ms.int32), ms.ops.ones((1, 1, 4)))
        >>> print(scores > 0)
        [[[ True  True False  True]]]
    """
    if state_seq.dim() != 3 or state_seq.shape[:2] != log_probs.shape[:2] or not 1 <= ngram_size <= state_seq.shape[2]:
        raise ValueError(
            "'state_seq' and 'log_probs' must be of shapes (N, beams, words) and (N, beams, vocabulary) and "
            "'ngram_size' in [1, words]"
        )
    groups = state_seq.unfold(2, ngram_size, 1)
    recent = state_seq[..., state_seq.shape[2] - ngram_size + 1 :]
    repeats = (groups[..., :-1] == recent.unsqueeze(2)).all(-1)
    hits = torch.zeros(log_probs.shape, dtype=torch.int32, device=log_probs.device)
    hits = hits.scatter_add(2, groups[..., -1].long(), repeats.to(torch.int32))
    return log_probs.masked_fill(hits > 0, torch.finfo(log_probs.dtype).min)


@as_primitive
def SubAndFilter(input_x: Tensor, max_num: Operand, offset: Operand) -> Any:
    """Subtract `offset` and keep the results in [0, max_num).

    Args:
        input_x: a Tensor of ints.
        max_num: the upper bound of the results, an int or a Tensor of one.
        offset: the smallest number to keep, likewise.

    Returns (results, indices): the results, and their positions in `input_x`.

    Examples:
        >>> import torchspore as ms
        >>> print(*ms.ops.SubAndFilter()(ms.Tensor([1, 3, 5, 8]), 4, 3))
        [0 2] [1 2]
    """
    shifted = input_x - offset
    kept = ((shifted >= 0) & (shifted < max_num)).nonzero().squeeze(1)
    return shifted[kept].to(input_x.dtype), kept.to(input_x.dtype)


@as_primitive
def MapUniform(input: Tensor, per_group_size: Operand, group_num: Operand) -> Tensor:
    """Distribute numbers over groups: `input % group_num * per_group_size + input // group_num`.

    Args:
        input: a Tensor of ints.
        per_group_size: the size of a group, an int or a Tensor of one.
        group_num: the number of groups, likewise.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.MapUniform()(ms.Tensor([0, 1, 2, 3]), 2, 2))
        [0 2 1 3]
    """
    return input % group_num * per_group_size + torch.div(input, group_num, rounding_mode="floor")
