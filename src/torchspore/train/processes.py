"""What the processes of a training tell each other."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist

__all__ = ["gathered"]


def gathered(value: Any, parallel_mode: str) -> list[Any]:
    """Return an object of each process, by rank; the own one alone if the processes do not train one network.

    Args:
        value: that of this process.
        parallel_mode: the mode of the training.
    """
    if parallel_mode == "stand_alone" or not dist.is_available() or not dist.is_initialized():
        return [value]
    found = [value] * dist.get_world_size()
    dist.all_gather_object(found, value)
    return found
