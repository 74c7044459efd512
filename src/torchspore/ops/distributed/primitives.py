"""Communication between processes as primitives, which return their results and are differentiable."""

from __future__ import annotations

from typing import Annotated, Any

import torch
import torch.distributed as dist
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common.conversion import as_torch
from torchspore.common.dtype import to_torch
from torchspore.engine.op import Size, Type, op
from torchspore.engine.parameters import NotSupported, Only, take_as
from torchspore.engine.primitive import Primitive, as_primitive, primitive
from torchspore.engine.values.nested import wrap_tree
from torchspore.ops.distributed import functions as communication
from torchspore.ops.distributed.agreement import agree
from torchspore.ops.distributed.exchanges import (
    Map,
    exchange,
    gathering,
    reducing,
    reducing_parts,
    sending,
    swapping,
    without_gradient,
)  # fmt: skip
from torchspore.ops.distributed.process_groups import peer_in_group, process_group, reduction

__all__ = [
    "AllGather", "AllGatherV", "AllReduce", "AlltoAll", "AlltoAllV", "AlltoAllVC", "Barrier", "BatchISendIRecv",
    "Broadcast", "CollectiveGather", "CollectiveScatter", "NeighborExchange", "Receive", "Reduce", "ReduceScatter",
    "ReduceScatterV", "Send", "all_gather_matmul", "matmul_reduce_scatter",
]  # fmt: skip

_WORLD = "hccl_world_group"


def _sizes(given: Any) -> list[int]:
    return [int(size) for size in given]


@as_primitive
def AllReduce(input_x: Tensor, *, op: str = "sum", group: str = _WORLD) -> Tensor:
    """The sum (or another reduction) of the tensors of all processes.

    Args:
        op: "sum", "prod", "max" or "min". Default: "sum". Only sums have gradients.
        group: the name of the group of processes. Default: all.
    Examples:
        >>> import torchspore as ms
        >>> ms.mint.distributed.init_process_group()  # one process, as this is not started by torchrun
        >>> print(ms.ops.AllReduce()(ms.Tensor([1.0, 2.0])))
        [1. 2.]
        >>> ms.mint.distributed.destroy_process_group()
    """
    found = process_group(group, "AllReduce")
    reduce = reducing(found, op, "AllReduce")
    agree(found, "AllReduce", input_x, op)
    return exchange(input_x, reduce, reduce if op == "sum" else without_gradient(op))


@as_primitive
def AllGather(input_x: Tensor, *, group: str = _WORLD) -> Tensor:
    """The tensors of all processes, concatenated along the first dimension."""
    found = process_group(group, "AllGather")
    agree(found, "AllGather", input_x)
    return exchange(input_x, gathering(found), reducing_parts(found, "sum", "AllGather"))


@as_primitive
def AllGatherV(input_x: Tensor, output_split_sizes: Any, *, group: str = _WORLD) -> Tensor:
    """The flat tensors of all processes, of the lengths `output_split_sizes`, concatenated."""
    found, sizes = process_group(group, "AllGatherV"), _sizes(output_split_sizes)
    agree(found, "AllGatherV", input_x.dtype, sizes)
    return exchange(input_x, gathering(found, sizes), reducing_parts(found, "sum", "AllGatherV", sizes))


@as_primitive
def ReduceScatter(input_x: Tensor, *, op: str = "sum", group: str = _WORLD) -> Tensor:
    """This process's part, along the first dimension, of the sum (or another reduction) of the tensors of all."""
    found = process_group(group, "ReduceScatter")
    reduce, back = reducing_parts(found, op, "ReduceScatter"), gathering(found) if op == "sum" else without_gradient(op)
    agree(found, "ReduceScatter", input_x, op)
    return exchange(input_x, reduce, back)


@as_primitive
def ReduceScatterV(input_x: Tensor, input_split_sizes: Any, *, op: str = "sum", group: str = _WORLD) -> Tensor:
    """This process's part, of the lengths `input_split_sizes`, of the sum (or another reduction) of flat tensors."""
    found, sizes = process_group(group, "ReduceScatterV"), _sizes(input_split_sizes)
    back = gathering(found, sizes) if op == "sum" else without_gradient(op)
    agree(found, "ReduceScatterV", input_x, sizes, op)
    return exchange(input_x, reducing_parts(found, op, "ReduceScatterV", sizes), back)


