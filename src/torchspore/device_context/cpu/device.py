"""The CPU, which is always available and counts as one."""

from __future__ import annotations

from torchspore.device_context.devices import of_kind

__all__ = ["device_count", "is_available"]

is_available, device_count = of_kind("CPU")
