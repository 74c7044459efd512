"""The memory of a kind of device; see `torchspore.runtime.memory`.

Every function takes `device_target`: "CPU", "GPU" or "Ascend", by default the kind in use. It raises ValueError for
another kind, or one that PyTorch cannot use here.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from torchspore.engine.parameters import checked
from torchspore.hal.device import Target, find
from torchspore.runtime.memory import QUERIES, documentation, empty_cache, statistics

__all__ = [
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats",
    "memory_summary", "ms_memory_recycle", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats",
]  # fmt: skip


def _of_kind(name: str) -> Callable[..., Any]:
    compute = QUERIES[name][0]

    def query(device_target: Target | None = None) -> Any:
        return compute(find(device_target, name))

    query.__name__ = query.__qualname__ = name
    query.__doc__ = documentation(name, f'ms.hal.{name}("CPU")')
    return checked(query)


@checked
def memory_stats(device_target: Target | None = None) -> dict[str, Any]:
    """Return figures of the memory of a kind of device, in bytes; see `runtime.memory_stats`.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.memory_stats("CPU")["total_allocated_memory"]
        0
        >>> ms.hal.reset_peak_memory_stats("CPU")
        >>> ms.hal.memory_allocated("CPU"), ms.hal.max_memory_allocated("CPU")
        (0, 0)
    """
    return statistics(find(device_target, "memory_stats"))


memory_summary: Callable[..., str] = _of_kind("memory_summary")
memory_allocated: Callable[..., int] = _of_kind("memory_allocated")
max_memory_allocated: Callable[..., int] = _of_kind("max_memory_allocated")
memory_reserved: Callable[..., int] = _of_kind("memory_reserved")
max_memory_reserved: Callable[..., int] = _of_kind("max_memory_reserved")
reset_peak_memory_stats: Callable[..., None] = _of_kind("reset_peak_memory_stats")
reset_max_memory_allocated: Callable[..., None] = _of_kind("reset_max_memory_allocated")
reset_max_memory_reserved: Callable[..., None] = _of_kind("reset_max_memory_reserved")


def ms_memory_recycle() -> None:
    """Collect garbage, and release memory that no tensor uses to the device.

    Examples:
        >>> import torchspore as ms
        >>> ms.ms_memory_recycle()
    """
    gc.collect()
    empty_cache()
