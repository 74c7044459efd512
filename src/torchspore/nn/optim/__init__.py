"""Optimizers."""

from __future__ import annotations

from torchspore.nn.optim.adadelta import (
    Adadelta,
)
from torchspore.nn.optim.adafactor import (
    AdaFactor,
)
from torchspore.nn.optim.adagrad import (
    Adagrad,
    ProximalAdagrad,
)
from torchspore.nn.optim.adam import (
    Adam,
    AdamOffload,
    AdamWeightDecay,
    LazyAdam,
)
from torchspore.nn.optim.adamax import (
    AdaMax,
)
from torchspore.nn.optim.asgd import (
    ASGD,
)
from torchspore.nn.optim.ftrl import (
    FTRL,
)
from torchspore.nn.optim.lamb import (
    LARS,
    Lamb,
)
from torchspore.nn.optim.momentum import (
    Momentum,
)
from torchspore.nn.optim.optimizer import (
    Optimizer,
)
from torchspore.nn.optim.refused import (
    AdaSumByDeltaWeightWrapCell,
    AdaSumByGradWrapCell,
    OptTFTWrapper,
    thor,
)
from torchspore.nn.optim.rmsprop import (
    RMSProp,
)
from torchspore.nn.optim.rprop import (
    Rprop,
)
from torchspore.nn.optim.sgd import (
    SGD,
)

__all__ = [
    "ASGD",
    "FTRL",
    "LARS",
    "SGD",
    "AdaFactor",
    "AdaMax",
    "AdaSumByDeltaWeightWrapCell",
    "AdaSumByGradWrapCell",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamOffload",
    "AdamWeightDecay",
    "Lamb",
    "LazyAdam",
    "Momentum",
    "OptTFTWrapper",
    "Optimizer",
    "ProximalAdagrad",
    "RMSProp",
    "Rprop",
    "thor",
]
