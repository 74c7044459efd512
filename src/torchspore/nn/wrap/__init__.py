"""Cells around a network."""

from __future__ import annotations

from torchspore.nn.wrap.cell_wrapper import (
    TrainOneStepCell,
    WithEvalCell,
    WithLossCell,
)
from torchspore.nn.wrap.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)

__all__ = [
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "WithEvalCell",
    "WithLossCell",
]
