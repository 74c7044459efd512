"""Profiles of programs: traces and tables, by `torch.profiler`."""

from __future__ import annotations

import torchspore.runtime
import torchspore.train  # noqa: F401 - before a module in it: threads may import both
from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.unsupported import refusing as _refusing
from torchspore.profiler.dynamic import DynamicProfilerMonitor
from torchspore.profiler.marks import mstx
from torchspore.profiler.options import (
    AicoreMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
    _ExperimentalConfig,
)
from torchspore.profiler.profiling import (
    Profiler,
    analyse,  # noqa: F401 - MindSpore has it in `profiler.profiler`
    profile,
)
from torchspore.profiler.results import tensorboard_trace_handler
from torchspore.profiler.schedule import schedule

EnvProfiler = _refusing("profiler", "EnvProfiler")

__all__ = [
    "AicoreMetrics", "DynamicProfilerMonitor", "EnvProfiler", "ExportType", "HostSystem", "Profiler",
    "ProfilerActivity", "ProfilerLevel", "_ExperimentalConfig", "mstx", "profile", "schedule",
    "tensorboard_trace_handler",
]  # fmt: skip

_suggest_names(globals())
