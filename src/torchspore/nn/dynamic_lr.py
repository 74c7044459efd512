"""Learning rates of all steps, as lists. They change with the epoch, after every `step_per_epoch` steps."""

from __future__ import annotations

import math
from typing import Any

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.engine.checks import check_bool, check_int, check_number
from torchspore.engine.errors import describe
from torchspore.nn import learning_rate_schedule as schedules

__all__ = [
    "cosine_decay_lr", "exponential_decay_lr", "inverse_decay_lr", "natural_exp_decay_lr", "piecewise_constant_lr",
    "polynomial_decay_lr", "warmup_lr",
]  # fmt: skip


def piecewise_constant_lr(milestone: Any, learning_rates: Any) -> list[float]:
    """Return learning rates that are constant up to each milestone.

    Args:
        milestone: the steps at which each learning rate ends, a list or tuple of ascending ints > 0.
        learning_rates: the learning rates, a list or tuple of the same length, of floats.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.piecewise_constant_lr([2, 5], [0.1, 0.05])
        [0.1, 0.1, 0.05, 0.05, 0.05]
    """
    api = "piecewise_constant_lr"
    for name, value in (("milestone", milestone), ("learning_rates", learning_rates)):
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"For '{api}', '{name}' must be a list or tuple, but got {describe(value)}.")
    if len(milestone) != len(learning_rates):
        raise ValueError(
            f"For '{api}', 'milestone' and 'learning_rates' must have the same length, "
            f"but got {len(milestone)} and {len(learning_rates)}."
        )
    rates: list[float] = []
    for index, (end, rate) in enumerate(zip(milestone, learning_rates)):
        check_int(end, f"milestone[{index}]", api)
        check_number(rate, f"learning_rates[{index}]", api)
        if end < len(rates):
            raise ValueError(f"For '{api}', 'milestone' must ascend, but got {list(milestone)}.")
        rates += [rate] * (end - len(rates))
    return rates


def exponential_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
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
    decay = (learning_rate, decay_rate, decay_epoch, is_stair)
    return _decayed("exponential_decay_lr", schedules.ExponentialDecayLR, decay, total_step, step_per_epoch)


def natural_exp_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return learning rates that shrink by powers of e, as `NaturalExpDecayLR` does.

    Arguments are those of `exponential_decay_lr`; `decay_rate` is the decay per epoch.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.natural_exp_decay_lr(0.1, 0.9, 4, 2, 2, True)
        [0.1, 0.1, 0.1, 0.1]
    """
    decay = (learning_rate, decay_rate, decay_epoch, is_stair)
    return _decayed("natural_exp_decay_lr", schedules.NaturalExpDecayLR, decay, total_step, step_per_epoch)


def inverse_decay_lr(
    learning_rate: float,
    decay_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    is_stair: bool = False,
) -> list[float]:
    """Return learning rates that shrink like one over the epoch, as `InverseDecayLR` does.

    Arguments are those of `exponential_decay_lr`; `decay_epoch` is the number of epochs of one period.

    Examples:
        >>> import torchspore as ms
        >>> ms.nn.inverse_decay_lr(0.1, 1.0, 4, 2, 1)
        [0.1, 0.1, 0.05, 0.05]
    """
    decay = (learning_rate, decay_rate, decay_epoch, is_stair)
    return _decayed("inverse_decay_lr", schedules.InverseDecayLR, decay, total_step, step_per_epoch)


def cosine_decay_lr(
    min_lr: float, max_lr: float, total_step: int, step_per_epoch: int, decay_epoch: int
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
    api = "cosine_decay_lr"
    check_number(min_lr, "min_lr", api, minimum=0.0)
    check_number(max_lr, "max_lr", api, above=0.0)
    if max_lr <= min_lr:
        raise ValueError(f"For '{api}', 'max_lr' must be > 'min_lr', but got {max_lr} and {min_lr}.")
    check_int(decay_epoch, "decay_epoch", api)
    return _by_epoch(api, schedules.CosineDecayLR(min_lr, max_lr, decay_epoch), total_step, step_per_epoch)


def polynomial_decay_lr(
    learning_rate: float,
    end_learning_rate: float,
    total_step: int,
    step_per_epoch: int,
    decay_epoch: int,
    power: float,
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
    api = "polynomial_decay_lr"
    check_number(learning_rate, "learning_rate", api, above=0.0)
    check_number(end_learning_rate, "end_learning_rate", api, minimum=0.0)
    check_int(decay_epoch, "decay_epoch", api)
    check_number(power, "power", api, above=0.0)
    check_bool(update_decay_epoch, "update_decay_epoch", api)
    schedule = schedules.PolynomialDecayLR(learning_rate, end_learning_rate, decay_epoch, power, update_decay_epoch)
    return _by_epoch(api, schedule, total_step, step_per_epoch)


def warmup_lr(learning_rate: float, total_step: int, step_per_epoch: int, warmup_epoch: int) -> list[float]:
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
    check_number(learning_rate, "learning_rate", "warmup_lr", minimum=0.0)
    check_int(warmup_epoch, "warmup_epoch", "warmup_lr")
    return _by_epoch("warmup_lr", schedules.WarmUpLR(learning_rate, warmup_epoch), total_step, step_per_epoch)


def _decayed(
    api: str, schedule: type[schedules._Decay], decay: tuple[Any, ...], total_step: int, step_per_epoch: int
) -> list[float]:
    learning_rate, decay_rate, decay_epoch, is_stair = decay
    check_number(learning_rate, "learning_rate", api, above=0.0)
    check_number(decay_rate, "decay_rate", api, above=0.0)
    check_int(decay_epoch, "decay_epoch", api)
    check_bool(is_stair, "is_stair", api)
    return _by_epoch(api, schedule(*decay), total_step, step_per_epoch)


def _by_epoch(api: str, schedule: schedules._Formula, total_step: int, step_per_epoch: int) -> list[float]:
    """Return the schedule's rate for the epoch of each step."""
    check_int(total_step, "total_step", api)
    check_int(step_per_epoch, "step_per_epoch", api)
    epochs = math.ceil(total_step / step_per_epoch)
    rates = [schedule._at(epoch) for epoch in range(epochs)]
    return [rates[step // step_per_epoch] for step in range(total_step)]


_suggest_names(globals())
