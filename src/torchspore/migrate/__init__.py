"""Moving networks between PyTorch and MindSpore, and proving them equal.

- `table`: which API of PyTorch corresponds to which of MindSpore; `lookup` says what the table has of a name.
- `code`: source code rewritten from PyTorch to MindSpore and back, and from earlier versions of MindSpore to today's.
- `weights`: which weight of a cell is which of a torch module; files of weights.
- `comparing`: layers, gradients and training steps of two networks, side by side, and the cause of a difference.
- `mixing`: torch modules in cells, and cells in torch modules.
"""

from __future__ import annotations

from torchspore.migrate.code import modernize, rewrite
from torchspore.migrate.comparing import Report, compare, record, record_script
from torchspore.migrate.mixing import as_cell, as_module
from torchspore.migrate.table import lookup
from torchspore.migrate.weights import WeightMap, load_mindspore, load_torch, map_weights, to_torch

__all__ = [
    "Report", "WeightMap", "as_cell", "as_module", "compare", "load_mindspore", "load_torch", "lookup", "map_weights",
    "modernize", "record", "record_script", "rewrite", "to_torch",
]  # fmt: skip
