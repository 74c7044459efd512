"""Schedulers: they change the learning rates of optimizers of `experimental.optim` and `mint.optim`."""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.experimental.optim.lr_scheduler.cycles import (
    CosineAnnealingWarmRestarts,
    CyclicLR,
    SequentialLR,
)
from torchspore.experimental.optim.lr_scheduler.factors import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from torchspore.experimental.optim.lr_scheduler.plateau import (
    ReduceLROnPlateau,
)
from torchspore.experimental.optim.lr_scheduler.scheduler import (
    LRScheduler,
)

__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

_suggest_names(globals())