@as_primitive
def Broadcast(input_x: list[Tensor], *, root_rank: int, group: str = _WORLD) -> tuple[Tensor, ...]:
    """The tensors of the process with the global rank `root_rank`, in every process."""
    found = process_group(group, "Broadcast")
    agree(found, "Broadcast", *input_x, f"from {root_rank}")

    def adjoint(gradient: Tensor) -> Tensor:
        total = reducing(found, "sum", "Broadcast")(gradient)
        return total if dist.get_rank() == root_rank else torch.zeros_like(gradient)

    return tuple([exchange(x, sending(found, root_rank), adjoint) for x in input_x])


@as_primitive
def Reduce(input_x: Tensor, *, dest_rank: int, op: str = "sum", group: str = _WORLD) -> Tensor:
    """The sum (or another reduction) of all tensors, in the process `dest_rank` of the group; a zero elsewhere."""
    found, result, kind = process_group(group, "Reduce"), input_x.clone(), reduction(op, "Reduce")
    agree(found, "Reduce", input_x, op, f"to {dest_rank}")
    dist.reduce(result, dist.get_global_rank(found, dest_rank), kind, found)
    return result if dist.get_rank(found) == dest_rank else input_x.new_zeros(1)


@as_primitive
def CollectiveGather(input_x: Tensor, *, dest_rank: int, group: str = _WORLD) -> Tensor:
    """The tensors of all processes, concatenated, in the process `dest_rank`, a zero elsewhere."""
    found = process_group(group, "CollectiveGather")
    here = dist.get_rank() == dest_rank
    agree(found, "CollectiveGather", input_x, f"to {dest_rank}")
    parts = [torch.empty_like(input_x) for _ in range(dist.get_world_size(found))] if here else None
    dist.gather(input_x, parts, dest_rank, found)
    return torch.cat(parts) if parts else input_x.new_zeros(1)


@as_primitive
def CollectiveScatter(input_x: Tensor, *, src_rank: int = 0, group: str = _WORLD) -> Tensor:
    """This process's part, along the first dimension, of the tensor of the process `src_rank`."""
    found = process_group(group, "CollectiveScatter")
    parts = [part.contiguous() for part in input_x.chunk(dist.get_world_size(found))]
    result = torch.empty_like(parts[0])
    agree(found, "CollectiveScatter", input_x, f"from {src_rank}")
    dist.scatter(result, parts if dist.get_rank() == src_rank else None, src_rank, found)
    return result


# All to all


@as_primitive
def AlltoAll(input_x: Tensor, *, split_count: int, split_dim: int, concat_dim: int, group: str = _WORLD) -> Tensor:
    """Split tensors along one dimension, exchange the parts among all processes, and concatenate along another.

    Args:
        split_count: the number of parts, one per process; ValueError otherwise, or if it does not divide the size.
        split_dim, concat_dim: the dimensions along which to split and concatenate.
        group: the name of the group of processes. Default: all.
    """
    found = process_group(group, "AlltoAll")
    if split_count != dist.get_world_size(found) or input_x.shape[split_dim] % split_count:
        raise ValueError(
            f"'split_count' must be the number of processes, {dist.get_world_size(found)}, and divide dimension "
            f"{split_dim} of {tuple(input_x.shape)}"
        )

    agree(found, "AlltoAll", input_x, split_dim, concat_dim)

    def along(split: int, concat: int) -> Map:
        def swap(x: Tensor) -> Tensor:
            parts = torch.stack(x.chunk(split_count, split))
            sizes = [parts[0].numel()] * split_count
            return torch.cat(swapping(found, sizes, sizes)(parts.reshape(-1)).view_as(parts).unbind(0), concat)

        return swap

    return exchange(input_x, along(split_dim, concat_dim), along(concat_dim, split_dim))


