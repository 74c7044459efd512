"""What runs where: streams, memory, threads, reproducible results.

MindSpore: `mindspore.runtime`.
"""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.common.unsupported import refusing
from torchspore.runtime.affinity import set_cpu_affinity
from torchspore.runtime.launching import (
    dispatch_threads_num,
    launch_blocking,
    set_kernel_launch_capture,
    set_kernel_launch_group,
)
from torchspore.runtime.limits import (
    StreamLimitCtx,
    get_device_limit,
    get_stream_limit,
    reset_stream_limit,
    set_device_limit,
    set_stream_limit,
)
from torchspore.runtime.memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    reset_peak_memory_stats,
    set_memory,
)
from torchspore.runtime.memory_pool import MemPool, PluggableAllocator, use_mem_pool
from torchspore.runtime.stream import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    set_cur_stream,
    synchronize,
)

memory_replay = refusing("runtime", "memory_replay")

__all__ = [
    "Event", "MemPool", "PluggableAllocator", "Stream", "StreamCtx", "StreamLimitCtx", "communication_stream",
    "current_stream", "default_stream", "dispatch_threads_num", "empty_cache", "get_device_limit", "get_stream_limit",
    "launch_blocking", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_replay",
    "memory_reserved", "memory_stats", "memory_summary", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "reset_stream_limit", "set_cpu_affinity", "set_cur_stream", "set_device_limit",
    "set_kernel_launch_capture", "set_kernel_launch_group", "set_memory", "set_stream_limit", "synchronize",
    "use_mem_pool",
]  # fmt: skip

_suggest_names(globals())
