"""Learning rates of all steps, as lists. They change with the epoch, after every `step_per_epoch` steps."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.engine.parameters import (
    Positive,
    Rule,
    StrictFloat,
    StrictNotNegative,
    StrictPositive,
    checked,
)
from torchspore.nn import learning_rate_schedule as schedules

__all__ = [
    "cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr", "piecewise_constant_lr",
    "polynomial_decay_lr", "warmup_lr",
]  # fmt: skip

_SAME_LENGTH = Rule(
    "'milestone' and 'learning_rates' must have the same length",
    lambda milestone, learning_rates: len(milestone) == len(learning_rates),
)
_ASCENDING = Rule("'milestone' must ascend", lambda milestone: list(milestone) == sorted(milestone))


@checked(_SAME_LENGTH, _ASCENDING)
def piecewise_constant_lr(milestone: Sequence[Positive], learning_rates: Sequence[StrictFloat]) -> list[float]:
    """Return learning rates that are constant up to each milestone.

    Args:
        milestone: the steps at which each learning rate ends, a list or tuple of ascending ints > 0.
        learning_rates: the learning rates, a list or tuple of the same length, of floats.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.piecewise_constant_lr([2, 5], [0.1, 0.05])
        [0.1, 0.1, 0.05, 0.05, 0.05]
    """
    rates: list[float] = []
    for end, rate in zip(milestone, learning_rates):
        rates += [rate] * (end - len(rates))
    return rates


@checked
def exponential_decay_lr(
    learning_rate: StrictPositive,
    decay_rate: StrictPositive,
    total_step: Positive,
    step_per_epoch: Positive,
    decay_epoch: Positive,
    is_stair: bool = False,
) -> list[float]:
    """Return learning rates that are multiplied by one factor over and over, as `ExponentialDecayLR` does.

    Args:
        learning_rate: the learning rate at the start, a float > 0.
        decay_rate: the factor, a float > 0.
        total_step: the number of steps, an int > 0.
        step_per_epoch: the steps of one epoch, an int > 0.
        decay_epoch: the epochs after which the factor is reached, an int > 0.
        is_stair: whether the learning rate changes only every `decay_epoch` epochs. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.exponential_decay_lr(0.1, 0.5, 4, 2, 1)
        [0.1, 0.1, 0.05, 0.05]
    """
    schedule = schedules.ExponentialDecayLR(learning_rate, decay_rate, decay_epoch, is_stair)
    return _by_epoch(schedule, total_step, step_per_epoch)


@checked
def natural_exp_decay_lr(
    learning_rate: StrictPositive,
    decay_rate: StrictPositive,
    total_step: Positive,
    step_per_epoch: Positive,
    decay_epoch: Positive,
    is_stair: bool = False,
) -> list[float]:
    """Return learning rates that shrink by powers of e, as `NaturalExpDecayLR` does.

    Arguments as for `exponential_decay_lr`; `decay_rate` is the decay per epoch.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.natural_exp_decay_lr(0.1, 0.9, 4, 2, 2, True)
        [0.1, 0.1, 0.1, 0.1]
    """
    schedule = schedules.NaturalExpDecayLR(learning_rate, decay_rate, decay_epoch, is_stair)
    return _by_epoch(schedule, total_step, step_per_epoch)


@checked
def inverse_decay_lr(
    learning_rate: StrictPositive,
    decay_rate: StrictPositive,
    total_step: Positive,
    step_per_epoch: Positive,
    decay_epoch: Positive,
    is_stair: bool = False,
) -> list[float]:
    """Return learning rates that shrink like one over the epoch, as `InverseDecayLR` does.

    Arguments as for `exponential_decay_lr`; `decay_epoch` is the number of epochs of one period.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.inverse_decay_lr(0.1, 1.0, 4, 2, 1)
        [0.1, 0.1, 0.05, 0.05]
    """
    schedule = schedules.InverseDecayLR(learning_rate, decay_rate, decay_epoch, is_stair)
    return _by_epoch(schedule, total_step, step_per_epoch)


@checked(schedules.FALLING)
def cosine_decay_lr(
    min_lr: StrictNotNegative,
    max_lr: StrictPositive,
    total_step: Positive,
    step_per_epoch: Positive,
    decay_epoch: Positive,
) -> list[float]:
    """Return learning rates that go from `max_lr` to `min_lr` along half a cosine wave, as `CosineDecayLR` does.

    Args:
        min_lr: the learning rate at the end, a float >= 0.
        max_lr: the learning rate at the start, a float > `min_lr`.
        total_step, step_per_epoch: as for `exponential_decay_lr`.
        decay_epoch: the epochs until the end, an int > 0.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.cosine_decay_lr(0.0, 0.1, 6, 2, 2)
        [0.1, 0.1, 0.05, 0.05, 0.0, 0.0]
    """
    return _by_epoch(schedules.CosineDecayLR(min_lr, max_lr, decay_epoch), total_step, step_per_epoch)


@checked
def polynomial_decay_lr(
    learning_rate: StrictPositive,
    end_learning_rate: StrictNotNegative,
    total_step: Positive,
    step_per_epoch: Positive,
    decay_epoch: Positive,
    power: StrictPositive,
    update_decay_epoch: bool = False,
) -> list[float]:
    """Return learning rates that go to an end as a power of the remaining epochs, as `PolynomialDecayLR` does.

    Args:
        learning_rate: the learning rate at the start, a float > 0.
        end_learning_rate: the learning rate at the end, a float >= 0.
        total_step, step_per_epoch: as for `exponential_decay_lr`.
        decay_epoch: the epochs until the end, an int > 0.
        power: the exponent, a float > 0.
        update_decay_epoch: whether the end is postponed to the next multiple of `decay_epoch`. Default: False.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.polynomial_decay_lr(0.1, 0.0, 6, 2, 2, 1.0)
        [0.1, 0.1, 0.05, 0.05, 0.0, 0.0]
    """
    schedule = schedules.PolynomialDecayLR(learning_rate, end_learning_rate, decay_epoch, power, update_decay_epoch)
    return _by_epoch(schedule, total_step, step_per_epoch)


@checked
def warmup_lr(
    learning_rate: StrictNotNegative, total_step: Positive, step_per_epoch: Positive, warmup_epoch: Positive
) -> list[float]:
    """Return learning rates that rise from 0 in a straight line, as `WarmUpLR` does.

    Args:
        learning_rate: the learning rate at the end, a float >= 0.
        total_step, step_per_epoch: as for `exponential_decay_lr`.
        warmup_epoch: the epochs until the end, an int > 0.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.dynamic_lr.warmup_lr(0.1, 6, 2, 2)
        [0.0, 0.0, 0.05, 0.05, 0.1, 0.1]
    """
    return _by_epoch(schedules.WarmUpLR(learning_rate, warmup_epoch), total_step, step_per_epoch)


def _by_epoch(schedule: schedules._Formula, total_step: int, step_per_epoch: int) -> list[float]:
    """Return the schedule's rate for the epoch of each step."""
    epochs = math.ceil(total_step / step_per_epoch)
    rates = [schedule._at(epoch) for epoch in range(epochs)]
    return [rates[step // step_per_epoch] for step in range(total_step)]


_suggest_names(globals())
