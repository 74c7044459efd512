"""What processes do alike: comparing what they are about to do, and raising the error of one in all of them.

One process alone would leave the others waiting.
"""

from __future__ import annotations

import zlib
from typing import Any, NoReturn

import torch
import torch.distributed as dist

from torchspore.common import device as devices
from torchspore.common.private_torch import no_modes

__all__ = ["differing", "raise_first"]

_KINDS = {kind.__name__: kind for kind in (ValueError, TypeError, NotImplementedError, KeyError, RuntimeError)}


def raise_first(error: Exception | None, position: int = 0) -> NoReturn:
    """Raise one of the errors of the processes in all of them; all processes call it, and one has an error.

    Args:
        error: the error of this process, or None.
        position: errors with a higher position follow from those with a lower one.
    """
    own = None
    if error is not None:
        name = next((name for name, kind in _KINDS.items() if isinstance(error, kind)), "RuntimeError")
        own = position, name, str(error)
    found: list[tuple[int, str, str] | None] = [None] * dist.get_world_size()
    dist.all_gather_object(found, own)
    known = [(*each, rank) for rank, each in enumerate(found) if each is not None]
    first, name, text, rank = min(known, key=lambda each: (each[0], each[3]))
    if error is not None and position == first:
        raise error
    raise _KINDS[name](f"{text} (in process {rank})")


def differing(text: str, group: Any = None) -> list[str]:
    """Return the texts of all processes of a group, or an empty list if they are the same; all call it.

    Args:
        text: the text of this process.
        group: torch's group. Default: None, all processes.
    """
    group = dist.group.WORLD if group is None else group
    device = devices.current() if "nccl" in dist.get_backend(group) else torch.device("cpu")
    number = zlib.crc32(text.encode())
    with no_modes():
        extremes = torch.tensor([number, -number], device=device)
        dist.all_reduce(extremes, dist.ReduceOp.MAX, group)
        most, least = extremes.tolist()
        if most == -least:
            return []
        found: list[str] = [""] * dist.get_world_size(group)
        dist.all_gather_object(found, text, group)
    return found
