"""Schedulers: they change the learning rates of optimizers of `experimental.optim` and `mint.optim`."""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.experimental.optim.lr_scheduler.cycles import *
from torchspore.experimental.optim.lr_scheduler.factors import *
from torchspore.experimental.optim.lr_scheduler.plateau import *
from torchspore.experimental.optim.lr_scheduler.scheduler import *

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "ExponentialLR", "LRScheduler",
    "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
    "StepLR",
]  # fmt: skip

_suggest_names(globals())
