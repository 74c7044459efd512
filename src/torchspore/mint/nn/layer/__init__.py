"""Layers of `mint.nn`: every family is a module, and its `__all__` says what it adds to this package."""
# ruff: noqa: F403

from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.mint.nn.layer.activation import *
from torchspore.mint.nn.layer.conv import *
from torchspore.mint.nn.layer.loss import *
from torchspore.mint.nn.layer.normalization import *
from torchspore.mint.nn.layer.padding import *
from torchspore.mint.nn.layer.pooling import *
from torchspore.mint.nn.layer.vision import *

_set_public_names(globals())
