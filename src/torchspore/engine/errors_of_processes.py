"""Errors of one process that all processes raise: one process alone would leave the others waiting."""

from __future__ import annotations

from typing import NoReturn

import torch.distributed as dist

__all__ = ["raise_first"]

_KINDS = {kind.__name__: kind for kind in (ValueError, TypeError, NotImplementedError, KeyError, RuntimeError)}


def raise_first(error: Exception | None, position: int = 0) -> NoReturn:
    """Raise one of the errors of the processes in all of them; all processes call it, and one has an error.

    Args:
        error: that of this process, or None.
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
