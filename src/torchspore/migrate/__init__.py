"""Moving networks between PyTorch and MindSpore, and proving them equal.

- `table`: which API of PyTorch corresponds to which of MindSpore.
- `weights`: which weight of a cell is which of a torch module; files of weights.
"""

from __future__ import annotations

from torchspore.migrate.weights import WeightMap, load_mindspore, load_torch, map_weights, to_torch

__all__ = ["WeightMap", "load_mindspore", "load_torch", "map_weights", "to_torch"]
