"""Weights from one framework to the other."""

from __future__ import annotations

from torchspore.migrate.weights.weight_map import WeightMap, map_weights

__all__ = ["WeightMap", "map_weights"]
