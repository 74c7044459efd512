"""Steps by the signs of gradients."""

from __future__ import annotations

import torch

from torchspore.ops.updates.recorded import recordable
from torchspore.ops.updates.rules.arithmetic import descend, mean_to, move_to
from torchspore.ops.updates.tensor_lists import Scalar, Tensors

__all__ = ["add_sign", "lion", "power_sign", "rprop", "set_first_sizes"]


@recordable()
def lion(parameters: Tensors, gradients: Tensors, means: Tensors, rate: Scalar, beta1: float, beta2: float) -> None:
    """Lion: steps of one size, with the signs of means of the gradients."""
    signs = list(torch._foreach_lerp(means, gradients, 1 - beta1))
    torch._foreach_sign_(signs)
    descend(parameters, signs, rate)
    move_to(means, gradients, beta2)


def add_sign(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    *,
    rate: Scalar,
    alpha: Scalar,
    sign_decay: Scalar,
    beta: Scalar,
) -> None:
    """AddSign: larger steps where the gradient has the sign of its mean."""
    for parameter, gradient, mean in zip(parameters, gradients, means):
        mean_to(mean, gradient, beta)
        parameter.sub_(rate * (alpha + sign_decay * gradient.sign() * mean.sign()) * gradient)


def power_sign(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    *,
    rate: Scalar,
    logbase: Scalar,
    sign_decay: Scalar,
    beta: Scalar,
) -> None:
    """PowerSign: steps that are larger by a factor where the gradient has the sign of its mean."""
    for parameter, gradient, mean in zip(parameters, gradients, means):
        mean_to(mean, gradient, beta)
        parameter.sub_(rate * torch.exp(logbase * sign_decay * gradient.sign() * mean.sign()) * gradient)


@recordable()
def rprop(
    parameters: Tensors,
    gradients: Tensors,
    previous: Tensors,
    sizes: Tensors,
    etas: tuple[float, float],
    limits: tuple[float, float],
) -> None:
    """Rprop: steps of `sizes`, which grow while gradients keep their signs, and shrink when they change."""
    decrease, increase = etas
    signs = list(torch._foreach_mul(gradients, previous))
    torch._foreach_sign_(signs)
    changed = list(torch._foreach_clamp_max(signs, 0))  # -1 where the sign has changed, else 0
    torch._foreach_clamp_min_(signs, 0)
    torch._foreach_mul_(signs, increase - 1)
    torch._foreach_add_(signs, changed, alpha=1 - decrease)
    torch._foreach_add_(signs, 1)
    torch._foreach_mul_(sizes, signs)
    torch._foreach_clamp_min_(sizes, limits[0])
    torch._foreach_clamp_max_(sizes, limits[1])
    torch._foreach_copy_(previous, gradients)
    torch._foreach_addcmul_(previous, gradients, changed)  # no step there, and the next one has no sign to compare
    torch._foreach_addcmul_(parameters, torch._foreach_sign(previous), sizes, -1)


def set_first_sizes(sizes: Tensors, rate: Scalar, is_first: bool | torch.Tensor) -> None:
    """Set the sizes of `rprop` to the learning rate in the first step."""
    if isinstance(is_first, torch.Tensor):
        for size in sizes:
            size.copy_(torch.where(is_first, rate, size))
    elif is_first:
        torch._foreach_zero_(sizes)
        torch._foreach_add_(sizes, rate)
