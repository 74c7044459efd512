"""Operations that MindSpore fuses from others for Ascend cards, here made of these others."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.errors import describe
from torchspore.engine.op import op
from torchspore.ops.normalization import rms_norm

__all__ = [
    "add_layer_norm", "add_rms_norm", "moe_init_routing_v2", "moe_token_permute", "moe_token_unpermute",
    "rotary_position_embedding",
]  # fmt: skip


@op
def add_rms_norm(x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float = 1e-6) -> tuple[Tensor, Tensor, Tensor]:
    """`rms_norm` of a sum.

    Args:
        x1: a Tensor of a floating point type.
        x2: a Tensor of the same shape and dtype.
        gamma: the scale, of the shape of the last dimensions.
        epsilon: what is added to the mean square. Default: 1e-6.

    Returns:
        The result, the reciprocal of the root mean square, and the sum.
    """
    total = x1 + x2
    y, rstd = rms_norm.body(total, gamma, epsilon)
    return y, rstd, total


@op
def add_layer_norm(
    x1: Tensor, x2: Tensor, gamma: Tensor, beta: Tensor, epsilon: float = 1e-05, additional_output: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Layer normalization of a sum over its last dimension.

    Args:
        x1: a Tensor of a floating point type.
        x2: a Tensor of the same shape and dtype.
        gamma: the scale, of the size of the last dimension.
        beta: the shift, likewise.
        epsilon: what is added to the variance. Default: 1e-05.
        additional_output: accepted as MindSpore's: the sum is returned in either case. Default: False.

    Returns:
        The result, the mean, the reciprocal of the standard deviation, and the sum.
    """
    total = x1 + x2
    variance, mean = torch.var_mean(total.float(), -1, correction=0, keepdim=True)
    rstd = torch.rsqrt(variance + epsilon)
    y = ((total - mean) * rstd * gamma + beta).to(x1.dtype)
    return y, mean, rstd, total


@op
def rotary_position_embedding(x: Tensor, cos: Tensor, sin: Tensor, mode: int = 0) -> Tensor:
    """Turn pairs of elements of the last dimension by angles.

    Args:
        x: a Tensor with an even size of the last dimension.
        cos: the cosines of the angles, which are broadcast to `x`.
        sin: their sines, likewise.
        mode: which elements are pairs: 0: the first half with the second; 1: neighbours. Default: 0.

    Returns:
        A Tensor of the shape of `x`.

    Raises:
        ValueError: another mode, or an odd size.
    """
    if mode not in (0, 1) or x.shape[-1] % 2:
        raise ValueError(
            f"For 'rotary_position_embedding', 'mode' must be 0 or 1 and the last size even, but got {mode} and "
            f"{describe(x)}."
        )
    if mode == 0:
        first, second = x.chunk(2, -1)
        turned = torch.cat([-second, first], -1)
    else:
        turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * cos + turned * sin


