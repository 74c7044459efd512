"""Names that are refused: their errors say why."""

from __future__ import annotations

from torchspore.common.names.unsupported import refusing

__all__ = ["Plugin"]

Plugin = refusing("dataset.transforms", "Plugin")
