"""Options of MindSpore's profiler, most of which concern Ascend cards.

Options that make no difference on other devices are accepted. Requests for data of Ascend cards are refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Any

import torch

from torchspore.common import device as devices
from torchspore.engine.parameters import checked

__all__ = ["AicoreMetrics", "ExportType", "HostSystem", "ProfilerActivity", "ProfilerLevel", "refuse_if_asked"]


class ProfilerLevel(Enum):
    """The level of detail on an Ascend card; on other devices all levels record the same."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """What is recorded: PyTorch's work on the host (CPU), and on the card (GPU and NPU both mean the one in use)."""

    CPU = "CPU"
    NPU = "NPU"
    GPU = "GPU"


class AicoreMetrics(Enum):
    """Counters of the cores of Ascend cards; elsewhere only `AiCoreNone` is accepted."""

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """The form of results: text, which is what there is here, or a database."""

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """What MindSpore's profiler can record of the host; none of it is recorded here."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


class _ExperimentalConfig:
    """More options of a `profile`.

    Args:
        profiler_level: a ProfilerLevel; all record the same. Default: ProfilerLevel.Level0.
        aic_metrics: AicoreMetrics.AiCoreNone. Default: that.
        l2_cache: False. Default: False.
        mstx: whether the marks of `mstx` are recorded. Default: False.
        data_simplification: accepted; there is no raw data to keep. Default: True.
        export_type: None or [ExportType.Text]. Default: None.
        mstx_domain_include: the domains whose marks are recorded; empty for all. Default: None.
        mstx_domain_exclude: the domains whose marks are not, if none are included. Default: None.
        sys_io: False. Default: False.
        sys_interconnection: False. Default: False.
        host_sys: None or an empty list. Default: None.

    Raises:
        NotImplementedError: an argument asks for figures that only Ascend cards give.

    Examples:
        >>> from torchspore.profiler import ProfilerLevel, _ExperimentalConfig
        >>> _ExperimentalConfig(profiler_level=ProfilerLevel.Level1, mstx=True).mstx
        True
    """

    @checked
    def __init__(
        self,
        profiler_level: ProfilerLevel = ProfilerLevel.Level0,
        aic_metrics: AicoreMetrics = AicoreMetrics.AiCoreNone,
        l2_cache: bool = False,
        mstx: bool = False,
        data_simplification: bool = True,
        export_type: Sequence[ExportType] | None = None,
        mstx_domain_include: Sequence[str] | None = None,
        mstx_domain_exclude: Sequence[str] | None = None,
        sys_io: bool = False,
        sys_interconnection: bool = False,
        host_sys: Sequence[HostSystem] | None = None,
    ) -> None:
        api = "_ExperimentalConfig"
        self.profiler_level, self.aic_metrics = profiler_level, aic_metrics
        if aic_metrics is not AicoreMetrics.AiCoreNone:
            _refuse("aic_metrics", aic_metrics, api)
        refuse_if_asked({"l2_cache": l2_cache, "sys_io": sys_io, "sys_interconnection": sys_interconnection}, api)
        self.l2_cache, self.sys_io, self.sys_interconnection = l2_cache, sys_io, sys_interconnection
        self.mstx, self.data_simplification = mstx, data_simplification
        self.export_type = list(export_type or ())
        if ExportType.Db in self.export_type:
            _refuse("export_type", ExportType.Db, api)
        self.mstx_domain_include = list(mstx_domain_include or ())
        self.mstx_domain_exclude = list(mstx_domain_exclude or ())
        self.host_sys = list(host_sys or ())
        if self.host_sys:
            _refuse("host_sys", self.host_sys, api)

    def includes(self, domain: str) -> bool:
        """Return whether marks of a domain are recorded."""
        if not self.mstx:
            return False
        if self.mstx_domain_include:
            return domain in self.mstx_domain_include
        return domain not in self.mstx_domain_exclude


def _refuse(name: str, value: Any, api: str) -> None:
    raise NotImplementedError(
        f"For '{api}', {name}={value} asks for what MindSpore's profiler records on Ascend cards, which torch.profiler "
        "does not record. Leave it out."
    )


def refuse_if_asked(flags: dict[str, bool], api: str) -> None:
    """Check flags that must be False, because they request data of Ascend cards.

    Raises:
        NotImplementedError: one is True.
    """
    for name, value in flags.items():
        if value:
            _refuse(name, value, api)


def torch_activities(activities: Iterable[ProfilerActivity] | None, api: str) -> list[torch.profiler.ProfilerActivity]:
    """Return torch's names of what is to be recorded, for the device in use.

    Raises:
        ValueError: only a card is to be recorded, and a CPU is in use.
    """
    given = [*ProfilerActivity] if activities is None else list(activities)
    found = [torch.profiler.ProfilerActivity.CPU] if ProfilerActivity.CPU in given else []
    if devices.current().type == "cuda" and {ProfilerActivity.GPU, ProfilerActivity.NPU} & set(given):
        found.append(torch.profiler.ProfilerActivity.CUDA)
    if not found:
        raise ValueError(f"For '{api}', 'activities' must have ProfilerActivity.CPU while a CPU is in use.")
    return found
