"""Cells around a network: every family is a module, and its `__all__` says what it adds to this package."""
# ruff: noqa: F403

from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.nn.layer.time_distributed import TimeDistributed as TimeDistributed  # as in MindSpore
from torchspore.nn.wrap.batch_parts import *
from torchspore.nn.wrap.cell_wrapper import *
from torchspore.nn.wrap.gradient_cells import *
from torchspore.nn.wrap.gradient_reducer import *
from torchspore.nn.wrap.loss_scale import *

_set_public_names(globals())
