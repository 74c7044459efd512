"""The memory of the device in use: torch's pool of it. A CPU has no pool: all figures are 0."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

import torch

from torchspore.common import device as devices
from torchspore.context import set_context
from torchspore.engine.parameters import Where, checked

__all__ = [
    "empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "memory_stats", "memory_summary", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "set_memory",
]  # fmt: skip

_SizeOrZero: TypeAlias = Annotated[str, Where("a size such as '2.5GB'", re.compile(r"(\d+\.?\d*|\.\d+)GB").fullmatch)]
_Size: TypeAlias = Annotated[_SizeOrZero, Where("a size above 0", lambda size: float(size[:-2]) > 0)]
_FIGURES = {  # MindSpore's names, and torch's
    "total_reserved_memory": "reserved_bytes.all.current",
    "total_allocated_memory": "allocated_bytes.all.current",
    "total_idle_memory": "",  # computed from these two
    "total_eager_free_memory": "",  # torch has none
    "max_reserved_memory": "reserved_bytes.all.peak",
    "max_allocated_memory": "allocated_bytes.all.peak",
}
_ROWS = {
    "Reserved memory": "total_reserved_memory",
    "Allocated memory": "total_allocated_memory",
    "Idle memory": "total_idle_memory",
    "Eager free memory": "total_eager_free_memory",
    "Max reserved memory": "max_reserved_memory",
    "Max allocated memory": "max_allocated_memory",
}


def figures(device: torch.device) -> dict[str, int]:
    """Return the figures of a device's memory, without its blocks; see `memory_stats`."""
    from_torch = {} if device.type == "cpu" else torch.get_device_module(device).memory_stats(device)
    found = {name: int(from_torch.get(key, 0)) for name, key in _FIGURES.items()}
    found["total_idle_memory"] = found["total_reserved_memory"] - found["total_allocated_memory"]
    return found


def statistics(device: torch.device) -> dict[str, Any]:
    """Return the figures of a device's memory, and its blocks; see `memory_stats`."""
    segments = [] if device.type == "cpu" else torch.get_device_module(device).memory_snapshot()
    blocks = {
        segment["address"]: {"block_stream_id": segment["stream"], "block_memory_size": segment["total_size"]}
        for segment in segments
        if segment["device"] == device.index
    }
    return {
        **figures(device),
        "common_mem_pool_stats": {"block_unit_size": 0, "block_counts": len(blocks), "blocks_info": blocks},
        "persistent_mem_pool_stats": {"block_counts": 0, "block_unit_size": 0, "blocks_info": {}},
    }


def summary(device: torch.device) -> str:
    """Return the figures of a device's memory as a table; see `memory_summary`."""
    values = figures(device)
    double, single = f"|{'=' * 45}|", f"|{'-' * 45}|"
    rows = [f"| {label:<20} | {_size(values[key]):<20} |" for label, key in _ROWS.items()]
    head = [double, f"|{'Memory summary':^45}|", double, f"| {'Metric':<20} | {'Data':<20} |"]
    body = [line for row in rows for line in (single, row)]
    return "\n".join([*head, *body, double, ""])


def _size(count: int) -> str:
    """Return a number of bytes in a unit that leaves at most five digits."""
    units = ["B", "KB", "MB", "GB"]
    while count >= 100 * 1024 and len(units) > 1:
        count //= 1024
        units.pop(0)
    return f"{count:>6} {units[0]}"


def reset_peaks(device: torch.device) -> None:
    """Reset the peaks of a device to its current figures."""
    if device.type != "cpu":
        torch.get_device_module(device).reset_peak_memory_stats(device)


# The functions of a device's memory: what computes the result, and what they do.
QUERIES: dict[str, tuple[Callable[[torch.device], Any], str]] = {
    "memory_summary": (summary, "Return the figures of `memory_stats` as a table."),
    "memory_allocated": (lambda d: figures(d)["total_allocated_memory"], "Return the bytes that tensors have."),
    "max_memory_allocated": (lambda d: figures(d)["max_allocated_memory"], "Return the peak of `memory_allocated`."),
    "memory_reserved": (lambda d: figures(d)["total_reserved_memory"], "Return the bytes taken from the device."),
    "max_memory_reserved": (lambda d: figures(d)["max_reserved_memory"], "Return the peak of `memory_reserved`."),
    "reset_peak_memory_stats": (reset_peaks, "Reset the peaks to the current figures."),
    "reset_max_memory_allocated": (reset_peaks, "Reset both peaks to the current figures, as torch does."),
    "reset_max_memory_reserved": (reset_peaks, "Reset both peaks to the current figures, as torch does."),
}


