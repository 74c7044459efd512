"""Schedulers with cycles or restarts, and one that applies others in sequence."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

from torchspore.engine.failures.naming import name_constructor
from torchspore.engine.parameters import Limits, Positive, Rule, checked
from torchspore.experimental.optim.lr_scheduler.graph_steps import Count, in_graphs
from torchspore.experimental.optim.lr_scheduler.scheduler import (
    Epoch,
    LRScheduler,
    Rates,
    for_each_group,
    rates_of,
    set_rate,
)
from torchspore.experimental.optim.optimizer import Optimizer

__all__ = ["CosineAnnealingWarmRestarts", "CyclicLR", "SequentialLR"]

_Steps: TypeAlias = Annotated[int | float, Limits(above=0)]
_KNOWN_MODE = Rule(
    "'mode' must be one of ['exp_range', 'triangular', 'triangular2'] without 'scale_fn'",
    lambda mode, scale_fn: scale_fn is not None or mode in ("exp_range", "triangular", "triangular2"),
)
_ONE_OPTIMIZER = Rule(
    "all 'schedulers' must be for 'optimizer'",
    lambda schedulers, optimizer: all(getattr(each, "optimizer", None) is optimizer for each in schedulers),
)
_MILESTONES = Rule(
    "'milestones' must have one element less than 'schedulers'",
    lambda milestones, schedulers: len(milestones) == len(schedulers) - 1,
)


class CosineAnnealingWarmRestarts(LRScheduler):
    r"""Decrease the learning rates along a cosine, with restarts.

    .. math::
        lr = lr_{min} + \frac12 (lr_0 - lr_{min}) \left( 1 + \cos \frac{\pi t}{T_i} \right)

    where :math:`t` counts from the last restart. :math:`T_i` is :math:`T_0` at first, and is multiplied by `T_mult` at
    each restart.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        T_0: the number of epochs until the first restart, an int > 0.
        T_mult: the factor by which that number grows, an int > 0. Default: 1.
        eta_min: the smallest learning rate :math:`lr_{min}`, a number. Default: 0.

    Raises:
        ValueError: `T_0` or `T_mult` is not an int > 0.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2)
        >>> scheduler.step()
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.5)]
        >>> scheduler.step()
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 1)]
    """

    T_cur = Count()
    T_i = Count()

    @checked
    def __init__(
        self, optimizer: Optimizer, T_0: Positive, T_mult: Positive = 1, eta_min: float = 0, last_epoch: Epoch = -1
    ) -> None:
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        self.T_i = T_0
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates of `T_cur`, one for each group."""
        factor = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (rate - self.eta_min) * factor for rate in self.base_lrs]

    @in_graphs(None)
    def step(self, epoch: float | None = None) -> None:
        """Proceed to the next epoch, or to a given one, and write its learning rates.

        Args:
            epoch: the epoch, not necessarily an integer; None for the next one. Default: None.

        Raises:
            ValueError: `epoch` is less than 0.
        """
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
        elif epoch < 0:
            raise ValueError(f"For 'CosineAnnealingWarmRestarts', 'epoch' must be >= 0, but got {epoch}.")
        else:
            self.T_i, self.T_cur = self.T_0, epoch
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        self.last_epoch = math.floor(epoch)
        self._write(self.get_lr())


class CyclicLR(LRScheduler):
    """Raise and lower the learning rates linearly between two bounds.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        base_lr: the lower bound, a number, or a list of them, one for each group.
        max_lr: the upper bound, likewise.
        step_size_up: the number of steps up. Default: 2000.
        step_size_down: the number of steps down; None for the same number. Default: None.
        mode: "triangular": all cycles are alike; "triangular2": each is half as high as the previous one;
            "exp_range": the height is multiplied by `gamma` in every step. Default: "triangular".
        gamma: the factor for "exp_range". Default: 1.0.
        scale_fn: a function that returns the height, relative to the bounds, in place of `mode`. Default: None.
        scale_mode: "cycle" calls `scale_fn` with the number of the cycle, from 1 on; "iterations" with the number of
            the step. Default: "cycle".

    Raises:
        ValueError: a list does not have one number for each group, a number is out of its range, or `mode` is unknown.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.CyclicLR(optimizer, 0.5, 1.0, 2)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.75)]
    """

    @checked(_KNOWN_MODE)
    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Rates,
        max_lr: Rates,
        step_size_up: _Steps = 2000,
        step_size_down: _Steps | None = None,
        mode: Any = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[Any], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: Epoch = -1,
    ) -> None:
        self.base_lrs = for_each_group(base_lr, "base_lr", "CyclicLR", optimizer)
        self.max_lrs = for_each_group(max_lr, "max_lr", "CyclicLR", optimizer)
        self.total_step_size = step_size_up + (step_size_up if step_size_down is None else step_size_down)
        self.step_up_ratio = step_size_up / self.total_step_size
        modes: dict[str, tuple[Callable[[Any], float], str]] = {
            "triangular": (lambda x: 1.0, "cycle"),
            "triangular2": (lambda x: 1 / 2.0 ** (x - 1), "cycle"),
            "exp_range": (lambda x: self.gamma**x, "iterations"),
        }
        self.gamma, self.mode = gamma, mode
        self.scale_fn, self.scale_mode = modes[mode] if scale_fn is None else (scale_fn, scale_mode)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, self.base_lrs):
                set_rate(group, rate)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Return the learning rates of the step `last_epoch`, one for each group."""
        cycles = self.last_epoch / self.total_step_size
        cycle = math.floor(1 + cycles)
        position = 1 + cycles - cycle
        ratio = self.step_up_ratio
        height = position / ratio if position <= ratio else (position - 1) / (ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        return [low + (high - low) * height for low, high in zip(self.base_lrs, self.max_lrs)]


@name_constructor
class SequentialLR(LRScheduler):
    """Apply schedulers in sequence.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        schedulers: the schedulers of this optimizer, in a list.
        milestones: the epochs at which the next one takes over, a list of increasing ints.

    Raises:
        TypeError: `optimizer` is not an optimizer of these packages.
        ValueError: a scheduler is for another optimizer, or there is not one milestone less than there are schedulers.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> parts = [
        ...     ms.experimental.optim.lr_scheduler.ConstantLR(optimizer, 0.5, 9),
        ...     ms.experimental.optim.lr_scheduler.ExponentialLR(optimizer, 0.25),
        ... ]
        >>> scheduler = ms.experimental.optim.lr_scheduler.SequentialLR(optimizer, parts, [2])
        >>> for _ in range(3):
        ...     scheduler.step()
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.25)]
    """

    @checked(_ONE_OPTIMIZER, _MILESTONES)
    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[Any], milestones: Sequence[int], last_epoch: Epoch = -1
    ) -> None:
        self.optimizer = optimizer
        self._schedulers = schedulers
        self.milestones = milestones
        self.last_epoch = last_epoch + 1
        # Only the first one has begun.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0].step()
        self._last_lr = rates_of(optimizer)

    @in_graphs(None)
    def step(self, epoch: int | None = None) -> None:
        """Proceed to the next epoch, with the scheduler that it belongs to.

        Raises:
            NotImplementedError: `epoch` is given.
        """
        if epoch is not None:
            raise NotImplementedError("For 'SequentialLR', 'epoch' is not supported: take the steps one by one.")
        self.last_epoch += 1
        current = bisect_right(self.milestones, self.last_epoch)
        begins = current > 0 and self.milestones[current - 1] == self.last_epoch
        self._schedulers[current].step(*[0] * begins)
