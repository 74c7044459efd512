"""Memory from a user's own allocator, on a GPU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from torchspore.engine.parameters import checked

__all__ = ["MemPool", "PluggableAllocator", "use_mem_pool"]


class PluggableAllocator:
    """An allocator of a GPU's memory in a shared library.

    Args:
        path_to_so_file: the library's path.
        alloc_fn_name: the name of its function `void *(size_t size, int device, cudaStream_t stream)`.
        free_fn_name: the name of its function `void (void *memory, size_t size, int device, cudaStream_t stream)`.

    Raises:
        RuntimeError: PyTorch reaches no GPU.
        OSError: the library cannot be loaded.
        AttributeError: it has no such function.

    Examples:
        >>> import torchspore as ms
        >>> try:
        ...     allocator = ms.runtime.PluggableAllocator("missing.so", "take", "give_back")
        ... except (OSError, RuntimeError):
        ...     print("not there")
        not there
    """

    def __init__(self, path_to_so_file: str, alloc_fn_name: str, free_fn_name: str) -> None:
        if not torch.cuda.is_available():
            raise RuntimeError("For 'PluggableAllocator', own allocators are for GPUs, and PyTorch reaches none here.")
        self._own = torch.cuda.memory.CUDAPluggableAllocator(path_to_so_file, alloc_fn_name, free_fn_name)


class MemPool:
    """A pool of memory from a user's allocator; see `use_mem_pool`.

    Args:
        allocator: the allocator.
    """

    @checked
    def __init__(self, allocator: PluggableAllocator) -> None:
        self.allocator = allocator
        self._own: Any = torch.cuda.MemPool(allocator._own.allocator())


@contextmanager
@checked
def use_mem_pool(pool: MemPool) -> Iterator[None]:
    """A `with` block whose new tensors allocate from a pool.

    Args:
        pool: the pool.
    """
    with torch.cuda.use_mem_pool(pool._own):
        yield
