"""Communication between processes, over `torch.distributed`; the processes are in `process_groups`.

The functions write their results into the tensors that they are given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.checks import check_kind
from torchspore.engine.errors import describe
from torchspore.engine.naming import named
from torchspore.engine.op import op as operation
from torchspore.ops.distributed.process_groups import TCPStore as TCPStore
from torchspore.ops.distributed.process_groups import destroy_process_group as destroy_process_group
from torchspore.ops.distributed.process_groups import get_backend as get_backend
from torchspore.ops.distributed.process_groups import get_global_rank as get_global_rank
from torchspore.ops.distributed.process_groups import get_group_rank as get_group_rank
from torchspore.ops.distributed.process_groups import get_process_group_ranks as get_process_group_ranks
from torchspore.ops.distributed.process_groups import get_rank as get_rank
from torchspore.ops.distributed.process_groups import get_world_size as get_world_size
from torchspore.ops.distributed.process_groups import init_process_group as init_process_group
from torchspore.ops.distributed.process_groups import is_available as is_available
from torchspore.ops.distributed.process_groups import is_initialized as is_initialized
from torchspore.ops.distributed.process_groups import new_group as new_group
from torchspore.ops.distributed.process_groups import process_group, reduction

# `ops.gather` and `ops.scatter` are operations of one process, so these two are public here and in `mint` only.
__all__ = [
    "P2POp",
    "all_gather",
    "all_gather_into_tensor",
    "all_gather_into_tensor_uneven",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "all_to_all_single",
    "all_to_all_v_c",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "gather_into_tensor",
    "gather_object",
    "irecv",
    "isend",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "reduce_scatter_tensor_uneven",
    "scatter_object_list",
    "scatter_tensor",
    "send",
    "send_object_list",
    "set_comm_ops_inplace",
]


# What operations return: nothing, or with `async_op` something to wait for


class _Handle:
    """Wait for works of torch, then do what is left to do."""

    def __init__(self, works: list[Any], finish: Callable[[], Any] | None) -> None:
        self._works = [work for work in works if work is not None]
        self._finish = finish

    def wait(self) -> None:
        """Wait until the results are there."""
        for work in self._works:
            work.wait()
        if self._finish is not None:
            self._finish()
        self._works, self._finish = [], None


def _handle(async_op: bool, works: list[Any], finish: Callable[[], Any] | None = None) -> Any:
    handle = _Handle(works, finish)
    if async_op:
        return handle
    handle.wait()
    return None


# Tensors between all processes of a group


@operation
def all_reduce(tensor: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False) -> Any:
    """Replace `tensor` in every process by the sum (or product, ...) of those of all.

    Args:
        tensor: a Tensor of any shape.
        op: "sum", "prod", "max" or "min". Default: "sum".
        group: the name of the group. Default: None, all processes.
        async_op: whether to return a handle at once, whose `wait()` waits for the result. Default: False.
    """
    return _handle(
        async_op, [dist.all_reduce(tensor, reduction(op, "all_reduce"), process_group(group, "all_reduce"), True)]
    )


@operation
def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False) -> Any:
    """Replace `tensor` in the process `dst` by the sum (or product, ...) of those of all; see `all_reduce`."""
    kept = tensor.clone()  # torch may use the tensors of the other processes for sums of some of them
    works = [dist.reduce(kept, dst, reduction(op, "reduce"), process_group(group, "reduce"), True)]
    return _handle(async_op, works, (lambda: tensor.copy_(kept)) if dist.get_rank() == dst else None)


@operation
def broadcast(tensor: Tensor, src: int, group: str | None = None, async_op: bool = False) -> Any:
    """Replace `tensor` in every process by that of the process `src`."""
    return _handle(async_op, [dist.broadcast(tensor, src, process_group(group, "broadcast"), True)])


@operation
def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: str | None = None, async_op: bool = False) -> Any:
    """Write the tensors of all processes into those of a list."""
    return _handle(async_op, [dist.all_gather(tensor_list, tensor, process_group(group, "all_gather"), True)])


@operation
def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: str | None = None, async_op: bool = False
) -> Any:
    """Write the tensors of all processes into one, after each other along the first dimension."""
    parts = list(output_tensor.chunk(dist.get_world_size(process_group(group, "all_gather_into_tensor"))))
    return _handle(
        async_op, [dist.all_gather(parts, input_tensor, process_group(group, "all_gather_into_tensor"), True)]
    )


@operation
def all_gather_into_tensor_uneven(
    output: Tensor, input: Tensor, output_split_sizes: Any = None, group: str | None = None, async_op: bool = False
) -> Any:
    """Write tensors of different sizes into one, after each other along the first dimension.

    Args:
        output: the Tensor for all of them.
        input: the Tensor of this process.
        output_split_sizes: the size of every process's tensor. Default: None, all the same.
        group, async_op: as in `all_reduce`.
    """
    members = dist.get_process_group_ranks(process_group(group, "all_gather_into_tensor_uneven"))
    works = []
    for member, part in zip(members, _parts(output, output_split_sizes, len(members))):
        if member == dist.get_rank():
            part.copy_(input)
        works.append(dist.broadcast(part, member, process_group(group, "all_gather_into_tensor_uneven"), True))
    return _handle(async_op, works)


def _parts(tensor: Tensor, sizes: Any, count: int) -> tuple[Tensor, ...]:
    return tensor.split(list(sizes)) if sizes else tensor.chunk(count)


@operation
def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: str = "sum", group: str | None = None, async_op: bool = False
) -> Any:
    """Write into `output` the sum (or product, ...) over all processes of the tensor meant for this one.

    Args:
        output: the Tensor for the result.
        input_list: a Tensor for every process.
        op, group, async_op: as in `all_reduce`.
    """
    return _handle(async_op, *_reduced_parts(output, input_list, op, group))


def _reduced_parts(output: Tensor, parts: Any, op: str, group: str | None) -> tuple[list[Any], Any]:
    members = dist.get_process_group_ranks(process_group(group, "reduce_scatter"))
    parts = [part.clone() for part in parts]
    kind = reduction(op, "reduce_scatter")
    works = [
        dist.reduce(part, member, kind, process_group(group, "reduce_scatter"), True)
        for member, part in zip(members, parts)
    ]
    return works, lambda: output.copy_(parts[dist.get_rank(process_group(group, "reduce_scatter"))])


@operation
def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> Any:
    """Do `reduce_scatter` with the parts of one tensor, cut along the first dimension."""
    parts = input.chunk(dist.get_world_size(process_group(group, "reduce_scatter_tensor")))
    return _handle(async_op, *_reduced_parts(output, parts, op, group))


@operation
def reduce_scatter_tensor_uneven(
    output: Tensor,
    input: Tensor,
    input_split_sizes: Any = None,
    op: str = "sum",
    group: str | None = None,
    async_op: bool = False,
) -> Any:
    """Do `reduce_scatter_tensor` with parts of the sizes `input_split_sizes`."""
    parts = _parts(input, input_split_sizes, dist.get_world_size(process_group(group, "reduce_scatter_tensor_uneven")))
    return _handle(async_op, *_reduced_parts(output, parts, op, group))


@operation
def gather(
    tensor: Tensor, gather_list: list[Tensor], dst: int = 0, group: str | None = None, async_op: bool = False
) -> Any:
    """Write the tensors of all processes into those of a list in the process `dst`."""
    parts = gather_list if dist.get_rank() == dst else None
    return _handle(async_op, [dist.gather(tensor, parts, dst, process_group(group, "gather"), True)])


@operation
def gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, dst: int = 0, group: str | None = None, async_op: bool = False
) -> Any:
    """Write the tensors of all processes into one in the process `dst`, along the first dimension."""
    here = dist.get_rank() == dst
    parts = list(output_tensor.chunk(dist.get_world_size(process_group(group, "gather_into_tensor")))) if here else None
    return _handle(async_op, [dist.gather(input_tensor, parts, dst, process_group(group, "gather_into_tensor"), True)])


@operation
def scatter(
    tensor: Tensor, scatter_list: list[Tensor], src: int = 0, group: str | None = None, async_op: bool = False
) -> Any:
    """Write into `tensor` the one that the process `src` has for this process in its list."""
    parts = scatter_list if dist.get_rank() == src else None
    return _handle(async_op, [dist.scatter(tensor, parts, src, process_group(group, "scatter"), True)])


@operation
def scatter_tensor(
    output_tensor: Tensor, input_tensor: Tensor, src: int = 0, group: str | None = None, async_op: bool = False
) -> Any:
    """Do `scatter` with the parts of one tensor, cut along the first dimension."""
    parts = None
    if dist.get_rank() == src:
        parts = [
            part.contiguous()
            for part in input_tensor.chunk(dist.get_world_size(process_group(group, "scatter_tensor")))
        ]
    return _handle(async_op, [dist.scatter(output_tensor, parts, src, process_group(group, "scatter_tensor"), True)])


@operation
def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: str | None = None, async_op: bool = False
) -> Any:
    """Send every process a tensor, and write what they have sent here into those of a list.

    Args:
        output_tensor_list: the Tensors for what arrives, one from every process.
        input_tensor_list: the Tensors to send, one to every process.
        group, async_op: as in `all_reduce`.
    """
    outputs, inputs = [[one.numel() for one in several] for several in (output_tensor_list, input_tensor_list)]
    sent = torch.cat([one.reshape(-1) for one in input_tensor_list])
    received = sent.new_empty(sum(outputs))

    def finish() -> None:
        for output, part in zip(output_tensor_list, received.split(outputs)):
            output.copy_(part.view_as(output))

    return _handle(
        async_op,
        [dist.all_to_all_single(received, sent, outputs, inputs, process_group(group, "all_to_all"), True)],
        finish,
    )


@operation
def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: str | None = None,
    async_op: bool = False,
) -> Any:
    """Send every process a part of a tensor, and write the parts that arrive after each other.

    Args:
        output: the Tensor for what arrives.
        input: the Tensor to send, cut along the first dimension.
        output_split_sizes, input_split_sizes: the sizes of the parts. Default: None, all the same.
        group, async_op: as in `all_reduce`.
    """
    received, sent = (None if given is None else list(given) for given in (output_split_sizes, input_split_sizes))
    return _handle(
        async_op,
        [
            dist.all_to_all_single(
                output, input.contiguous(), received, sent, process_group(group, "all_to_all_single"), True
            )
        ],
    )


@operation
def all_to_all_v_c(
    output: Tensor, input: Tensor, send_count_matrix: Any, group: str | None = None, async_op: bool = False
) -> Any:
    """Do `all_to_all_single` with a flat tensor; element [i, j] of a flat square matrix is what i sends to j."""
    count, rank = (
        dist.get_world_size(process_group(group, "all_to_all_v_c")),
        dist.get_rank(process_group(group, "all_to_all_v_c")),
    )
    sent = list(send_count_matrix[rank * count : (rank + 1) * count])
    received = list(send_count_matrix[rank::count])
    return _handle(
        async_op, [dist.all_to_all_single(output, input, received, sent, process_group(group, "all_to_all_v_c"), True)]
    )


def barrier(group: str | None = None, async_op: bool = False, device_ids: Any = None) -> Any:
    """Wait until all processes of a group are here.

    Args:
        group, async_op: as in `all_reduce`.
        device_ids: as in `torch.distributed.barrier`. Default: None.
    """
    return _handle(async_op, [dist.barrier(process_group(group, "barrier"), True, device_ids)])


# Tensors from one process to another


@operation
def send(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Send a tensor to the process `dst`, and wait until it has left.

    Args:
        tensor: a Tensor of any shape.
        dst: the number of the other process among all. Default: 0.
        group: the name of the group. Default: None, all processes.
        tag: a number that the two agree on. Default: 0.
    """
    dist.send(tensor, dst, process_group(group, "send"), tag)


