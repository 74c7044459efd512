"""Minimization under constraints by augmented Lagrangians."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch

from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.gradients.differentiate import value_and_grad
from torchspore.numpy.arrays import array
from torchspore.ops.array.joining import stack

__all__ = ["LagrangeResults", "minimize_lagrange"]


class LagrangeResults(NamedTuple):
    """The result of a minimization under constraints.

    Args:
        succeeded: whether the constraints are satisfied, up to `save_tol`.
        best_value: the best solution.
        object_value: the value of the function there.
        loss_value: the values of the constraints there.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.scipy.optimize import LagrangeResults
        >>> result = LagrangeResults(True, ms.Tensor([1.0]), 0.5, ms.Tensor([0.0]))
        >>> result.succeeded, result.object_value
        (True, 0.5)
    """

    succeeded: bool
    best_value: Tensor
    object_value: float
    loss_value: Tensor


def _clamped(x: torch.Tensor, lower: Any, upper: Any) -> torch.Tensor:
    if lower is not None:
        x = torch.maximum(x, array(lower).to(x.dtype))
    return x if upper is None else torch.minimum(x, array(upper).to(x.dtype))


def minimize_lagrange(
    func: Callable[..., Any],
    x0: Tensor,
    constraints: Sequence[Callable[..., Any]],
    args: tuple[Any, ...] = (),
    save_tol: Sequence[float] | None = None,
    obj_weight: float = 1.0,
    lower: Any = None,
    upper: Any = None,
    learning_rate: float = 0.1,
    coincide_fun: Callable[..., Any] | None = None,
    rounds: int = 10,
    steps: int = 1000,
    log_sw: bool = False,
) -> LagrangeResults:
    """Minimize a function under constraints, whose values must be at most zero.

    Each round makes `steps` steps of Adam on the function plus the penalties, and then updates the multipliers.

    Args:
        func: the function, from a Tensor to a number.
        x0: the initial value.
        constraints: functions of a Tensor whose values must be at most 0.
        args: further arguments for `func`. Default: ().
        save_tol: the tolerance of each constraint. Default: None, 0.
        obj_weight: the weight of the function relative to the constraints. Default: 1.0.
        lower, upper: the bounds of the variables. Default: None.
        learning_rate: the learning rate of Adam. Default: 0.1.
        coincide_fun: computes a value that the function and the constraints share, their second argument. Default:
            None.
        rounds: the number of rounds. Default: 10.
        steps: the number of steps in each round. Default: 1000.
        log_sw: whether the loss of every step is printed. Default: False.
    """
    tolerance = torch.tensor([0.0] * len(constraints) if save_tol is None else list(save_tol))
    if tolerance.shape != (len(constraints),):
        raise ValueError(f"For 'minimize', 'save_tol' must have {len(constraints)} numbers, not {tolerance.numel()}.")
    start = x0._t.detach().clone()
    tolerance = tolerance.to(start.device, start.dtype)
    multipliers, penalty = torch.zeros_like(tolerance), 1.0

    def loss(x: Tensor, weights: Tensor, strength: float) -> tuple[Tensor, Tensor, Tensor]:
        common = () if coincide_fun is None else (coincide_fun(x),)
        value = func(x, *common, *args)
        limits = stack([constraint(x, *common) for constraint in constraints])
        excess = (weights + strength * limits).clamp(min=0)
        return obj_weight * value + ((excess * excess - weights * weights) / (2 * strength)).sum(), value, limits

    differentiate = value_and_grad(loss, has_aux=True)
    position, best = _clamped(start, lower, upper), None
    mean, square, count = torch.zeros_like(position), torch.zeros_like(position), 0
    for _ in range(rounds):
        limits = None
        for _ in range(steps):
            (total, value, limits), gradient = differentiate(wrap(position), wrap(multipliers), penalty)
            best = _better(best, position, value._t, limits._t, tolerance)
            if log_sw:
                print(f"step {count}: loss {float(total):.6g}, value {float(value):.6g}")
            count += 1
            mean = 0.9 * mean + 0.1 * gradient._t
            square = 0.999 * square + 0.001 * gradient._t**2
            step = mean / (1 - 0.9**count) / (torch.sqrt(square / (1 - 0.999**count)) + 1e-8)
            position = _clamped(position - learning_rate * step, lower, upper)
        if limits is not None:
            multipliers = torch.clamp(multipliers + penalty * limits._t, min=0)
        penalty = min(2 * penalty, 1e4)
    _, value, limits = loss(wrap(position), wrap(multipliers), penalty)
    found = _better(best, position, value._t, limits._t, tolerance)
    return LagrangeResults(found[0], wrap(found[1]), float(found[2]), wrap(found[3]))


def _better(
    best: Any, position: torch.Tensor, value: torch.Tensor, limits: torch.Tensor, tolerance: torch.Tensor
) -> Any:
    """Return the better solution: the one that satisfies the constraints, else the smaller value or excess."""
    satisfied = bool((limits <= tolerance).all())
    found = satisfied, position, value.detach(), limits.detach()
    if best is None or satisfied != best[0]:
        return found if best is None or satisfied else best
    if satisfied:
        return found if bool(found[2] < best[2]) else best
    excess = [torch.clamp(solution[3] - tolerance, min=0).sum() for solution in (found, best)]
    return found if bool(excess[0] < excess[1]) else best
