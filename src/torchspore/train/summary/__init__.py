"""Event files for TensorBoard.

MindSpore: `mindspore.train.summary`.
"""

from __future__ import annotations

from torchspore.train.summary.record import SummaryRecord

__all__ = ["SummaryRecord"]
