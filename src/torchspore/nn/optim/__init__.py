"""Optimizers: every family is a module, and its `__all__` says what it adds to this package."""
# ruff: noqa: F403

from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.nn.optim.adadelta import *
from torchspore.nn.optim.adafactor import *
from torchspore.nn.optim.adagrad import *
from torchspore.nn.optim.adam import *
from torchspore.nn.optim.adamax import *
from torchspore.nn.optim.asgd import *
from torchspore.nn.optim.ftrl import *
from torchspore.nn.optim.lamb import *
from torchspore.nn.optim.momentum import *
from torchspore.nn.optim.optimizer import Optimizer as Optimizer
from torchspore.nn.optim.rmsprop import *
from torchspore.nn.optim.rprop import *
from torchspore.nn.optim.second_order import *
from torchspore.nn.optim.sgd import *
from torchspore.nn.unsupported import *  # MindSpore has some of them here, too

_set_public_names(globals())
