"""Torch tensors as arguments of cells: taken as Tensors over the same memory, with their autograd history."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any

import torch

from torchspore.common.frames.stack import caller, code_of, upwards, values_of
from torchspore.common.scopes.scope import scope, transformation
from torchspore.common.tensor import Tensor
from torchspore.engine.values.nested import tensors
from torchspore.engine.values.torch_values import to_tensors, to_torch_tensors

__all__ = ["call_with_tensors"]


def call_with_tensors(cell: Any, run: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a cell with Tensors in place of torch tensors; the gradients of torch's autograd flow through the call.

    Args:
        cell: the cell.
        run: runs it as Python, not as a graph.
        args: the arguments.
        kwargs: the keyword arguments.

    Raises:
        TypeError: a torch module calls the cell, whose parameters would not be trained.
    """
    _check_caller(cell)
    args, kwargs = to_tensors(args), to_tensors(kwargs)
    if (
        scope.depth
        or not torch.is_grad_enabled()
        or not any(_has_history(tensor) for tensor in tensors((args, kwargs)))
    ):
        return cell(*args, **kwargs)
    with transformation():  # a graph, or a scope of ours, would cut torch's autograd
        output = to_torch_tensors(run(*args, **kwargs))
    return to_tensors(output)


def _has_history(tensor: Tensor) -> bool:
    return tensor._t.requires_grad


def _check_caller(cell: Any) -> None:
    """Check that no torch module has the cell without knowing it: torch would not find the cell's parameters."""
    if not torch.is_grad_enabled() or not any(not p._t.requires_grad for p in cell.trainable_params()):
        return
    module = _calling_module(caller(2))
    if module is not None:
        name, outer = type(cell).__name__, type(module).__name__
        raise TypeError(
            f"For '{name}', the cell is called by the torch module '{outer}', whose parameters() lack the cell's: they "
            f"would not be trained. Set the cell in '{outer}' as migrate.as_module(cell), and call that."
        )


def _calling_module(frame: FrameType | None) -> Any:
    """Return the torch module whose `forward` calls a cell directly, without another cell in between."""
    for each in upwards(frame):
        owner = values_of(each).get("self") if code_of(each).co_name in ("forward", "construct") else None
        if owner is not None:
            return owner if isinstance(owner, torch.nn.Module) else None
    return None
