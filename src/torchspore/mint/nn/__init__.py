"""`mint.nn`: layers with torch's arguments. Where `torchspore.nn` has the same arguments, it has the same layers."""
# ruff: noqa: F403

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.mint.nn import functional as functional
from torchspore.mint.nn.from_nn import *
from torchspore.mint.nn.layer import *
from torchspore.nn.cell import Cell as Cell  # annotations say `mint.nn.Cell`

_set_public_names(globals(), ("functional",), without=("Cell",))
_suggest_names(globals())
