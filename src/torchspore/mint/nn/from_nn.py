"""The layers of `torchspore.nn` that `mint.nn` has unchanged, some of them under another name."""

from torchspore.nn import Dropout2dExt as Dropout2d
from torchspore.nn import DropoutExt as Dropout
from torchspore.nn import EmbeddingExt as Embedding
from torchspore.nn import Flatten, Identity, Linear

__all__ = ["Dropout", "Dropout2d", "Embedding", "Flatten", "Identity", "Linear"]
