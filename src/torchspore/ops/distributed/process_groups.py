"""The processes of a program and groups of them, over `torch.distributed`.

Start a program several times with `msrun` or `torchrun --nproc-per-node 2 program.py`, and call `init_process_group()`
in it. A program that is started alone is a single process, in which everything works, too.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import torch.distributed as dist

from torchspore.common import device as devices
from torchspore.engine.distributed.strategies import started_processes
from torchspore.engine.failures.errors import describe
from torchspore.engine.failures.naming import name_constructor, named
from torchspore.engine.parameters import take_as
from torchspore.ops.distributed import starting
from torchspore.ops.distributed.meeting import meet

__all__ = [
    "ReduceOp", "TCPStore", "destroy_process_group", "get_backend", "get_global_rank", "get_group_rank",
    "get_process_group_ranks", "get_rank", "get_world_size", "init_process_group", "is_available", "is_initialized",
    "new_group",
]  # fmt: skip


class ReduceOp:
    """The names of reductions over processes.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.AllReduce(ms.ops.ReduceOp.MAX).op
        'max'
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


# Processes and their groups

WORLD_NAMES = ("hccl_world_group", "nccl_world_group", "mccl_world_group")
_BACKENDS = {"hccl": None, "mccl": "gloo", "nccl": "nccl", "gloo": "gloo"}
_groups: dict[str, Any] = {}
_members: dict[str, Any] = {}  # the ranks, timeout and backend of these groups
# Destroyed groups. PyTorch would assign the next one with these members the same name in the store, where the addresses
# of the old one still are: a slower process could connect to those, and wait.
_idle: dict[Any, list[Any]] = {}
_generation = 0
_store: Any = None  # of all processes, where they have met in one that we know
_meetings: dict[str, int] = {}


def generation() -> int:
    """Return a number that changes when groups are destroyed; captured graphs are valid for one generation."""
    return _generation


def process_group(name: str | dist.ProcessGroup | None, api: str) -> Any:
    """Return torch's group of a name; None stands for all processes. torch's own groups belong to meshes."""
    if not dist.is_initialized():
        raise RuntimeError(f"For '{api}', the processes are not connected. Call 'init_process_group' before.")
    if name is None or name in WORLD_NAMES:
        return dist.group.WORLD
    if isinstance(name, dist.ProcessGroup):
        return name
    if not isinstance(name, str):
        raise TypeError(f"For '{api}', 'group' must be the name of a group, but got {describe(name)}.")
    if name not in _groups:
        raise ValueError(f"For '{api}', there is no group '{name}'. 'new_group' returns the names of groups.")
    return _groups[name]


def peer(group: Any, rank: int, argument: str, api: str) -> int:
    """Return the global rank of another process of a group, to send to or to receive from.

    torch takes any number, and waits for a process that does not exist for ever.

    Raises:
        TypeError: the rank is not an int.
        ValueError: it is not the rank of another process in the group.
    """
    if not isinstance(rank, int) or isinstance(rank, bool):
        raise TypeError(f"For '{api}', '{argument}' must be an int, but got {describe(rank)}.")
    others = [member for member in dist.get_process_group_ranks(group) if member != dist.get_rank()]
    if rank not in others:
        raise ValueError(
            f"For '{api}', '{argument}' must be the rank of another process in the group, one of {others}, but got "
            f"{rank}."
        )
    return rank


def peer_in_group(group: Any, rank: int, argument: str, api: str) -> int:
    """Return the global rank of another process, as `peer` does, from its rank in the group."""
    members = dist.get_process_group_ranks(group)
    if isinstance(rank, int) and not 0 <= rank < len(members):
        raise ValueError(f"For '{api}', '{argument}' must be in [0, {len(members) - 1}], but got {rank}.")
    return peer(group, members[rank] if isinstance(rank, int) else rank, argument, api)


def is_available() -> bool:
    """Return whether PyTorch has been built with support for communication between processes.

    Examples:
        >>> import torchspore as ms
        >>> ms.mint.distributed.is_available()
        True
    """
    return dist.is_available()


def group_names() -> list[str]:
    """Return the names of the groups that have been created."""
    return [*_groups]


def is_initialized() -> bool:
    """Return whether `init_process_group` has been called."""
    return dist.is_initialized()


