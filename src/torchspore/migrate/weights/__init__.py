"""Weights from one framework to the other."""

from __future__ import annotations

from torchspore.migrate.weights.moving import load_mindspore, load_torch, to_torch
from torchspore.migrate.weights.weight_map import WeightMap, map_weights

__all__ = ["WeightMap", "load_mindspore", "load_torch", "map_weights", "to_torch"]
