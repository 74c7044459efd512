"""The memory of a kind of device; see `torchspore.runtime.memory`.

Every function takes `device_target`: "CPU", "GPU" or "Ascend", by default the kind in use. It raises ValueError for
another kind, or one that PyTorch cannot use here.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

from torchspore.hal.device import find
from torchspore.runtime.memory import QUERIES, empty_cache, named_query

__all__ = [
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats",
    "memory_summary", "ms_memory_recycle", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats",
]  # fmt: skip


def _of_kind(name: str) -> Callable[..., Any]:
    compute = QUERIES[name][1]

    def query(device_target: str | None = None) -> Any:
        return compute(find(device_target, name))

    return named_query(name, query, __name__)


memory_stats: Callable[..., dict[str, Any]] = _of_kind("memory_stats")
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
