"""`experimental.optim`: optimizers with groups of parameters, as in PyTorch, and schedulers of their learning rates."""
# ruff: noqa: F403, F405

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.experimental.optim import lr_scheduler as lr_scheduler
from torchspore.experimental.optim.adam import *
from torchspore.experimental.optim.adaptive import *
from torchspore.experimental.optim.lbfgs import *
from torchspore.experimental.optim.lion import *
from torchspore.experimental.optim.muon import *
from torchspore.experimental.optim.optimizer import Optimizer as Optimizer
from torchspore.experimental.optim.others import *
from torchspore.experimental.optim.sgd import *

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Lion", "Muon", "NAdam", "Optimizer",
    "RAdam", "RMSprop", "Rprop", "lr_scheduler",
]  # fmt: skip

_suggest_names(globals())
