"""`mint.nn.functional`: what the layers of `mint.nn` compute, with torch's signatures."""
# ruff: noqa: F403

from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.engine.op import publish as _publish
from torchspore.mint.nn.functional.activation import *
from torchspore.mint.nn.functional.layers import *
from torchspore.mint.nn.functional.loss import *
from torchspore.mint.nn.functional.pooling import *
from torchspore.mint.nn.functional.vision import *

_set_public_names(globals())
_publish(globals())
