"""`mint.optim`: optimizers with groups of parameters, as in PyTorch."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.experimental.optim.lbfgs import LBFGS
from torchspore.mint.optim.adam import Adam, AdamW, FusedAdamW
from torchspore.mint.optim.sgd import SGD

__all__ = ["LBFGS", "SGD", "Adam", "AdamW", "FusedAdamW"]

_suggest_names(globals())
