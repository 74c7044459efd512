"""What the processes of a training tell each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import torch.distributed as dist

from torchspore.engine.distributed.agreement import raise_first

__all__ = ["gathered", "in_all"]

T = TypeVar("T")


def gathered(value: Any, parallel_mode: str) -> list[Any]:
    """Return an object of each process, by rank; the own one alone if the processes do not train one network.

    Args:
        value: the value of this process.
        parallel_mode: the mode of the training.
    """
    if not _are_many(parallel_mode):
        return [value]
    found = [value] * dist.get_world_size()
    dist.all_gather_object(found, value)
    return found


def in_all(run: Callable[[], T], parallel_mode: str) -> T:
    """Return what a function returns; an error that it has in any process is raised in all of them.

    Args:
        run: the function, which does not exchange data with other processes.
        parallel_mode: the mode of the training.
    """
    if not _are_many(parallel_mode):
        return run()
    error: Exception | None = None
    try:
        result = run()
    except Exception as found:
        error = found
    if any(gathered(error is not None, parallel_mode)):
        raise_first(error)
    return result


def _are_many(parallel_mode: str) -> bool:
    """Return whether several processes train one network."""
    return parallel_mode != "stand_alone" and dist.is_available() and dist.is_initialized()
