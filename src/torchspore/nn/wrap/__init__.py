"""Cells around a network."""

from __future__ import annotations

from torchspore.nn.wrap.cell_wrapper import (
    TrainOneStepCell,
    WithEvalCell,
    WithLossCell,
)

__all__ = [
    "TrainOneStepCell",
    "WithEvalCell",
    "WithLossCell",
]
