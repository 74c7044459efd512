"""The package `torchspore.serialization`, where MindSpore has it."""

from __future__ import annotations

from torchspore import serialization
from torchspore.train.aliases import alias_package

alias_package(__name__, serialization)
