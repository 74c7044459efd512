"""The options of `msrun`, and what can be checked before a process starts."""

from __future__ import annotations

import argparse
import ast
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["Options", "check_port", "parse"]

_USAGE = "%(prog)s [options] task_script [task_script_args ...]"
_NODES = "/sys/devices/system/node"  # where Linux lists the NUMA nodes


@dataclass(frozen=True)
class Options:
    """What `msrun` was asked to start; `cores` has the CPUs of each worker here, and is empty where all may be used."""

    worker_num: int
    local_worker_num: int
    master_addr: str
    master_port: int
    node_rank: int
    log_dir: str
    join: bool
    cluster_time_out: int
    max_restarts: int
    worker_log_name: str
    tailed: tuple[int, ...]
    cores: tuple[tuple[int, ...], ...]
    task_script: str
    task_script_args: tuple[str, ...]

    @property
    def nodes(self) -> int:
        """The number of machines, of which each has the same number of workers."""
        return self.worker_num // self.local_worker_num


def parse(arguments: Sequence[str]) -> Options:
    """Return the options; the program ends with a message and the status 2 where they are wrong."""
    parser = _parser()
    given = parser.parse_args(arguments)

    def refuse(reason: str) -> NoReturn:
        parser.error(f"{reason}.")

    for name, minimum in (("worker_num", 1), ("local_worker_num", 1), ("node_rank", -1), ("max_restarts", 0)):
        if getattr(given, name) < minimum:
            refuse(f"--{name} must be at least {minimum}, but got {getattr(given, name)}")
    if given.worker_num % given.local_worker_num:
        refuse(
            f"--worker_num must be a multiple of --local_worker_num, as every machine starts the same number of "
            f"workers, but got {given.worker_num} and {given.local_worker_num}"
        )
    if given.node_rank >= given.worker_num // given.local_worker_num:
        refuse(
            f"--node_rank must be less than the number of machines, {given.worker_num // given.local_worker_num} "
            f"(--worker_num / --local_worker_num), but got {given.node_rank}"
        )
    if given.master_port == 0 and given.worker_num == given.local_worker_num:
        given.master_port = _free_port()
    if not 1 <= given.master_port <= 65535:
        refuse(f"--master_port must be between 1 and 65535, or 0 on a single machine, but got {given.master_port}")
    try:
        socket.getaddrinfo(given.master_addr, given.master_port)
    except OSError as error:
        refuse(f"--master_addr is '{given.master_addr}', which names no machine: {error.strerror}")
    if given.max_restarts and given.node_rank >= 0 and given.worker_num > given.local_worker_num:
        refuse("--max_restarts on several machines needs --node_rank -1: the machines agree on their ranks each time")
    if given.sim_level != -1 or given.sim_rank_id != -1:
        refuse("--sim_level and --sim_rank_id are not supported: no devices are simulated. Start fewer workers")
    if given.rank_table_file:
        refuse("--rank_table_file is not supported: ranks follow --node_rank. Leave it out")
    if not os.path.isfile(given.task_script) and given.task_script != "pytest":
        refuse(f"there is no script '{given.task_script}'")
    try:
        return Options(
            given.worker_num, given.local_worker_num, given.master_addr, given.master_port, given.node_rank,
            given.log_dir or os.curdir, given.join, given.cluster_time_out, given.max_restarts,
            given.worker_log_name or "worker", _tailed(given.tail_worker_log, given.local_worker_num), _cores(given),
            given.task_script, tuple(given.task_script_args),
        )  # fmt: skip
    except ValueError as error:
        refuse(str(error))


def check_port(options: Options) -> str:
    """Return why the port of the rendezvous cannot be used on this machine, or "" if it can or is not needed here."""
    if options.node_rank > 0 or (options.node_rank < 0 and options.nodes > 1):
        return ""
    try:
        socket.create_server(("", options.master_port)).close()
    except OSError as error:
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        return f"port {options.master_port} cannot be used: {reason}. Choose another one by --master_port"
    return ""


