"""Processes compare what they are about to exchange.

Gloo and NCCL do not: processes that call different operations, or with other shapes, wait for ever, end, or get wrong
values. The first exchanges of each group are compared outside of graphs, where all processes count the same ones; later
ones cost nothing. `TORCH_DISTRIBUTED_DEBUG=DETAIL` lets torch compare all of them.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import torch.distributed as dist
from torch import Tensor

from torchspore.common.scopes.scope import scope
from torchspore.engine.distributed.agreement import differing

__all__ = ["agree"]

_COMPARED = 32  # of a group
_counts: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def agree(group: Any, api: str, *facts: Any) -> None:
    """Compare an exchange with those that the other processes of a group start.

    Args:
        group: torch's group.
        api: the operation.
        facts: what must be the same in all processes; of tensors, the data type and the number of elements.

    Raises:
        ValueError: a process starts another one, in all processes.
    """
    count = _counts.get(group, 0)
    if count >= _COMPARED or scope.tracing is not None or scope.captured or dist.get_world_size(group) == 1:
        return
    _counts[group] = count + 1
    found = differing(f"{api}({', '.join(map(_described, facts))})", group)
    if not found:
        return
    by_rank = ", ".join([f"{rank}: {call}" for rank, call in zip(dist.get_process_group_ranks(group), found)])
    raise ValueError(
        f"For '{api}', all processes of a group must start the same exchange, but by rank they start {by_rank}. Give "
        "all of them the same arguments, in the same order of calls."
    )


def _described(fact: Any) -> str:
    if isinstance(fact, Tensor):
        return f"{fact.numel()} elements of {fact.dtype}"
    return f"{fact}"
