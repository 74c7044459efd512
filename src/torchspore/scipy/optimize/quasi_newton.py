"""The quasi-Newton methods BFGS and L-BFGS."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from torchspore.engine.arguments.conversions import as_int
from torchspore.scipy.optimize.searching import ValueAndGradient, search

__all__ = ["Descent", "minimize_bfgs", "minimize_lbfgs"]


class Descent(NamedTuple):
    """The result of a descent; `computed` is the number of evaluations."""

    position: Tensor
    value: float
    gradient: Tensor
    inverse_hessian: Tensor | None
    computed: int
    iterations: int
    status: int


Update = Callable[[Tensor, Tensor], None]  # from a step and the change of the gradient along it


def _descend(
    compute: ValueAndGradient,
    position: Tensor,
    direction_of: Callable[[Tensor], Tensor],
    update: Update,
    maxiter: int | None,
    norm: float,
    gtol: float,
    line_search_maxiter: int,
) -> Descent:
    """Descend in the directions that `direction_of` computes from gradients."""
    limit = 200 * position.numel() if maxiter is None else as_int(maxiter, "minimize", "maxiter")
    value, gradient = compute(position)
    before = value + float(torch.linalg.vector_norm(gradient)) / 2
    computed, iterations, status = 1, 0, 0
    while float(torch.linalg.vector_norm(gradient, norm)) >= gtol:
        if iterations >= limit:
            status = 1
            break
        direction = direction_of(gradient)
        slope = float(torch.dot(gradient, direction))
        if slope >= 0:  # rounding errors have spoiled the estimate
            direction, slope = -gradient, -float(torch.dot(gradient, gradient))
        guess = 2.02 * (value - before) / slope if slope else 1.0
        first = guess if 0 < guess < 1 else 1.0
        found = search(compute, position, direction, value, gradient, first, maxiter=line_search_maxiter)
        computed += found.nfev
        if found.failed and not found.f_k < value:
            status = 5 if found.nit >= line_search_maxiter else 3
            break
        step = found.a_k * direction
        update(step, found.g_k._t - gradient)
        before, value, gradient, position = value, found.f_k, found.g_k._t, position + step
        iterations += 1
        if not math.isfinite(value):
            status = 3
            break
    return Descent(position, value, gradient, None, computed, iterations, status)


def minimize_bfgs(
    compute: ValueAndGradient,
    start: Tensor,
    maxiter: int | None = None,
    norm: float = math.inf,
    gtol: float = 1e-5,
    line_search_maxiter: int = 10,
) -> Descent:
    """Minimize by the method of Broyden, Fletcher, Goldfarb and Shanno.

    Args:
        compute: returns the value and the gradient of the function.
        start: the initial vector.
        maxiter: the maximum number of iterations. Default: None, 200 for every variable.
        norm: the order of the norm of the gradient. Default: infinity.
        gtol: the norm of the gradient at which to stop. Default: 1e-5.
        line_search_maxiter: the maximum number of iterations of a line search. Default: 10.
    """
    inverse = torch.eye(start.numel(), dtype=start.dtype, device=start.device)

    def update(step: Tensor, change: Tensor) -> None:
        nonlocal inverse
        curve = torch.dot(step, change)
        if curve > 0:
            factor = torch.eye(step.numel(), dtype=step.dtype, device=step.device) - torch.outer(step, change) / curve
            inverse = factor @ inverse @ factor.T + torch.outer(step, step) / curve

    direction_of = lambda gradient: -(inverse @ gradient)  # noqa: E731
    end = _descend(compute, start, direction_of, update, maxiter, norm, gtol, line_search_maxiter)
    return end._replace(inverse_hessian=inverse)


def minimize_lbfgs(
    compute: ValueAndGradient,
    start: Tensor,
    history_size: int = 20,
    maxiter: int | None = None,
    norm: float = math.inf,
    gtol: float = 1e-5,
    line_search_maxiter: int = 10,
) -> Descent:
    """Minimize by BFGS, with the last `history_size` steps in place of a matrix; arguments as for `minimize_bfgs`."""
    history: deque[tuple[Tensor, Tensor, Tensor]] = deque(maxlen=as_int(history_size, "minimize", "history_size"))

    def update(step: Tensor, change: Tensor) -> None:
        curve = torch.dot(step, change)
        if curve > 0:
            history.append((step, change, 1 / curve))

    def direction_of(gradient: Tensor) -> Tensor:
        direction, parts = -gradient, []
        for step, change, weight in reversed(history):
            part = weight * torch.dot(step, direction)
            direction = direction - part * change
            parts.append(part)
        if history:
            step, change, weight = history[-1]
            direction = direction / (weight * torch.dot(change, change))
        for (step, change, weight), part in zip(history, reversed(parts)):
            direction = direction + step * (part - weight * torch.dot(change, direction))
        return direction

    return _descend(compute, start, direction_of, update, maxiter, norm, gtol, line_search_maxiter)
