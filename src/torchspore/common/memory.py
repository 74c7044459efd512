"""How much memory the machine has, for refusing what cannot be."""

from __future__ import annotations

import functools
import os
import pathlib
from contextlib import suppress

__all__ = ["check_room", "total"]

_UNKNOWN = 2**63 - 1
_COPIES = 4  # of a result that windows and transforms have in memory at a time, input and result included
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container


@functools.cache
def total() -> int:
    """Return how many bytes of memory this process may have at most; a huge number where that is not known."""
    sizes = [_UNKNOWN]
    with suppress(AttributeError, OSError, ValueError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _LIMITS:
        with suppress(OSError, ValueError):  # a ValueError: "max"
            sizes.append(int(pathlib.Path(path).read_text()))
    return min(size for size in sizes if size > 0)


def check_room(elements: int, size: int) -> None:
    """Check that what an operation makes on its way to a result of so many elements can fit.

    The system refuses a single tensor that is larger than its memory; of several, it learns too late.

    Args:
        elements: how many.
        size: the bytes of one.

    Raises:
        ValueError: they cannot.
    """
    needed = _COPIES * elements * size
    if needed > total():
        raise ValueError(
            f"{elements} elements need {needed / 2**30:.1f} GiB on the way, but this machine has {total() / 2**30:.1f} "
            "GiB of memory. Give a smaller size"
        )
