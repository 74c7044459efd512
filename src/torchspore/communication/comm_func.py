"""Communication that returns new tensors; `mint.distributed` has the forms that write into given ones."""

from __future__ import annotations

from typing import Any

from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor
from torchspore.engine.parameters import take_as
from torchspore.ops.array.creation import zeros
from torchspore.ops.distributed import functions as communication
from torchspore.ops.distributed import process_groups
from torchspore.ops.distributed.functions import all_to_all_v_c, barrier, isend, send

__all__ = [
    "P2POp", "all_gather_into_tensor", "all_reduce", "all_to_all_single_with_output_shape", "all_to_all_v_c",
    "all_to_all_with_output_shape", "barrier", "batch_isend_irecv", "broadcast", "gather_into_tensor", "irecv", "isend",
    "recv", "reduce", "reduce_scatter_tensor", "scatter_tensor", "send",
]  # fmt: skip

_WORLD = process_groups.WORLD_NAMES[0]


class P2POp(communication.P2POp):
    """A task for `batch_isend_irecv`: send a tensor to another process, or receive one.

    Args:
        op, tensor, peer, group, tag: as for `mint.distributed.P2POp`; to receive, `tensor` may be a shape.
        recv_dtype: the data type for a shape; TypeError if it is missing then. Default: None.

    Examples:
        >>> import torchspore as ms
        >>> task = ms.communication.comm_func.P2POp("irecv", (2,), 0, recv_dtype=ms.float32)
        >>> print(task.tensor)
        [0. 0.]
    """

    def __init__(
        self, op: Any, tensor: Any, peer: int, group: str | None = None, tag: int = 0, *,
        recv_dtype: mstype.Type | None = None,
    ) -> None:  # fmt: skip
        if isinstance(tensor, (tuple, list)):
            take_as(mstype.Type, recv_dtype, "recv_dtype", "P2POp")
            tensor = zeros(tuple(tensor), recv_dtype)
        super().__init__(op, tensor, peer, group, tag)


def all_reduce(tensor: Tensor, op: str = "sum", group: str = _WORLD, async_op: bool = False) -> tuple[Tensor, Any]:
    """Return the sum (or another reduction) of the tensors of all processes, and a handle.

    Args:
        tensor, op, group: as for `mint.distributed.all_reduce`.
        async_op: whether to return at once; the result is valid after `wait()` of the handle. Default: False, and the
            handle is None.
    """
    output = tensor.copy()
    return output, communication.all_reduce(output, op, group, async_op)


def all_gather_into_tensor(tensor: Tensor, group: str = _WORLD, async_op: bool = False) -> tuple[Tensor, Any]:
    """Return the tensors of all processes, concatenated, and a handle; see `all_reduce`."""
    output = _rows(tensor, tensor.shape[0] * process_groups.get_world_size(group))
    return output, communication.all_gather_into_tensor(output, tensor, group, async_op)


