"""Arithmetic of lists of tensors, of which the update rules consist."""

from __future__ import annotations

from typing import Any

import torch

from torchspore.ops.updates.tensor_lists import Scalar, Tensors

__all__ = [
    "add_scaled",
    "decayed",
    "descend",
    "descend_by",
    "for_each",
    "mean_to",
    "move_to",
    "move_to_squares",
    "shrink_by",
]


def decayed(parameters: Tensors, gradients: Tensors, decay: Scalar) -> Tensors:
    """Return `gradients + decay * parameters`."""
    if isinstance(decay, torch.Tensor):
        return list(torch._foreach_add(gradients, torch._foreach_mul(parameters, decay)))
    return list(torch._foreach_add(gradients, parameters, alpha=decay)) if decay else gradients


def shrink_by(parameters: Tensors, rate: Scalar, decay: Scalar) -> None:
    """Decay parameters apart from their gradients: multiply them by `1 - rate * decay`."""
    torch._foreach_mul_(parameters, 1 - rate * decay)


def descend(parameters: Tensors, updates: Tensors, rate: Scalar) -> None:
    """Subtract `rate * updates` from the parameters."""
    if isinstance(rate, torch.Tensor):
        torch._foreach_sub_(parameters, torch._foreach_mul(updates, rate))
    else:
        torch._foreach_add_(parameters, updates, alpha=-rate)


def descend_by(parameters: Tensors, numerators: Tensors, denominators: Tensors, rate: Scalar) -> None:
    """Subtract `rate * numerators / denominators` from the parameters."""
    if isinstance(rate, torch.Tensor):
        descend(parameters, list(torch._foreach_div(numerators, denominators)), rate)
    else:
        torch._foreach_addcdiv_(parameters, numerators, denominators, -rate)


def add_scaled(sums: Tensors, values: Tensors, factor: Scalar) -> None:
    """Add `factor * values` to sums."""
    if isinstance(factor, torch.Tensor):
        torch._foreach_add_(sums, torch._foreach_mul(values, factor))
    else:
        torch._foreach_add_(sums, values, alpha=factor)


def move_to(means: Tensors, values: Tensors, decay: Scalar) -> None:
    """Move running means towards values: `mean = decay * mean + (1 - decay) * value`."""
    if not isinstance(decay, torch.Tensor) and means[0].dtype is values[0].dtype:
        torch._foreach_lerp_(means, values, 1 - decay)
    else:
        torch._foreach_mul_(means, decay)
        torch._foreach_add_(means, torch._foreach_mul(values, 1 - decay))


def move_to_squares(means: Tensors, values: Tensors, decay: Scalar) -> None:
    """Move running means towards squares: `mean = decay * mean + (1 - decay) * value ** 2`."""
    torch._foreach_mul_(means, decay)
    if isinstance(decay, torch.Tensor):
        squares = torch._foreach_mul(values, values)
        torch._foreach_add_(means, torch._foreach_mul(squares, 1 - decay))
    else:
        torch._foreach_addcmul_(means, values, values, 1 - decay)


def for_each(scalar: Scalar, tensors: Tensors) -> Any:
    """Return a scalar as kernels take it that have no form for one tensor without dimensions."""
    return [scalar] * len(tensors) if isinstance(scalar, torch.Tensor) else scalar


def mean_to(mean: torch.Tensor, value: torch.Tensor, decay: Scalar) -> torch.Tensor:
    """Move a running mean towards a value of any data type; return it."""
    return mean.mul_(decay).add_(value * (1 - decay))
