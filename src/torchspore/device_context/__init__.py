"""Settings of the kinds of devices."""

from __future__ import annotations

from torchspore.device_context import ascend, cpu, gpu

__all__ = ["ascend", "cpu", "gpu"]
