"""Layers."""

from __future__ import annotations

from torchspore.nn.layer.basic import Dense
from torchspore.nn.layer.container import CellDict, CellList, SequentialCell