def _free_port() -> int:
    with socket.create_server(("", 0)) as found:
        return int(found.getsockname()[1])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "msrun", _USAGE, "Start a program in several processes that communicate, as `torchrun` does."
    )

    def add(name: str, default: Any, text: str, kind: Any = None) -> None:
        parser.add_argument(f"--{name}", default=default, type=kind or type(default), help=f"{text} (%(default)s)")

    add("worker_num", 8, "the number of workers on all machines")
    add("local_worker_num", 8, "the number of workers on this machine")
    add("master_addr", "127.0.0.1", "the first machine: its address or name")
    add("master_port", 8118, "a free port of the first machine; 0: any, on a single machine")
    add("node_rank", -1, "the number of this machine, from 0; -1: the machines agree on them")
    add("log_dir", "", "the folder of the logs, made if it does not exist; empty: the current one")
    add("join", False, "True: wait for the workers, show their output, end with their status; False: return", _truth)
    add("cluster_time_out", 600, "seconds to wait for the other machines; negative: without limit")
    add("max_restarts", 0, "how often all workers are restarted after one has failed")
    add("bind_core", "False", 'True: each worker gets its share of the CPUs; or {"device0": ["0-3"], ...}')
    add("bind_numa", "False", "True: the workers get the CPUs of a NUMA node in turn")
    add(
        "worker_log_name",
        "",
        "the name of the logs, which the rank follows; {ip} and {hostname} stand for this machine's",
    )
    add("tail_worker_log", "-1", "the local workers whose output --join shows, like 0,2; -1: all; none: no worker")
    add("sim_level", -1, "not supported")
    add("sim_rank_id", -1, "not supported")
    add("rank_table_file", "", "not supported")
    parser.add_argument("task_script", help="the program, a Python file that may `import mindspore`; or pytest")
    parser.add_argument("task_script_args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def _truth(text: str) -> bool:
    if text not in ("True", "False"):
        raise argparse.ArgumentTypeError(f"must be True or False, but got {text!r}")
    return text == "True"


def _tailed(text: str, local: int) -> tuple[int, ...]:
    if text in ("-1", "none"):
        return tuple(range(local)) if text == "-1" else ()
    numbers = text.split(",")
    if not all(number.strip().isdecimal() and int(number) < local for number in numbers):
        raise ValueError(f"--tail_worker_log must be -1, none, or numbers below {local} like 0,1, but got '{text}'")
    return tuple(sorted({int(number) for number in numbers}))


# CPUs


def _cores(given: argparse.Namespace) -> tuple[tuple[int, ...], ...]:
    """Return the CPUs of each local worker."""
    if given.bind_core == given.bind_numa == "False":
        return ()
    if "False" not in (given.bind_core, given.bind_numa):
        raise ValueError("--bind_core and --bind_numa exclude each other. Give one of them")
    if not hasattr(os, "sched_setaffinity"):
        raise ValueError("--bind_core and --bind_numa need Linux. Leave them out")
    usable, local = sorted(os.sched_getaffinity(0)), given.local_worker_num
    if given.bind_numa != "False":
        if given.bind_numa != "True":
            raise ValueError(
                f"--bind_numa must be True or False, but got '{given.bind_numa}'. Name CPUs by --bind_core"
            )
        nodes = [tuple(core for core in node if core in usable) for node in _numa_nodes()]
        nodes = [node for node in nodes if node] or [tuple(usable)]
        return tuple(nodes[worker % len(nodes)] for worker in range(local))
    if given.bind_core == "True":
        share = len(usable) // local
        if not share:
            raise ValueError(f"--bind_core True needs a CPU for each worker, but {local} workers have {len(usable)}")
        return tuple(tuple(usable[worker * share : (worker + 1) * share]) for worker in range(local))
    return _named_cores(given.bind_core, usable, local)


def _named_cores(text: str, usable: list[int], local: int) -> tuple[tuple[int, ...], ...]:
    form = 'like {"device0": ["0-3"], "device1": ["4-7"]}'
    try:
        named = ast.literal_eval(text)
        cores = {name: tuple(core for part in parts for core in _range(part)) for name, parts in named.items()}
    except (ValueError, SyntaxError, AttributeError, TypeError):
        raise ValueError(f"--bind_core must be True, False, or CPUs by worker {form}, but got '{text}'") from None
    expected = [f"device{worker}" for worker in range(local)]
    if sorted(cores) != sorted(expected):
        raise ValueError(f"--bind_core must name {', '.join(expected)}, but names {', '.join(map(str, cores))}")
    wrong = sorted({core for part in cores.values() for core in part} - set(usable))
    if wrong or not all(cores.values()):
        raise ValueError(f"--bind_core must name some of the CPUs {usable}, but got '{text}'")
    return tuple(cores[name] for name in expected)


def _range(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def _numa_nodes() -> list[list[int]]:
    nodes = []
    names = sorted(os.listdir(_NODES)) if os.path.isdir(_NODES) else []
    for name in names:
        if name.removeprefix("node").isdecimal():
            with open(os.path.join(_NODES, name, "cpulist")) as file:
                nodes.append([core for part in file.read().strip().split(",") if part for core in _range(part)])
    return nodes
