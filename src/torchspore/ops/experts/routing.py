"""Mixtures of experts: which experts a token goes to, and how tokens get to their experts and back."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.engine.errors import describe
from torchspore.engine.op import op
from torchspore.engine.primitive import Primitive
from torchspore.ops.array.assignment import update

__all__ = ["GroupTopk", "moe_init_routing_v2", "moe_token_permute", "moe_token_unpermute"]


def places(experts: Tensor, expert_num: int) -> tuple[Tensor, Tensor]:
    """Return how many choices before each are of the same expert, and how many are of each expert.

    Args:
        experts: the choices, int64 in [0, expert_num), in rows along the last dimension.
        expert_num: the number of experts.
    """
    zeros = torch.zeros(*experts.shape[:-1], expert_num, dtype=torch.int64, device=experts.device)
    counts = zeros.scatter_add(-1, experts, torch.ones_like(experts))
    place = experts.argsort(dim=-1, stable=True).argsort(-1)
    return place - (counts.cumsum(-1) - counts).gather(-1, experts), counts


# The choice of experts


@op(name="MoeGatingTopKSoftmax")
def moe_gating_top_k_softmax(x: Tensor, finished: Tensor | None = None, k: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    """The experts of each token: those of the greatest probabilities, which `softmax` gives.

    Args:
        x: the scores, a Tensor of a floating point type of shape (..., experts) with 2 or 3 dimensions.
        finished: which tokens need no experts, a Tensor of bools of the shape of `x` without its last dimension.
            Default: None.
        k: how many experts a token gets, in [0, experts]. Default: 1.

    Returns:
        (probabilities, experts, rows), of shape (..., k). `experts` is of int32; those of finished tokens have the
        number that comes after the last. `rows`, of int32, numbers the choices: first those of every token's first
        expert, then those of the second.

    Raises:
        TypeError: `x` holds no floats, or `finished` no bools.
        ValueError: `k` is out of its range, or the shapes do not fit.

    Examples:
        >>> import torchspore as ms
        >>> scores = ms.Tensor([[0.0, 1.0, 0.5], [2.0, 0.0, 0.0]])
        >>> chances, experts, rows = ms.ops.auto_generate.MoeGatingTopKSoftmax()(scores, k=2)
        >>> print(experts, rows)
        [[1 2]
         [0 1]] [[0 2]
         [1 3]]
    """
    if not x.is_floating_point() or (finished is not None and finished.dtype is not torch.bool):
        raise TypeError(
            f"For 'MoeGatingTopKSoftmax', 'x' must hold floats and 'finished' bools: {describe([x, finished])}."
        )
    if x.dim() not in (2, 3) or not 0 <= k <= x.shape[-1]:
        raise ValueError(
            f"For 'MoeGatingTopKSoftmax', 'x' must have 2 or 3 dimensions and 'k' be from 0 to the size of the last, "
            f"but got {describe(x)} and {k}."
        )
    if finished is not None and finished.shape != x.shape[:-1]:
        raise ValueError(f"For 'MoeGatingTopKSoftmax', the shapes do not fit: {describe([x, finished])}.")
    chances, experts = torch.softmax(x.float(), -1).sort(dim=-1, descending=True, stable=True)
    chances, experts = chances[..., :k], experts[..., :k]
    if finished is not None:
        experts = experts.masked_fill(finished.unsqueeze(-1), x.shape[-1])
    tokens = x[..., 0].numel()
    rows = torch.arange(tokens * k, dtype=torch.int32, device=x.device).view(k, tokens).t().reshape(experts.shape)
    return chances.to(x.dtype), experts.to(torch.int32), rows


def _outside(scores: Tensor, group_num: int, best: int, inner: int, api: str) -> Tensor:
    """Tell which experts are not in the best groups; a group is as good as the sum of its `inner` greatest scores."""
    experts = scores.shape[-1]
    if group_num < 1 or experts % group_num or not (1 <= best <= group_num and 1 <= inner <= experts // group_num):
        raise ValueError(
            f"For '{api}', {experts} experts must be divisible in groups, some of which are chosen by some of their "
            f"scores, but got {group_num} groups, of which {best} by {inner} scores."
        )
    groups = scores.unflatten(-1, (group_num, -1))
    chosen = groups.topk(inner, -1).values.sum(-1).argsort(dim=-1, descending=True, stable=True)[..., :best]
    outside = torch.ones(groups.shape[:-1], dtype=torch.bool, device=scores.device).scatter(-1, chosen, False)
    return outside.repeat_interleave(experts // group_num, -1)


@op(name="GroupTopk")
def _outside_groups(token: Tensor, group_num: int, k: int, k_inner: int) -> Tensor:
    return _outside(token, group_num, k, k_inner, "GroupTopk")


def group_topk(token: Any, idx_arr: Any, group_num: int, k: int, k_inner: int = 1) -> Any:
    """Set the scores of experts to zero, in place, except in the best groups; see `ops.GroupTopk`."""
    return update(token, "masked_fill_", _outside_groups(token, group_num, k, k_inner), 0)


class GroupTopk(Primitive):
    """Set the scores of experts to zero, in place, except in the best groups of experts.

    Inputs:
        - token: the scores, a Tensor of shape (tokens, experts). It is written.
        - idx_arr: the ints from 0 on, with which MindSpore's kernel works. They have no effect.
        - group_num: the number of groups, which divides that of experts: experts side by side are a group.
        - k: how many groups to keep.
        - k_inner: how many of a group's greatest scores are added up to compare it. Default: 1.

    Outputs:
        `token`.

    Raises:
        ValueError: the numbers do not fit.

    Examples:
        >>> import torchspore as ms
        >>> scores = ms.Tensor([[1.0, 4.0, 2.0, 2.0, 3.0, 3.0]])
        >>> print(ms.ops.GroupTopk()(scores, ms.ops.arange(1024), 3, 1, 2))
        [[0. 0. 0. 0. 3. 3.]]
    """

    def __call__(self, token: Any, idx_arr: Any, group_num: int, k: int, k_inner: int = 1) -> Any:
        """Write the scores."""
        return group_topk(token, idx_arr, group_num, k, k_inner)


@op(name="FusedAddTopKDiv")
def fused_add_topk_div(
    x: Tensor,
    add_num: Tensor,
    group_num: int,
    group_topk: int,
    n: int,
    k: int,
    activate_type: int = 0,
    is_norm: bool = True,
    scale: float = 2.5,
    mapping_num: Tensor | None = None,
    mapping_table: Tensor | None = None,
    enable_expert_mapping: bool = False,
) -> tuple[Tensor, Tensor]:
    """The experts of each token, from its best groups of experts, as DeepSeek-V3 chooses them.

    The sigmoids of the scores are the weights. Experts are chosen by their weights plus `add_num`, which balances them.

    Args:
        x: the scores, a Tensor of a floating point type of shape (tokens, experts).
        add_num: what is added to the weights for the choice, of shape (experts,).
        group_num: the number of groups, which divides that of experts: experts side by side are a group.
        group_topk: how many groups a token's experts are from.
        n: how many of a group's greatest sums are added up to compare it.
        k: how many experts a token gets.
        activate_type: 0, the sigmoid. Default: 0.
        is_norm: whether to divide the weights by their sum. Default: True.
        scale: what the weights are multiplied with in the end. Default: 2.5.
        mapping_num, mapping_table, enable_expert_mapping: not supported.

    Returns:
        The weights, a float32 Tensor of shape (tokens, k), and the experts, an int32 Tensor of that shape.

    Raises:
        ValueError: the numbers do not fit.
        NotImplementedError: an argument that is not supported is given, or another `activate_type`.

    Examples:
        >>> import torchspore as ms
        >>> scores, bias = ms.Tensor([[0.0, 1.0, 2.0, -1.0]]), ms.ops.zeros(4)
        >>> weights, experts = ms.ops.auto_generate.FusedAddTopKDiv()(scores, bias, 2, 1, 1, 2, scale=1.0)
        >>> print(weights.asnumpy().round(4), experts)
        [[0.7661 0.2339]] [[2 3]]
    """
    if activate_type != 0 or enable_expert_mapping or mapping_num is not None or mapping_table is not None:
        raise NotImplementedError(
            "For 'FusedAddTopKDiv', 'activate_type' must be 0, 'mapping_num' and 'mapping_table' None, and "
            "'enable_expert_mapping' False."
        )
    weights = torch.sigmoid(x.float())
    sums = weights + add_num
    outside = _outside(sums, group_num, group_topk, n, "FusedAddTopKDiv")
    available = group_topk * (x.shape[-1] // group_num)
    if not 1 <= k <= available:
        raise ValueError(f"For 'FusedAddTopKDiv', 'k' must be from 1 to {available}, but got {k}.")
    sums = sums.masked_fill(outside, -torch.inf)
    experts = sums.argsort(dim=-1, descending=True, stable=True)[..., :k]
    weights = weights.gather(-1, experts)
    return (weights / weights.sum(-1, keepdim=True) if is_norm else weights) * scale, experts.to(torch.int32)


# Places for tokens at their experts


def _routed(
    experts: Tensor, capacity: int, expert_num: int, drop_type: int, chosen: Tensor | None, api: str
) -> tuple[Tensor, Tensor]:
    if experts.dim() != 3 or drop_type not in (0, 1) or capacity < 1 or expert_num < 1:
        raise ValueError(
            f"For '{api}', 'input' must be of shape (batch, tokens, k), 'capacity' and 'expert_num' >= 1 and "
            f"'drop_type' 0 or 1, but got {describe(experts)}, {capacity}, {expert_num} and {drop_type}."
        )
    batch, tokens, each = experts.shape

    def laid(given: Tensor) -> Tensor:  # in the order in which they get places
        return (given.transpose(1, 2) if drop_type else given).reshape(batch, -1)

    wanted, numbers = laid(experts).long(), torch.arange(1, tokens + 1, device=experts.device).view(1, -1, 1)
    asking = wanted if chosen is None else torch.where(laid(chosen), wanted, expert_num)
    place, _ = places(asking, expert_num if chosen is None else expert_num + 1)
    kept, spare = (place < capacity) & (asking < expert_num), expert_num * capacity
    slot = torch.where(kept, wanted * capacity + place, spare)  # the spare one takes what is left out
    dispatch = wanted.new_zeros(batch, spare + 1).scatter(1, slot, laid(numbers.expand(experts.shape)))[:, :-1]
    combine = wanted * (capacity + 1) + torch.where(kept, place + 1, 0)
    combine = combine.view(batch, each, tokens).transpose(1, 2) if drop_type else combine.view(experts.shape)
    return dispatch.reshape(batch, expert_num, capacity).to(experts.dtype), combine.to(experts.dtype)


@op(name="TopKRouter")
def topkrouter(input: Tensor, capacity: int, expert_num: int, drop_type: int = 0) -> tuple[Tensor, Tensor]:
    """Give the tokens places at the experts that they go to, as many as an expert has.

    Args:
        input: the experts of each token, a Tensor of ints in [0, expert_num) of shape (batch, tokens, k).
        capacity: how many tokens an expert takes, >= 1.
        expert_num: the number of experts.
        drop_type: who gets places first: 0: the first tokens; 1: all tokens for their first expert. Default: 0.

    Returns:
        Two Tensors of the data type of `input`: the tokens that each expert has, counted from 1, of shape (batch,
        expert_num, capacity), 0 where a place is free; and the place of each choice, of shape (batch, tokens, k), which
        is the expert times (capacity + 1), plus the number of the place there, counted from 1, or 0 if it got none. So
        row 0 of the tokens, and of each expert's results, are for what is missing.

    Raises:
        ValueError: `input` has not 3 dimensions, or an argument is out of its range.

    Examples:
        >>> import torchspore as ms
        >>> experts = ms.Tensor([[[0, 1], [0, 1], [0, 1]]], ms.int32)
        >>> tokens, places = ms.ops.auto_generate.TopKRouter()(experts, 2, 2)
        >>> print(tokens)
        [[[1 2]
          [1 2]]]
        >>> print(places)
        [[[1 4]
          [2 5]
          [0 3]]]
    """
    return _routed(input, capacity, expert_num, drop_type, None, "TopKRouter")


@op(name="TopPRouter")
def topprouter(
    input: Tensor, capacity: int, expert_num: int, drop_type: int = 0, threshold: float = 0.0, router_prob: Any = 0.0
) -> tuple[Tensor, Tensor]:
    """Do `TopKRouter` for the first experts of each token whose probabilities make up a part of the whole.

    Args:
        input: the experts of each token, the most probable one first, as for `TopKRouter`.
        capacity: how many tokens an expert takes, >= 1.
        expert_num: the number of experts.
        drop_type: who gets places first, as for `TopKRouter`. Default: 0.
        threshold: the part, > 0: a token goes on to its next expert while the sum of the probabilities before is less,
            whether or not it has got places there.
        router_prob: the probabilities, a Tensor with an element for each one of `input`, in the same order.

    Returns:
        What `TopKRouter` returns; an expert that a token does not go to is one that has no place for it.

    Raises:
        ValueError: the shapes do not fit, or an argument is out of its range.
        NotImplementedError: `threshold` is not above 0, or `router_prob` a number, as MindSpore's defaults are.

    Examples:
        >>> import torchspore as ms
        >>> experts, chances = ms.Tensor([[[0, 1], [1, 0]]]), ms.Tensor([[0.9, 0.1], [0.6, 0.4]])
        >>> print(ms.ops.auto_generate.TopPRouter()(experts, 2, 2, 0, 0.8, chances)[0])
        [[[1 2]
          [2 0]]]
    """
    if threshold <= 0 or not hasattr(router_prob, "_t"):
        raise NotImplementedError(
            "For 'TopPRouter', 'threshold' must be above 0 and 'router_prob' a Tensor, but got "
            f"{threshold} and {describe(router_prob)}. Without a threshold use 'TopKRouter'."
        )
    chances = router_prob._t.reshape(input.shape)
    return _routed(input, capacity, expert_num, drop_type, chances.cumsum(-1) - chances < threshold, "TopPRouter")


# Tokens in the order of their experts, and back


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

    Examples:
        >>> import torchspore as ms
        >>> tokens, places = ms.ops.moe_token_permute(ms.Tensor([[1.0], [2.0], [3.0]]), ms.Tensor([2, 0, 1]))
        >>> print(tokens.flatten(), places)
        [2. 3. 1.] [2 0 1]
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
        permuted_tokens: a Tensor of shape (tokens * k, size); or with fewer rows, the others being zero.
        sorted_indices: where in them each token is, a Tensor of ints of shape (tokens * k,).
        probs: the weights, a Tensor of shape (tokens, k). Default: None: k is 1, and there are none.
        padded_mode: False.
        restore_shape: None; it is for `padded_mode`.

    Returns:
        A Tensor of shape (tokens, size).

    Raises:
        ValueError: `padded_mode` is True or `restore_shape` given.

    Examples:
        >>> import torchspore as ms
        >>> rows, places = ms.Tensor([[10.0], [20.0], [30.0], [40.0]]), ms.Tensor([0, 2, 1, 3])
        >>> print(ms.ops.moe_token_unpermute(rows, places, ms.Tensor([[0.5, 0.5], [1.0, 0.0]])))
        [[20.]
         [20.]]
    """
    if padded_mode or restore_shape is not None:
        raise ValueError("For 'moe_token_unpermute', 'padded_mode' must be False, and 'restore_shape' None.")
    missing = max(sorted_indices.shape[0] - permuted_tokens.shape[0], 0)
    tokens = functional.pad(permuted_tokens, (0, 0, 0, missing))[sorted_indices.long()]
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

    Raises TypeError or ValueError for an argument of a wrong type, shape or value.

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
    within, counts = places(experts, expert_num)
    if drop_pad_mode == 0:
        order = experts.argsort(stable=True)
        results = [x[(order[:active_num] if active_num else order) // each], order.argsort().to(torch.int32)]
        if expert_tokens_count_or_cumsum_flag:
            wanted = counts if expert_tokens_count_or_cumsum_flag == 2 else counts.cumsum(0)
            results.append(wanted.to(torch.int32))
        return tuple(results)
    kept, spare = within < expert_capacity, expert_num * expert_capacity
    slot = torch.where(kept, experts * expert_capacity + within, spare)  # the spare row takes what is left out
    rows = x.new_zeros(spare + 1, x.shape[1]).index_add(0, slot, x.repeat_interleave(each, 0))
    results = [rows[:-1].reshape(expert_num, expert_capacity, -1), slot.masked_fill(~kept, -1).to(torch.int32)]
    return (*results, counts.to(torch.int32)) if expert_tokens_before_capacity_flag else tuple(results)


@op(name="MoeInitRouting")
def moe_init_routing(x: Tensor, row_idx: Tensor, expert_idx: Tensor, active_num: int) -> tuple[Tensor, Tensor, Tensor]:
    """Put the tokens in the order of the experts that `MoeGatingTopKSoftmax` has found.

    Args:
        x: the tokens, a Tensor of shape (tokens, size).
        row_idx: the numbers of the choices, as `MoeGatingTopKSoftmax` returns them, of shape (tokens, k).
        expert_idx: the experts, of that shape.
        active_num: for how many tokens there is room: min(tokens, active_num) * k rows are kept.

    Returns:
        The rows; an int32 Tensor of shape (tokens * k,), which says for each number of a choice which row is its one;
        and an int32 Tensor of the experts of all rows. `MoeFinalizeRouting` puts the rows' results together.

    Raises:
        ValueError: the shapes do not fit, or `active_num` is negative.

    Examples:
        >>> import torchspore as ms
        >>> x, rows, experts = ms.Tensor([[1.0], [2.0]]), ms.Tensor([[0, 2], [1, 3]]), ms.Tensor([[1, 2], [0, 1]])
        >>> tokens, places, experts = ms.ops.auto_generate.MoeInitRouting()(x, rows, experts, 2)
        >>> print(tokens.flatten(), places, experts)
        [2. 1. 2. 1.] [1 0 3 2] [0 1 1 2]
    """
    if x.dim() != 2 or expert_idx.dim() != 2 or row_idx.shape != expert_idx.shape or x.shape[0] != expert_idx.shape[0]:
        raise ValueError(f"For 'MoeInitRouting', the shapes do not fit: {describe([x, row_idx, expert_idx])}.")
    if active_num < 0:
        raise ValueError(f"For 'MoeInitRouting', 'active_num' must be >= 0, but got {active_num}.")
    tokens, each = expert_idx.shape
    experts, order = expert_idx.reshape(-1).sort(stable=True)
    sources = row_idx.reshape(-1).long()[order]
    rows = x[sources[: min(tokens, active_num) * each] % tokens]
    return rows, sources.argsort().to(torch.int32), experts.to(torch.int32)


@op(name="MoeFinalizeRouting")
def moe_finalize_routing(
    expanded_x: Tensor,
    x1: Tensor,
    x2: Tensor | None,
    bias: Tensor,
    scales: Tensor,
    expanded_row_idx: Tensor,
    expanded_expert_idx: Tensor,
) -> Tensor:
    """Add to every token the weighted results of its experts.

    Args:
        expanded_x: the experts' results, of shape (k * tokens, n).
        x1, x2: what they are added to, of shape (tokens, n); `x2` may be None.
        bias: an addend for each expert, of shape (experts, n).
        scales: the weights, of shape (tokens, k).
        expanded_row_idx: the row of each result, first those of every token's first expert.
        expanded_expert_idx: the experts of each token, of shape (tokens, k).
    """
    results = expanded_x[expanded_row_idx.long()].view(scales.shape[1], *x1.shape).transpose(0, 1)
    added = ((results + bias[expanded_expert_idx.long()]) * scales.unsqueeze(2)).sum(1)
    return x1 + added if x2 is None else x1 + x2 + added


@op(name="MoeComputeExpertTokens")
def moe_compute_expert_tokens(sorted_experts: Tensor, num_expert: int) -> Tensor:
    """Where each expert's tokens end among those sorted by expert."""
    experts = torch.arange(num_expert, device=sorted_experts.device, dtype=sorted_experts.dtype)
    return torch.searchsorted(sorted_experts, experts, right=True).to(sorted_experts.dtype)
