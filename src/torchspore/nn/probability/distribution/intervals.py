"""Distributions on an interval, as formulas over torch tensors."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchspore.common.dtype import float32
from torchspore.common.private_torch import standard_gamma
from torchspore.nn.probability.distribution.base import Family, formulas
from torchspore.nn.probability.distribution.functions import (
    betainc,
    gammainc,
    log_beta,
    normal_entropy,
    normal_log_prob,
)
from torchspore.nn.probability.parametric import POSITIVE, parameter

__all__ = ["Beta", "Exponential", "Gamma", "HalfNormal", "Uniform"]


@formulas
class HalfNormal(Family):
    """The half-normal distribution: `mean` plus the magnitude of a centered normal number.

    Args:
        mean: the lower bound; as for `Normal`. Default: None.
        sd: the standard deviation of the normal distribution, greater than 0. Default: None.
        seed, dtype, name: as for `Normal`; the name is "HalfNormal".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.HalfNormal(1.0, 2.0).prob(ms.Tensor([0.0, 1.0, 3.0])))
        [0.        0.3989423 0.2419707]

    MindSpore: `mindspore.nn.probability.distribution.HalfNormal`, which has only `prob` and `log_prob`.
    """

    _type = "HalfNormal"
    _accepted = (("sd", POSITIVE),)

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "HalfNormal"
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        inside = normal_log_prob(value, mean, sd) + math.log(2)
        return torch.where(value < mean, -math.inf, inside)

    def _cdf(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return torch.erf((value - mean).clamp_min(0) / (sd * math.sqrt(2)))

    def _mean(self, mean: Tensor, sd: Tensor) -> Tensor:
        return mean + sd * math.sqrt(2 / math.pi)

    def _mode(self, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    def _sd(self, mean: Tensor, sd: Tensor) -> Tensor:
        return sd * math.sqrt(1 - 2 / math.pi)

    def _entropy(self, mean: Tensor, sd: Tensor) -> Tensor:
        return normal_entropy(sd) - math.log(2)

    def _sample(self, shape: tuple[int, ...], mean: Tensor, sd: Tensor) -> Tensor:
        return mean + sd * self._normal(shape, mean).abs()


@formulas
class Uniform(Family):
    """The uniform distribution over [low, high].

    Args:
        low: the lower bound; as for `Normal`. Default: None.
        high: the upper bound. Default: None.
        seed, dtype, name: as for `Normal`; the name is "Uniform".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.Uniform(0.0, 2.0).prob(ms.Tensor([-1.0, 1.0])), msd.Uniform(0.0, 2.0).mean())
        [0.  0.5] 1.0
    """

    _type = "Uniform"
    low = parameter("low", "The lower bound.")
    high = parameter("high", "The upper bound.")

    def __init__(
        self, low: Any = None, high: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Uniform"
    ) -> None:
        super().__init__(seed, dtype, name, low=low, high=high)
        minimum, maximum = self._known("low"), self._known("high")
        if minimum is not None and maximum is not None and not bool((maximum > minimum).all()):
            raise ValueError(f"'high' must be greater than 'low', {minimum.tolist()}, but got {maximum.tolist()}")

    def _prob(self, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return torch.where((value < low) | (value > high), 0, 1 / (high - low))

    def _cdf(self, value: Tensor, low: Tensor, high: Tensor) -> Tensor:
        return ((value - low) / (high - low)).clamp(0, 1)

    def _mean(self, low: Tensor, high: Tensor) -> Tensor:
        return 0.5 * (low + high)

    def _var(self, low: Tensor, high: Tensor) -> Tensor:
        return (high - low) ** 2 / 12

    def _entropy(self, low: Tensor, high: Tensor) -> Tensor:
        return (high - low).log()

    def _kl_loss(self, low_b: Tensor, high_b: Tensor, low: Tensor, high: Tensor) -> Tensor:
        is_inside = (low_b <= low) & (high_b >= high)
        return torch.where(is_inside, ((high_b - low_b) / (high - low)).log(), math.inf)

    def _sample(self, shape: tuple[int, ...], low: Tensor, high: Tensor) -> Tensor:
        return low + (high - low) * self._uniform(shape, low)


@formulas
class Exponential(Family):
    """The exponential distribution.

    Args:
        rate: the inverse of the mean, greater than 0; as for `Normal`. Default: None.
        seed, dtype, name: as for `Normal`; the name is "Exponential".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.Exponential(0.5).prob(ms.Tensor([-1.0, 0.0, 1.0])))
        [0.         0.5        0.30326533]
    """

    _type = "Exponential"
    _accepted = (("rate", POSITIVE),)
    rate = parameter("rate", "The rate.")

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Exponential"
    ) -> None:
        super().__init__(seed, dtype, name, rate=rate)

    def _log_prob(self, value: Tensor, rate: Tensor) -> Tensor:
        return torch.where(value < 0, -math.inf, rate.log() - rate * value)

    def _cdf(self, value: Tensor, rate: Tensor) -> Tensor:
        return -torch.expm1(-rate * value.clamp_min(0))

    def _log_survival(self, value: Tensor, rate: Tensor) -> Tensor:
        return -rate * value.clamp_min(0)

    def _mean(self, rate: Tensor) -> Tensor:
        return 1 / rate

    _sd = _mean

    def _mode(self, rate: Tensor) -> Tensor:
        return torch.zeros_like(rate)

    def _entropy(self, rate: Tensor) -> Tensor:
        return 1 - rate.log()

    def _kl_loss(self, rate_b: Tensor, rate: Tensor) -> Tensor:
        return (rate / rate_b).log() + rate_b / rate - 1

    def _sample(self, shape: tuple[int, ...], rate: Tensor) -> Tensor:
        return -self._uniform(shape, rate).log() / rate


@formulas
class Gamma(Family):
    """The gamma distribution.

    Args:
        concentration: the shape of the density, greater than 0; as for `Normal`. Default: None.
        rate: the inverse of the scale, greater than 0. Default: None.
        seed, dtype, name: as for `Normal`; the name is "Gamma".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> gamma = msd.Gamma([3.0], [4.0])
        >>> print(gamma.mean(), gamma.mode(), gamma.sample((2, 3)).shape)
        [0.75] [0.5] (2, 3, 1)

    MindSpore: `mindspore.nn.probability.distribution.Gamma`, which takes no parameters without dimensions.
    """

    _type = "Gamma"
    _accepted = (("concentration", POSITIVE), ("rate", POSITIVE))
    concentration = parameter("concentration", "The concentration.")
    rate = parameter("rate", "The rate.")

    def __init__(
        self,
        concentration: Any = None,
        rate: Any = None,
        seed: int | None = None,
        dtype: Any = float32,
        name: str = "Gamma",
    ) -> None:
        super().__init__(seed, dtype, name, concentration=concentration, rate=rate)

    def _log_prob(self, value: Tensor, concentration: Tensor, rate: Tensor) -> Tensor:
        power = torch.xlogy(concentration - 1, value) + concentration * rate.log()
        return power - rate * value - torch.lgamma(concentration)

    def _cdf(self, value: Tensor, concentration: Tensor, rate: Tensor) -> Tensor:
        return gammainc(concentration, rate * value.clamp_min(0))

    def _mean(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return concentration / rate

    def _mode(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return torch.where(concentration > 1, (concentration - 1) / rate, math.nan)

    def _var(self, concentration: Tensor, rate: Tensor) -> Tensor:
        return concentration / rate**2

    def _entropy(self, concentration: Tensor, rate: Tensor) -> Tensor:
        rest = (1 - concentration) * torch.digamma(concentration)
        return concentration - rate.log() + torch.lgamma(concentration) + rest

    def _kl_loss(self, concentration_b: Tensor, rate_b: Tensor, concentration: Tensor, rate: Tensor) -> Tensor:
        by_shape = (concentration - concentration_b) * torch.digamma(concentration)
        by_rate = concentration_b * (rate / rate_b).log() + concentration * (rate_b / rate - 1)
        return by_shape + torch.lgamma(concentration_b) - torch.lgamma(concentration) + by_rate

    def _sample(self, shape: tuple[int, ...], concentration: Tensor, rate: Tensor) -> Tensor:
        return standard_gamma(concentration.expand(shape), self._generator()) / rate


@formulas
class Beta(Family):
    """The beta distribution, of numbers in [0, 1].

    Args:
        concentration1: the exponent of `value`, plus 1; greater than 0; as for `Normal`. Default: None.
        concentration0: the exponent of `1 - value`, plus 1; greater than 0. Default: None.
        seed, dtype, name: as for `Normal`; the name is "Beta".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> beta = msd.Beta([3.0], [4.0])
        >>> print(beta.mode(), beta.cdf(ms.Tensor([0.5])))
        [0.4] [0.65625]

    MindSpore: `mindspore.nn.probability.distribution.Beta`, which has no `cdf` and takes no parameters without
    dimensions.
    """

    _type = "Beta"
    _accepted = (("concentration1", POSITIVE), ("concentration0", POSITIVE))
    concentration1 = parameter("concentration1", "The concentration near 1.")
    concentration0 = parameter("concentration0", "The concentration near 0.")

    def __init__(
        self,
        concentration1: Any = None,
        concentration0: Any = None,
        seed: int | None = None,
        dtype: Any = float32,
        name: str = "Beta",
    ) -> None:
        super().__init__(seed, dtype, name, concentration1=concentration1, concentration0=concentration0)

    def _log_prob(self, value: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return torch.xlogy(a - 1, value) + torch.special.xlog1py(b - 1, -value) - log_beta(a, b)

    def _cdf(self, value: Tensor, a: Tensor, b: Tensor) -> Tensor:
        return betainc(a, b, value.clamp(0, 1))

    def _mean(self, a: Tensor, b: Tensor) -> Tensor:
        return a / (a + b)

    def _mode(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.where((a > 1) & (b > 1), (a - 1) / (a + b - 2), math.nan)

    def _var(self, a: Tensor, b: Tensor) -> Tensor:
        return a * b / ((a + b) ** 2 * (a + b + 1))

    def _entropy(self, a: Tensor, b: Tensor) -> Tensor:
        sides = (a - 1) * torch.digamma(a) + (b - 1) * torch.digamma(b)
        return log_beta(a, b) - sides + (a + b - 2) * torch.digamma(a + b)

    def _kl_loss(self, a_b: Tensor, b_b: Tensor, a: Tensor, b: Tensor) -> Tensor:
        sides = (a - a_b) * torch.digamma(a) + (b - b_b) * torch.digamma(b)
        return log_beta(a_b, b_b) - log_beta(a, b) + sides - (a + b - a_b - b_b) * torch.digamma(a + b)

    def _sample(self, shape: tuple[int, ...], a: Tensor, b: Tensor) -> Tensor:
        return torch.sigmoid(self._log_gamma(shape, a) - self._log_gamma(shape, b))

    def _log_gamma(self, shape: tuple[int, ...], concentration: Tensor) -> Tensor:
        """Draw logarithms of gamma numbers: the numbers themselves would be 0 for small concentrations."""
        increased = standard_gamma((concentration + 1).expand(shape), self._generator())
        return increased.log() + self._uniform(shape, concentration).log() / concentration
