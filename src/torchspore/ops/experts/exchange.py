"""Experts in several processes: tokens are sent to the processes of their experts, and the results back."""

from __future__ import annotations

from typing import Annotated, Any

import torch
from torch import Tensor
from torch.nn import functional

from torchspore.common.tensor import wrap
from torchspore.engine.op import op
from torchspore.engine.parameters import NotSupported, Only
from torchspore.ops.distributed.primitives import AlltoAllV
from torchspore.ops.distributed.process_groups import get_rank, get_world_size
from torchspore.ops.experts.quantization import quantize_rows
from torchspore.ops.experts.routing import positions

__all__ = ["moe_distribute_combine", "moe_distribute_dispatch"]


def _check_group(group: str | None, count: int, rank: int, experts: int) -> None:
    found = get_world_size(group), get_rank(group)
    if (count, rank) != found:
        raise ValueError(
            f"'ep_world_size' and 'ep_rank_id' must be {found[0]} and {found[1]}, as in the group {group!r}"
        )
    if experts < 1 or experts % count:
        raise ValueError(f"'moe_expert_num' must be divisible by {count} processes")


def _sent(rows: Tensor, sent: list[int], received: list[int], group: str | None) -> Tensor:
    """Send rows to the processes of a group, and return those that arrive."""
    exchange: Any = AlltoAllV(group=group, block_size=rows.shape[1])  # type: ignore[call-arg]
    return exchange(wrap(rows.reshape(-1)), sent, received)._t.view(-1, rows.shape[1])


class _Exchange:
    """The exchange of rows with the processes of their experts.

    Args:
        sent: the numbers of rows to the experts of each process, of shape (processes, experts per process).
        received: the numbers of rows from each process to the experts of this one, likewise.
        group: the name of the group.
    """

    def __init__(self, sent: Tensor, received: Tensor, group: str | None) -> None:
        self.alone = sent.shape[0] == 1
        if self.alone:  # the numbers need not be read
            return
        self.group, self.sent, self.received = group, sent.sum(1).tolist(), received.sum(1).tolist()
        experts = torch.arange(received.shape[1], device=received.device).repeat(received.shape[0])
        self.order = experts.repeat_interleave(received.reshape(-1)).argsort(stable=True)

    def dispatch(self, rows: Tensor) -> Tensor:
        """Return the rows that arrive at this process, sorted by expert."""
        return rows if self.alone else _sent(rows, self.sent, self.received, self.group)[self.order]

    def combine(self, rows: Tensor) -> Tensor:
        """Return the rows in their order before `dispatch`; additional ones at the end are ignored."""
        return rows if self.alone else _sent(rows[self.order.argsort()], self.received, self.sent, self.group)


