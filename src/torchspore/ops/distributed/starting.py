"""How a process learns of the others: MindSpore's environment variables, in addition to torchrun's.

RANK and WORLD_SIZE, with MASTER_ADDR and MASTER_PORT, are read by torch. MindSpore's launchers set MS_WORKER_NUM,
MS_SCHED_HOST, MS_SCHED_PORT, MS_ROLE and MS_NODE_ID instead, launchers with rank tables RANK_ID and RANK_SIZE.
"""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from typing import Any

import torch.distributed as dist
from torch.distributed.constants import default_pg_timeout

__all__ = ["rendezvous"]

_API = "init_process_group"
_SECONDS = 600


def rendezvous() -> dict[str, Any]:
    """Return the arguments of torch's `init_process_group` that MindSpore's variables stand for.

    The dictionary is empty where torchrun's variables suffice, or none are set. A process in the role of the scheduler
    ends here, with the status 0: the first worker keeps the addresses.

    Raises:
        ValueError: a variable is missing or is not a number.
    """
    if "RANK" in os.environ:
        return _of_agent()
    role, size = os.environ.get("MS_ROLE"), _number("MS_WORKER_NUM", "RANK_SIZE")
    if role == "MS_SCHED":
        sys.exit(0)
    if role not in (None, "MS_WORKER"):
        raise ValueError(f"the environment variable MS_ROLE must be MS_WORKER, but is {role}")
    if size is None or (size == 1 and "MS_SCHED_PORT" not in os.environ):
        return {}
    host = os.environ.get("MS_SCHED_HOST") or os.environ.get("MASTER_ADDR")
    port = _number("MS_SCHED_PORT", "MASTER_PORT")
    if host is None or port is None:
        raise ValueError(
            f"{size} processes need an address to meet at. Set the environment variables MS_SCHED_HOST and "
            "MS_SCHED_PORT, or start the program by msrun or torchrun."
        )
    if not 1 <= port <= 65535:
        raise ValueError(f"the port {port} (MS_SCHED_PORT or MASTER_PORT) must be in [1, 65535]")
    rank = _number("RANK_ID", "MS_NODE_ID")
    if rank is not None and not 0 <= rank < size:
        raise ValueError(f"the rank {rank} (RANK_ID or MS_NODE_ID) must be in [0, {size - 1}]")
    store = _store(host, port, rank, timedelta(seconds=_number("MS_TOPO_TIMEOUT") or _SECONDS))
    return {"store": store, "world_size": size, "rank": store.add("rank", 1) - 1 if rank is None else rank}


def _of_agent() -> dict[str, Any]:
    """Return the rendezvous of workers that torchrun's agent has started, of which each attempt has its own keys.

    The agent keeps its store, in which torch would find the addresses of the processes that a restart has replaced.
    """
    attempt = _number("TORCHELASTIC_RESTART_COUNT") or 0
    host, port = os.environ.get("MASTER_ADDR"), _number("MASTER_PORT")
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True" or host is None or port is None:
        return {}
    client = _client(host, port, default_pg_timeout)
    store = dist.PrefixStore(f"attempt_{attempt}", client)  # type: ignore[attr-defined]  # missing in torch's stubs
    return {"store": store, "world_size": _number("WORLD_SIZE"), "rank": _number("RANK")}


def _store(host: str, port: int, rank: int | None, limit: timedelta) -> Any:
    """Return the store of all processes: the first worker's, or any one's where they do not know their ranks."""
    if rank in (0, None):
        try:
            return dist.TCPStore(  # type: ignore[attr-defined]  # missing in torch's stubs
                host, port, is_master=True, timeout=limit, wait_for_workers=False
            )
        except dist.DistNetworkError as error:
            if rank == 0:
                raise ValueError(
                    f"For '{_API}', the first process cannot listen at {host}:{port} (MS_SCHED_HOST, MS_SCHED_PORT): "
                    f"{error}"
                ) from None
    return _client(host, port, limit)


def _client(host: str, port: int, limit: timedelta) -> Any:
    return dist.TCPStore(host, port, is_master=False, timeout=limit)  # type: ignore[attr-defined]  # as above


def _number(*names: str) -> int | None:
    """Return the first of some environment variables that is set, as a number."""
    for name in names:
        text = os.environ.get(name)
        if text:
            try:
                return int(text)
            except ValueError:
                raise ValueError(
                    f"For '{_API}', the environment variable {name} must be a number, but is '{text}'."
                ) from None
    return None