def documentation(name: str, call: str) -> str:
    """Return the docstring of a function of a device's memory, with a call as the example."""
    lines = [f">>> {call}"] if name.startswith("reset") else [f">>> {call} >= 0", "True"]
    if name == "memory_summary":
        lines = [f">>> print({call}.splitlines()[1].strip('|').strip())", "Memory summary"]
    example = "\n    ".join(["Examples:", ">>> import torchspore as ms", *lines])
    return f"{QUERIES[name][1]}\n\n{example}"


def _of_device_in_use(name: str) -> Callable[[], Any]:
    compute = QUERIES[name][0]

    def query() -> Any:
        return compute(devices.current())

    query.__name__ = query.__qualname__ = name
    query.__doc__ = documentation(name, f"ms.runtime.{name}()")
    return query


def memory_stats() -> dict[str, Any]:
    """Return figures of the memory of the device in use, in bytes; all are 0 on a CPU.

    Returns:
        A dict. `total_reserved_memory` is what torch has taken from the device, `total_allocated_memory` what tensors
        have of it, `total_idle_memory` the rest; `max_...` are the peaks so far. `common_mem_pool_stats` has the
        blocks by address. The memory that the device's drivers use is not counted.

    Examples:
        >>> import torchspore as ms
        >>> ms.set_device("CPU")
        >>> ms.runtime.memory_stats()["total_allocated_memory"]
        0
        >>> ms.runtime.reset_peak_memory_stats()
        >>> ms.runtime.memory_allocated(), ms.runtime.max_memory_allocated()
        (0, 0)
    """
    return statistics(devices.current())


memory_summary: Callable[[], str] = _of_device_in_use("memory_summary")
memory_allocated: Callable[[], int] = _of_device_in_use("memory_allocated")
max_memory_allocated: Callable[[], int] = _of_device_in_use("max_memory_allocated")
memory_reserved: Callable[[], int] = _of_device_in_use("memory_reserved")
max_memory_reserved: Callable[[], int] = _of_device_in_use("max_memory_reserved")
reset_peak_memory_stats: Callable[[], None] = _of_device_in_use("reset_peak_memory_stats")
reset_max_memory_allocated: Callable[[], None] = _of_device_in_use("reset_max_memory_allocated")
reset_max_memory_reserved: Callable[[], None] = _of_device_in_use("reset_max_memory_reserved")


def empty_cache() -> None:
    """Release memory that no tensor uses to the device.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.empty_cache()
    """
    device = devices.current()
    if device.type != "cpu":
        torch.get_device_module(device).empty_cache()


@checked
def set_memory(
    init_size: _Size = "2GB",
    increase_size: _Size = "2GB",
    max_size: _Size = "1024GB",
    optimize_level: Literal["O0", "O1"] = "O0",
    huge_page_reserve_size: _SizeOrZero = "0GB",
) -> None:
    """Limit the memory of the GPU in use; `get_context` shows the settings.

    On a CPU nothing is limited. On every device, torch takes memory as it needs it: the sizes to begin with and to
    add, the level and the reserve of large pages change nothing.

    Args:
        init_size: the size to begin with. Default: "2GB".
        increase_size: the size to add. Default: "2GB".
        max_size: the most that may be used. Default: "1024GB".
        optimize_level: "O0" or "O1". Default: "O0".
        huge_page_reserve_size: the reserve of large pages. Default: "0GB".

    Raises:
        ValueError: a size is not written as `"2.5GB"`, or the level is another.

    Examples:
        >>> import torchspore as ms
        >>> ms.runtime.set_memory(max_size="10GB")
        >>> ms.get_context("max_device_memory")
        10.0
    """
    set_context(max_device_memory=max_size, mempool_block_size=increase_size, memory_optimize_level=optimize_level)
    device = devices.current()
    if device.type != "cpu":
        backend = torch.get_device_module(device)
        whole = backend.get_device_properties(device).total_memory
        backend.set_per_process_memory_fraction(min(1.0, float(max_size[:-2]) * 2**30 / whole), device)
