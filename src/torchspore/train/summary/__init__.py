"""Event files for TensorBoard."""

from __future__ import annotations

from torchspore.train.summary.record import SummaryRecord

__all__ = ["SummaryRecord"]
