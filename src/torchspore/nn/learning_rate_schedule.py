"""Learning rates computed from the step, as cells."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import torch

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.conversions import as_float
from torchspore.engine.parameters import Positive, Rule, StrictNotNegative, StrictPositive, checked
from torchspore.nn.cell import Cell

__all__ = [
    "CosineDecayLR", "ExponentialDecayLR", "InverseDecayLR", "LearningRateSchedule", "NaturalExpDecayLR",
    "PolynomialDecayLR", "WarmUpLR",
]  # fmt: skip

FALLING = Rule("'max_lr' must be > 'min_lr'", lambda max_lr, min_lr: max_lr > min_lr)


class LearningRateSchedule(Cell):
    """The base of learning rates that change with the step: subclasses define `construct(global_step)`.

    Inputs: a Tensor of shape (1,) or (), dtype int32: the number of steps done.
    Outputs: a Tensor of the same shape, the learning rate of the next step.

    Examples:
        >>> import torchspore as ms
        >>> class Halving(ms.nn.learning_rate_schedule.LearningRateSchedule):
        ...     def construct(self, global_step):
        ...         return 0.5 ** global_step
        >>> print(Halving()(ms.Tensor(3)))
        0.125
    """

    # The learning rate of a step given as a Python int, where it is computed without tensors.
    _at: Callable[[int], Any] | None = None

    def construct(self, global_step: Any) -> Any:
        """Return the learning rate after `global_step` steps."""
        raise NotImplementedError(f"For '{type(self).__name__}', define 'construct(global_step)'.")

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "construct" in cls.__dict__ and "_at" not in cls.__dict__:
            cls._at = None


class _Formula(LearningRateSchedule):
    """A schedule given by one formula, which `_rate` computes for tensors (with torch) and for numbers (with math)."""

    def construct(self, global_step: Any) -> Tensor:
        if isinstance(global_step, Tensor):
            step = global_step._t.to(torch.float32)
        else:
            step = torch.tensor(float(as_float(global_step, type(self).__name__, "global_step")))
        return wrap(self._rate(step, torch))

    def _at(self, step: int) -> float:
        return self._rate(step, math)

    def _rate(self, step: Any, module: ModuleType) -> Any:
        raise NotImplementedError


def _minimum(value: Any, bound: float) -> Any:
    return value.clamp(max=bound) if isinstance(value, torch.Tensor) else min(value, bound)


def _maximum(value: Any, bound: float) -> Any:
    return value.clamp(min=bound) if isinstance(value, torch.Tensor) else max(value, bound)


class _Decay(_Formula):
    @checked
    def __init__(
        self, learning_rate: StrictPositive, decay_rate: StrictPositive, decay_steps: Positive, is_stair: bool = False
    ) -> None:
        super().__init__()
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.decay_steps, self.is_stair = decay_steps, is_stair

    def _periods(self, step: Any, module: ModuleType) -> Any:
        periods = step / self.decay_steps
        return module.floor(periods) if self.is_stair else periods


class ExponentialDecayLR(_Decay):
    r"""A learning rate that is multiplied by one factor over and over.

    .. math::
        lr \cdot decay\_rate^{p}, \qquad p = step / decay\_steps, \text{ rounded down with } is\_stair

    Args:
        learning_rate: the learning rate at the start, a float > 0.
        decay_rate: the factor, a float > 0.
        decay_steps: the steps after which it is reached, an int > 0.
        is_stair: whether the learning rate changes only every `decay_steps` steps. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.ExponentialDecayLR(0.1, 0.5, 4)(ms.Tensor(8)))
        0.025
    """

    def _rate(self, step: Any, module: ModuleType) -> Any:
        return self.learning_rate * self.decay_rate ** self._periods(step, module)


class NaturalExpDecayLR(_Decay):
    r"""A learning rate that shrinks by powers of e.

    .. math::
        lr \cdot e^{-decay\_rate \cdot p}, \qquad
        p = step, \text{ with } is\_stair: \lfloor step / decay\_steps \rfloor \cdot decay\_steps

    Arguments as for `ExponentialDecayLR`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.NaturalExpDecayLR(0.1, 0.9, 4, True)(ms.Tensor(3)))
        0.1
    """

    def _rate(self, step: Any, module: ModuleType) -> Any:
        reached = self._periods(step, module) * self.decay_steps if self.is_stair else step
        return self.learning_rate * module.exp(-self.decay_rate * reached)


class InverseDecayLR(_Decay):
    r"""A learning rate that shrinks like one over the step.

    .. math::
        lr / (1 + decay\_rate \cdot p), \qquad p = step / decay\_steps, \text{ rounded down with } is\_stair

    Arguments as for `ExponentialDecayLR`.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.InverseDecayLR(0.1, 0.5, 4)(ms.Tensor(8)))
        0.05
    """

    def _rate(self, step: Any, module: ModuleType) -> Any:
        return self.learning_rate / (1 + self.decay_rate * self._periods(step, module))


class CosineDecayLR(_Formula):
    r"""A learning rate that goes from `max_lr` to `min_lr` along half a cosine wave, and stays there.

    .. math::
        min\_lr + \tfrac12 (max\_lr - min\_lr)(1 + \cos(\pi p)), \qquad p = \min(step / decay\_steps, 1)

    Args:
        min_lr: the learning rate at the end, a float >= 0.
        max_lr: the learning rate at the start, a float > `min_lr`.
        decay_steps: the steps in between, an int > 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.CosineDecayLR(0.01, 0.1, 4)(ms.Tensor(2)))
        0.055
    """

    @checked(FALLING)
    def __init__(self, min_lr: StrictNotNegative, max_lr: StrictPositive, decay_steps: Positive) -> None:
        super().__init__()
        self.min_lr, self.max_lr, self.decay_steps = min_lr, max_lr, decay_steps

    def _rate(self, step: Any, module: ModuleType) -> Any:
        wave = 1 + module.cos(math.pi * _minimum(step, self.decay_steps) / self.decay_steps)
        return self.min_lr + 0.5 * (self.max_lr - self.min_lr) * wave


class PolynomialDecayLR(_Formula):
    r"""A learning rate that goes to `end_learning_rate` as a power of the remaining steps.

    .. math::
        (lr - end) (1 - \min(step / n, 1))^{power} + end

    :math:`n` is `decay_steps`; with `update_decay_steps` its next multiple that is not below the step: the learning
    rate then rises again after every `decay_steps` steps.

    Args:
        learning_rate: the learning rate at the start, a float > 0.
        end_learning_rate: the learning rate at the end, a float >= 0.
        decay_steps: the steps in between, an int > 0.
        power: the exponent, a float > 0.
        update_decay_steps: whether the end is postponed. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.PolynomialDecayLR(0.1, 0.01, 4, 1.0)(ms.Tensor(2)))
        0.055
    """

    @checked
    def __init__(
        self,
        learning_rate: StrictPositive,
        end_learning_rate: StrictNotNegative,
        decay_steps: Positive,
        power: StrictPositive,
        update_decay_steps: bool = False,
    ) -> None:
        super().__init__()
        self.start_learning_rate, self.end_learning_rate = learning_rate, end_learning_rate
        self.decay_steps, self.power, self.update_decay_steps = decay_steps, power, update_decay_steps

    def _rate(self, step: Any, module: ModuleType) -> Any:
        end: Any = self.decay_steps
        if self.update_decay_steps:
            end = end * _maximum(module.ceil(step / self.decay_steps), 1)
        remaining = 1 - _minimum(step / end, 1)
        return (self.start_learning_rate - self.end_learning_rate) * remaining**self.power + self.end_learning_rate


class WarmUpLR(_Formula):
    r"""A learning rate that rises from 0 in a straight line, and stays.

    .. math::
        lr \cdot \min(step / warmup\_steps, 1)

    Args:
        learning_rate: the learning rate at the end, a float >= 0.
        warmup_steps: the steps until the end, an int > 0.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.nn.WarmUpLR(0.1, 4)(ms.Tensor(2)))
        0.05
    """

    @checked
    def __init__(self, learning_rate: StrictNotNegative, warmup_steps: Positive) -> None:
        super().__init__()
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps

    def _rate(self, step: Any, module: ModuleType) -> Any:
        return self.learning_rate * _minimum(step, self.warmup_steps) / self.warmup_steps


_suggest_names(globals())
