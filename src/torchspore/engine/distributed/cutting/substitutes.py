"""Values that hooks of torch, such as `fully_shard`'s, put in the places of parameters while a cell runs.

Such a hook expects that autograd accumulates the gradient in `grad` of the value. It leaves the gradient of the
parameter in `grad` of the torch parameter, from where `taken` returns it.
"""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any

import torch
from torch.autograd.function import once_differentiable
from torch.utils.weak import WeakTensorKeyDictionary

from torchspore.common.private_torch import local_part
from torchspore.common.scopes.scope import scope

__all__ = ["add_over", "substituted", "taken"]


class _Known(threading.local):
    """The torch parameters by the id of the alias that an open scope has for them."""

    def __init__(self) -> None:
        self.parameters: dict[int, torch.Tensor] = {}


_known = _Known()
_added_over: Any = WeakTensorKeyDictionary()  # the dimensions of meshes over which hooks add up gradients


class _Substitute(torch.autograd.Function):
    """The value that a hook has put in the place of a parameter."""

    @staticmethod
    def forward(ctx: Any, alias: torch.Tensor, value: torch.Tensor, added: Collection[int]) -> torch.Tensor:
        ctx.value, ctx.added = value, added
        return value.detach()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> Any:
        value = ctx.value
        gradient = _to_add(gradient, ctx.added) if ctx.added else gradient
        value.grad = gradient if value.grad is None else value.grad + gradient
        return None, None, None


def add_over(parameter: torch.Tensor, dims: Collection[int]) -> None:
    """Note over which dimensions of the mesh that a parameter lies on hooks add up the parts of its gradient.

    Args:
        parameter: the torch parameter.
        dims: the dimensions.
    """
    _added_over[parameter] = frozenset(dims)


def _to_add(gradient: torch.Tensor, dims: Collection[int]) -> torch.Tensor:
    """Return a gradient such that its parts along dimensions of its mesh add up to it, also where all have it whole."""
    from torch.distributed.tensor import DTensor, Partial, Replicate  # it loads a part of torch

    if not isinstance(gradient, DTensor):
        return gradient
    whole = [dim for dim in dims if isinstance(gradient.placements[dim], Replicate)]
    if not whole:
        return gradient
    part = local_part(gradient)
    for dim in whole:
        part = part / gradient.device_mesh.size(dim)
    placements = [Partial() if dim in whole else placement for dim, placement in enumerate(gradient.placements)]
    return DTensor.from_local(
        part, gradient.device_mesh, placements, run_check=False, shape=gradient.shape, stride=gradient.stride()
    )


def substituted(alias: torch.Tensor, value: torch.Tensor, parameter: torch.Tensor) -> torch.Tensor:
    """Return the value that a cell computes with in place of a parameter.

    Args:
        alias: what the open scope has for the parameter; or the parameter.
        value: what hooks of torch have put there.
        parameter: the torch parameter, which gets the gradient.

    Raises:
        NotImplementedError: scopes are nested: what the hooks leave has no gradient.
    """
    if not (alias.requires_grad and value.requires_grad and torch.is_grad_enabled()):
        return value.detach()
    if scope.depth > 1:
        raise NotImplementedError("For 'fully_shard', gradients of gradients are not supported.")
    _known.parameters[id(alias)] = parameter
    result: torch.Tensor = _Substitute.apply(alias, value, _added_over.get(parameter, ()))
    return result


def taken(alias: torch.Tensor) -> torch.Tensor | None:
    """Return the gradient that hooks of torch have left for a parameter, once; None: they have not seen it."""
    parameter = _known.parameters.pop(id(alias), None)
    if parameter is None:
        return None
    gradient, parameter.grad = parameter.grad, None
    if gradient is None:
        return None
    for hook in (alias._backward_hooks or {}).values():
        changed = hook(gradient)
        gradient = gradient if changed is None else changed
    return gradient