@as_primitive
def AlltoAllV(
    input_x: Tensor, send_numel_list: Any, recv_numel_list: Any, *, group: str | None = _WORLD, block_size: int = 1
) -> Tensor:
    """Exchange the parts of flat tensors among all processes.

    Args:
        send_numel_list, recv_numel_list: the lengths of the parts to send and to receive, in units of `block_size`.
        group: the name of the group of processes. Default: all.
        block_size: the unit of the lengths. Default: 1.
    """
    found = process_group(group, "AlltoAllV")
    sent, received = ([n * block_size for n in _sizes(given)] for given in (send_numel_list, recv_numel_list))
    agree(found, "AlltoAllV", input_x.dtype)
    return exchange(input_x, swapping(found, sent, received), swapping(found, received, sent))


@as_primitive
def AlltoAllVC(
    input_x: Tensor, send_count_matrix: Any, *, group: str = _WORLD, block_size: int = 1, transpose: bool = False
) -> Tensor:
    """`AlltoAllV`, where element [i, j] of a square matrix, which may be flat, is the length of what i sends to j.

    Args:
        send_count_matrix: the matrix, in units of `block_size`.
        group, block_size: as for `AlltoAllV`.
        transpose: whether to use the transposed matrix. Default: False.
    """
    found = process_group(group, "AlltoAllVC")
    matrix = as_torch(send_count_matrix, None, torch.device("cpu"))
    counts = matrix.reshape(-1, dist.get_world_size(found)) * block_size
    rank = dist.get_rank(found)
    agree(found, "AlltoAllVC", input_x.dtype, counts.tolist())
    sent, received = counts[rank].tolist(), counts[:, rank].tolist()
    if transpose:
        sent, received = received, sent
    return exchange(input_x, swapping(found, sent, received), swapping(found, received, sent))


# Point to point


@op(name="Send")
def _send(input_x: Tensor, sr_tag: int, dest_rank: int, group: str = _WORLD, group_back: str = _WORLD) -> Tensor:
    """Send a tensor to the process `dest_rank` of a group, and return it."""
    take_as(str, group_back, "group_back", "Send")
    found = process_group(group, "Send")
    dist.send(input_x.contiguous(), peer_in_group(found, dest_rank, "dest_rank", "Send"), found, sr_tag)
    return input_x


@op(name="Receive")
def _receive(
    input_x: Any, sr_tag: int, src_rank: int, shape: Size, dtype: Type, group: str = _WORLD, group_back: str = _WORLD
) -> Tensor:
    """Return the tensor that the process `src_rank` of a group sends."""
    take_as(str, group_back, "group_back", "Receive")
    found = process_group(group, "Receive")
    result = torch.empty(shape, dtype=dtype, device=devices.current())
    dist.recv(result, peer_in_group(found, src_rank, "src_rank", "Receive"), found, sr_tag)
    return result


Send = primitive("Send", _send, "sr_tag", "dest_rank", group=_WORLD, group_back=_WORLD)
Receive = primitive("Receive", _receive, "sr_tag", "src_rank", "shape", "dtype", group=_WORLD, group_back=_WORLD)
Barrier = primitive("Barrier", communication.barrier, group=_WORLD)


class BatchISendIRecv(Primitive):
    """Send and receive several tensors at once.

    Args:
        op_types: "isend" or "irecv" for each.
        remote_ranks: the rank of the other process for each.
        receive_shapes, receive_dtypes: the shapes and data types of the tensors to receive, in order. Default: None.
        group: the name of the group of processes. Default: all.
    """

    def __init__(
        self, op_types: Any, remote_ranks: Any, receive_shapes: Any = None, receive_dtypes: Any = None,
        group: str = _WORLD,
    ) -> None:  # fmt: skip
        super().__init__("BatchISendIRecv")
        self.op_types, self.remote_ranks, self.group = op_types, remote_ranks, group
        self.receive_shapes, self.receive_dtypes = receive_shapes or (), receive_dtypes or ()

    def __call__(self, inputs: Any) -> Any:
        """Send `inputs`, and return a tensor for each operation: what was received, or a zero."""
        found = process_group(self.group, self.name)
        unsent, expected = iter(inputs), iter(zip(self.receive_shapes, self.receive_dtypes))
        planned, results = [], []
        for kind, rank in zip(self.op_types, self.remote_ranks):
            if kind == "isend":
                buffer = next(unsent)._t.contiguous()
                results.append(buffer.new_zeros(()))
            else:
                shape, dtype = next(expected)
                buffer = torch.empty(tuple(shape), dtype=to_torch(dtype, self.name), device=devices.current())
                results.append(buffer)
            other = peer_in_group(found, rank, "remote_ranks", self.name)
            planned.append(dist.P2POp(getattr(dist, kind), buffer, other, found))
        for work in dist.batch_isend_irecv(planned):
            work.wait()
        return wrap_tree(tuple(results))


