"""Gradient descent, with momentum or with averages."""

from __future__ import annotations

import torch

from torchspore.ops.updates.recorded import recordable
from torchspore.ops.updates.rules.arithmetic import add_scaled, decayed, descend, shrink_by
from torchspore.ops.updates.tensor_lists import NO_TENSORS, Scalar, Setting, Tensors

__all__ = ["asgd", "asgd_numbers", "keras_momentum", "sgd", "sgd_first", "sgd_in_passes"]


def sgd(
    parameters: Tensors,
    gradients: Tensors,
    moments: Tensors = NO_TENSORS,
    *,
    rate: Scalar,
    momentum: Scalar = 0.0,
    dampening: float = 0.0,
    decay: Scalar = 0.0,
    nesterov: bool = False,
    fused: bool = True,
) -> None:
    """Stochastic gradient descent with momentum; without it when `moments` is empty."""
    if isinstance(decay, torch.Tensor):
        gradients, decay = decayed(parameters, gradients, decay), 0.0
    if not moments:
        momentum = 0.0
    # The fused kernel leaves the moments alone when there is no momentum. On the CPU it is wrong in half precision: in
    # torch 2.13, `torch._fused_sgd_([p], [g], [], ...)` leaves a `p` of 16 or more elements of float16 unchanged.
    parameter = parameters[0]
    wrong = parameter.itemsize == 2 and parameter.is_cpu
    if fused and not wrong and not isinstance(momentum, torch.Tensor) and (momentum or not moments):
        torch._fused_sgd_(
            parameters,
            gradients,
            moments,
            weight_decay=decay,
            momentum=momentum,
            lr=rate,
            dampening=dampening,
            nesterov=nesterov,
            maximize=False,
            is_first_step=False,
        )
    else:
        _sgd_recorded(parameters, gradients, moments, rate, momentum, dampening, decay, nesterov)


def sgd_in_passes(
    parameters: Tensors,
    gradients: Tensors,
    moments: Tensors,
    rate: Scalar,
    momentum: Setting,
    dampening: Setting,
    decay: Setting,
    nesterov: bool,
) -> None:
    """`sgd` without a fused kernel and without an operation of its own in graphs; hyperparameters may be tensors."""
    gradients = decayed(parameters, gradients, decay)
    if moments:
        torch._foreach_mul_(moments, momentum)
        add_scaled(moments, gradients, 1 - dampening)
        gradients = decayed(moments, gradients, momentum) if nesterov else moments
    descend(parameters, gradients, rate)


_sgd_recorded = recordable("sgd_", sgd)(sgd_in_passes)


def sgd_first(
    parameters: Tensors,
    gradients: Tensors,
    moments: Tensors,
    stats: Tensors,
    *,
    rate: Scalar,
    momentum: float,
    dampening: float,
    decay: Scalar,
    nesterov: bool,
) -> None:
    """`sgd` while elements have a positive `stat`: their first step is not damped, and sets `stat` to 0."""
    gradients = decayed(parameters, gradients, decay)
    for gradient, moment, stat in zip(gradients, moments, stats):
        first = stat > 0
        moment.copy_(torch.where(first, gradient, momentum * moment + (1 - dampening) * gradient))
        stat.masked_fill_(first, 0)
    updates = list(torch._foreach_add(gradients, moments, alpha=momentum)) if nesterov else moments
    descend(parameters, updates, rate)


def keras_momentum(
    parameters: Tensors, gradients: Tensors, moments: Tensors, *, rate: Scalar, momentum: Scalar, nesterov: bool
) -> None:
    """Gradient descent with momentum whose moments contain the learning rate and the sign."""
    for parameter, gradient, moment in zip(parameters, gradients, moments):
        moment.mul_(momentum).sub_(rate * gradient)
        parameter.add_(moment * momentum - rate * gradient if nesterov else moment)


@recordable()
def asgd(parameters: Tensors, gradients: Tensors, averages: Tensors, eta: Scalar, mu: Scalar, lambd: float) -> None:
    """Averaged stochastic gradient descent, with the rate `eta` and the weight `mu` of the new value."""
    shrink_by(parameters, eta, lambd)
    descend(parameters, gradients, eta)
    if not isinstance(mu, torch.Tensor) and mu == 1:
        torch._foreach_copy_(averages, parameters)
        return
    changes = list(torch._foreach_sub(parameters, averages))
    torch._foreach_mul_(changes, mu)
    torch._foreach_add_(averages, changes)


def asgd_numbers(rate: Scalar, count: Scalar, lambd: float, alpha: float, t0: float) -> tuple[Scalar, Scalar]:
    """Return `eta` and `mu` for the step after step number `count`."""
    past = count - t0
    eta = rate / (1 + lambd * rate * count) ** alpha
    return eta, 1 / (past.clamp(min=1) if isinstance(past, torch.Tensor) else max(1.0, past))
