"""Communication between processes, over `torch.distributed`; the processes are in `process_groups`.

The functions write their results into the tensors that they are given.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor

from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import named
from torchspore.engine.op import op as operation
from torchspore.engine.parameters import take_as
from torchspore.ops.distributed.agreement import agree
from torchspore.ops.distributed.exchanges import gathering, reducing, reducing_parts, sending, swapping
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
from torchspore.ops.distributed.process_groups import peer, process_group, reduction

# `ops.gather` and `ops.scatter` are operations of one process, so these two are public here and in `mint` only.
__all__ = [
    "P2POp", "all_gather", "all_gather_into_tensor", "all_gather_into_tensor_uneven", "all_gather_object", "all_reduce",
    "all_to_all", "all_to_all_single", "all_to_all_v_c", "barrier", "batch_isend_irecv", "broadcast",
    "broadcast_object_list", "gather_into_tensor", "gather_object", "irecv", "isend", "recv", "recv_object_list",
    "reduce", "reduce_scatter", "reduce_scatter_tensor", "reduce_scatter_tensor_uneven", "scatter_object_list",
    "scatter_tensor", "send", "send_object_list", "set_comm_ops_inplace",
]  # fmt: skip


# torch renamed these after 2.11.
_gather: Any = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
_reduce_scatter: Any = getattr(dist, "reduce_scatter_single", None) or dist.reduce_scatter_tensor


# Handles, which operations return with `async_op`


class _Handle:
    """Wait for works of torch, then finish the operation."""

    def __init__(self, works: list[Any], finish: Callable[[], Any] | None) -> None:
        self._works = [work for work in works if work is not None]
        self._finish = finish

    def wait(self) -> None:
        """Wait for the results."""
        for work in self._works:
            work.wait()
        if self._finish is not None:
            self._finish()
        self._works, self._finish = [], None


def _recorded(async_op: bool, results: dict[Tensor, Tensor]) -> Any:
    """Write the results of exchanges that are nodes of a graph, where what may overlap with them is known."""
    for output, result in results.items():
        output.copy_(result.view_as(output))
    return _handle(async_op, [])


def _handle(async_op: bool, works: list[Any], finish: Callable[[], Any] | None = None) -> Any:
    handle = _Handle(works, finish)
    if async_op:
        return handle
    handle.wait()
    return None


# Collective operations on tensors


@operation
def all_reduce(tensor: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False) -> Any:
    """Replace `tensor` in every process by the sum (or another reduction) over all processes.

    Args:
        tensor: a Tensor of any shape.
        op: "sum", "prod", "max" or "min". Default: "sum".
        group: the name of the group. Default: None, all processes.
        async_op: whether to return a handle at once, whose `wait()` waits for the result. Default: False.
    """
    found = process_group(group, "all_reduce")
    if scope.tracing is not None:
        return _recorded(async_op, {tensor: reducing(found, op, "all_reduce")(tensor)})
    kind = reduction(op, "all_reduce")
    agree(found, "all_reduce", tensor, op)
    return _handle(async_op, [dist.all_reduce(tensor, kind, found, True)])


@operation
def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str | None = None, async_op: bool = False) -> Any:
    """Replace `tensor` in the process `dst` by the sum (or another reduction) over all processes; see `all_reduce`."""
    found, kind = process_group(group, "reduce"), reduction(op, "reduce")
    agree(found, "reduce", tensor, op, f"to {dst}")
    copy = tensor.clone()  # torch may use the tensors of the other processes for partial sums
    works = [dist.reduce(copy, dst, kind, found, True)]
    return _handle(async_op, works, (lambda: tensor.copy_(copy)) if dist.get_rank() == dst else None)


@operation
def broadcast(tensor: Tensor, src: int, group: str | None = None, async_op: bool = False) -> Any:
    """Replace `tensor` in every process by the tensor of the process `src`."""
    found = process_group(group, "broadcast")
    if scope.tracing is not None:
        return _recorded(async_op, {tensor: sending(found, src)(tensor)})
    agree(found, "broadcast", tensor, f"from {src}")
    return _handle(async_op, [dist.broadcast(tensor, src, found, True)])


@operation
def all_gather(tensor_list: list[Tensor], tensor: Tensor, group: str | None = None, async_op: bool = False) -> Any:
    """Write the tensors of all processes into the tensors of a list."""
    found = process_group(group, "all_gather")
    if scope.tracing is not None:
        parts = gathering(found)(tensor.reshape(1, -1)).unbind()
        return _recorded(async_op, dict(zip(tensor_list, parts)))
    agree(found, "all_gather", tensor)
    return _handle(async_op, [dist.all_gather(tensor_list, tensor, found, True)])


@operation
def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: str | None = None, async_op: bool = False
) -> Any:
    """Concatenate the tensors of all processes along the first dimension, into `output_tensor`."""
    found = process_group(group, "all_gather_into_tensor")
    if scope.tracing is not None:
        return _recorded(async_op, {output_tensor: gathering(found)(input_tensor)})
    agree(found, "all_gather_into_tensor", input_tensor)
    return _filled(async_op, output_tensor, lambda to: _gather(to, input_tensor.contiguous(), found, True))


def _filled(async_op: bool, output: Tensor, start: Callable[[Tensor], Any]) -> Any:
    """Start an exchange that writes into `output`, or into a copy, as torch writes into contiguous tensors only."""
    if output.is_contiguous():
        return _handle(async_op, [start(output)])
    copy = torch.empty_like(output, memory_format=torch.contiguous_format)
    return _handle(async_op, [start(copy)], lambda: output.copy_(copy))


@operation
def all_gather_into_tensor_uneven(
    output: Tensor, input: Tensor, output_split_sizes: Any = None, group: str | None = None, async_op: bool = False
) -> Any:
    """`all_gather_into_tensor` for tensors of the sizes `output_split_sizes`; None stands for equal sizes."""
    found = process_group(group, "all_gather_into_tensor_uneven")
    sizes = [part.shape[0] for part in _parts(output, output_split_sizes, dist.get_world_size(found))]
    agree(found, "all_gather_into_tensor_uneven", input.dtype, sizes)
    result = gathering(found, sizes)(input)
    return _handle(async_op, [], lambda: output.copy_(result))


def _parts(tensor: Tensor, sizes: Any, count: int) -> tuple[Tensor, ...]:
    return tensor.split(list(sizes)) if sizes else tensor.chunk(count)


@operation
def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: str = "sum", group: str | None = None, async_op: bool = False
) -> Any:
    """Write the sum (or another reduction) over all processes of the tensor for this process into `output`.

    Args:
        output: the Tensor for the result.
        input_list: a Tensor for every process.
        op, group, async_op: as in `all_reduce`.
    """
    found = process_group(group, "reduce_scatter")
    if len({part.shape for part in input_list}) == 1:
        return _reduced_part(async_op, output, torch.stack(input_list).reshape(-1), op, found)
    if scope.tracing is not None:
        scope.tracing.refuse("it exchanges tensors of different shapes with other processes")
    agree(found, "reduce_scatter", *input_list, op)
    parts = [part.clone() for part in input_list]
    kind, members = reduction(op, "reduce_scatter"), dist.get_process_group_ranks(found)
    works = [dist.reduce(part, member, kind, found, True) for member, part in zip(members, parts)]
    return _handle(async_op, works, lambda: output.copy_(parts[dist.get_rank(found)]))


def _reduced_part(async_op: bool, output: Tensor, parts: Tensor, op: str, group: Any) -> Any:
    if scope.tracing is not None:
        return _recorded(async_op, {output: reducing_parts(group, op, "reduce_scatter")(parts)})
    kind = reduction(op, "reduce_scatter")
    agree(group, "reduce_scatter", parts, op)
    return _filled(async_op, output, lambda to: _reduce_scatter(to.view(-1), parts.reshape(-1), kind, group, True))


@operation
def reduce_scatter_tensor(
    output: Tensor, input: Tensor, op: str = "sum", group: str | None = None, async_op: bool = False
) -> Any:
    """`reduce_scatter` with the parts of one tensor, split along the first dimension."""
    return _reduced_part(async_op, output, input, op, process_group(group, "reduce_scatter_tensor"))


@operation
def reduce_scatter_tensor_uneven(
    output: Tensor, input: Tensor, input_split_sizes: Any = None, op: str = "sum", group: str | None = None,
    async_op: bool = False,
) -> Any:  # fmt: skip
    """`reduce_scatter_tensor` with parts of the sizes `input_split_sizes`."""
    api = "reduce_scatter_tensor_uneven"
    found = process_group(group, api)
    sizes = [part.shape[0] for part in _parts(input, input_split_sizes, dist.get_world_size(found))]
    agree(found, api, input, sizes, op)
    result = reducing_parts(found, op, api, sizes)(input)
    return _handle(async_op, [], lambda: output.copy_(result))


@operation
def gather(
    tensor: Tensor, gather_list: list[Tensor], dst: int = 0, group: str | None = None, async_op: bool = False
) -> Any:
    """Write the tensors of all processes into the tensors of a list in the process `dst`."""
    found, parts = process_group(group, "gather"), gather_list if dist.get_rank() == dst else None
    agree(found, "gather", tensor, f"to {dst}")
    return _handle(async_op, [dist.gather(tensor, parts, dst, found, True)])


@operation
def gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, dst: int = 0, group: str | None = None, async_op: bool = False
) -> Any:
    """Concatenate the tensors of all processes along the first dimension, in the process `dst`."""
    found, parts = process_group(group, "gather_into_tensor"), None
    if dist.get_rank() == dst:
        parts = list(output_tensor.chunk(dist.get_world_size(found)))
    agree(found, "gather_into_tensor", input_tensor, f"to {dst}")
    return _handle(async_op, [dist.gather(input_tensor, parts, dst, found, True)])


@operation
def scatter(
    tensor: Tensor, scatter_list: list[Tensor], src: int = 0, group: str | None = None, async_op: bool = False
) -> Any:
    """Write the tensor for this process from the list of the process `src` into `tensor`."""
    found, parts = process_group(group, "scatter"), scatter_list if dist.get_rank() == src else None
    agree(found, "scatter", tensor, f"from {src}")
    return _handle(async_op, [dist.scatter(tensor, parts, src, found, True)])


@operation
def scatter_tensor(
    output_tensor: Tensor, input_tensor: Tensor, src: int = 0, group: str | None = None, async_op: bool = False
) -> Any:
    """`scatter` with the parts of one tensor, split along the first dimension."""
    found, parts = process_group(group, "scatter_tensor"), None
    if dist.get_rank() == src:
        parts = [part.contiguous() for part in input_tensor.chunk(dist.get_world_size(found))]
    agree(found, "scatter_tensor", output_tensor, f"from {src}")
    return _handle(async_op, [dist.scatter(output_tensor, parts, src, found, True)])


@operation
def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: str | None = None, async_op: bool = False
) -> Any:
    """Send a tensor to every process, and receive one from each.

    Args:
        output_tensor_list: the Tensors to receive into, one from every process.
        input_tensor_list: the Tensors to send, one to every process.
        group, async_op: as in `all_reduce`.
    """
    found = process_group(group, "all_to_all")
    outputs, inputs = [[x.numel() for x in tensors] for tensors in (output_tensor_list, input_tensor_list)]
    sent = torch.cat([x.reshape(-1) for x in input_tensor_list])
    received = sent.new_empty(sum(outputs))

    if scope.tracing is not None:
        received = swapping(found, inputs, outputs)(sent)
        return _recorded(async_op, dict(zip(output_tensor_list, received.split(outputs))))

    agree(found, "all_to_all", sent.dtype)

    def finish() -> None:
        for output, part in zip(output_tensor_list, received.split(outputs)):
            output.copy_(part.view_as(output))

    return _handle(async_op, [dist.all_to_all_single(received, sent, outputs, inputs, found, True)], finish)


@operation
def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: str | None = None,
    async_op: bool = False,
) -> Any:
    """Send a part of a tensor to every process, and concatenate the parts received.

    Args:
        output: the Tensor to receive into.
        input: the Tensor to send, split along the first dimension.
        output_split_sizes, input_split_sizes: the sizes of the parts. Default: None, all the same.
        group, async_op: as in `all_reduce`.
    """
    received, sent = (None if given is None else list(given) for given in (output_split_sizes, input_split_sizes))
    found = process_group(group, "all_to_all_single")
    if scope.tracing is not None:
        even = [input.shape[0] // dist.get_world_size(found)] * dist.get_world_size(found)
        return _recorded(async_op, {output: swapping(found, sent or even, received or even)(input.contiguous())})
    agree(found, "all_to_all_single", *[input.dtype if sent or received else input])
    return _handle(async_op, [dist.all_to_all_single(output, input.contiguous(), received, sent, found, True)])


@operation
def all_to_all_v_c(
    output: Tensor, input: Tensor, send_count_matrix: Any, group: str | None = None, async_op: bool = False
) -> Any:
    """`all_to_all_single` with a flat tensor; element [i, j] of a flat square matrix is what i sends to j."""
    found = process_group(group, "all_to_all_v_c")
    count, rank = dist.get_world_size(found), dist.get_rank(found)
    sent = list(send_count_matrix[rank * count : (rank + 1) * count])
    received = list(send_count_matrix[rank::count])
    agree(found, "all_to_all_v_c", input.dtype, list(send_count_matrix))
    return _handle(async_op, [dist.all_to_all_single(output, input, received, sent, found, True)])


def barrier(group: str | None = None, async_op: bool = False, device_ids: Any = None) -> Any:
    """Wait until all processes of a group have called this.

    Args:
        group, async_op: as in `all_reduce`.
        device_ids: as in `torch.distributed.barrier`. Default: None.
    """
    found = process_group(group, "barrier")
    agree(found, "barrier")
    return _handle(async_op, [dist.barrier(found, True, device_ids)])


# Tensors from one process to another


@operation
def send(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> None:
    """Send a tensor to the process `dst`, and wait until it has been sent.

    Args:
        tensor: a Tensor of any shape.
        dst: the global rank of the other process. Default: 0.
        group: the name of the group. Default: None, all processes.
        tag: a number to match `send` with `recv`. Default: 0.
    """
    found = process_group(group, "send")
    dist.send(tensor, peer(found, dst, "dst", "send"), found, tag)


@operation
def recv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> int:
    """Receive a tensor from the process `src` into `tensor`, and return 0; see `send`."""
    found = process_group(group, "recv")
    dist.recv(tensor, peer(found, src, "src", "recv"), found, tag)
    return 0


@operation
def isend(tensor: Tensor, dst: int = 0, group: str | None = None, tag: int = 0) -> Any:
    """`send` without waiting; returns a handle, whose `wait()` waits until the tensor has been sent."""
    found = process_group(group, "isend")
    return _handle(True, [dist.isend(tensor, peer(found, dst, "dst", "isend"), found, tag)])


@operation
def irecv(tensor: Tensor, src: int = 0, group: str | None = None, tag: int = 0) -> Any:
    """`recv` without waiting; returns a handle, whose `wait()` waits for the tensor."""
    found = process_group(group, "irecv")
    return _handle(True, [dist.irecv(tensor, peer(found, src, "src", "irecv"), found, tag)])


class P2POp:
    """A task for `batch_isend_irecv`: send a tensor to another process, or receive one.

    Args:
        op: "isend" or "irecv", or the function of that name.
        tensor: the Tensor to send, or to receive into.
        peer: the global rank of the other process.
        group: the name of the group. Default: None, all processes.
        tag: a number to match tasks. Default: 0.

    Raises TypeError for another `op`, or a `tensor` or `peer` of another type.
    """

    def __init__(self, op: Any, tensor: _Tensor, peer: int, group: str | None = None, tag: int = 0) -> None:
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        if name not in ("isend", "irecv"):
            raise TypeError(f"For 'P2POp', 'op' must be 'isend' or 'irecv', but got {describe(op)}.")
        if not isinstance(tensor, _Tensor):
            raise TypeError(f"For 'P2POp', 'tensor' must be a Tensor, but got {describe(tensor)}.")
        if not isinstance(peer, int):
            raise TypeError(f"For 'P2POp', 'peer' must be an int, but got {describe(peer)}.")
        self.op, self.tensor, self.peer, self.group, self.tag = name, tensor, peer, group, tag


@named
def batch_isend_irecv(p2p_op_list: list[P2POp]) -> list[Any]:
    """Run several tasks at once, and return their handles. As in MindSpore, received tensors can be read right after.

    Args:
        p2p_op_list: the tasks.
    """
    planned = []
    for task in p2p_op_list:
        if not isinstance(task, P2POp):
            raise TypeError(f"the list must contain P2POps, but got {describe(task)}")
        group = process_group(task.group, "batch_isend_irecv")
        rank = peer(group, task.peer, "peer", "batch_isend_irecv")
        planned.append(dist.P2POp(getattr(dist, task.op), task.tensor._t, rank, group, task.tag))
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
    """Replace the objects of a list by the objects of the process `src`."""
    _default_device(device, "broadcast_object_list")
    found = process_group(group, "broadcast_object_list")
    agree(found, "broadcast_object_list", len(object_list), f"from {src}")
    dist.broadcast_object_list(object_list, src, found)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None,
    src: int = 0,
    group: str | None = None,
) -> None:
    """Write the object for this process from the list of the process `src` to the first position of another list."""
    found = process_group(group, "scatter_object_list")
    agree(found, "scatter_object_list", f"from {src}")
    dist.scatter_object_list(scatter_object_output_list, scatter_object_input_list, src, found)


def send_object_list(object_list: list[Any], dst: int, group: str | None = None, device: Any = None) -> None:
    """Send the objects of a list to the process `dst`."""
    _default_device(device, "send_object_list")
    found = process_group(group, "send_object_list")
    dist.send_object_list(object_list, peer(found, dst, "dst", "send_object_list"), found)


def recv_object_list(object_list: list[Any], src: int = 0, group: str | None = None, device: Any = None) -> None:
    """Replace the objects of a list by those that the process `src` sends."""
    _default_device(device, "recv_object_list")
    found = process_group(group, "recv_object_list")
    dist.recv_object_list(object_list, peer(found, src, "src", "recv_object_list"), found)


def _default_device(device: Any, api: str) -> None:
    if device is not None:
        raise NotImplementedError(f"For '{api}', 'device' is not supported. Leave it out.")


def set_comm_ops_inplace(is_enable: bool, func_list: list[str] | None = None) -> None:
    """Select whether functions write into the tensors that they are given; they always do.

    Args:
        is_enable: True.
        func_list: names of functions; without effect, as all of them do. Default: None.

    Raises:
        NotImplementedError: `is_enable` is False. Use the primitives, like `ops.AllReduce`, which return their results.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.set_comm_ops_inplace(True)
    """
    if not isinstance(is_enable, bool):
        raise TypeError(f"For 'set_comm_ops_inplace', 'is_enable' must be a bool, but got {describe(is_enable)}.")
    if not isinstance(func_list, (list, tuple, set, type(None))):
        raise TypeError(f"For 'set_comm_ops_inplace', 'func_list' must be a list, but got {describe(func_list)}.")
    for name in func_list or []:
        take_as(str, name, "func_list", "set_comm_ops_inplace")
    if not is_enable:
        raise NotImplementedError(
            "For 'set_comm_ops_inplace', the functions always write into their tensors. Use the primitives, like "
            "'ops.AllReduce', which return their results."
        )


def _object_to_tensor(obj: object, size: int = 0) -> tuple[_Tensor, int]:
    """Return a tensor of the bytes of a pickled object, and how many there are, `size` at least."""
    data = np.frombuffer(pickle.dumps(obj), np.int8)
    data = np.resize(data, size) if size > data.size else data
    return _Tensor(data), data.size


def _tensor_to_object(tensor: _Tensor, tensor_size: int) -> Any:
    """Return the object whose bytes a tensor has; they must come from this program, as pickled code runs."""
    return pickle.loads(tensor.asnumpy().tobytes()[:tensor_size])
