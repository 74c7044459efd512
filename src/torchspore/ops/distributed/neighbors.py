"""Images that are cut over a grid of processes, and the edges that neighbours exchange."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import torch
import torch.distributed as dist
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import take_as
from torchspore.engine.primitive import Primitive
from torchspore.ops.distributed.exchanges import exchange, swapping
from torchspore.ops.distributed.process_groups import peer_in_group, process_group

__all__ = ["NeighborExchangeV2"]

_API = "NeighborExchangeV2"

# The eight neighbours, clockwise from above: in each dimension before (-1), at (0) or after (1) this process.
_DIRECTIONS = [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1)]


class _Edges(NamedTuple):
    """How many rows and columns go to, or come from, the neighbours on the four sides, and their ranks."""

    ranks: list[int]
    top: int
    bottom: int
    left: int
    right: int

    def size(self, direction: tuple[int, int], height: int, width: int) -> tuple[int, int]:
        """Return the height and the width of the part of a neighbour, of images of this height and width."""
        down, right = direction
        return {-1: self.top, 0: height, 1: self.bottom}[down], {-1: self.left, 0: width, 1: self.right}[right]


class NeighborExchangeV2(Primitive):
    """Send the edges of images to neighbouring processes, and put what they send around the images.

    Args:
        send_rank_ids, recv_rank_ids: the ranks of the eight neighbours in the group, clockwise from the one above; -1
            where nothing is sent or received. All processes of the group must take part.
        send_lens, recv_lens: how many rows and columns are sent and received, [top, bottom, left, right].
        data_format: "NCHW".
        group: the name of the group of processes. Default: all.

    Inputs:
        - **tensor**, of shape (N, C, H, W).

    Returns a Tensor of shape (N, C, top + H + bottom, left + W + right), 0 where nothing was received.
    Raises TypeError or ValueError if the lists have other lengths, a rank is repeated, or a length is negative.

    Examples:
        >>> import torchspore as ms
        >>> ms.mint.distributed.init_process_group()  # one process, as this is not started by torchrun
        >>> alone = ms.ops.NeighborExchangeV2([-1] * 8, [0] * 4, [-1] * 8, [1, 0, 0, 1], "NCHW")
        >>> print(alone(ms.ops.ones((1, 1, 1, 2))))
        [[[[0. 0. 0.]
           [1. 1. 0.]]]]
        >>> ms.mint.distributed.destroy_process_group()
    """

    def __init__(
        self, send_rank_ids: list[int], send_lens: list[int], recv_rank_ids: list[int], recv_lens: list[int],
        data_format: str, group: str = "hccl_world_group",
    ) -> None:  # fmt: skip
        super().__init__(_API)
        take_as(Literal["NCHW"], data_format, "data_format", _API)
        take_as(str, group, "group", _API)
        self.group = group
        self.sent = _edges(send_rank_ids, send_lens, "send")
        self.received = _edges(recv_rank_ids, recv_lens, "recv")

    def __call__(self, tensor: Any) -> Any:
        """Return the images with what the neighbours sent."""
        return _with_neighbors(tensor, self)


def _edges(ranks: Any, lengths: Any, kind: str) -> _Edges:
    for name, given, count, minimum in ((f"{kind}_rank_ids", ranks, 8, -1), (f"{kind}_lens", lengths, 4, 0)):
        take_as(list, given, name, _API)
        if len(given) != count or not all(type(each) is int and each >= minimum for each in given):
            raise ValueError(f"'{name}' must be {count} ints from {minimum} on, but got {given}")
    known = [rank for rank in ranks if rank >= 0]
    if len(set(known)) < len(known):
        raise ValueError(f"'{kind}_rank_ids' must name each process once")
    return _Edges([*ranks], *lengths)


@op(name=_API)
def _with_neighbors(tensor: Tensor, plan: Any) -> Tensor:
    if tensor.ndim != 4:
        raise ValueError(f"the input must have 4 dimensions, (N, C, H, W), not {tensor.ndim}")
    group = process_group(plan.group, _API)
    height, width = tensor.shape[2:]
    parts = {}
    for direction, rank in zip(_DIRECTIONS, plan.sent.ranks):
        if rank >= 0:
            peer_in_group(group, rank, "send_rank_ids", _API)
            rows, columns = plan.sent.size(direction, height, width)
            if rows > height or columns > width:
                raise ValueError(f"'send_lens' ask for {rows} rows and {columns} columns of {height} x {width}")
            top, left = (height - rows if direction[0] > 0 else 0), (width - columns if direction[1] > 0 else 0)
            parts[rank] = tensor[:, :, top : top + rows, left : left + columns].reshape(-1)
    shapes = {}
    for direction, rank in zip(_DIRECTIONS, plan.received.ranks):
        shapes[direction] = (*tensor.shape[:2], *plan.received.size(direction, height, width))
        if rank >= 0:
            peer_in_group(group, rank, "recv_rank_ids", _API)
    numbers = range(dist.get_world_size(group))
    empty = tensor.new_empty(0)
    sent = [parts.get(rank, empty) for rank in numbers]
    directions = dict(zip(plan.received.ranks, _DIRECTIONS))
    lengths = [torch.Size(shapes[directions[rank]]).numel() if rank in directions else 0 for rank in numbers]
    there, back = [part.numel() for part in sent], lengths
    arrived = exchange(torch.cat(sent), swapping(group, there, back), swapping(group, back, there)).split(lengths)
    around = {
        direction: arrived[rank].view(shapes[direction]) if rank >= 0 else tensor.new_zeros(shapes[direction])
        for direction, rank in zip(_DIRECTIONS, plan.received.ranks)
    }
    around[0, 0] = tensor
    return torch.cat([torch.cat([around[down, right] for right in (-1, 0, 1)], 3) for down in (-1, 0, 1)], 2)
