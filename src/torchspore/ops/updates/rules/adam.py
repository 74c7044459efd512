"""Adam and its relatives."""

from __future__ import annotations

import torch

from torchspore.ops.updates.recorded import recordable
from torchspore.ops.updates.rules.arithmetic import (
    decayed,
    descend,
    descend_by,
    for_each,
    move_to,
    move_to_squares,
    shrink_by,
)
from torchspore.ops.updates.tensor_lists import NO_TENSORS, Scalar, Setting, Tensors, has_tensors

__all__ = ["adam", "adamax", "corrected_adam", "fused_adam", "nadam", "radam"]


def adam(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    max_squares: Tensors = NO_TENSORS,
    *,
    rate: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    eps: Scalar,
    decay: Scalar = 0.0,
    decoupled: bool = False,
    nesterov: bool = False,
    fused: bool = True,
) -> None:
    """Adam; with `max_squares` AMSGrad. The bias correction is part of `rate`: it does not concern `eps`."""
    if isinstance(decay, torch.Tensor) and not decoupled:
        gradients, decay = decayed(parameters, gradients, decay), 0.0
    lists = parameters, gradients, means, squares, max_squares
    if fused and not nesterov and not has_tensors(beta1, beta2, eps, decay):
        # Torch corrects the bias for the number of steps: after infinitely many there is none, and eps is not scaled.
        fused_adam(*lists, _infinity(parameters[0].device), rate, beta1, beta2, eps, decay, decoupled)
    else:
        _adam_in_passes(*lists, rate, beta1, beta2, eps, decay, decoupled, nesterov)


@recordable("adam_", adam)
def _adam_in_passes(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    max_squares: Tensors,
    rate: Scalar,
    beta1: Setting,
    beta2: Setting,
    eps: Setting,
    decay: Setting,
    decoupled: bool,
    nesterov: bool,
) -> None:
    gradients = _decayed(parameters, gradients, rate, decay, decoupled)
    scales = _scales(gradients, means, squares, beta1, beta2, max_squares)
    torch._foreach_add_(scales, eps)
    updates = means
    if nesterov:
        updates = [mean.clone() for mean in means]
        move_to(updates, gradients, beta1)
    descend(parameters, list(torch._foreach_div(updates, scales)), rate)


def fused_adam(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    max_squares: Tensors,
    count: torch.Tensor,
    rate: Scalar,
    beta1: float,
    beta2: float,
    eps: float,
    decay: float,
    decoupled: bool,
) -> None:
    """`corrected_adam` by torch's fused kernel; `count` is the number of the step, of float32."""
    step = torch._fused_adamw_ if decoupled else torch._fused_adam_
    step(
        parameters,
        gradients,
        means,
        squares,
        max_squares,
        [count] * len(parameters),
        lr=rate,
        beta1=beta1,
        beta2=beta2,
        weight_decay=decay,
        eps=eps,
        amsgrad=bool(max_squares),
        maximize=False,
    )


_infinities: dict[torch.device, torch.Tensor] = {}


def _infinity(device: torch.device) -> torch.Tensor:
    if device not in _infinities:
        _infinities[device] = torch.tensor(torch.inf, device=device)
    return _infinities[device]


def _decayed(parameters: Tensors, gradients: Tensors, rate: Scalar, decay: Scalar, decoupled: bool) -> Tensors:
    """Return the gradients with the decay of the weights; a decoupled one shrinks the weights instead."""
    if not decoupled:
        return decayed(parameters, gradients, decay)
    shrink_by(parameters, rate, decay)
    return gradients


def _scales(
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    beta1: Scalar,
    beta2: Scalar,
    max_squares: Tensors = NO_TENSORS,
) -> Tensors:
    """Move the means of Adam, and return the roots of the mean squares."""
    move_to(means, gradients, beta1)
    move_to_squares(squares, gradients, beta2)
    if max_squares:
        torch._foreach_maximum_(max_squares, squares)
    return list(torch._foreach_sqrt(max_squares or squares))


def corrected_adam(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    max_squares: Tensors,
    *,
    corrections: tuple[Scalar, Scalar],
    rate: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    eps: Scalar,
    decay: Scalar,
    decoupled: bool,
) -> None:
    """Adam that adds `eps` after the correction of the bias; `corrections` are `1 - beta1**t` and `1 - beta2**t`."""
    gradients = _decayed(parameters, gradients, rate, decay, decoupled)
    scales = _scales(gradients, means, squares, beta1, beta2, max_squares)
    torch._foreach_div_(scales, corrections[1] ** 0.5)
    torch._foreach_add_(scales, eps)
    descend_by(parameters, means, scales, rate / corrections[0])


@recordable()
def adamax(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    maxima: Tensors,
    rate: Scalar,
    beta1: Setting,
    beta2: Setting,
    eps: Setting,
    eps_inside: bool = False,
) -> None:
    """AdaMax; `eps_inside`: `eps` is added to each gradient's size, so that it becomes part of the maxima."""
    move_to(means, gradients, beta1)
    torch._foreach_mul_(maxima, beta2)
    sizes = list(torch._foreach_abs(gradients))
    if eps_inside:
        torch._foreach_add_(sizes, eps)
    torch._foreach_maximum_(maxima, sizes)
    descend_by(parameters, means, maxima if eps_inside else list(torch._foreach_add(maxima, eps)), rate)


def nadam(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    *,
    gradient_rate: Scalar,
    mean_rate: Scalar,
    root_correction: Scalar,
    beta1: float,
    beta2: float,
    eps: float,
) -> None:
    """NAdam: a step along the gradient and one along its mean, each with its rate."""
    scales = _scales(gradients, means, squares, beta1, beta2)
    torch._foreach_div_(scales, root_correction)
    torch._foreach_add_(scales, eps)
    descend_by(parameters, gradients, scales, gradient_rate)
    descend_by(parameters, means, scales, mean_rate)


def radam(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    *,
    rate: Scalar,
    factor: Scalar,
    offset: Scalar,
    beta1: float,
    beta2: float,
    eps: float,
) -> None:
    """RAdam: the mean is divided by `factor * (root of the mean square + eps) + offset`."""
    scales = _scales(gradients, means, squares, beta1, beta2)
    torch._foreach_add_(scales, eps)
    torch._foreach_mul_(scales, factor)
    torch._foreach_add_(scales, for_each(offset, scales))
    descend_by(parameters, means, scales, rate)
