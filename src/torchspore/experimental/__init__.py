"""`experimental`: optimizers with groups of parameters and schedulers, as in PyTorch."""

from __future__ import annotations

from torchspore.experimental import (
    optim,
)

__all__ = ["optim"]
