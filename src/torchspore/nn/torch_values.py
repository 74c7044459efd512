"""Values on their way between cells and torch modules: Tensors and torch tensors in nested arguments and results."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.sparse_base import Sparse
from torchspore.common.tensor import Tensor, wrap

__all__ = ["to_tensors", "to_torch_tensors"]


def to_torch_tensors(tree: Any) -> Any:
    """Return `tree` with the torch tensors underneath in place of the Tensors."""
    return _converted(tree, Tensor, lambda tensor: tensor._t)


def to_tensors(tree: Any) -> Any:
    """Return `tree` with Tensors that share their memory in place of the torch tensors."""
    return _converted(tree, torch.Tensor, wrap)


def _converted(tree: Any, kind: type, convert: Callable[[Any], Any]) -> Any:
    if isinstance(tree, kind):
        return convert(tree)
    if isinstance(tree, (tuple, list)):
        parts = [_converted(part, kind, convert) for part in tree]
        same = all(new is old for new, old in zip(parts, tree))
        return tree if same else type(tree)(*parts) if hasattr(tree, "_fields") else _like(tree)(parts)
    if isinstance(tree, dict):
        return _replaced(tree, {key: _converted(part, kind, convert) for key, part in tree.items()}, tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        attributes = {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}
        converted = {name: _converted(part, kind, convert) for name, part in attributes.items()}
        changed = {name: part for name, part in converted.items() if part is not attributes[name]}
        return dataclasses.replace(tree, **changed) if changed else tree
    if isinstance(tree, Sparse) and kind is Tensor:
        raise TypeError(
            f"For 'as_cell', a torch module does not take a {type(tree).__name__}. Give it a dense Tensor: x.to_dense()."
        )
    return tree


def _like(sequence: Any) -> Any:
    """Return the class for a converted sequence: results such as `torch.Size` or `torch.return_types.max` are tuples."""
    kind = type(sequence)
    return kind if kind in (tuple, list) else tuple if isinstance(sequence, tuple) else list


def _replaced(mapping: Any, parts: dict[Any, Any], before: dict[Any, Any]) -> Any:
    """Return a copy of a dict, of its class, with other values; classes such as `ModelOutput` have them as attributes."""
    if all(parts[key] is before[key] for key in parts):
        return mapping
    if type(mapping) is dict:
        return parts
    result = copy.copy(mapping)
    for key, part in parts.items():
        result[key] = part
    return result
