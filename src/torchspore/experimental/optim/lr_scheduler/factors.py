"""Schedulers that multiply the initial learning rate by a factor of the epoch."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeAlias

from torchspore.engine.parameters import Fraction, Limits, NotNegative, NotNegativeFloat, Positive, StrictFloat, checked
from torchspore.experimental.optim.lr_scheduler.scheduler import Epoch, LRScheduler, for_each_group
from torchspore.experimental.optim.optimizer import Optimizer

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "ExponentialLR", "LambdaLR", "LinearLR", "MultiStepLR", "MultiplicativeLR",
    "PolynomialLR", "StepLR",
]  # fmt: skip

_Function: TypeAlias = Callable[[int], Any]


class _FactorLR(LRScheduler):
    """The base of those with a factor of the epoch: lr - minimum = factor(epoch) * (initial lr - minimum).

    Each step multiplies by the quotient of two factors, so that other changes of the learning rate persist.
    """

    _minimum: float = 0.0

    def _factor(self, epoch: int) -> float:
        raise NotImplementedError

    def get_lr(self) -> list[float]:
        """Return the learning rates of the epoch `last_epoch`, one for each group."""
        before = self._factor(self.last_epoch - 1) if self.last_epoch > 0 else 1.0
        if before == 0:
            return self._rates_of_epoch()
        quotient = self._factor(self.last_epoch) / before
        return [self._minimum + (rate - self._minimum) * quotient for rate in self._rates()]

    def _rates_of_epoch(self) -> list[float]:
        factor = self._factor(self.last_epoch)
        return [self._minimum + (rate - self._minimum) * factor for rate in self.base_lrs]


class StepLR(_FactorLR):
    """Multiply the learning rates by `gamma` every `step_size` epochs.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        step_size: the number of epochs between two changes, an int > 0.
        gamma: the factor, a float. Default: 0.1.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        >>> for _ in range(2):
        ...     scheduler.step()
        True
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.5)]
    """

    @checked
    def __init__(
        self, optimizer: Optimizer, step_size: Positive, gamma: StrictFloat = 0.1, last_epoch: Epoch = -1
    ) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.gamma ** (epoch // self.step_size)


class LinearLR(_FactorLR):
    """Multiply the initial learning rates by a factor that changes linearly from one number to another.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        start_factor: the factor of the first epoch, in (0, 1]. Default: 1/3.
        end_factor: the factor at the end, in [0, 1]. Default: 1.0.
        total_iters: the number of epochs until the end. Default: 5.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.LinearLR(optimizer, 0.5, total_iters=2)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.75)]
    """

    @checked
    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: Annotated[float, Limits(maximum=1, above=0)] = 1.0 / 3,
        end_factor: Fraction = 1.0,
        total_iters: Positive = 5,
        last_epoch: Epoch = -1,
    ) -> None:
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        share = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * share


class ExponentialLR(_FactorLR):
    """Multiply the learning rates by `gamma` in every epoch.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        gamma: the factor, a float.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.5)]
    """

    @checked
    def __init__(self, optimizer: Optimizer, gamma: StrictFloat, last_epoch: Epoch = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.gamma**epoch


class PolynomialLR(_FactorLR):
    """Multiply the initial learning rates by `(1 - epoch / total_iters) ** power`, and by 0 after that.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        total_iters: the number of epochs until 0, an int > 0. Default: 5.
        power: the exponent, a number. Default: 1.0.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.PolynomialLR(optimizer, 2, 2.0)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.25)]
    """

    @checked
    def __init__(
        self, optimizer: Optimizer, total_iters: Positive = 5, power: NotNegativeFloat = 1.0, last_epoch: Epoch = -1
    ) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return (1 - min(epoch, self.total_iters) / self.total_iters) ** self.power


class ConstantLR(_FactorLR):
    """Multiply the initial learning rates by a factor, until an epoch.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        factor: the factor, in [0, 1]. Default: 1/3.
        total_iters: the number of epochs with the factor. Default: 5.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.ConstantLR(optimizer, 0.5, total_iters=1)
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.5)]
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 1)]
    """

    @checked
    def __init__(
        self, optimizer: Optimizer, factor: Fraction = 1.0 / 3, total_iters: NotNegative = 5, last_epoch: Epoch = -1
    ) -> None:
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.factor if epoch < self.total_iters else 1.0


class MultiStepLR(_FactorLR):
    """Multiply the learning rates by `gamma` at given epochs.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        milestones: the epochs, a list of ints; one that occurs twice counts twice.
        gamma: the factor, a number. Default: 0.1.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.MultiStepLR(optimizer, [1, 2], 0.5)
        >>> for _ in range(3):
        ...     scheduler.step()
        True
        True
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.25)]
    """

    @checked
    def __init__(self, optimizer: Optimizer, milestones: list[int], gamma: float = 0.1, last_epoch: Epoch = -1) -> None:
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.gamma ** bisect_right(sorted(self.milestones), epoch)


class CosineAnnealingLR(_FactorLR):
    r"""Change the learning rates along a cosine between the initial ones and the smallest.

    .. math::
        lr = lr_{min} + \frac12 (lr_0 - lr_{min}) \left( 1 + \cos \frac{\pi t}{T} \right)

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        T_max: half the period :math:`T`, an int > 0.
        eta_min: the smallest learning rate :math:`lr_{min}`, a number. Default: 0.0.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.CosineAnnealingLR(optimizer, 2)
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.5)]
    """

    @checked
    def __init__(self, optimizer: Optimizer, T_max: Positive, eta_min: float = 0.0, last_epoch: Epoch = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    @property
    def _minimum(self) -> float:  # type: ignore[override]
        return self.eta_min

    def _factor(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2


class LambdaLR(LRScheduler):
    """Multiply the initial learning rates by the value of a function of the epoch.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        lr_lambda: a function of the epoch, or a list of them, one for each group.

    Raises:
        ValueError: the list does not have one function for each group.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (epoch + 1))
        >>> scheduler.step()
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.5)]
    """

    @checked
    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: _Function | Sequence[_Function],
        last_epoch: Epoch = -1,
    ) -> None:
        self.lr_lambdas = for_each_group(lr_lambda, "lr_lambda", "LambdaLR", optimizer)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the epoch `last_epoch`, one for each group."""
        return [rate * function(self.last_epoch) for rate, function in zip(self.base_lrs, self.lr_lambdas)]


class MultiplicativeLR(LRScheduler):
    """Multiply the learning rates by the value of a function of the epoch, from the second epoch on.

    Args:
        optimizer, last_epoch: see `LRScheduler`.
        lr_lambda: a function of the epoch, or a list of them, one for each group.

    Raises:
        ValueError: the list does not have one function for each group.

    Examples:
        >>> import torchspore as ms
        >>> optimizer = ms.experimental.optim.SGD([ms.Parameter(ms.Tensor([1.0]))], lr=1.0)
        >>> scheduler = ms.experimental.optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 0.5)
        >>> for _ in range(2):
        ...     scheduler.step()
        True
        True
        >>> print(scheduler.get_last_lr())
        [Tensor(shape=[], dtype=Float32, value= 0.25)]
    """

    @checked
    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: _Function | Sequence[_Function],
        last_epoch: Epoch = -1,
    ) -> None:
        self.lr_lambdas = for_each_group(lr_lambda, "lr_lambda", "MultiplicativeLR", optimizer)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the learning rates of the epoch `last_epoch`, one for each group."""
        rates = self._rates()
        if self.last_epoch > 0:
            return [rate * function(self.last_epoch) for rate, function in zip(rates, self.lr_lambdas)]
        return rates
