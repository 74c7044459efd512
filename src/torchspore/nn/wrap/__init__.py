"""Cells around a network."""

from __future__ import annotations

from torchspore.nn.wrap.batch_parts import (
    DistributedGradReducer,
    GetNextSingleOp,
    GradAccumulationCell,
    MicroBatchInterleaved,
    PipelineCell,
    PipelineGradReducer,
)
from torchspore.nn.wrap.cell_wrapper import (
    TrainOneStepCell,
    WithEvalCell,
    WithLossCell,
)
from torchspore.nn.wrap.gradient_cells import (
    ForwardValueAndGrad,
    Jvp,
    ParameterUpdate,
    Vjp,
    WithGradCell,
)
from torchspore.nn.wrap.loss_scale import (
    DynamicLossScaleUpdateCell,
    FixedLossScaleUpdateCell,
    TrainOneStepWithLossScaleCell,
)

__all__ = [
    "DistributedGradReducer",
    "DynamicLossScaleUpdateCell",
    "FixedLossScaleUpdateCell",
    "ForwardValueAndGrad",
    "GetNextSingleOp",
    "GradAccumulationCell",
    "Jvp",
    "MicroBatchInterleaved",
    "ParameterUpdate",
    "PipelineCell",
    "PipelineGradReducer",
    "TrainOneStepCell",
    "TrainOneStepWithLossScaleCell",
    "Vjp",
    "WithEvalCell",
    "WithGradCell",
    "WithLossCell",
]