class NeighborExchange(Primitive):
    """Send tensors to some processes, and receive tensors from others.

    Args:
        send_rank_ids, recv_rank_ids: the ranks of the processes.
        recv_shapes, send_shapes: the shapes of the tensors.
        recv_type: the data type of the received tensors.
        group: the name of the group of processes. Default: all.
    """

    def __init__(
        self, send_rank_ids: list[int], recv_rank_ids: list[int], recv_shapes: Any, send_shapes: Any, recv_type: Any,
        group: str = _WORLD,
    ) -> None:  # fmt: skip
        super().__init__("NeighborExchange")
        if len(send_shapes) != len(send_rank_ids):
            raise ValueError(f"'send_shapes' must have one shape per rank of 'send_rank_ids', {len(send_rank_ids)}")
        kinds = ["isend"] * len(send_rank_ids) + ["irecv"] * len(recv_rank_ids)
        types = [recv_type] * len(recv_rank_ids)
        self._sent = len(send_rank_ids)
        self._exchange = BatchISendIRecv(kinds, [*send_rank_ids, *recv_rank_ids], recv_shapes, types, group)

    def __call__(self, tensor: Any) -> Any:
        """Send the tensors of a tuple, and return a tuple of those received."""
        return self._exchange(tensor)[self._sent :]


def _group_of(group: str, world_size: int, api: str) -> dist.ProcessGroup:
    """Return a group, which must have `world_size` processes."""
    found = process_group(group, api)
    if world_size != dist.get_world_size(found):
        raise ValueError(f"'world_size' must be {dist.get_world_size(found)}, the size of the group")
    return found


@op
def all_gather_matmul(
    input: Tensor, x2: Tensor, group: str, world_size: int, *, bias: NotSupported = None,
    gather_index: Annotated[int, Only(0)] = 0,
    gather_output: bool = True, comm_turn: Annotated[int, Only(0)] = 0,
    trans_input: Annotated[bool, Only(False)] = False, trans_x2: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The product of the rows of all processes with a matrix.

    Args:
        input: this process's rows, a Tensor of shape (m, k).
        x2: the matrix, of shape (k, n).
        group, world_size: the name of the group of processes, and its size.
        gather_output: whether to return the rows of all. Default: True.
        trans_x2: whether `x2` is of shape (n, k). Default: False.
        bias, gather_index, comm_turn, trans_input: None, 0, 0 and False; NotImplementedError otherwise.

    Returns the product, of shape (m * world_size, n), and the rows of all, or an empty Tensor.
    Raises ValueError if the shapes do not fit, or the group has another size.
    """
    found = _group_of(group, world_size, "all_gather_matmul")
    rows = exchange(input, gathering(found), reducing_parts(found, "sum", "all_gather_matmul"))
    return rows @ (x2.t() if trans_x2 else x2), rows if gather_output else rows.new_empty(0)


@op
def matmul_reduce_scatter(
    input: Tensor, x2: Tensor, group: str, world_size: int, *, reduce_op: Annotated[str, Only("sum")] = "sum",
    bias: NotSupported = None,
    comm_turn: Annotated[int, Only(0)] = 0, trans_input: Annotated[bool, Only(False)] = False, trans_x2: bool = False,
) -> Tensor:  # fmt: skip
    """This process's rows, (m / world_size, n), of the sum of the matrix products of all processes.

    Args:
        input: a Tensor of shape (m, k); `world_size` must divide m.
        x2, group, world_size, trans_x2: as for `all_gather_matmul`.
        reduce_op, bias, comm_turn, trans_input: "sum", None, 0 and False; NotImplementedError otherwise.

    Raises ValueError if the shapes do not fit, or the group has another size.
    """
    found, product = _group_of(group, world_size, "matmul_reduce_scatter"), input @ (x2.t() if trans_x2 else x2)
    return exchange(product, reducing_parts(found, "sum", "matmul_reduce_scatter"), gathering(found))
