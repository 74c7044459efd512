"""Settings of Ascend cards: checked, and without effect, as `torch_npu` has its own.

Examples:
    >>> import torchspore as ms
    >>> ms.device_context.ascend.op_precision.precision_mode("must_keep_origin_dtype")
    >>> ms.device_context.ascend.op_tuning.aclnn_cache(True, cache_queue_length=100)
"""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.device_context.ascend import op_debug, op_precision, op_tuning
from torchspore.device_context.ascend.device import device_count, is_available

__all__ = ["device_count", "is_available", "op_debug", "op_precision", "op_tuning"]

_suggest_names(globals())
