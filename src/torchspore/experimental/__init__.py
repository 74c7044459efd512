"""`experimental`: optimizers with groups of parameters and schedulers, as in PyTorch."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.experimental import optim

__all__ = ["optim"]

_suggest_names(globals())
