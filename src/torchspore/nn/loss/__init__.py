"""Losses: every family is a module, and its `__all__` says what it adds to this package."""
# ruff: noqa: F403

from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.nn.loss.classes import *
from torchspore.nn.loss.loss import *
from torchspore.nn.loss.margin import *

_set_public_names(globals())
