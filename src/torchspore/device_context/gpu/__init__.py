"""Settings of GPUs."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.device_context.gpu import op_precision, op_tuning
from torchspore.device_context.gpu.device import device_count, is_available

__all__ = ["device_count", "is_available", "op_precision", "op_tuning"]

_suggest_names(globals())
