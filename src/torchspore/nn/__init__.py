"""Cells: layers, losses, optimizers and training steps."""

from __future__ import annotations

from torchspore.nn.cell import Cell
from torchspore.nn.layer.basic import Dense
from torchspore.nn.layer.container import CellDict, CellList, SequentialCell
