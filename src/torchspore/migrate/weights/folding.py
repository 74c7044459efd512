"""Weights that torch keeps as lengths and directions (`weight_norm`), as the weights that they make."""

from __future__ import annotations

import re
from collections.abc import Mapping

import torch

__all__ = ["without_weight_norm"]

# The end of the name of lengths, which has the name of the weight, and the end of the name of their directions.
_LENGTHS = (
    (re.compile(r"(\w+)_g$"), r"\1_v"),
    (re.compile(r"parametrizations\.(\w+)\.original0$"), r"parametrizations.\1.original1"),
)


def without_weight_norm(
    weights: torch.nn.Module | Mapping[str, torch.Tensor],
) -> torch.nn.Module | Mapping[str, torch.Tensor]:
    """Return weights by name, each pair of lengths and directions as the weight that it makes."""
    given = weights.state_dict() if isinstance(weights, torch.nn.Module) else weights
    result = dict(given)
    for name, lengths in given.items():
        for pattern, of_directions in _LENGTHS:
            other = pattern.sub(of_directions, name)
            if other != name and other in given and _fit(lengths, given[other]):
                del result[name], result[other]
                result[pattern.sub(r"\1", name)] = _weight(lengths, given[other])
    return weights if len(result) == len(given) else result


def _fit(lengths: torch.Tensor, directions: torch.Tensor) -> bool:
    """Return whether there is one length, or one for each index of a dimension."""
    sizes = [ours if ours == theirs else 0 for ours, theirs in zip(lengths.shape, directions.shape) if ours != 1]
    return not lengths.shape or (lengths.dim() == directions.dim() and 0 not in sizes and len(sizes) <= 1)


def _weight(lengths: torch.Tensor, directions: torch.Tensor) -> torch.Tensor:
    summed = [i for i, size in enumerate(lengths.shape) if size == 1] or None
    return directions * (lengths / directions.norm(2, summed, keepdim=bool(lengths.shape)))
