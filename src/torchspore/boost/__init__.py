"""Changes to networks, optimizers and training steps that shorten training."""

from __future__ import annotations

from torchspore.boost.adasum import AdaSum
from torchspore.boost.base import OptimizerProcess, ParameterProcess
from torchspore.boost.boost import AutoBoost
from torchspore.boost.boost_cell_wrapper import BoostTrainOneStepCell, BoostTrainOneStepWithLossScaleCell
from torchspore.boost.dim_reduce import DimReduce
from torchspore.boost.grad_accumulation import GradientAccumulation
from torchspore.boost.grad_freeze import FreezeOpt, GradientFreeze, freeze_cell
from torchspore.boost.group_loss_scale_manager import GroupLossScaleManager
from torchspore.boost.less_batch_normalization import LessBN
from torchspore.common.names.missing_names import suggest_names as _suggest_names

__all__ = [
    "AdaSum", "AutoBoost", "BoostTrainOneStepCell", "BoostTrainOneStepWithLossScaleCell", "DimReduce", "FreezeOpt",
    "GradientAccumulation", "GradientFreeze", "GroupLossScaleManager", "LessBN", "OptimizerProcess", "ParameterProcess",
    "freeze_cell",
]  # fmt: skip

_suggest_names(globals())
