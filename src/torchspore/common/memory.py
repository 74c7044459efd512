"""The memory of the machine, for refusing results that cannot fit."""

from __future__ import annotations

import functools
import os
import pathlib
from contextlib import suppress

__all__ = ["check_room", "total"]

_UNKNOWN = 2**63 - 1
_COPIES = 4  # of a result that windows and transforms hold at a time, including input and result
_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")  # of a container


@functools.cache
def total() -> int:
    """Return the memory limit of this process in bytes; a huge number if it is unknown."""
    sizes = [_UNKNOWN]
    with suppress(AttributeError, OSError, ValueError):
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    for path in _LIMITS:
        with suppress(OSError, ValueError):  # a ValueError: "max"
            sizes.append(int(pathlib.Path(path).read_text()))
    return min(size for size in sizes if size > 0)


def check_room(elements: int, size: int) -> None:
    """Check that the intermediate results of an operation fit into memory.

    The system refuses a single tensor that is larger than the memory, but not several that are so together.

    Args:
        elements: the number of elements of the result.
        size: the bytes of one.

    Raises:
        ValueError: they do not fit.
    """
    needed = _COPIES * elements * size
    if needed > total():
        raise ValueError(
            f"{elements} elements need {needed / 2**30:.1f} GiB on the way, but this machine has {total() / 2**30:.1f} "
            "GiB of memory. Give a smaller size"
        )