def reduce_scatter_tensor(
    tensor: Tensor, op: str = "sum", group: str = _WORLD, async_op: bool = False
) -> tuple[Tensor, Any]:
    """Return this process's part of the sum (or another reduction) of all tensors, and a handle; see `all_reduce`."""
    output = _rows(tensor, tensor.shape[0] // process_groups.get_world_size(group))
    return output, communication.reduce_scatter_tensor(output, tensor, op, group, async_op)


def reduce(tensor: Tensor, dst: int, op: str = "sum", group: str = _WORLD) -> Tensor:
    """Return the sum (or another reduction) of the tensors of all processes in the process `dst`, elsewhere a zero."""
    output = tensor.copy()
    communication.reduce(output, dst, op, group)
    return _only_in(dst, output)


def broadcast(tensor: Tensor, src: int = 0, group: str = _WORLD) -> Tensor:
    """Return the tensor of the process `src`."""
    output = tensor.copy()
    communication.broadcast(output, src, group)
    return output


def gather_into_tensor(tensor: Tensor, dst: int = 0, group: str = _WORLD) -> Tensor:
    """Return the tensors of all processes, concatenated, in the process `dst`, elsewhere a zero."""
    output = _rows(tensor, tensor.shape[0] * process_groups.get_world_size(group))
    communication.gather_into_tensor(output, tensor, dst, group)
    return _only_in(dst, output)


def scatter_tensor(tensor: Tensor, src: int = 0, group: str = _WORLD) -> Tensor:
    """Return this process's part of the tensor of the process `src`."""
    output = _rows(tensor, tensor.shape[0] // process_groups.get_world_size(group))
    communication.scatter_tensor(output, tensor, src, group)
    return output


def recv(tensor: Tensor, src: int = 0, group: str = _WORLD, tag: int = 0) -> Tensor:
    """Return a tensor from the process `src`, of the shape and type of `tensor`."""
    output = tensor.copy()
    communication.recv(output, src, group, tag)
    return output


def irecv(tensor: Tensor, src: int = 0, group: str = _WORLD, tag: int = 0) -> tuple[Tensor, Any]:
    """Return a tensor from the process `src`, which is valid after `wait()` of the handle that is returned with it."""
    output = tensor.copy()
    return output, communication.irecv(output, src, group, tag)


def batch_isend_irecv(p2p_op_list: list[P2POp]) -> tuple[Tensor, ...]:
    """Run several tasks at once; return one Tensor for each: a zero, or the received tensor."""
    tasks: list[communication.P2POp] = [
        P2POp(task.op, task.tensor.copy(), task.peer, task.group, task.tag) for task in p2p_op_list
    ]
    communication.batch_isend_irecv(tasks)
    return tuple([zeros((), task.tensor.dtype) if task.op == "isend" else task.tensor for task in tasks])


def all_to_all_with_output_shape(
    output_shape_list: Any, input_tensor_list: Any, group: str | None = None, async_op: bool = False
) -> tuple[tuple[Tensor, ...], Any]:
    """Send a tensor to every process; return the tensors received, and a handle; see `all_reduce`.

    Args:
        output_shape_list: a shape, or a Tensor of the shape, of the tensor from each process.
        input_tensor_list: the Tensors to send, one to every process.
        group, async_op: as in `all_reduce`.
    """
    outputs = [_zeros(shape, input_tensor_list[0].dtype) for shape in output_shape_list]
    return tuple(outputs), communication.all_to_all(outputs, list(input_tensor_list), group, async_op)


def all_to_all_single_with_output_shape(
    output_shape: Any,
    tensor: Tensor,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: str | None = None,
    async_op: bool = False,
) -> tuple[Tensor, Any]:
    """Send a part of a tensor to every process; return the parts received, and a handle; see `all_reduce`.

    Args:
        output_shape: the shape of the result, or a Tensor of that shape.
        tensor: a Tensor, which is split along its first dimension.
        output_split_sizes, input_split_sizes: the sizes of the parts. Default: None, all the same.
        group, async_op: as in `all_reduce`.
    """
    output = _zeros(output_shape, tensor.dtype)
    handle = communication.all_to_all_single(output, tensor, output_split_sizes, input_split_sizes, group, async_op)
    return output, handle


def _only_in(dst: int, tensor: Tensor) -> Tensor:
    """Return a tensor in the process `dst`, elsewhere a zero, as the primitives do."""
    return tensor if process_groups.get_rank() == dst else zeros((1,), tensor.dtype)


def _rows(tensor: Tensor, count: int) -> Tensor:
    """Return zeros like a tensor, but with another number of rows."""
    return zeros((count, *tensor.shape[1:]), tensor.dtype)


def _zeros(shape: Any, dtype: mstype.Type) -> Tensor:
    return zeros(tuple(shape.shape if isinstance(shape, Tensor) else shape), dtype)