@operation
def recv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Wait for a tensor from the process `src`, and write it into `tensor`; see `send`.

    Returns:
        0.
    """
    dist.recv(tensor, src, process_group(group, "recv"), tag)
    return 0


@operation
def isend(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> Any:
    """Send a tensor, without waiting; see `send`.

    Returns:
        A handle, whose `wait()` waits until the tensor has left.
    """
    return _handle(True, [dist.isend(tensor, dst, process_group(group, "isend"), tag)])


@operation
def irecv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> Any:
    """Receive a tensor, without waiting; see `recv`.

    Returns:
        A handle, whose `wait()` waits until the tensor is there.
    """
    return _handle(True, [dist.irecv(tensor, src, process_group(group, "irecv"), tag)])


class P2POp:
    """What `batch_isend_irecv` is to do: send a tensor to another process, or receive one.

    Args:
        op: "isend" or "irecv", or the function of that name.
        tensor: the Tensor to send, or to receive into.
        peer: the number of the other process.
        group: the group of processes. Default: None.
        tag: a number that the two agree on. Default: 0.

    Raises:
        TypeError: `op` is nothing of that, `tensor` is not a Tensor or `peer` is not an int.
    """

    def __init__(self, op: Any, tensor: _Tensor, peer: int, group: str | None = None, tag: int = 0) -> None:
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        if name not in ("isend", "irecv"):
            raise TypeError(f"For 'P2POp', 'op' must be 'isend' or 'irecv', but got {describe(op)}.")
        if not isinstance(tensor, _Tensor):
            raise TypeError(f"For 'P2POp', 'tensor' must be a Tensor, but got {describe(tensor)}.")
        if not isinstance(peer, int):
            raise TypeError(f"For 'P2POp', 'peer' must be an int, but got {describe(peer)}.")
        self.op = name
        self.tensor = tensor
        self.peer = peer
        self.group = group
        self.tag = tag


@named
def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Any]:
    """Send and receive several tensors at once. As in MindSpore, what has been received can be read right after it.

    Args:
        p2p_op_list: what to do.

    Returns:
        A list of handles, whose `wait()` waits for the tensors.
    """
    planned = []
    for one in p2p_op_list:
        if not isinstance(one, P2POp):
            raise TypeError(f"For 'batch_isend_irecv', the list must have P2POps, but got {describe(one)}.")
        group = process_group(one.group, "batch_isend_irecv")
        planned.append(dist.P2POp(getattr(dist, one.op), one.tensor._t, one.peer, group, one.tag))
    handles = [_handle(True, [work]) for work in dist.batch_isend_irecv(planned)]
    for handle in handles:
        handle.wait()
    return handles


# Python objects


def all_gather_object(object_list: list[Any], obj: Any, group: str | None = None) -> None:
    """Write the objects of all processes into a list."""
    dist.all_gather_object(object_list, obj, process_group(group, "all_gather_object"))


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int = 0, group: str | None = None
) -> None:
    """Write the objects of all processes into a list in the process `dst`."""
    found = process_group(group, "gather_object")
    dist.gather_object(obj, object_gather_list if dist.get_rank() == dst else None, dst, found)


def broadcast_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None) -> None:
    """Replace the objects of a list by those in the process `src`."""
    _default_device(device, "broadcast_object_list")
    dist.broadcast_object_list(object_list, src, process_group(group, "broadcast_object_list"))


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None,
    src: int = 0,
    group: str | None = None,
) -> None:
    """Put the object that the process `src` has for this one in its list into the first place of another list."""
    found = process_group(group, "scatter_object_list")
    dist.scatter_object_list(scatter_object_output_list, scatter_object_input_list, src, found)


def send_object_list(object_list: list[Any], dst: int, group: str | None = None, device: Any = None) -> None:
    """Send the objects of a list to the process `dst`."""
    _default_device(device, "send_object_list")
    dist.send_object_list(object_list, dst, process_group(group, "send_object_list"))


def recv_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None) -> None:
    """Replace the objects of a list by those that the process `src` sends."""
    _default_device(device, "recv_object_list")
    dist.recv_object_list(object_list, src, process_group(group, "recv_object_list"))


def _default_device(device: Any, api: str) -> None:
    if device is not None:
        raise NotImplementedError(f"For '{api}', 'device' is not supported. Leave it out.")


def set_comm_ops_inplace(is_enable: bool, func_list: list[str] | None = None) -> None:
    """Say that the functions of this module write into the tensors that they are given; they always do.

    Args:
        is_enable: True.
        func_list: names of functions; without effect, as all of them do. Default: None.

    Raises:
        TypeError: `is_enable` is not a bool, or a name is not a string.
        NotImplementedError: it is False. Use the primitives, like `ops.AllReduce`, which return their results.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.set_comm_ops_inplace(True)
    """
    if not isinstance(is_enable, bool):
        raise TypeError(f"For 'set_comm_ops_inplace', 'is_enable' must be a bool, but got {describe(is_enable)}.")
    for name in func_list or []:
        check_kind(name, str, "func_list", "set_comm_ops_inplace")
    if not is_enable:
        raise NotImplementedError(
            "For 'set_comm_ops_inplace', the functions always write into their tensors. Use the primitives, like "
            "'ops.AllReduce', which return their results."
        )
