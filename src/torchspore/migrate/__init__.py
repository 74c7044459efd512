"""Moving networks between PyTorch and MindSpore, and proving them equal.

- `table`: which API of PyTorch corresponds to which of MindSpore; `lookup` says what the table has of a name.
- `code`: source code rewritten from PyTorch to MindSpore and back.
- `weights`: which weight of a cell is which of a torch module; files of weights.
"""

from __future__ import annotations

from torchspore.migrate.code import rewrite
from torchspore.migrate.table import lookup
from torchspore.migrate.weights import WeightMap, load_mindspore, load_torch, map_weights, to_torch

__all__ = ["WeightMap", "load_mindspore", "load_torch", "lookup", "map_weights", "rewrite", "to_torch"]