@op
def moe_distribute_dispatch(
    x: Annotated[Tensor, "N H"], expert_ids: Annotated[Tensor, "N K"], ep_world_size: int, ep_rank_id: int,
    moe_expert_num: int,
    expert_scales: Tensor | None = None, scales: Tensor | None = None, x_active_mask: NotSupported = None,
    group_ep: str | None = None, group_tp: Annotated[Any, Only(None, "")] = None,
    tp_world_size: Annotated[int, Only(0, 1)] = 0, tp_rank_id: Annotated[int, Only(0)] = 0,
    expert_shard_type: Annotated[int, Only(0)] = 0, shared_expert_num: Annotated[int, Only(0)] = 0,
    shared_expert_rank_num: Annotated[int, Only(0)] = 0, quant_mode: Annotated[int, Only(0, 2)] = 0,
    global_bs: int = 0, expert_token_nums_type: int = 0,
) -> tuple[Tensor, ...]:  # fmt: skip
    """Send tokens to the processes that have their experts; all processes of a group call it together.

    Args:
        x: this process's tokens, a Tensor of shape (tokens, size).
        expert_ids: the experts of each token, a Tensor of ints in [0, moe_expert_num) of shape (tokens, k).
        ep_world_size: the number of processes in the group.
        ep_rank_id: the rank of this process in the group.
        moe_expert_num: the number of experts, divided evenly among the processes in order of their ranks.
        expert_scales: the weights of the experts, a float32 Tensor of shape (tokens, k), to send with the tokens.
            Default: None.
        scales: for each expert, factors of the tokens before they are quantized, of shape (moe_expert_num, size).
            Default: None.
        group_ep: the name of the group. Default: None: all processes; without `init_process_group` this one.
        quant_mode: 0; or 2: tokens are sent as int8 with a scale for each, as from `DynamicQuantExt`. Default: 0.
        global_bs: the maximum number of tokens of all processes. Default: 0: each has as many as this one.
        expert_token_nums_type: whether to return the cumulative numbers of tokens per expert (0) or the numbers (1).
            Default: 0.
        x_active_mask, group_tp, tp_world_size, tp_rank_id, expert_shard_type, shared_expert_num,
            shared_expert_rank_num: not supported.

    Returns a tuple of seven:

        - the tokens of this process's experts, of shape (rows, size), sorted by expert, then by process. There is room
          for all tokens of all processes; unused rows are zeros.
        - their scales with `quant_mode=2`, a float32 Tensor of shape (rows,), else empty.
        - an int32 Tensor of shape (tokens * k,): the number of this process's earlier choices of the same expert.
        - the numbers of `expert_token_nums_type`, an int64 Tensor with an element per expert of this process.
        - the number of received tokens, an int32 Tensor: for the first expert from each process, then for the second.
        - an empty int32 Tensor.
        - the weights of the received tokens, a float32 Tensor of shape (rows,), empty if none were given.

    Raises:
        ValueError: the shapes or numbers do not fit, or more than `global_bs` tokens were received.
        NotImplementedError: an unsupported argument.

    Examples:
        >>> import torchspore as ms
        >>> x, experts = ms.Tensor([[1.0], [2.0], [3.0]]), ms.Tensor([[1], [0], [1]], ms.int32)
        >>> sent = ms.ops.moe_distribute_dispatch(x, experts, 1, 0, 2, expert_token_nums_type=1)
        >>> print(sent[0].flatten(), sent[3])
        [2. 1. 3.] [1 2]
    """
    api = "moe_distribute_dispatch"
    _check_group(group_ep, ep_world_size, ep_rank_id, moe_expert_num)
    if expert_token_nums_type not in (0, 1) or (scales is not None and quant_mode == 0):
        raise ValueError("'expert_token_nums_type' must be 0 or 1, and 'scales' are for 'quant_mode' 2")
    (tokens, each), local = expert_ids.shape, moe_expert_num // ep_world_size
    experts = expert_ids.reshape(-1).long()
    position, counts = positions(experts, moe_expert_num)
    counts = counts.view(ep_world_size, local)
    single = [1] * ep_world_size
    received = counts if ep_world_size == 1 else _sent(counts, single, single, group_ep)
    exchange = _Exchange(counts, received, group_ep)
    rows = (global_bs or tokens * ep_world_size) * min(local, each)

    def dispatched(given: Tensor) -> Tensor:
        arrived = exchange.dispatch(given)
        missing = rows - arrived.shape[0]
        if missing < 0:
            raise ValueError(f"For '{api}', {arrived.shape[0]} tokens came, but 'global_bs' makes room for {rows}.")
        return functional.pad(arrived, (0, 0, 0, missing))

    order = experts.argsort(stable=True)
    outgoing, row_scales, weights = x[order // each], x.new_empty(0, dtype=torch.float32), x.new_empty(0)
    if quant_mode == 2:
        outgoing, row_scales = quantize_rows(outgoing if scales is None else outgoing.float() * scales[experts[order]])
        row_scales = dispatched(row_scales.unsqueeze(1)).squeeze(1)
    if expert_scales is not None:
        weights = dispatched(expert_scales.reshape(-1, 1)[order]).squeeze(1)
    totals = received.sum(0)
    return (
        dispatched(outgoing), row_scales, position.to(torch.int32),
        totals if expert_token_nums_type else totals.cumsum(0), received.t().reshape(-1).to(torch.int32),
        position.new_empty(0, dtype=torch.int32), weights.float(),
    )  # fmt: skip


@op
def moe_distribute_combine(
    expand_x: Tensor, expert_ids: Tensor, expand_idx: Tensor, ep_send_counts: Tensor, expert_scales: Tensor,
    ep_world_size: int, ep_rank_id: int, moe_expert_num: int, tp_send_counts: Tensor | None = None,
    x_active_mask: NotSupported = None, activate_scale: NotSupported = None, weight_scale: NotSupported = None,
    group_list: NotSupported = None,
    expand_scales: Tensor | None = None, group_ep: str | None = None, group_tp: Annotated[Any, Only(None, "")] = None,
    tp_world_size: Annotated[int, Only(0, 1)] = 0,
    tp_rank_id: Annotated[int, Only(0)] = 0, expert_shard_type: Annotated[int, Only(0)] = 0,
    shared_expert_num: Annotated[int, Only(0)] = 0, shared_export_rank_num: Annotated[int, Only(0)] = 0,
    global_bs: int = 0, out_dtype: Annotated[int, Only(0)] = 0, common_quant_mode: Annotated[int, Only(0)] = 0,
    group_list_type: Annotated[int, Only(0)] = 0,
) -> Tensor:  # fmt: skip
    """Send the experts' results back to the processes of their tokens, and sum up each token's results, weighted.

    All processes of a group call it together, after `moe_distribute_dispatch`.

    Args:
        expand_x: the results, a Tensor of shape (rows, size), in the order of the tokens from
            `moe_distribute_dispatch`.
        expert_ids, ep_world_size, ep_rank_id, moe_expert_num, group_ep: as for `moe_distribute_dispatch`.
        expand_idx, ep_send_counts: its third and fifth results.
        expert_scales: the weights of the experts, of shape (tokens, k).
        tp_send_counts: its sixth result, which is empty. Default: None.
        expand_scales: its seventh result; the weights are taken from `expert_scales`. Default: None.
        global_bs: as before; the number of rows implies it. Default: 0.
        x_active_mask, activate_scale, weight_scale, group_list, group_tp, tp_world_size, tp_rank_id, expert_shard_type,
            shared_expert_num, shared_export_rank_num, out_dtype, common_quant_mode, group_list_type: not supported.

    Returns a Tensor of shape (tokens, size), of the data type of `expand_x`.

    Raises:
        ValueError: the shapes or numbers do not fit.
        NotImplementedError: an unsupported argument.

    Examples:
        >>> import torchspore as ms
        >>> x, experts, weights = ms.Tensor([[1.0], [2.0]]), ms.Tensor([[1], [0]], ms.int32), ms.Tensor([[1.0], [0.5]])
        >>> sent = ms.ops.moe_distribute_dispatch(x, experts, 1, 0, 2)
        >>> back = ms.ops.moe_distribute_combine(10 * sent[0], experts, sent[2], sent[4], weights, 1, 0, 2)
        >>> print(back.flatten())
        [10. 10.]
    """
    api = "moe_distribute_combine"
    _check_group(group_ep, ep_world_size, ep_rank_id, moe_expert_num)
    local = moe_expert_num // ep_world_size
    if expert_scales.shape != expert_ids.shape or ep_send_counts.numel() != moe_expert_num:
        raise ValueError(
            f"'expert_scales' must have the shape of 'expert_ids', and 'ep_send_counts' {moe_expert_num} elements"
        )
    if tp_send_counts is not None and tp_send_counts.numel():
        raise NotImplementedError(f"For '{api}', 'tp_send_counts' must be empty.")
    received = ep_send_counts.view(local, ep_world_size).t()
    experts = expert_ids.reshape(-1).long()
    _, counts = positions(experts, moe_expert_num)
    back = _Exchange(counts.view(ep_world_size, local), received, group_ep).combine(expand_x)
    results = back[(counts.cumsum(0) - counts)[experts] + expand_idx].view(*expert_ids.shape, -1)
    return (results * expert_scales.unsqueeze(-1)).sum(1).to(expand_x.dtype)
