"""The package `torchspore.metrics`, where MindSpore has it."""

from __future__ import annotations

from torchspore import metrics
from torchspore.train.aliases import alias_package

alias_package(__name__, metrics)
