"""Descriptions of pipelines' schedules, and whether they can be run: the steps of each process, in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from typing import Any

from torchspore import log
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Positive, take_as

__all__ = [
    "MetaStep", "MetaStepType", "detect_cycle_in_graph", "generate_operations", "parse_and_validate",
    "validate_pipeline_execution",
]  # fmt: skip


class MetaStepType(Enum):
    """What a process does in a step of a schedule.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.schedules import MetaStepType
        >>> MetaStepType.FWD_SEND.name
        'FWD_SEND'
    """

    FWD = auto()
    BWD = auto()
    FWD_RECV = auto()
    FWD_SEND = auto()
    BWD_RECV = auto()
    BWD_SEND = auto()


@dataclass(frozen=True)
class MetaStep:
    """A step of a schedule.

    Args:
        micro_index: the number of the part of the batch.
        meta_type: what is done with it.
        stage_index: the number of the part of the network.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.schedules import MetaStep, MetaStepType
        >>> MetaStep(0, MetaStepType.FWD, 1).type
        <MetaStepType.FWD: 1>
    """

    micro_index: int
    meta_type: MetaStepType
    stage_index: int

    @property
    def type(self) -> MetaStepType:
        """What is done."""
        return self.meta_type


def generate_operations(
    order_list: Mapping[int, Sequence[MetaStep]], chunk_num: int, com_type: str = "loop"
) -> dict[str, list[str]]:
    """Return the names of what processes send and receive: the same for the sender and the receiver.

    Args:
        order_list: the steps of each process, by its rank.
        chunk_num: the number of parts of the network in each process.
        com_type: in which process the parts are: "loop" begins again with the first process after the last one, "v"
            goes back from the last one. Default: "loop".

    Raises:
        ValueError: `com_type` is another one.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.schedules import MetaStep, MetaStepType, generate_operations
        >>> steps = {0: [MetaStep(2, MetaStepType.FWD_SEND, 0)], 1: [MetaStep(2, MetaStepType.FWD_RECV, 1)]}
        >>> generate_operations(steps, chunk_num=1)["1"]
        ['Send_Receive_(0)->(1)_micro2_1th']
    """
    api = "generate_operations"
    take_as(Positive, chunk_num, "chunk_num", api)
    if com_type not in ("loop", "v"):
        raise ValueError(f"For '{api}', 'com_type' must be 'loop' or 'v', but got {describe(com_type)}.")
    processes = len(order_list)
    stages = processes * chunk_num

    def rank_of(stage: int) -> int:
        return stage % processes if com_type == "loop" or stage < processes else stages - 1 - stage

    found: dict[str, list[str]] = {}
    for rank, steps in order_list.items():
        times: Counter[tuple[int, int, int]] = Counter()
        for step in steps:
            # The next part of the network for results, the previous one for gradients
            direction = {MetaStepType.FWD_SEND: 1, MetaStepType.BWD_RECV: 1, MetaStepType.FWD_RECV: -1,
                         MetaStepType.BWD_SEND: -1}.get(step.type)  # fmt: skip
            if direction is None or not 0 <= step.stage_index + direction < stages:
                continue
            other = rank_of(step.stage_index + direction)
            sends = step.type in (MetaStepType.FWD_SEND, MetaStepType.BWD_SEND)
            key = (rank, other, step.micro_index) if sends else (other, rank, step.micro_index)
            times[key] += 1
            name = f"Send_Receive_({key[0]})->({key[1]})_micro{step.micro_index}_{times[key]}th"
            found.setdefault(str(rank), []).append(name)
    return found


def parse_and_validate(data: Any, all_rank: bool = True) -> None:
    """Log an error for each operation that a process has and the one that it names has not.

    Args:
        data: the operations of each process, by its rank, as `generate_operations` returns them.
        all_rank: whether all processes are in `data`; else those that are not are not asked. Default: True.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.schedules import parse_and_validate
        >>> parse_and_validate({"0": ["Send_Receive_(0)->(1)_micro0_1th"], "1": ["Send_Receive_(0)->(1)_micro0_1th"]})
    """
    for fault in _faults(data, all_rank):
        log.error(fault)


def _faults(data: Any, all_rank: bool) -> Iterator[str]:
    api = "parse_and_validate"
    if not isinstance(data, dict):
        yield f"For '{api}', 'data' must be a dictionary of lists of strings, but got {describe(data)}."
        return
    known = {
        rank: set(names)
        for rank, names in data.items()
        if isinstance(names, list) and all(isinstance(name, str) for name in names)
    }
    for rank, names in data.items():
        if rank not in known:
            yield f"For '{api}', the operations of process {rank} must be a list of strings, but are {describe(names)}."
            continue
        for name in names:
            for other in dict.fromkeys(re.findall(r"\((\d+)\)", name)[:2]):
                if other not in known:
                    if all_rank:
                        yield f"For '{api}', process {rank} has '{name}', but there is no process {other}."
                elif name not in known[other]:
                    yield f"For '{api}', process {rank} has '{name}', but process {other} has not."


def detect_cycle_in_graph(
    ranks_map: Mapping[str, Sequence[str]],
) -> tuple[list[str], list[str]] | tuple[None, None]:
    """Return operations that wait for each other in a circle, and in which processes they do, or None for both.

    Args:
        ranks_map: the operations of each process in order, by its rank.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.schedules import detect_cycle_in_graph
        >>> detect_cycle_in_graph({"0": ["a", "b"], "1": ["b", "a"]})
        (['a', 'b', 'a'], ['0 a -> b', '1 b -> a'])
    """
    following: dict[str, dict[str, str]] = {}  # operation -> the next ones, each with the process that has them
    for rank, names in ranks_map.items():
        for first, second in pairwise(names):
            following.setdefault(first, {})[second] = rank
    finished: set[str] = set()
    for start in following:
        path, open_ones = [start], [iter(following[start])]
        while path and start not in finished:
            name = next(open_ones[-1], None)
            if name in path:
                circle = [*path[path.index(name) :], name]
                return circle, [f"{following[a][b]} {a} -> {b}" for a, b in pairwise(circle)]
            if name is None:
                finished.add(path.pop())
                open_ones.pop()
            elif name not in finished:
                path.append(name)
                open_ones.append(iter(following.get(name, {})))
    return None, None


def validate_pipeline_execution(
    order_list: Mapping[int, Sequence[MetaStep]], chunk_num: int, com_type: str = "loop"
) -> dict[str, Any]:
    """Return whether processes that do their steps in order would wait for each other for ever.

    Args:
        order_list, chunk_num, com_type: as for `generate_operations`.

    Returns:
        A dictionary: "formatted_operations" has what `generate_operations` returns, "cycle_path" and "cycle_ranks" what
        `detect_cycle_in_graph` does, and "has_cycle" whether there is one. `parse_and_validate` logs what is missing.

    Examples:
        >>> from torchspore.parallel.mesh.hyper_parallel.schedules import (
        ...     MetaStep, MetaStepType, validate_pipeline_execution)
        >>> steps = {0: [MetaStep(0, MetaStepType.FWD_SEND, 0)], 1: [MetaStep(0, MetaStepType.FWD_RECV, 1)]}
        >>> validate_pipeline_execution(steps, chunk_num=1)["has_cycle"]
        False
    """
    operations = generate_operations(order_list, chunk_num, com_type)
    parse_and_validate(operations)
    path, ranks = detect_cycle_in_graph(operations)
    return {
        "formatted_operations": operations,
        "cycle_path": path,
        "cycle_ranks": ranks,
        "has_cycle": path is not None,
    }
