"""Waiting for the processes with which a group is about to be made.

torch waits for them until its limit of half an hour. A worker of msrun holds a lock on a file as long as it lives, by
which the others on its machine see that it has ended, and that it will not come.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

__all__ = ["LOCKS", "meet"]

LOCKS = "TORCHSPORE_WORKER_LOCKS"  # where the workers of a machine have their locks, each named by its local rank
_BETWEEN_LOOKS = 0.02  # seconds


def meet(store: Any, key: str, rank: int, ranks: Sequence[int], limit: timedelta, api: str) -> None:
    """Wait until all of some processes have called this.

    Args:
        store: the store that the processes share.
        key: what they do; the same in all of them, and another one each time.
        rank: the rank of this process.
        ranks: the ranks of all of them.
        limit: how long to wait.
        api: what was called.

    Raises:
        RuntimeError: one has ended before, or the time is over.
    """
    store.set(f"{key}/{rank}", "")
    end = time.monotonic() + limit.total_seconds()
    missing = [*ranks]
    while True:
        ended = [other for other in missing if _has_ended(other)]  # before the look into the store, in which it may be
        missing = [other for other in missing if not store.check([f"{key}/{other}"])]
        if not missing:
            return
        lost = [other for other in missing if other in ended]
        if lost or time.monotonic() > end:
            how = "have ended" if lost else f"have not come within {limit.total_seconds():g} seconds"
            raise RuntimeError(
                f"For '{api}', all of the processes {[*ranks]} must call it, but the processes {lost or missing} {how}."
            )
        time.sleep(_BETWEEN_LOOKS)


def _has_ended(rank: int) -> bool:
    """Return whether a worker on this machine is known to have ended."""
    folder = os.environ.get(LOCKS)
    local = rank - int(os.environ.get("RANK", "0")) + int(os.environ.get("LOCAL_RANK", "0"))
    if not folder or not 0 <= local < int(os.environ.get("LOCAL_WORLD_SIZE", "0")):
        return False
    import fcntl  # of Unix, as the locks are

    try:
        with open(os.path.join(folder, str(local))) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return True
    except OSError:  # it lives, or has not begun
        return False
