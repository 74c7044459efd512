"""Exchanges between processes as maps of torch tensors: differentiable, and parts of captured graphs.

They are torch's functional collectives: operations that return new tensors. A recorder sees them as it sees all others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import torch
import torch.distributed as dist
from torch import Tensor

from torchspore.common.private_torch import collectives
from torchspore.common.scopes.scope import scope
from torchspore.ops.distributed import process_groups
from torchspore.ops.distributed.process_groups import reduction_name

__all__ = [
    "Map", "exchange", "gathering", "reducing", "reducing_parts", "sending", "summed", "swapping", "without_gradient",
]  # fmt: skip

Map = Callable[[Tensor], Tensor]


class _Exchange(torch.autograd.Function):
    """A linear map between processes, and its adjoint for the gradients."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, forward: Map, adjoint: Map) -> Tensor:
        ctx.maps = forward, adjoint
        return forward(x.contiguous())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Any, None, None]:
        forward, adjoint = ctx.maps
        return exchange(gradients[0], adjoint, forward), None, None


def exchange(x: Tensor, forward: Map, adjoint: Map) -> Tensor:
    """Return a map of a tensor; `adjoint` maps gradients back."""
    result: Tensor = _Exchange.apply(x, forward, adjoint)
    return result


def without_gradient(kind: str) -> Map:
    """Return the adjoint of a reduction that is not a sum: an error."""

    def refuse(gradient: Tensor) -> NoReturn:
        raise NotImplementedError(f"A reduction by '{kind}' over processes has no gradient. Use 'sum'.")

    return refuse


def _noted(group: Any) -> str:
    """Tell a recording that the call exchanges data with other processes; return torch's name of the group."""
    if scope.tracing is not None:
        generation = process_groups.generation()
        scope.tracing.exchange(lambda: process_groups.generation() == generation)
    name: str = group.group_name
    return name


def reducing(group: Any, kind: str, api: str) -> Map:
    """Return the map that reduces over processes; `kind` is MindSpore's name of the reduction."""
    reduction = reduction_name(kind, api)
    return lambda x: collectives.wait_tensor(collectives.all_reduce(x, reduction, _noted(group)))


def summed(tensors: Sequence[Tensor], group: Any, scale: float = 1.0) -> list[Tensor]:
    """Return the sums over processes of tensors of one data type, times a number; they are sent as one message."""
    sent = torch.cat([x.reshape(-1) for x in tensors])
    if sent.requires_grad:
        reduce = reducing(group, "sum", "AllReduce")
        total = exchange(sent, reduce, reduce) * scale
    else:
        total = collectives.wait_tensor(collectives.all_reduce_(sent, "sum", _noted(group)))
        if scale != 1:
            total.mul_(scale)
    parts = total.split([x.numel() for x in tensors])
    return [_in_format_of(x, part.view(x.shape)) for x, part in zip(tensors, parts)]


def _in_format_of(x: Tensor, value: Tensor) -> Tensor:
    """Return a value with the strides of `x`: optimizers are fast where parameters and gradients agree in these."""
    return value if x.is_contiguous() else torch.empty_like(x).copy_(value)


def gathering(group: Any, sizes: list[int] | None = None) -> Map:
    """Return the map that concatenates the tensors of all processes, of these sizes or all alike."""
    count = dist.get_world_size(group)

    def gather(x: Tensor) -> Tensor:
        rows = x if x.ndim else x.reshape(1)
        return collectives.wait_tensor(collectives.all_gather_into_tensor(rows, count, _noted(group)))

    if sizes is None or len(set(sizes)) == 1:
        return gather
    return lambda x: torch.cat([part[:size] for part, size in zip(gather(_padded(x, max(sizes))).chunk(count), sizes)])


def reducing_parts(group: Any, kind: str, api: str, sizes: list[int] | None = None) -> Map:
    """Return the map that reduces over processes, and keeps this process's part."""
    count, rank, reduction = dist.get_world_size(group), dist.get_rank(group), reduction_name(kind, api)

    def reduce(x: Tensor) -> Tensor:
        rows = x.shape[0] if x.ndim else 1
        if rows % count:
            raise ValueError(f"For '{api}', {rows} rows are not divisible among {count} processes")
        return collectives.wait_tensor(collectives.reduce_scatter_tensor(x, reduction, count, _noted(group)))

    if sizes is None or len(set(sizes)) == 1:
        return reduce
    return lambda x: reduce(torch.cat([_padded(part, max(sizes)) for part in x.split(sizes)]))[: sizes[rank]]


def _padded(x: Tensor, rows: int) -> Tensor:
    return x if x.shape[0] == rows else torch.cat([x, x.new_zeros(rows - x.shape[0], *x.shape[1:])])


def sending(group: Any, root: int) -> Map:
    """Return the map that gives the tensor of the process with the global rank `root` to all."""
    source = dist.get_group_rank(group, root)
    return lambda x: collectives.wait_tensor(collectives.broadcast(x, source, _noted(group)))


def swapping(group: Any, sent: list[int], received: list[int]) -> Map:
    """Return the map that sends parts of these lengths to all processes, and concatenates those received."""
    return lambda x: collectives.wait_tensor(collectives.all_to_all_single(x, received, sent, _noted(group)))
