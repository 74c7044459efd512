"""Questions about the processes, under names that packages import from `mindspore.communication._comm_helper`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch.distributed as dist

import torchspore.communication as communication
from torchspore.communication import (
    HCCL_WORLD_COMM_GROUP,
    MCCL_WORLD_COMM_GROUP,
    NCCL_WORLD_COMM_GROUP,
    GlobalComm,
    get_group_rank_from_world_rank,
    get_group_size,
    get_local_rank,
    get_local_rank_size,
    get_process_group_ranks,
    get_rank,
    get_world_rank_from_group_rank,
)
from torchspore.ops.distributed import process_groups

__all__ = ["HCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP", "Backend", "GlobalComm"]

_get_rank_helper = get_rank
_get_size_helper = get_group_size
_get_local_rank_helper = get_local_rank
_get_local_size_helper = get_local_rank_size
_get_group_ranks = get_process_group_ranks
_get_world_rank_from_group_rank_helper = get_world_rank_from_group_rank
_get_group_rank_from_world_rank_helper = get_group_rank_from_world_rank
_get_comm_name_helper = communication.get_comm_name
_create_group_helper = communication.create_group
_destroy_group_helper = communication.destroy_group


class Backend(str):
    """The name of a backend: "hccl", "nccl" or "mccl"."""

    UNDEFINED, HCCL, NCCL, MCCL = "undefined", "hccl", "nccl", "mccl"

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise TypeError(f"For 'Backend', 'name' must be a string, but got {name!r}.")
        if name.lower() not in (cls.HCCL, cls.NCCL, cls.MCCL):
            raise ValueError(f"For 'Backend', 'name' must be 'hccl', 'nccl' or 'mccl', but got {name!r}.")
        return super().__new__(cls, name.lower())


def _is_initialized() -> bool:
    """Return whether `init` has been called."""
    return process_groups.is_initialized()


def _is_available() -> bool:
    """Return whether PyTorch can connect processes."""
    return dist.is_available()


def _is_nccl_available() -> bool:
    """Return whether PyTorch has NCCL."""
    return dist.is_nccl_available()


def _is_mpi_available() -> bool:
    """Return whether PyTorch has MPI."""
    return dist.is_mpi_available()


def _is_hccl_available() -> bool:
    """Return False: the backend of Ascend cards is not asked for here."""
    return False


def _get_backend() -> str:
    """Return the name of the backend."""
    return GlobalComm.BACKEND


def _get_group_map() -> dict[str, list[int]]:
    """Return the ranks of each group that `create_group` made, by its name."""
    return {name: get_process_group_ranks(name) for name in process_groups.group_names()}


def _remove_group_info(group_name: str) -> None:
    """Destroy a group."""
    communication.destroy_group(group_name)


def _is_role_sched() -> bool:
    """Return False: torchrun connects the processes, none of them is a scheduler."""
    return False


def _check_mpi_envs() -> bool:
    """Return False: torchrun starts the processes."""
    return False


def check_parameter_available(func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that refuses to run before `init`."""

    @wraps(func)
    def checked(*args: Any, **kwargs: Any) -> Any:
        process_groups.process_group(None, func.__name__)
        return func(*args, **kwargs)

    return checked
