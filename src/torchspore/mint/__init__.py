"""`mint`: operations, layers and optimizers with the signatures and results of PyTorch.

Operations and layers that are the same in `torchspore.ops` or `torchspore.nn` are the very same objects. An argument of
another type than documented raises TypeError; a value or shape that does not fit raises ValueError. `Raises` in a
docstring names what goes beyond that.
"""
# ruff: noqa: F403

import torchspore.experimental  # noqa: F401 - before a module in it: threads may import both
from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.common.tensor import Tensor as Tensor  # annotations say `mint.Tensor`
from torchspore.engine.op import publish as _publish
from torchspore.mint import distributed as distributed
from torchspore.mint import linalg as linalg
from torchspore.mint import nn as nn
from torchspore.mint import optim as optim
from torchspore.mint import special as special
from torchspore.mint.creation import *
from torchspore.mint.elementwise import *
from torchspore.mint.from_ops import *
from torchspore.mint.linear_algebra import *
from torchspore.mint.nn.functional import conv2d as conv2d
from torchspore.mint.normalization import *
from torchspore.mint.reduction import *
from torchspore.mint.shape import *
from torchspore.mint.sorting import *

_set_public_names(globals(), ("distributed", "linalg", "nn", "optim", "special"), without=("Tensor",))
_publish(globals())
