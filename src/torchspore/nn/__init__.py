"""Cells: layers, losses, optimizers and training steps."""

from __future__ import annotations

from torchspore.nn.cell import Cell
