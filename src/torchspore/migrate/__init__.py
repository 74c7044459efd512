"""Moving networks between PyTorch and MindSpore, and proving them equal.

- `table`: which API of PyTorch corresponds to which of MindSpore.
- `weights`: which weight of a cell is which of a torch module; files of weights.
- `comparing`: proof that two networks are equal, or where and why they first differ.
"""

from __future__ import annotations

from torchspore.migrate.comparing import Cause, Report, compare, record, record_script
from torchspore.migrate.weights import WeightMap, load_mindspore, load_torch, map_weights, to_torch

__all__ = [
    "Cause", "Report", "WeightMap", "compare", "load_mindspore", "load_torch", "map_weights", "record", "record_script",
    "to_torch",
]  # fmt: skip
