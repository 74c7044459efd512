"""Optimizers."""

from __future__ import annotations

from torchspore.nn.optim.adam import (
    Adam,
    AdamWeightDecay,
)
from torchspore.nn.optim.momentum import (
    Momentum,
)
from torchspore.nn.optim.optimizer import (
    Optimizer,
)
from torchspore.nn.optim.sgd import (
    SGD,
)

__all__ = [
    "SGD",
    "Adam",
    "AdamWeightDecay",
    "Momentum",
    "Optimizer",
]
