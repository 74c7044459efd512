"""Settings of the kinds of devices."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.device_context import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]

_suggest_names(globals())
