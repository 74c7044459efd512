"""Settings of the CPU."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.device_context.cpu import op_tuning
from torchspore.device_context.cpu.device import device_count, is_available
from torchspore.device_context.cpu.op_tuning import threads_num

__all__ = ["device_count", "is_available", "op_tuning", "threads_num"]

_suggest_names(globals())
