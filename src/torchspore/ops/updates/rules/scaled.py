"""Steps scaled by sums or means of the squared gradients."""

from __future__ import annotations

import torch

from torchspore.ops.updates.recorded import recordable
from torchspore.ops.updates.rules.arithmetic import (
    descend,
    descend_by,
    for_each,
    mean_to,
    move_to,
    move_to_squares,
)
from torchspore.ops.updates.tensor_lists import NO_TENSORS, Scalar, Setting, Tensors

__all__ = [
    "adadelta",
    "adafactor",
    "adagrad",
    "adagrad_by_sums",
    "adagrad_eps_in_root",
    "ftrl",
    "proximal_adagrad",
    "rms",
    "rmsprop",
    "shrink",
]


@recordable()
def adadelta(
    parameters: Tensors, gradients: Tensors, squares: Tensors, steps: Tensors, rate: Scalar, rho: Setting, eps: Setting
) -> None:
    """Adadelta; `steps` are the running means of the squared steps."""
    move_to_squares(squares, gradients, rho)
    moves = list(torch._foreach_add(steps, eps))
    torch._foreach_div_(moves, torch._foreach_add(squares, eps))
    torch._foreach_sqrt_(moves)
    torch._foreach_mul_(moves, gradients)
    move_to_squares(steps, moves, rho)
    descend(parameters, moves, rate)


@recordable()
def adagrad(
    parameters: Tensors, gradients: Tensors, squares: Tensors, rate: Scalar, eps: float = 0.0, update: bool = True
) -> None:
    """Adagrad; `update`: whether the sums of the squares grow."""
    if update:
        torch._foreach_addcmul_(squares, gradients, gradients)
    scales = list(torch._foreach_sqrt(squares))
    if eps:
        torch._foreach_add_(scales, eps)
    descend_by(parameters, gradients, scales, rate)


def adagrad_eps_in_root(
    parameters: Tensors, gradients: Tensors, squares: Tensors, *, rate: float, eps: float = 0.0, update: bool
) -> None:
    """Adagrad that adds `eps` to the sums before it takes their root."""
    for parameter, gradient, total in zip(parameters, gradients, squares):
        if update:
            total.add_(gradient * gradient)
        parameter.sub_(rate * gradient / (total + eps).sqrt())


def adagrad_by_sums(
    parameters: Tensors,
    gradients: Tensors,
    sums: Tensors,
    squares: Tensors,
    *,
    rate: Scalar,
    l1: Scalar,
    l2: Scalar,
    count: Scalar,
) -> None:
    """Adagrad with dual averaging: the parameters follow from the sums of all gradients and of their squares."""
    for parameter, gradient, total, square in zip(parameters, gradients, sums, squares):
        total.add_(gradient)
        square.add_(gradient * gradient)
        shrunk = total.sign() * (total.abs() - l1 * count).clamp(min=0)
        parameter.copy_(-rate * shrunk / (l2 * count * rate + square.sqrt()))


def shrink(parameters: Tensors, rates: Tensors, l1: Scalar, l2: Scalar) -> None:
    """Move parameters towards 0 by the proximal operator of the two regularizations, times `rates`."""
    if isinstance(l1, torch.Tensor) or l1:
        sizes = list(torch._foreach_abs(parameters))
        descend(sizes, rates, l1)
        torch._foreach_clamp_min_(sizes, 0)
        torch._foreach_sign_(parameters)
        torch._foreach_mul_(parameters, sizes)
    if isinstance(l2, torch.Tensor) or l2:
        factors = list(torch._foreach_mul(rates, l2))
        torch._foreach_add_(factors, 1)
        torch._foreach_div_(parameters, factors)


@recordable()
def proximal_adagrad(
    parameters: Tensors, gradients: Tensors, squares: Tensors, rate: Scalar, l1: Setting, l2: Setting
) -> None:
    """Adagrad, and then a step towards 0 by the proximal operator of the two regularizations."""
    torch._foreach_addcmul_(squares, gradients, gradients)
    rates = list(torch._foreach_sqrt(squares))
    torch._foreach_reciprocal_(rates)
    torch._foreach_mul_(rates, rate)
    torch._foreach_addcmul_(parameters, rates, gradients, -1)
    shrink(parameters, rates, l1, l2)


