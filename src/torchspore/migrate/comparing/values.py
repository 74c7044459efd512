"""Tensors of both kinds in the nested values that layers take and return."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.values.nested import rebuilt

__all__ = ["as_cell_value", "as_module_value", "copied", "doubled", "inner", "mapped", "replaced", "tensors"]


def tensors(value: Any) -> list[torch.Tensor]:
    """Return the torch tensors in a nested value, in order; MindSpore's Tensors contribute their inner ones."""
    found: list[torch.Tensor] = []

    def note(tensor: Any) -> Any:
        found.append(inner(tensor))
        return tensor

    mapped(note, value)
    return found


def inner(tensor: Any) -> torch.Tensor:
    """Return the torch tensor of a Tensor of either kind."""
    return tensor._t if isinstance(tensor, Tensor) else tensor


def mapped(function: Callable[[Any], Any], value: Any) -> Any:
    """Return a copy of `value` with each tensor, of either kind, replaced by `function(tensor)`."""
    if isinstance(value, (Tensor, torch.Tensor)):
        return function(value)
    if isinstance(value, (tuple, list)):
        return rebuilt(value, [mapped(function, part) for part in value])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in dataclasses.fields(value) if field.init]
        return dataclasses.replace(value, **{name: mapped(function, getattr(value, name)) for name in names})
    if isinstance(value, Mapping):
        return {key: mapped(function, part) for key, part in value.items()}
    return value


def copied(value: Any) -> Any:
    """Return `value` with copies of its tensors."""
    return mapped(lambda t: wrap(t._t.detach().clone()) if isinstance(t, Tensor) else t.detach().clone(), value)


def doubled(value: Any) -> Any:
    """Return `value` with its floats converted to float64."""

    def double(tensor: Any) -> Any:
        if not inner(tensor).is_floating_point():
            return tensor
        return wrap(tensor._t.double()) if isinstance(tensor, Tensor) else tensor.double()

    return mapped(double, value)


def replaced(value: Any, new: list[torch.Tensor]) -> Any:
    """Return `value` with its tensors replaced, in order; a Tensor stays one, and floats keep their dtype."""
    remaining = iter(new)

    def replace(old: Any) -> Any:
        tensor, like = next(remaining), inner(old)
        if tensor.is_floating_point() and like.is_floating_point():
            tensor = tensor.to(like.dtype)
        tensor = tensor.to(like.device)
        return wrap(tensor) if isinstance(old, Tensor) else tensor

    return mapped(replace, value)


def as_cell_value(value: Any, device: torch.device) -> Any:
    """Return copies of the tensors and arrays in `value`, as MindSpore's Tensors on a device."""
    return mapped(lambda tensor: wrap(inner(tensor).detach().to(device, copy=True)), _without_arrays(value))


def as_module_value(value: Any, device: torch.device) -> Any:
    """Return copies of the tensors and arrays in `value`, as torch tensors on a device."""
    return mapped(lambda tensor: inner(tensor).detach().to(device, copy=True), _without_arrays(value))


def _without_arrays(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype != object:
        return torch.from_numpy(value.copy())
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)(_without_arrays(part) for part in value)
    if isinstance(value, dict):
        return {key: _without_arrays(part) for key, part in value.items()}
    return value
