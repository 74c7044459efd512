"""Layers: every family is a module, and its `__all__` says what it adds to this package."""
# ruff: noqa: F403

from torchspore.common.names.public_names import set_public_names as _set_public_names
from torchspore.nn.layer.activation import *
from torchspore.nn.layer.attention import *
from torchspore.nn.layer.basic import *
from torchspore.nn.layer.combined import *
from torchspore.nn.layer.container import *
from torchspore.nn.layer.conv import *
from torchspore.nn.layer.embedding import *
from torchspore.nn.layer.graph_cell import *
from torchspore.nn.layer.image import *
from torchspore.nn.layer.math import *
from torchspore.nn.layer.math import CosineSimilarity as CosineSimilarity  # `nn` has a metric of that name
from torchspore.nn.layer.normalization import *
from torchspore.nn.layer.padding import *
from torchspore.nn.layer.pooling import *
from torchspore.nn.layer.recurrent import *
from torchspore.nn.layer.recurrent_cells import *
from torchspore.nn.layer.sparse import *
from torchspore.nn.layer.special_pooling import *
from torchspore.nn.layer.sync_batch_norm import *
from torchspore.nn.layer.thor_layer import *
from torchspore.nn.layer.time_distributed import *
from torchspore.nn.layer.transformer import *

_set_public_names(globals(), without=("CosineSimilarity",))
