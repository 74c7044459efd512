"""LAMB and LARS: rates for each layer, by the size of its update relative to its weight."""

from __future__ import annotations

import torch

from torchspore.ops.updates.rules.arithmetic import decayed, descend, move_to, move_to_squares
from torchspore.ops.updates.tensor_lists import Scalar, Tensors

__all__ = ["lamb", "lars_gradient"]


def lamb(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    *,
    corrections: tuple[Scalar, Scalar],
    rate: Scalar,
    beta1: float,
    beta2: float,
    eps: float,
    decay: Scalar,
) -> None:
    """LAMB: steps of Adam, made as long as the parameters; `corrections` are as in `corrected_adam`."""
    move_to(means, gradients, beta1)
    move_to_squares(squares, gradients, beta2)
    scales = list(torch._foreach_div(squares, corrections[1]))
    torch._foreach_sqrt_(scales)
    torch._foreach_add_(scales, eps)
    torch._foreach_mul_(scales, corrections[0])
    updates = decayed(parameters, list(torch._foreach_div(means, scales)), decay)
    sizes, lengths = _norms(parameters), _norms(updates)
    ratios = torch.where((sizes > 0) & (lengths > 0), sizes / lengths, 1.0)
    torch._foreach_mul_(updates, list(ratios.to(updates[0].dtype).unbind()))
    descend(parameters, updates, rate)


def _norms(tensors: Tensors) -> torch.Tensor:
    return torch.stack(list(torch._foreach_norm(tensors, dtype=torch.promote_types(tensors[0].dtype, torch.float32))))


def lars_gradient(
    weight: torch.Tensor,
    gradient: torch.Tensor,
    *,
    norms: tuple[torch.Tensor, torch.Tensor],
    decay: Scalar,
    coefficient: float,
    eps: float,
    clip_rate: Scalar | None,
) -> torch.Tensor:
    """Return the gradient that LARS makes of one, from the norms of the weight and of the gradient.

    With a `clip_rate` the scale is limited to that learning rate, and divided by it.
    """
    size, slope = norms
    scale = coefficient * size / (slope + decay * size + eps)
    if clip_rate is not None:
        scale = (scale / clip_rate).clamp(max=1)
    return (gradient + decay * weight) * scale