@recordable()
def ftrl(
    parameters: Tensors,
    gradients: Tensors,
    squares: Tensors,
    linear: Tensors,
    rate: Scalar,
    power: Setting,
    l1: Setting,
    l2: Setting,
    shrinkage: float = 0.0,
) -> None:
    """FTRL: the regularized leader of all gradients so far; `power`, >= 0, is the exponent of the sums."""
    exponent = for_each(power, squares)
    before = list(torch._foreach_pow(squares, exponent))
    torch._foreach_addcmul_(squares, gradients, gradients)
    scales = list(torch._foreach_pow(squares, exponent))
    changes = list(torch._foreach_sub(before, scales))
    torch._foreach_div_(changes, rate)
    torch._foreach_addcmul_(linear, changes, parameters)
    torch._foreach_add_(linear, gradients)
    if shrinkage:
        torch._foreach_add_(linear, parameters, alpha=2 * shrinkage)
    torch._foreach_div_(scales, rate)
    torch._foreach_add_(scales, 2 * l2)
    torch._foreach_clamp_min_(scales, torch.finfo(scales[0].dtype).tiny)  # 0 where there was no gradient yet
    moves = list(torch._foreach_clamp_min(linear, for_each(-l1, linear)))
    torch._foreach_clamp_max_(moves, for_each(l1, linear))
    torch._foreach_sub_(moves, linear)
    torch._foreach_div_(moves, scales)
    torch._foreach_copy_(parameters, moves)


@recordable()
def rms(
    parameters: Tensors,
    gradients: Tensors,
    squares: Tensors,
    moments: Tensors,
    means: Tensors = NO_TENSORS,
    *,
    rate: Scalar,
    decay: Setting,
    momentum: Setting,
    eps: Setting,
) -> None:
    """RMSProp; with `means` (not empty) centered."""
    move_to_squares(squares, gradients, decay)
    scales = list(torch._foreach_add(squares, eps))
    if means:
        move_to(means, gradients, decay)
        torch._foreach_addcmul_(scales, means, means, -1)
    torch._foreach_sqrt_(scales)
    torch._foreach_mul_(moments, momentum)
    if isinstance(rate, torch.Tensor):
        torch._foreach_add_(moments, torch._foreach_mul(torch._foreach_div(gradients, scales), rate))
    else:
        torch._foreach_addcdiv_(moments, gradients, scales, rate)
    torch._foreach_sub_(parameters, moments)


@recordable()
def rmsprop(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    squares: Tensors,
    moments: Tensors,
    rate: Scalar,
    decay: float,
    momentum: float,
    eps: float,
) -> None:
    """RMSProp as in PyTorch, with `eps` outside of the root; without momentum when `moments` is empty."""
    move_to_squares(squares, gradients, decay)
    if means:
        move_to(means, gradients, decay)
        scales = list(torch._foreach_addcmul(squares, means, means, -1))
        torch._foreach_sqrt_(scales)
    else:
        scales = list(torch._foreach_sqrt(squares))
    torch._foreach_add_(scales, eps)
    if moments:
        torch._foreach_mul_(moments, momentum)
        torch._foreach_addcdiv_(moments, gradients, scales)
        descend(parameters, moments, rate)
    else:
        descend_by(parameters, gradients, scales, rate)


def adafactor(
    parameters: Tensors,
    gradients: Tensors,
    means: Tensors,
    rows: Tensors,
    columns: Tensors,
    squares: Tensors,
    *,
    rate: Scalar,
    eps: tuple[Scalar, Scalar],
    clip_threshold: Scalar,
    beta1: Scalar,
    beta2: Scalar,
    decay: Scalar,
    by_parameter: bool,
    with_mean: bool,
    with_decay: bool,
) -> None:
    """Adafactor; matrices use the means over `rows` and `columns` of their squared gradients, others `squares`.

    Args:
        eps: a term added to the squared gradient, and the smallest scale of a parameter.
        by_parameter: whether the rate is multiplied by the root mean square of the parameter.
        with_mean: whether the running mean of the updates takes their place.
        with_decay: whether the parameter decays.
    """
    min_square, min_scale = eps
    for parameter, gradient, mean, row, column, square in zip(parameters, gradients, means, rows, columns, squares):
        scaled_rate = rate * _root_mean_square(parameter).clamp(min=min_scale) if by_parameter else rate
        energy = gradient * gradient + min_square
        if parameter.dim() >= 2:
            mean_to(row, energy.mean(-1), beta2)
            mean_to(column, energy.mean(-2), beta2)
            share = row / row.mean(-1, keepdim=True)
            update = gradient * share.rsqrt().unsqueeze(-1) * column.rsqrt().unsqueeze(-2)
        else:
            update = gradient * mean_to(square, energy, beta2).rsqrt()
        update = update / (_root_mean_square(update) / clip_threshold).clamp(min=1) * scaled_rate
        if with_mean:
            update = mean_to(mean, update, beta1)
        if with_decay:
            parameter.sub_(parameter * (decay * scaled_rate))
        parameter.sub_(update)


def _root_mean_square(value: torch.Tensor) -> torch.Tensor:
    return value.square().mean().sqrt()
