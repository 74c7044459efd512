"""The processes of a program and groups of them, with the names of `mindspore.communication`.

Start a program several times with `torchrun --nproc-per-node 2 program.py` and call `init()` in it. A program that is
started without torchrun is a single process, in which all of this works, too. Before `init` the functions raise
RuntimeError, but those that ask for the number or the rank of processes; ValueError for an unknown group.
"""

from __future__ import annotations

import os
from typing import Annotated, Any, TypeAlias

import torch.distributed as dist

from torchspore.common.error_classes import also
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.communication import comm_func
from torchspore.engine.distributed.strategies import in_several_processes, started_processes, started_rank
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Where, checked
from torchspore.ops.distributed import process_groups

__all__ = [
    "HCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP", "GlobalComm", "comm_func",
    "create_group", "destroy_group", "get_comm_name", "get_group_rank_from_world_rank", "get_group_size",
    "get_local_rank", "get_local_rank_size", "get_process_group_ranks", "get_rank", "get_world_rank_from_group_rank",
    "init", "release",
]  # fmt: skip

_Backend: TypeAlias = Annotated[
    str,
    Where("'hccl', 'nccl' or 'mccl'", ("", "hccl", "nccl", "mccl").__contains__, also(ValueError, RuntimeError)),
]
_Members: TypeAlias = Annotated[
    list[int], Where("a list that names each member once", lambda ranks: 0 < len(ranks) == len(set(ranks)))
]
HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP = process_groups.WORLD_NAMES


class GlobalComm:
    """The state that `init` has set up.

    Attributes:
        BACKEND: the name of the backend.
        WORLD_COMM_GROUP: the name of the group of all processes.
        INITED: whether `init` has been called.
    """

    BACKEND = "hccl"
    WORLD_COMM_GROUP = HCCL_WORLD_COMM_GROUP
    INITED = False


@checked
def init(backend_name: _Backend | None = None) -> None:
    """Connect the processes of a program; a second call changes nothing.

    Args:
        backend_name: "nccl" for GPUs, "mccl" for CPUs, "hccl" for the one that fits the device; TypeError or ValueError
            otherwise. Default: None, as "hccl".
    """
    backend = backend_name or "hccl"
    if not process_groups.is_initialized():
        process_groups.init_process_group(backend)
    GlobalComm.BACKEND = backend
    GlobalComm.WORLD_COMM_GROUP = f"{backend}_world_group"
    GlobalComm.INITED = True


def release() -> None:
    """Disconnect from the other processes."""
    if process_groups.is_initialized() or in_several_processes():
        process_groups.process_group(None, "release")
        process_groups.destroy_process_group()
    GlobalComm.INITED = False


def get_rank(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the rank of this process in a group; before `init`, the one that the launcher has given it, or 0."""
    return started_rank() if _is_before_init(group) else dist.get_rank(_group(group, "get_rank"))


def get_group_size(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of processes in a group; before `init`, of those that the launcher has started."""
    return started_processes() if _is_before_init(group) else dist.get_world_size(_group(group, "get_group_size"))


def get_local_rank(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the rank of this process on this machine, as torchrun sets it."""
    if _is_before_init(group):
        return int(os.environ.get("LOCAL_RANK", 0))
    return int(os.environ.get("LOCAL_RANK", dist.get_rank(_group(group, "get_local_rank"))))


def get_local_rank_size(group: str = HCCL_WORLD_COMM_GROUP) -> int:
    """Return the number of processes on this machine, as torchrun sets it."""
    if _is_before_init(group):
        return int(os.environ.get("LOCAL_WORLD_SIZE", 1))
    return int(os.environ.get("LOCAL_WORLD_SIZE", dist.get_world_size(_group(group, "get_local_rank_size"))))


@checked
def get_world_rank_from_group_rank(group: Any, group_rank_id: int) -> int:
    """Return the global rank of a process of a group."""
    api = "get_world_rank_from_group_rank"
    return dist.get_global_rank(_group(group, api), group_rank_id)


@checked
def get_group_rank_from_world_rank(world_rank_id: int, group: Any) -> int:
    """Return the rank in a group of a process with a global rank."""
    api = "get_group_rank_from_world_rank"
    return dist.get_group_rank(_group(group, api), world_rank_id)


def get_process_group_ranks(group: str = HCCL_WORLD_COMM_GROUP) -> list[int]:
    """Return the global ranks of the processes of a group."""
    return dist.get_process_group_ranks(_group(group, "get_process_group_ranks"))


def get_comm_name(group: str = HCCL_WORLD_COMM_GROUP) -> str:
    """Return PyTorch's name of a group."""
    return str(_group(group, "get_comm_name").group_name)


@checked
def create_group(group: str, rank_ids: _Members, options: Any = None) -> None:
    """Create a group of some of the processes; all of its members must call this.

    Args:
        group: the name.
        rank_ids: the global ranks of the members; their ranks in the group follow this order, sorted.
        options: not supported; NotImplementedError.

    Raises:
        ValueError: the group exists, or `rank_ids` is empty, names a process twice or leaves this one out.
    """
    api = "create_group"
    if options is not None:
        raise NotImplementedError(f"For '{api}', 'options' is not supported. Leave it out.")
    if get_rank() not in rank_ids:
        raise ValueError(f"For '{api}', only members create a group, but process {get_rank()} is not in {rank_ids}.")
    process_groups.add_group(group, rank_ids, api)


def destroy_group(group: str) -> None:
    """Destroy a group, but not the group of all processes, which `release` is for (ValueError)."""
    if group in process_groups.WORLD_NAMES:
        raise ValueError(f"For 'destroy_group', '{group}' is the group of all processes. Use 'release'.")
    _group(group, "destroy_group")
    process_groups.destroy_process_group(group)


def _is_before_init(group: Any) -> bool:
    """Return whether a program asks about all processes before they are connected."""
    return not process_groups.is_initialized() and group in process_groups.WORLD_NAMES


def _group(name: Any, api: str) -> Any:
    if not isinstance(name, (str, dist.ProcessGroup)):
        raise TypeError(f"For '{api}', 'group' must be the name of a group, but got {describe(name)}.")
    return process_groups.process_group(name, api)


_suggest_names(globals())
