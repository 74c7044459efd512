"""Names that are refused: their errors say why."""

from __future__ import annotations

from torchspore.common.unsupported import refusing

__all__ = ["Vad"]

Vad = refusing("dataset.audio", "Vad")
