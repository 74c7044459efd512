"""`experimental.optim`: optimizers with groups of parameters, as in PyTorch, and schedulers of their learning rates."""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.experimental.optim import (
    lr_scheduler,
)
from torchspore.experimental.optim.adam import (
    Adam,
    Adamax,
    AdamW,
    NAdam,
    RAdam,
)
from torchspore.experimental.optim.adaptive import (
    Adadelta,
    Adagrad,
    RMSprop,
)
from torchspore.experimental.optim.lbfgs import (
    LBFGS,
)
from torchspore.experimental.optim.lion import (
    Lion,
)
from torchspore.experimental.optim.muon import (
    Muon,
)
from torchspore.experimental.optim.optimizer import (
    Optimizer,
)
from torchspore.experimental.optim.others import (
    ASGD,
    Rprop,
)
from torchspore.experimental.optim.sgd import (
    SGD,
)

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Lion",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]

_suggest_names(globals())
