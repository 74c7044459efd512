"""Values on their way between cells and torch modules: Tensors and torch tensors in nested arguments and results."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any

import torch

from torchspore.common.scopes.scope import scope
from torchspore.common.sparse_base import Sparse
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.values.nested import rebuilt, tensors

__all__ = ["TorchTensorGiven", "has_torch_tensor", "taken", "to_tensors", "to_torch_tensors"]


class TorchTensorGiven(Exception):
    """An argument of a captured function is a torch tensor, which is to be given as a Tensor."""


def has_torch_tensor(values: Iterable[Any]) -> bool:
    """Return whether there is a torch tensor directly among values."""
    return any(isinstance(value, torch.Tensor) for value in values)


def taken(values: Any, api: str) -> Any:
    """Return the arguments of a transformed function with Tensors in place of torch tensors.

    Raises:
        TypeError: a torch tensor requires grad: its gradient would be cut, as the transformation returns values.
    """
    if not has_torch_tensor(values.values() if isinstance(values, dict) else values):
        return values
    result = to_tensors(values)
    if scope.depth == 0 and torch.is_grad_enabled() and any(tensor._t.requires_grad for tensor in tensors(result)):
        raise TypeError(
            f"For '{api}', a torch tensor that requires grad is not supported: torch's backward() would not reach it "
            f"through '{api}'. Give it by x.detach(), or differentiate with torch.autograd alone."
        )
    return result


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
        return _replaced(tree, tree, kind, convert)
    if isinstance(tree, dict):
        return _replaced(tree, tree.values(), kind, convert)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        attributes = {field.name: getattr(tree, field.name) for field in dataclasses.fields(tree)}
        converted = {name: _converted(part, kind, convert) for name, part in attributes.items()}
        changed = {name: part for name, part in converted.items() if part is not attributes[name]}
        return dataclasses.replace(tree, **changed) if changed else tree
    if isinstance(tree, Sparse) and kind is Tensor:
        raise TypeError(
            f"For 'as_cell', a module does not take a {type(tree).__name__}. Give it a dense Tensor: x.to_dense()."
        )
    return tree


def _replaced(tree: Any, before: Iterable[Any], kind: type, convert: Callable[[Any], Any]) -> Any:
    """Return a container with its elements or values converted; itself if none of them is."""
    parts = [_converted(part, kind, convert) for part in before]
    return tree if all(new is old for new, old in zip(parts, before)) else rebuilt(tree, parts)
