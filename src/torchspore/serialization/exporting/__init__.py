"""Networks in files that run without their code.

MindSpore: `mindspore.train.serialization`.
"""

from __future__ import annotations

from torchspore.serialization.exporting.models import export, load

__all__ = ["export", "load"]
