"""Parameters and torch's parameters over the same memory, in pairs: of torch modules in cells, and of cells in modules.

Either side may be updated in place, which the other sees at once. What replaces the memory of one side (another data
type, device or shape) reaches the other by `refresh`, and from the Parameter's side immediately.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

from torchspore.common.parameter import Parameter, Twin

__all__ = ["cells", "modules", "pair", "parameter_of", "refresh", "torch_parameter_of"]

# Modules as cells by the id of the module, and cells as modules by the id of the cell; each keeps its original alive.
cells: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
modules: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()

# By the id of the torch tensor, which the Parameter keeps alive.
_parameters: weakref.WeakValueDictionary[int, Parameter] = weakref.WeakValueDictionary()


def parameter_of(value: torch.Tensor) -> Parameter:
    """Return the Parameter over the memory of a torch parameter, always the same one; a buffer's is not trained."""
    known = _parameters.get(id(value))
    if known is not None:
        return known
    if isinstance(value, (torch.nn.UninitializedParameter, torch.nn.UninitializedBuffer)):
        raise ValueError(
            "For 'as_cell', the module is lazy: its parameters have no shape yet. Run it once on torch tensors first."
        )
    parameter = Parameter(torch.empty(0), requires_grad=value.requires_grad)
    pair(parameter, value)
    return parameter


def torch_parameter_of(parameter: Parameter) -> torch.nn.Parameter:
    """Return the torch parameter over the memory of a Parameter, always the same one."""
    twin = parameter.twin
    if twin is None:
        floating = parameter._storage.is_floating_point() or parameter._storage.is_complex()
        twin = pair(parameter, torch.nn.Parameter(parameter._storage, parameter.requires_grad and floating))
    return twin.value  # type: ignore[return-value]


def pair(parameter: Parameter, value: torch.Tensor) -> Twin:
    """Give a Parameter the memory of a torch tensor, from now on."""
    parameter.twin = None
    parameter._hold(value.detach())
    parameter.twin = twin = Twin(value, parameter._storage)
    _parameters[id(value)] = parameter
    return twin


def refresh(parameter: Parameter) -> None:
    """Let each side of a pair have what was replaced on the other; to be called outside scopes."""
    twin = parameter.twin
    assert twin is not None  # the caller knows a pair
    value, storage = twin.value, parameter._storage
    if not twin.shares(storage):
        parameter._hold(value.detach() if storage is twin.storage else storage)
    trains = value.requires_grad
    if trains is not twin.trains:
        parameter.requires_grad = twin.trains = trains
    elif parameter.requires_grad is not trains and (value.is_floating_point() or value.is_complex()):
        twin.trains = parameter.requires_grad
        value.requires_grad_(twin.trains)