@named
def init_process_group(
    backend: str = "hccl", init_method: str | None = None, timeout: timedelta | None = None, world_size: int = -1,
    rank: int = -1, store: Any = None, group_name: str = "", pg_options: Any = None, device_id: int | None = None,
) -> None:  # fmt: skip
    """Connect the processes of a program.

    Under msrun and torchrun, and with MindSpore's environment variables such as MS_WORKER_NUM and MS_SCHED_HOST, no
    argument is needed. Any other program that passes neither `init_method` nor `store` becomes a single process.

    Args:
        backend: "nccl" for GPUs, "gloo" or "mccl" for CPUs; "hccl" stands for the one that fits the current device.
            Default: "hccl".
        init_method: the address of the rendezvous, like `"tcp://127.0.0.1:29500"`. Default: None.
        timeout: the time limit of an operation. Default: None, PyTorch's limit.
        world_size, rank: the number of processes and the rank of this one, with `init_method` or `store`. Default: -1.
        store: a TCPStore for the rendezvous. Default: None.
        group_name: another name of the group of all processes. Default: "".
        pg_options, device_id: not supported; NotImplementedError.

    Raises ValueError for another `backend`, or if both `init_method` and `store` are given.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.mint import distributed as dist
        >>> dist.init_process_group()
        >>> x = ms.Tensor([1.0, 2.0])
        >>> dist.all_reduce(x)
        >>> print(x, dist.get_rank(), dist.get_world_size())
        [1. 2.] 0 1
        >>> dist.destroy_process_group()
    """
    if backend not in tuple(_BACKENDS):  # a tuple also accepts what has no hash
        names = ", ".join(map(repr, _BACKENDS))
        raise ValueError(f"'backend' must be one of {names}")
    for name, value in (("pg_options", pg_options), ("device_id", device_id)):
        if value is not None:
            raise NotImplementedError(f"For 'init_process_group', '{name}' is not supported. Leave it out.")
    if init_method is not None and store is not None:
        raise ValueError("pass one of 'init_method' and 'store', but got both")
    given: dict[str, Any] = {"init_method": init_method, "timeout": timeout, "world_size": world_size, "rank": rank}
    if store is not None:
        given["store"] = store._store
    elif init_method is None and (found := starting.rendezvous()):
        given.update(found)
        _meet(found["store"], range(found["world_size"]), found["rank"], timeout, "init_process_group")
    elif init_method is None and "RANK" not in os.environ:
        if world_size not in (-1, 1):
            raise ValueError(
                f"'world_size' is {world_size}, but the program is one process. Start it with torchrun, or pass the "
                "address of the rendezvous as 'init_method' or 'store'."
            )
        store = dist.HashStore()  # type: ignore[attr-defined]  # missing in torch's stubs
        given.update(store=store, world_size=1, rank=0)
    dist.init_process_group(_BACKENDS[backend] or _fitting_backend(), **given)
    atexit.register(_leave)
    if group_name:
        _groups[group_name] = dist.group.WORLD


def _meet(store: Any, ranks: Sequence[int], rank: int, timeout: timedelta | None, api: str) -> None:
    """Wait for the processes of a new group; they know each other by the number of such groups that each has made."""
    global _store
    _store = store
    key = "meeting_" + "_".join(map(str, ranks))
    _meetings[key] = _meetings.get(key, 0) + 1
    meet(store, f"{key}/{_meetings[key]}", rank, ranks, timeout or store.timeout, api)


def _leave() -> None:
    # A thread of a group that still runs when the interpreter is finalized can abort the process.
    if dist.is_initialized():
        destroy_process_group()


def _fitting_backend() -> str:
    return "nccl" if devices.has_gpu_for_each_process() else "gloo"  # NCCL refuses processes that share a GPU


def destroy_process_group(group: str | None = None) -> None:
    """Destroy a group, or with None all of them, after which `init_process_group` may be called again.

    The connections of one group are kept for the next one with the same members. RuntimeError if `init_process_group`
    was not called.
    """
    global _generation
    found = process_group(group, "destroy_process_group")
    _generation += 1
    if found is dist.group.WORLD:
        for known in (_groups, _members, _idle):
            known.clear()
        dist.destroy_process_group(found)
        return
    del _groups[str(group)]
    _idle.setdefault(_members.pop(str(group)), []).append(found)


