"""The memory of a kind of device; see `torchspore.runtime.memory`.

Every function takes `device_target`: "CPU", "GPU" or "Ascend", by default the kind in use.
"""

from __future__ import annotations

import gc
from typing import Any

from torchspore.hal.device import find
from torchspore.runtime.memory import empty_cache, figures, reset_peaks, statistics, summary

__all__ = [
    "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats",
    "memory_summary", "ms_memory_recycle", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats",
]  # fmt: skip


def memory_stats(device_target: str | None = None) -> dict[str, Any]:
    """Return figures of the memory of a kind of device, in bytes; see `runtime.memory_stats`.

    Args:
        device_target: "CPU", "GPU" or "Ascend". Default: None, the kind in use.

    Raises:
        ValueError: another kind, or one that PyTorch cannot use here.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.memory_stats("CPU")["total_allocated_memory"]
        0
    """
    return statistics(find(device_target, "memory_stats"))


def memory_summary(device_target: str | None = None) -> str:
    """Return the figures of `memory_stats` as a table, with the same argument.

    Examples:
        >>> import torchspore as ms
        >>> "Allocated memory" in ms.hal.memory_summary("CPU")
        True
    """
    return summary(find(device_target, "memory_summary"))


def memory_allocated(device_target: str | None = None) -> int:
    """Return the bytes that tensors occupy on a kind of device; the argument is that of `memory_stats`.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.memory_allocated("CPU")
        0
    """
    return figures(find(device_target, "memory_allocated"))["total_allocated_memory"]


def max_memory_allocated(device_target: str | None = None) -> int:
    """Return the peak of `memory_allocated`; the argument is that of `memory_stats`.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.max_memory_allocated("CPU")
        0
    """
    return figures(find(device_target, "max_memory_allocated"))["max_allocated_memory"]


def memory_reserved(device_target: str | None = None) -> int:
    """Return the bytes that torch has taken from a kind of device; the argument is that of `memory_stats`.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.memory_reserved("CPU")
        0
    """
    return figures(find(device_target, "memory_reserved"))["total_reserved_memory"]


def max_memory_reserved(device_target: str | None = None) -> int:
    """Return the peak of `memory_reserved`; the argument is that of `memory_stats`.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.max_memory_reserved("CPU")
        0
    """
    return figures(find(device_target, "max_memory_reserved"))["max_reserved_memory"]


def reset_peak_memory_stats(device_target: str | None = None) -> None:
    """Reset the peaks to the current figures; the argument is that of `memory_stats`.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.reset_peak_memory_stats("CPU")
    """
    reset_peaks(find(device_target, "reset_peak_memory_stats"))


def reset_max_memory_allocated(device_target: str | None = None) -> None:
    """The same as `reset_peak_memory_stats`: torch resets both figures together.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.reset_max_memory_allocated("CPU")
    """
    reset_peaks(find(device_target, "reset_max_memory_allocated"))


def reset_max_memory_reserved(device_target: str | None = None) -> None:
    """The same as `reset_peak_memory_stats`: torch resets both figures together.

    Examples:
        >>> import torchspore as ms
        >>> ms.hal.reset_max_memory_reserved("CPU")
    """
    reset_peaks(find(device_target, "reset_max_memory_reserved"))


def ms_memory_recycle() -> None:
    """Collect garbage, and release memory that no tensor uses to the device.

    Examples:
        >>> import torchspore as ms
        >>> ms.ms_memory_recycle()
    """
    gc.collect()
    empty_cache()
