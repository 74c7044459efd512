"""Losses: every family is a module, and its `__all__` says what it adds to this package."""
# ruff: noqa: F403

from torchspore.nn.loss.classes import *
from torchspore.nn.loss.loss import *
from torchspore.nn.loss.margin import *
from torchspore.nn.public_names import set_public_names

set_public_names(globals())
