"""How much memory the machine has, for refusing what cannot be."""

from __future__ import annotations

import functools
import os
import pathlib
from contextlib import suppress

__all__ = ["total"]

_UNKNOWN = 2**63 - 1
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
