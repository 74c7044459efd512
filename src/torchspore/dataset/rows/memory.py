"""The memory of rows."""

from __future__ import annotations

import functools

import numpy as np

__all__ = ["reuse_freed_memory"]

_BLOCK = 2**25 - 2**16  # bytes; glibc learns from blocks of less than 32 MiB


@functools.cache
def reuse_freed_memory() -> None:
    """Let the allocator keep freed blocks for the next ones, once for each process.

    By default glibc returns the memory of arrays above 128 KiB to the system, so that each new image costs page faults:
    more time than its transforms. From a block that is freed it learns to keep others up to that size, and at most
    twice that size unused. The block itself is not touched, so it never occupies memory.
    """
    np.empty(_BLOCK, np.uint8)
