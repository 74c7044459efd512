"""Event files for TensorBoard."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.train.summary.record import SummaryRecord

__all__ = ["SummaryRecord"]

_suggest_names(globals())
