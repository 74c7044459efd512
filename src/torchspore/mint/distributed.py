"""Communication between processes: `mint.distributed`. A program of TorchSpore is one process.

What has a meaning in one process works; the rest raises NotImplementedError and says what to use instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torchspore.common.tensor import Tensor
from torchspore.engine.errors import describe

__all__ = [
    "P2POp", "TCPStore", "all_gather", "all_gather_into_tensor", "all_gather_into_tensor_uneven", "all_gather_object",
    "all_reduce", "all_to_all", "all_to_all_single", "barrier", "batch_isend_irecv", "broadcast",
    "broadcast_object_list", "destroy_process_group", "gather", "gather_object", "get_backend", "get_global_rank",
    "get_group_rank", "get_process_group_ranks", "get_rank", "get_world_size", "init_process_group", "irecv",
    "is_available", "is_initialized", "isend", "new_group", "recv", "recv_object_list", "reduce", "reduce_scatter",
    "reduce_scatter_tensor", "reduce_scatter_tensor_uneven", "scatter", "scatter_object_list", "send",
    "send_object_list",
]  # fmt: skip


def is_available() -> bool:
    """Tell whether processes can communicate by this module: no.

    Examples:
        >>> import torchspore as ms
        >>> ms.mint.distributed.is_available()
        False
    """
    return False


def is_initialized() -> bool:
    """Tell whether `init_process_group` was called: no."""
    return False


def get_rank(group: str | None = None) -> int:
    """Return the number of this process: 0, as there is one.

    Raises:
        NotImplementedError: a group is named.
    """
    return _alone(group, "get_rank", 0)


def get_world_size(group: str | None = None) -> int:
    """Return the number of processes: 1.

    Raises:
        NotImplementedError: a group is named.
    """
    return _alone(group, "get_world_size", 1)


def barrier(group: str | None = None, async_op: bool = False, device_ids: Any = None) -> None:
    """Wait for all processes: there is no other one.

    Raises:
        NotImplementedError: a group is named.
    """
    _alone(group, "barrier", 0)


def _alone(group: str | None, api: str, answer: int) -> int:
    if group is not None:
        raise NotImplementedError(
            f"For '{api}', there are no groups of processes, but got group={describe(group)}. Leave it out."
        )
    return answer


class P2POp:
    """What `batch_isend_irecv` is to do: send a tensor to another process, or receive one.

    Args:
        op: "isend" or "irecv", or the function of that name.
        tensor: the Tensor to send, or to receive into.
        peer: the number of the other process.
        group: the group of processes. Default: None.
        tag: a number that the two agree on. Default: 0.

    Raises:
        TypeError: `op` is nothing of that, `tensor` no Tensor or `peer` no int.

    MindSpore: `mindspore.mint.distributed.P2POp`.
    """

    def __init__(self, op: Any, tensor: Tensor, peer: int, group: str | None = None, tag: int = 0) -> None:
        name = op if isinstance(op, str) else getattr(op, "__name__", None)
        if name not in ("isend", "irecv"):
            raise TypeError(f"For 'P2POp', 'op' must be 'isend' or 'irecv', but got {describe(op)}.")
        if not isinstance(tensor, Tensor):
            raise TypeError(f"For 'P2POp', 'tensor' must be a Tensor, but got {describe(tensor)}.")
        if not isinstance(peer, int):
            raise TypeError(f"For 'P2POp', 'peer' must be an int, but got {describe(peer)}.")
        self.op = name
        self.tensor = tensor
        self.peer = peer
        self.group = group
        self.tag = tag


# What needs several processes: the functions of this name, or of the name given, in torch.distributed


def _refused(name: str, counterpart: str = "") -> Callable[..., Any]:
    reason = (
        "a program of TorchSpore is one process. Start several with torchrun, and call "
        f"torch.distributed.{counterpart or name} with the tensors' torch tensors, `tensor.torch`."
    )

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"For '{name}', {reason}")

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Not supported: {reason}"
    return refuse


TCPStore = _refused("TCPStore")
all_gather = _refused("all_gather")
all_gather_into_tensor = _refused("all_gather_into_tensor")
all_gather_into_tensor_uneven = _refused("all_gather_into_tensor_uneven", "all_gather")
all_gather_object = _refused("all_gather_object")
all_reduce = _refused("all_reduce")
all_to_all = _refused("all_to_all")
all_to_all_single = _refused("all_to_all_single")
batch_isend_irecv = _refused("batch_isend_irecv")
broadcast = _refused("broadcast")
broadcast_object_list = _refused("broadcast_object_list")
destroy_process_group = _refused("destroy_process_group")
gather = _refused("gather")
gather_object = _refused("gather_object")
get_backend = _refused("get_backend")
get_global_rank = _refused("get_global_rank")
get_group_rank = _refused("get_group_rank")
get_process_group_ranks = _refused("get_process_group_ranks")
init_process_group = _refused("init_process_group")
irecv = _refused("irecv")
isend = _refused("isend")
new_group = _refused("new_group")
recv = _refused("recv")
recv_object_list = _refused("recv_object_list")
reduce = _refused("reduce")
reduce_scatter = _refused("reduce_scatter")
reduce_scatter_tensor = _refused("reduce_scatter_tensor")
reduce_scatter_tensor_uneven = _refused("reduce_scatter_tensor_uneven", "reduce_scatter")
scatter = _refused("scatter")
scatter_object_list = _refused("scatter_object_list")
send = _refused("send")
send_object_list = _refused("send_object_list")