@op
def moe_token_permute(
    tokens: Tensor, indices: Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Put the tokens that go to one expert together, in the order of the experts.

    Args:
        tokens: a Tensor of shape (tokens, size).
        indices: the experts of each token, a Tensor of ints of shape (tokens,) or (tokens, k).
        num_out_tokens: how many to keep, >= 0. Default: None: all.
        padded_mode: False.

    Returns:
        The tokens, each k times, and an int32 Tensor that says where in them each one is.

    Raises:
        ValueError: `padded_mode` is True, `num_out_tokens` negative, or the shapes do not fit.
    """
    if padded_mode or (num_out_tokens is not None and num_out_tokens < 0):
        raise ValueError(
            f"For 'moe_token_permute', 'padded_mode' must be False, and 'num_out_tokens' >= 0: {num_out_tokens}."
        )
    if tokens.dim() != 2 or indices.dim() not in (1, 2) or indices.shape[0] != tokens.shape[0]:
        raise ValueError(
            f"For 'moe_token_permute', there must be experts for each token, but got {describe([tokens, indices])}."
        )
    each = indices.numel() // max(tokens.shape[0], 1)
    order = indices.reshape(-1).argsort(stable=True)
    return tokens[order[:num_out_tokens] // each], order.argsort().to(torch.int32)


@op
def moe_token_unpermute(
    permuted_tokens: Tensor,
    sorted_indices: Tensor,
    probs: Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: int | tuple[int, ...] | None = None,
) -> Tensor:
    """Put tokens back to their places, and add up those of one token, weighted; the inverse of `moe_token_permute`.

    Args:
        permuted_tokens: a Tensor of shape (tokens * k, size).
        sorted_indices: where in them each token is, a Tensor of ints of shape (tokens * k,).
        probs: the weights, a Tensor of shape (tokens, k). Default: None: k is 1, and there are none.
        padded_mode: False.
        restore_shape: None; it is for `padded_mode`.

    Returns:
        A Tensor of shape (tokens, size).

    Raises:
        ValueError: `padded_mode` is True or `restore_shape` given.
    """
    if padded_mode or restore_shape is not None:
        raise ValueError("For 'moe_token_unpermute', 'padded_mode' must be False, and 'restore_shape' None.")
    tokens = permuted_tokens[sorted_indices.long()]
    if probs is None:
        return tokens
    weighted = tokens.reshape(*probs.shape, -1) * probs.unsqueeze(-1)
    return weighted.sum(1).to(permuted_tokens.dtype)


@op
def moe_init_routing_v2(
    x: Tensor,
    expert_idx: Tensor,
    active_num: int,
    expert_capacity: int,
    expert_num: int,
    drop_pad_mode: int,
    expert_tokens_count_or_cumsum_flag: int,
    expert_tokens_before_capacity_flag: bool,
) -> Any:
    """Put the tokens in the order of the experts that they go to, or in a block for each expert.

    Args:
        x: the tokens, a Tensor of shape (tokens, size).
        expert_idx: the experts of each token, a Tensor of ints in [0, expert_num) of shape (tokens, k).
        active_num: how many to keep without blocks; 0 is all.
        expert_capacity: how many tokens a block has.
        expert_num: the number of experts.
        drop_pad_mode: 0: one after the other; 1: in blocks, which are filled with zeros, and tokens beyond the capacity
            are left out.
        expert_tokens_count_or_cumsum_flag: what to return without blocks: 0: nothing more; 1: where each expert's
            tokens end; 2: how many they are.
        expert_tokens_before_capacity_flag: whether to return, with blocks, how many tokens each expert had been given.

    Returns:
        (rows, places), and what a flag asks for. `rows` is of shape (tokens * k, size) or (active_num, size), and with
        blocks (expert_num, expert_capacity, size). `places`, an int32 Tensor of shape (tokens * k,), says where in them
        each token's copies are: -1 for those left out of blocks.

    Raises:
        TypeError: an argument is of a wrong type.
        ValueError: the shapes do not fit, or an argument is out of its range.

    Examples:
        >>> import torchspore as ms
        >>> tokens, experts = ms.Tensor([[1.0], [2.0], [3.0]]), ms.Tensor([[1], [0], [1]], ms.int32)
        >>> print(*ms.ops.moe_init_routing_v2(tokens, experts, 0, 0, 2, 0, 2, False), sep="\\n")
        [[2.]
         [1.]
         [3.]]
        [1 0 2]
        [1 2]
    """
    if x.dim() != 2 or expert_idx.dim() != 2 or x.shape[0] != expert_idx.shape[0]:
        raise ValueError("'x' and 'expert_idx' must be of shapes (tokens, size) and (tokens, k)")
    if drop_pad_mode not in (0, 1) or expert_tokens_count_or_cumsum_flag not in (0, 1, 2):
        raise ValueError("'drop_pad_mode' must be 0 or 1, and 'expert_tokens_count_or_cumsum_flag' 0, 1 or 2")
    each, experts = expert_idx.shape[1], expert_idx.reshape(-1).long()
    order = experts.argsort(stable=True)
    place = order.argsort()
    counts = torch.zeros(expert_num, dtype=torch.int64, device=x.device).scatter_add_(
        0, experts, torch.ones_like(experts)
    )
    if drop_pad_mode == 0:
        results = [x[(order[:active_num] if active_num else order) // each], place.to(torch.int32)]
        if expert_tokens_count_or_cumsum_flag:
            wanted = counts if expert_tokens_count_or_cumsum_flag == 2 else counts.cumsum(0)
            results.append(wanted.to(torch.int32))
        return tuple(results)
    within = place - (counts.cumsum(0) - counts)[experts]
    kept, spare = within < expert_capacity, expert_num * expert_capacity
    slot = torch.where(kept, experts * expert_capacity + within, spare)  # the spare row takes what is left out
    rows = x.new_zeros(spare + 1, x.shape[1]).index_add(0, slot, x.repeat_interleave(each, 0))
    results = [rows[:-1].reshape(expert_num, expert_capacity, -1), slot.masked_fill(~kept, -1).to(torch.int32)]
    return (*results, counts.to(torch.int32)) if expert_tokens_before_capacity_flag else tuple(results)
