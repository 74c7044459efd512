"""Mixtures of experts: the choice of experts for tokens, and the order of tokens by expert."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.engine.failures.errors import describe
from torchspore.engine.op import op
from torchspore.engine.parameters import Bools, Dimensions, Floats, NotNegative, NotSupported, Only
from torchspore.engine.primitive import Primitive
from torchspore.ops.array.assignment import update

__all__ = ["GroupTopk", "moe_init_routing_v2", "moe_token_permute", "moe_token_unpermute"]


def positions(experts: Tensor, expert_num: int) -> tuple[Tensor, Tensor]:
    """Return the number of earlier choices of the same expert for each choice, and the number of choices per expert.

    Args:
        experts: the choices, int64 in [0, expert_num), in rows along the last dimension.
        expert_num: the number of experts.
    """
    zeros = torch.zeros(*experts.shape[:-1], expert_num, dtype=torch.int64, device=experts.device)
    counts = zeros.scatter_add(-1, experts, torch.ones_like(experts))
    rank = experts.argsort(dim=-1, stable=True).argsort(-1)
    return rank - (counts.cumsum(-1) - counts).gather(-1, experts), counts


# The choice of experts


@op(name="MoeGatingTopKSoftmax")
def moe_gating_top_k_softmax(
    x: Annotated[Floats, Dimensions(2, 3), "*B E"], finished: Annotated[Bools, "*B"] | None = None, k: NotNegative = 1
) -> tuple[Tensor, Tensor, Tensor]:
    """Choose the experts with the highest softmax probabilities for each token.

    Args:
        x: the scores, a floating-point Tensor of shape (..., experts) with 2 or 3 dimensions.
        finished: the mask of tokens that need no experts, bools of the shape of `x` without its last dimension.
            Default: None.
        k: the number of experts per token, in [0, experts]. Default: 1.

    Returns:
        (probabilities, experts, rows), of shape (..., k). `experts` is of int32; for finished tokens it is the number
        of experts. `rows`, of int32, numbers the choices: first every token's first expert, then the second.

    Raises:
        TypeError: `x` is not floating-point, or `finished` not bool.

    Examples:
        >>> import torchspore as ms
        >>> scores = ms.Tensor([[0.0, 1.0, 0.5], [2.0, 0.0, 0.0]])
        >>> probabilities, experts, rows = ms.ops.auto_generate.MoeGatingTopKSoftmax()(scores, k=2)
        >>> print(experts.flatten(), rows.flatten())
        [1 2 0 1] [0 2 1 3]
    """
    if k > x.shape[-1]:
        raise ValueError("'k' must be at most the last size of 'x'")
    probabilities, experts = torch.softmax(x.float(), -1).sort(dim=-1, descending=True, stable=True)
    probabilities, experts = probabilities[..., :k], experts[..., :k]
    if finished is not None:
        experts = experts.masked_fill(finished.unsqueeze(-1), x.shape[-1])
    tokens = x[..., 0].numel()
    rows = torch.arange(tokens * k, dtype=torch.int32, device=x.device).view(k, tokens).t().reshape(experts.shape)
    return probabilities.to(x.dtype), experts.to(torch.int32), rows


def _outside(scores: Tensor, group_num: int, best: int, inner: int, api: str) -> Tensor:
    """Return the mask of the experts outside the best groups, compared by the sum of their `inner` highest scores."""
    experts = scores.shape[-1]
    if group_num < 1 or experts % group_num or not (1 <= best <= group_num and 1 <= inner <= experts // group_num):
        raise ValueError(
            f"For '{api}', {experts} experts must be divisible into groups, of which some are chosen by some of their "
            f"scores, but got {group_num} groups, {best} of them chosen by {inner} scores."
        )
    groups = scores.unflatten(-1, (group_num, -1))
    chosen = groups.topk(inner, -1).values.sum(-1).argsort(dim=-1, descending=True, stable=True)[..., :best]
    outside = torch.ones(groups.shape[:-1], dtype=torch.bool, device=scores.device).scatter(-1, chosen, False)
    return outside.repeat_interleave(experts // group_num, -1)


@op(name="GroupTopk")
def _outside_groups(token: Tensor, group_num: int, k: int, k_inner: int) -> Tensor:
    return _outside(token, group_num, k, k_inner, "GroupTopk")


def group_topk(token: Any, idx_arr: Any, group_num: int, k: int, k_inner: int = 1) -> Any:
    """Zero the scores of experts outside the best groups, in place; see `ops.GroupTopk`."""
    return update(token, "masked_fill_", _outside_groups(token, group_num, k, k_inner), 0)


class GroupTopk(Primitive):
    """Zero the scores of experts outside the best groups of adjacent experts, in place.

    Inputs:
        - token: the scores, a Tensor of shape (tokens, experts), which is written to and returned.
        - idx_arr: the ints from 0 on, which MindSpore's kernel needs. They have no effect.
        - group_num: the number of groups, a divisor of the number of experts.
        - k: the number of groups to keep.
        - k_inner: the number of a group's highest scores whose sum is compared. Default: 1.

    Raises ValueError if the numbers do not fit.

    Examples:
        >>> import torchspore as ms
        >>> scores = ms.Tensor([[1.0, 4.0, 2.0, 2.0, 3.0, 3.0]])
        >>> print(ms.ops.GroupTopk()(scores, ms.ops.arange(1024), 3, 1, 2))
        [[0. 0. 0. 0. 3. 3.]]
    """

    def __call__(self, token: Any, idx_arr: Any, group_num: int, k: int, k_inner: int = 1) -> Any:
        """Write to `token` and return it."""
        return group_topk(token, idx_arr, group_num, k, k_inner)


@op(name="FusedAddTopKDiv")
def fused_add_topk_div(
    x: Tensor, add_num: Tensor, group_num: int, group_topk: int, n: int, k: int,
    activate_type: Annotated[int, Only(0)] = 0,
    is_norm: bool = True, scale: float = 2.5, mapping_num: NotSupported = None, mapping_table: NotSupported = None,
    enable_expert_mapping: Annotated[bool, Only(False)] = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Choose the experts of each token from its best groups of experts, as in DeepSeek-V3.

    The weights are the sigmoids of the scores. Experts are chosen by their weights plus `add_num`, for balance.

    Args:
        x: the scores, a floating-point Tensor of shape (tokens, experts).
        add_num: what is added to the weights for the choice, of shape (experts,).
        group_num: the number of groups of adjacent experts, a divisor of the number of experts.
        group_topk: the number of groups from which a token's experts are chosen.
        n: the number of a group's highest scores whose sum is compared.
        k: the number of experts per token.
        activate_type: 0, the sigmoid. Default: 0.
        is_norm: whether to divide the weights by their sum. Default: True.
        scale: the factor of the resulting weights. Default: 2.5.
        mapping_num, mapping_table, enable_expert_mapping: not supported.

    Returns the weights, a float32 Tensor of shape (tokens, k), and the experts, an int32 Tensor of the same shape.

    Raises:
        ValueError: the numbers do not fit.
        NotImplementedError: an unsupported argument, or another `activate_type`.

    Examples:
        >>> import torchspore as ms
        >>> scores, bias = ms.Tensor([[0.0, 1.0, 2.0, -1.0]]), ms.ops.zeros(4)
        >>> weights, experts = ms.ops.auto_generate.FusedAddTopKDiv()(scores, bias, 2, 1, 1, 2, scale=1.0)
        >>> print(weights.asnumpy().round(4), experts)
        [[0.7661 0.2339]] [[2 3]]
    """
    weights = torch.sigmoid(x.float())
    sums = weights + add_num
    outside = _outside(sums, group_num, group_topk, n, "FusedAddTopKDiv")
    available = group_topk * (x.shape[-1] // group_num)
    if not 1 <= k <= available:
        raise ValueError(f"'k' must be between 1 and {available}")
    sums = sums.masked_fill(outside, -torch.inf)
    experts = sums.argsort(dim=-1, descending=True, stable=True)[..., :k]
    weights = weights.gather(-1, experts)
    return (weights / weights.sum(-1, keepdim=True) if is_norm else weights) * scale, experts.to(torch.int32)


# Slots of tokens at their experts


def _routed(
    experts: Tensor, capacity: int, expert_num: int, drop_type: int, chosen: Tensor | None
) -> tuple[Tensor, Tensor]:
    if experts.dim() != 3 or drop_type not in (0, 1) or capacity < 1 or expert_num < 1:
        raise ValueError(
            "'input' must be of shape (batch, tokens, k), 'capacity' and 'expert_num' >= 1 and 'drop_type' 0 or 1, "
            f"but got {describe(experts)}, {capacity}, {expert_num} and {drop_type}"
        )
    batch, tokens, each = experts.shape

    def ordered(given: Tensor) -> Tensor:  # by priority
        return (given.transpose(1, 2) if drop_type else given).reshape(batch, -1)

    wanted, numbers = ordered(experts).long(), torch.arange(1, tokens + 1, device=experts.device).view(1, -1, 1)
    asking = wanted if chosen is None else torch.where(ordered(chosen), wanted, expert_num)
    position, _ = positions(asking, expert_num if chosen is None else expert_num + 1)
    kept, spare = (position < capacity) & (asking < expert_num), expert_num * capacity
    slot = torch.where(kept, wanted * capacity + position, spare)  # the spare slot takes what is left out
    dispatch = wanted.new_zeros(batch, spare + 1).scatter(1, slot, ordered(numbers.expand(experts.shape)))[:, :-1]
    combine = wanted * (capacity + 1) + torch.where(kept, position + 1, 0)
    combine = combine.view(batch, each, tokens).transpose(1, 2) if drop_type else combine.view(experts.shape)
    return dispatch.reshape(batch, expert_num, capacity).to(experts.dtype), combine.to(experts.dtype)


@op(name="TopKRouter")
def topkrouter(input: Tensor, capacity: int, expert_num: int, drop_type: int = 0) -> tuple[Tensor, Tensor]:
    """Assign tokens to slots of their experts, up to the experts' capacity.

    Args:
        input: the experts of each token, a Tensor of ints in [0, expert_num) of shape (batch, tokens, k).
        capacity: the number of slots per expert, >= 1.
        expert_num: the number of experts.
        drop_type: the priority: 0: the first tokens; 1: the first experts of all tokens. Default: 0.

    Returns:
        Two Tensors of the data type of `input`: the tokens in the slots of each expert, counted from 1, of shape
        (batch, expert_num, capacity), 0 for free slots; and the slot of each choice, of shape (batch, tokens, k): the
        expert times (capacity + 1), plus the slot counted from 1, or 0 for none. So row 0 of the tokens, and of each
        expert's results, stands for what is missing.

    Raises ValueError if `input` does not have 3 dimensions, or an argument is out of its range.

    Examples:
        >>> import torchspore as ms
        >>> experts = ms.Tensor([[[0, 1], [0, 1], [0, 1]]], ms.int32)
        >>> tokens, slots = ms.ops.auto_generate.TopKRouter()(experts, 2, 2)
        >>> print(tokens.flatten(), slots.flatten())
        [1 2 1 2] [1 4 2 5 0 3]
    """
    return _routed(input, capacity, expert_num, drop_type, None)


@op(name="TopPRouter")
def topprouter(
    input: Tensor, capacity: int, expert_num: int, drop_type: int = 0, threshold: float = 0.0, router_prob: Any = 0.0
) -> tuple[Tensor, Tensor]:
    """`TopKRouter` for the first experts of each token whose probabilities sum up to a threshold.

    Args:
        input, capacity, expert_num, drop_type: as for `TopKRouter`, the most probable expert first.
        threshold: > 0: a token goes to its next expert while the sum of the probabilities before is less, whether or
            not it has slots there.
        router_prob: the probabilities, a Tensor with an element for each one of `input`, in the same order.

    Raises:
        NotImplementedError: `threshold` is not above 0, or `router_prob` a number, as MindSpore's defaults are.

    Examples:
        >>> import torchspore as ms
        >>> experts, probabilities = ms.Tensor([[[0, 1], [1, 0]]]), ms.Tensor([[0.9, 0.1], [0.6, 0.4]])
        >>> print(ms.ops.auto_generate.TopPRouter()(experts, 2, 2, 0, 0.8, probabilities)[0])
        [[[1 2]
          [2 0]]]
    """
    if threshold <= 0 or not hasattr(router_prob, "_t"):
        raise NotImplementedError(
            "For 'TopPRouter', 'threshold' must be > 0 and 'router_prob' a Tensor, but got "
            f"{threshold} and {describe(router_prob)}. Without a threshold use 'TopKRouter'."
        )
    probabilities = router_prob._t.reshape(input.shape)
    chosen = probabilities.cumsum(-1) - probabilities < threshold
    return _routed(input, capacity, expert_num, drop_type, chosen)


# Tokens in the order of their experts, and back


@op
def moe_token_permute(
    tokens: Annotated[Tensor, "N H"],
    indices: Annotated[Tensor, Dimensions(1, 2), "N ..."],
    num_out_tokens: int | None = None,
    padded_mode: bool = False,
) -> tuple[Tensor, Tensor]:
    """Sort the tokens by the experts that they go to.

    Args:
        tokens: a Tensor of shape (tokens, size).
        indices: the experts of each token, a Tensor of ints of shape (tokens,) or (tokens, k).
        num_out_tokens: the number of tokens to keep, >= 0. Default: None: all.
        padded_mode: False.

    Returns the tokens, each k times, and an int32 Tensor of their positions in the result.
    Raises ValueError if `padded_mode` is True, `num_out_tokens` negative, or the shapes do not fit.

    Examples:
        >>> import torchspore as ms
        >>> tokens, positions = ms.ops.moe_token_permute(ms.Tensor([[1.0], [2.0], [3.0]]), ms.Tensor([2, 0, 1]))
        >>> print(tokens.flatten(), positions)
        [2. 3. 1.] [2 0 1]
    """
    if padded_mode or (num_out_tokens is not None and num_out_tokens < 0):
        raise ValueError(f"'padded_mode' must be False, and 'num_out_tokens' >= 0: {num_out_tokens}")
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
    """Sum up the weighted results of each token in the original order; the inverse of `moe_token_permute`.

    Args:
        permuted_tokens: a Tensor of shape (tokens * k, size); missing rows are zeros.
        sorted_indices: their positions, as `moe_token_permute` returns them.
        probs: the weights, a Tensor of shape (tokens, k). Default: None: k is 1, without weights.
        padded_mode: False.
        restore_shape: None; it is for `padded_mode`.

    Raises ValueError if `padded_mode` is True or `restore_shape` given.

    Examples:
        >>> import torchspore as ms
        >>> rows, positions = ms.Tensor([[10.0], [20.0], [30.0], [40.0]]), ms.Tensor([0, 2, 1, 3])
        >>> print(ms.ops.moe_token_unpermute(rows, positions, ms.Tensor([[0.5, 0.5], [1.0, 0.0]])))
        [[20.]
         [20.]]
    """
    if padded_mode or restore_shape is not None:
        raise ValueError("'padded_mode' must be False, and 'restore_shape' None")
    missing = max(sorted_indices.shape[0] - permuted_tokens.shape[0], 0)
    tokens = functional.pad(permuted_tokens, (0, 0, 0, missing))[sorted_indices.long()]
    if probs is None:
        return tokens
    weighted = tokens.reshape(*probs.shape, -1) * probs.unsqueeze(-1)
    return weighted.sum(1).to(permuted_tokens.dtype)


@op
def moe_init_routing_v2(
    x: Annotated[Tensor, "N H"], expert_idx: Annotated[Tensor, "N K"], active_num: int, expert_capacity: int,
    expert_num: int, drop_pad_mode: Literal[0, 1],
    expert_tokens_count_or_cumsum_flag: Literal[0, 1, 2], expert_tokens_before_capacity_flag: bool,
) -> Any:  # fmt: skip
    """Sort the tokens by the experts that they go to, or put them in a block per expert.

    Args:
        x: the tokens, a Tensor of shape (tokens, size).
        expert_idx: the experts of each token, a Tensor of ints in [0, expert_num) of shape (tokens, k).
        active_num: the number of rows to keep without blocks; 0 is all.
        expert_capacity: the number of tokens per block.
        expert_num: the number of experts.
        drop_pad_mode: 0: sorted; 1: in blocks, padded with zeros, without the tokens beyond the capacity.
        expert_tokens_count_or_cumsum_flag: what else to return without blocks: 0: nothing; 1: the cumulative numbers of
            tokens per expert; 2: the numbers.
        expert_tokens_before_capacity_flag: whether to return, with blocks, the number of tokens that chose each expert.

    Returns:
        (rows, positions), and what a flag asks for. `rows` is of shape (tokens * k, size) or (active_num, size), and
        with blocks (expert_num, expert_capacity, size). `positions`, an int32 Tensor of shape (tokens * k,), are those
        of each token's copies in `rows`: -1 for those left out.

    Examples:
        >>> import torchspore as ms
        >>> tokens, experts = ms.Tensor([[1.0], [2.0], [3.0]]), ms.Tensor([[1], [0], [1]], ms.int32)
        >>> rows, positions, counts = ms.ops.moe_init_routing_v2(tokens, experts, 0, 0, 2, 0, 2, False)
        >>> print(rows.flatten(), positions, counts)
        [2. 1. 3.] [1 0 2] [1 2]
    """
    each, experts = expert_idx.shape[1], expert_idx.reshape(-1).long()
    within, counts = positions(experts, expert_num)
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
def moe_init_routing(
    x: Annotated[Tensor, "N H"],
    row_idx: Annotated[Tensor, "N K"],
    expert_idx: Annotated[Tensor, "N K"],
    active_num: NotNegative,
) -> tuple[Tensor, Tensor, Tensor]:
    """Sort the tokens by the experts that `MoeGatingTopKSoftmax` has found.

    Args:
        x: the tokens, a Tensor of shape (tokens, size).
        row_idx: the numbers of the choices, as `MoeGatingTopKSoftmax` returns them, of shape (tokens, k).
        expert_idx: the experts, of the same shape.
        active_num: the maximum number of tokens: min(tokens, active_num) * k rows are kept.

    Returns:
        The rows; an int32 Tensor of shape (tokens * k,) with the row of each choice; and an int32 Tensor of the experts
        of all rows. `MoeFinalizeRouting` combines the rows' results.

    Raises ValueError if the shapes do not fit, or `active_num` is negative.

    Examples:
        >>> import torchspore as ms
        >>> x, rows, experts = ms.Tensor([[1.0], [2.0]]), ms.Tensor([[0, 2], [1, 3]]), ms.Tensor([[1, 2], [0, 1]])
        >>> tokens, positions, experts = ms.ops.auto_generate.MoeInitRouting()(x, rows, experts, 2)
        >>> print(tokens.flatten(), positions, experts)
        [2. 1. 2. 1.] [1 0 3 2] [0 1 1 2]
    """
    tokens, each = expert_idx.shape
    experts, order = expert_idx.reshape(-1).sort(stable=True)
    sources = row_idx.reshape(-1).long()[order]
    rows = x[sources[: min(tokens, active_num) * each] % tokens]
    return rows, sources.argsort().to(torch.int32), experts.to(torch.int32)


@op(name="MoeFinalizeRouting")
def moe_finalize_routing(
    expanded_x: Tensor, x1: Tensor, x2: Tensor | None, bias: Tensor, scales: Tensor, expanded_row_idx: Tensor,
    expanded_expert_idx: Tensor,
) -> Tensor:  # fmt: skip
    """Add the weighted results of its experts to every token.

    Args:
        expanded_x: the experts' results, of shape (k * tokens, n).
        x1, x2: what they are added to, of shape (tokens, n); `x2` may be None.
        bias: an addend for each expert, of shape (experts, n).
        scales: the weights, of shape (tokens, k).
        expanded_row_idx: the row of each result, first the results of every token's first expert.
        expanded_expert_idx: the experts of each token, of shape (tokens, k).
    """
    results = expanded_x[expanded_row_idx.long()].view(scales.shape[1], *x1.shape).transpose(0, 1)
    added = ((results + bias[expanded_expert_idx.long()]) * scales.unsqueeze(2)).sum(1)
    return x1 + added if x2 is None else x1 + x2 + added


@op(name="MoeComputeExpertTokens")
def moe_compute_expert_tokens(sorted_experts: Tensor, num_expert: int) -> Tensor:
    """The cumulative numbers of tokens per expert, from those sorted by expert."""
    experts = torch.arange(num_expert, device=sorted_experts.device, dtype=sorted_experts.dtype)
    return torch.searchsorted(sorted_experts, experts, right=True).to(sorted_experts.dtype)
