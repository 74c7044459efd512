"""Weights that torch keeps as lengths and directions (`weight_norm`), as the weights that they make."""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch

__all__ = ["without_weight_norm"]

# The name of lengths, and those of the directions and the weight.
_LENGTHS = (
    (re.compile(r"(\w+)_g$"), r"\1_v", r"\1"),
    (re.compile(r"parametrizations\.(\w+)\.original0$"), r"parametrizations.\1.original1", r"\1"),
)


def without_weight_norm(
    weights: torch.nn.Module | Mapping[str, torch.Tensor],
) -> torch.nn.Module | Mapping[str, torch.Tensor]:
    """Return weights by name, each pair of lengths and directions as the weight that it makes."""
    given = weights.state_dict() if isinstance(weights, torch.nn.Module) else weights
    result = dict(given)
    for name, lengths in given.items():
        for pattern, of_directions, of_weight in _LENGTHS:
            directions = given.get(pattern.sub(of_directions, name))
            if directions is not None and pattern.search(name) and _fit(lengths, directions):
                del result[name], result[pattern.sub(of_directions, name)]
                result[pattern.sub(of_weight, name)] = _weight(lengths, directions)
    return weights if len(result) == len(given) else result


def _fit(lengths: torch.Tensor, directions: torch.Tensor) -> bool:
    """Return whether there is one length, or one for each index of a dimension."""
    sizes = [ours if ours == theirs else 0 for ours, theirs in zip(lengths.shape, directions.shape) if ours != 1]
    return not lengths.shape or (lengths.dim() == directions.dim() and 0 not in sizes and len(sizes) <= 1)


def _weight(lengths: torch.Tensor, directions: torch.Tensor) -> torch.Tensor:
    summed = [i for i, size in enumerate(lengths.shape) if size == 1] or None
    return directions * (lengths / directions.norm(2, summed, keepdim=bool(lengths.shape)))