def new_group(
    ranks: list[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
) -> str:
    """Create a group of some of the processes and return its name, "" in processes outside it.

    All members must call this, the others may. The members are identified by their ranks and by the number of groups
    that each has created, so that number must be the same for all.

    Args:
        ranks: the global ranks of the members. Default: None, all processes.
        timeout, backend: as in `init_process_group`. Default: None, the same as there.
        pg_options: not supported; NotImplementedError.
        use_local_synchronization: whether only the members call this; it is always enough.
        group_desc: a description; it changes nothing.

    Raises TypeError if `ranks` names a process twice, ValueError if `backend` is unknown.
    """
    take_as(bool, use_local_synchronization, "use_local_synchronization", "new_group")
    if group_desc is not None:
        take_as(str, group_desc, "group_desc", "new_group")
    if pg_options is not None:
        raise NotImplementedError("For 'new_group', 'pg_options' is not supported. Leave it out.")
    if backend is not None and backend not in tuple(_BACKENDS):  # a tuple also accepts what has no hash
        raise ValueError(f"For 'new_group', 'backend' must be one of {list(_BACKENDS)}, but got {describe(backend)}.")
    process_group(None, "new_group")
    if ranks is None:
        return WORLD_NAMES[1 if dist.get_backend() == "nccl" else 2]
    if len(set(ranks)) != len(ranks):
        raise TypeError(f"For 'new_group', 'ranks' must name every process once, but got {ranks}.")
    name = "group_" + "_".join(map(str, ranks))
    if get_rank() in ranks and name not in _groups:
        add_group(name, ranks, "new_group", timeout, backend)
    return name if name in _groups else ""


def add_group(
    name: str, ranks: list[int], api: str, timeout: timedelta | None = None, backend: str | None = None
) -> None:
    """Create a group that this process is a member of, with a given name; see `new_group`."""
    if name in _groups or name in WORLD_NAMES:
        raise ValueError(f"For '{api}', the group '{name}' exists already. Choose another name.")
    process_group(None, api)
    chosen = (_BACKENDS[backend] or _fitting_backend()) if backend else None
    members = (*ranks,), timeout, chosen
    idle = _idle.get(members)
    if not idle and _store is not None:
        _meet(_store, sorted(ranks), get_rank(), timeout, api)
    made = idle.pop() if idle else dist.new_group(ranks, timeout, chosen, use_local_synchronization=True)
    _groups[name], _members[name] = made, members


def get_rank(group: str | None = None) -> int:
    """Return the rank of this process in a group, -1 outside it; 0 before `init_process_group`."""
    if group is None and not dist.is_initialized():
        return 0
    return -1 if group == "" else dist.get_rank(process_group(group, "get_rank"))


def get_world_size(group: str | None = None) -> int:
    """Return the number of processes in a group, -1 outside it; 1 before `init_process_group`."""
    if group is None and not dist.is_initialized():
        return 1
    return -1 if group == "" else dist.get_world_size(process_group(group, "get_world_size"))


def processes_of_program() -> int:
    """Return the number of processes, or, before they are connected, the number that the launcher started."""
    return get_world_size() if dist.is_initialized() else started_processes()


def get_backend(group: str | None = None) -> str:
    """Return the name of PyTorch's backend of a group: "gloo" or "nccl"."""
    return str(dist.get_backend(process_group(group, "get_backend")))


def get_global_rank(group: str | None, group_rank: int) -> int:
    """Return the global rank of a process of a group."""
    return dist.get_global_rank(process_group(group, "get_global_rank"), group_rank)


def get_group_rank(group: str | None, global_rank: int) -> int:
    """Return the rank in a group of a process with a global rank."""
    return dist.get_group_rank(process_group(group, "get_group_rank"), global_rank)


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """Return the global ranks of the processes of a group."""
    return dist.get_process_group_ranks(process_group(group, "get_process_group_ranks"))


@name_constructor
class TCPStore:
    """A key-value store that processes share: one of them is the server, the others connect.

    Args:
        host_name, port: the address of the server; with port 0 the server chooses a free one.
        world_size: the number of processes that will connect. Default: None, any number.
        is_master: whether this process is the server. Default: False.
        timeout: the time limit. Default: 300 seconds.
        wait_for_workers: whether the server waits for the others. Default: True.
        multi_tenant, master_listen_fd, use_libuv: as in `torch.distributed.TCPStore`.

    Examples:
        >>> from torchspore.ops.distributed.functions import TCPStore
        >>> store = TCPStore("127.0.0.1", 0, is_master=True)
        >>> store.set("answer", "42")
        >>> store.get("answer"), store.add("answer", 1), store.delete_key("answer")
        (b'42', 43, True)
    """

    def __init__(
        self, host_name: str, port: int, world_size: int | None = None, is_master: bool = False,
        timeout: timedelta = timedelta(seconds=300), wait_for_workers: bool = True, multi_tenant: bool = False,
        master_listen_fd: int | None = None, use_libuv: bool = True,
    ) -> None:  # fmt: skip
        self._store = dist.TCPStore(  # type: ignore[attr-defined]  # missing in torch's stubs
            host_name, port, world_size, is_master, timeout, wait_for_workers, multi_tenant, master_listen_fd, use_libuv
        )

    def set(self, key: str, value: str | bytes) -> None:
        """Set the value of a key."""
        self._store.set(key, value)  # type: ignore[arg-type]  # the stubs know strings only

    def get(self, key: str) -> bytes:
        """Return the value of a key; wait for it up to the time limit."""
        return self._store.get(key)

    def add(self, key: str, amount: int) -> int:
        """Add to the number under a key, and return the sum; a new key counts from 0."""
        return self._store.add(key, amount)

    def delete_key(self, key: str) -> bool:
        """Delete a key, and return whether there was one."""
        return self._store.delete_key(key)


def reduction(name: str, api: str) -> Any:
    """Return torch's reduction of a name."""
    found = {
        "sum": dist.ReduceOp.SUM, "prod": dist.ReduceOp.PRODUCT, "max": dist.ReduceOp.MAX, "min": dist.ReduceOp.MIN,
        "avg": dist.ReduceOp.AVG,
    }.get(name)  # fmt: skip
    if found is None:
        raise ValueError(f"For '{api}', 'op' must be 'sum', 'prod', 'max' or 'min', but got {describe(name)}.")
    return found


def reduction_name(name: str, api: str) -> str:
    """Return the name that torch's functional collectives have for a reduction."""
    found: str = reduction(name, api).name
    return found.lower()
