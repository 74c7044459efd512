"""Distributions on the real line, as formulas over torch tensors."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import torch
from torch import Tensor

from torchspore.common.dtype import float32
from torchspore.common.private_torch import standard_gamma
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.nn.probability.distribution.base import Family, formulas
from torchspore.nn.probability.distribution.functions import (
    betainc,
    log_beta,
    normal_entropy,
    normal_kl,
    normal_log_prob,
)
from torchspore.nn.probability.parametric import POSITIVE, parameter

__all__ = ["Cauchy", "Laplace", "Logistic", "Normal", "StudentT"]


@formulas
class Normal(Family):
    """The normal distribution.

    Args:
        mean: the mean: a number, a list, an array, a Tensor, or None if every call passes it. Default: None.
        sd: the standard deviation, greater than 0, likewise.
        seed: the seed of the samples, >= 0; with None or 0 they follow `set_seed`. Default: None.
        dtype: the dtype of the samples, a float. Default: float32.
        name: the name. Default: "Normal".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> normal = msd.Normal(0.0, [1.0, 2.0])
        >>> print(normal.cdf(ms.Tensor([0.0, 2.0])), normal.var())
        [0.5       0.8413447] [1. 4.]
        >>> print(normal.sample((5,)).shape, normal.prob(ms.Tensor([1.0]), ms.Tensor([1.0]), ms.Tensor([0.5])))
        (5, 2) [0.7978846]
        >>> print(normal.kl_loss("Normal", ms.Tensor([0.0]), ms.Tensor([1.0])))
        [0.        0.8068528]
    """

    _type = "Normal"
    _accepted = (("sd", POSITIVE),)
    _labels: ClassVar = {"sd": "standard deviation"}

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Normal"
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return normal_log_prob(value, mean, sd)

    def _cdf(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return torch.special.ndtr((value - mean) / sd)

    def _log_cdf(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return torch.special.log_ndtr((value - mean) / sd)

    def _survival_function(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return torch.special.ndtr((mean - value) / sd)

    def _log_survival(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return torch.special.log_ndtr((mean - value) / sd)

    def _mean(self, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    _mode = _mean

    def _sd(self, mean: Tensor, sd: Tensor) -> Tensor:
        return sd

    def _entropy(self, mean: Tensor, sd: Tensor) -> Tensor:
        return normal_entropy(sd)

    def _kl_loss(self, mean_b: Tensor, sd_b: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return normal_kl(mean_b, sd_b, mean, sd)

    def _sample(self, shape: tuple[int, ...], mean: Tensor, sd: Tensor) -> Tensor:
        return mean + sd * self._normal(shape, mean)


@formulas
class Laplace(Family):
    """The Laplace distribution, with tails that fall exponentially on both sides.

    Args:
        mean: the mean; as for `Normal`. Default: None.
        sd: the scale, greater than 0: the standard deviation is `sqrt(2)` times it. Default: None.
        seed, dtype, name: as for `Normal`; the name is "Laplace".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> laplace = msd.Laplace(1.0, 2.0)
        >>> print(laplace.log_prob(ms.Tensor([1.0, 3.0])), laplace.cdf(ms.Tensor([1.0])))
        [-1.3862944 -2.3862944] [0.5]

    MindSpore: `mindspore.nn.probability.distribution.Laplace`, which has only `prob` and `log_prob`.
    """

    _type = "Laplace"
    _accepted = (("sd", POSITIVE),)

    def __init__(
        self, mean: Any = None, sd: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Laplace"
    ) -> None:
        super().__init__(seed, dtype, name, mean=mean, sd=sd)

    def _log_prob(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return -(value - mean).abs() / sd - (2 * sd).log()

    def _cdf(self, value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        distance = (value - mean) / sd
        return 0.5 - 0.5 * distance.sign() * torch.expm1(-distance.abs())

    def _mean(self, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    _mode = _mean

    def _sd(self, mean: Tensor, sd: Tensor) -> Tensor:
        return math.sqrt(2) * sd

    def _entropy(self, mean: Tensor, sd: Tensor) -> Tensor:
        return 1 + (2 * sd).log()

    def _kl_loss(self, mean_b: Tensor, sd_b: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        distance = (mean - mean_b).abs()
        return (sd_b / sd).log() + (distance + sd * torch.exp(-distance / sd)) / sd_b - 1

    def _sample(self, shape: tuple[int, ...], mean: Tensor, sd: Tensor) -> Tensor:
        return mean + sd * (self._uniform(shape, mean) / self._uniform(shape, mean)).log()


@formulas
class StudentT(Family):
    """Student's t-distribution with a location and a scale.

    Args:
        df: the degrees of freedom, greater than 0; as for `Normal`. Default: None.
        mean: the location. Default: None.
        sd: the scale, greater than 0. Default: None.
        seed, dtype, name: as for `Normal`; the name is "StudentT".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> student = msd.StudentT(3.0, 1.0, 2.0)
        >>> print(student.log_prob(ms.Tensor([1.0])), student.var())
        [-1.694036] 12.0

    MindSpore: `mindspore.nn.probability.distribution.StudentT`, which has only `prob` and `log_prob`.
    """

    _type = "StudentT"
    _accepted = (("df", POSITIVE), ("sd", POSITIVE))

    def __init__(
        self,
        df: Any = None,
        mean: Any = None,
        sd: Any = None,
        seed: int | None = None,
        dtype: Any = float32,
        name: str = "StudentT",
    ) -> None:
        super().__init__(seed, dtype, name, df=df, mean=mean, sd=sd)

    def _log_prob(self, value: Tensor, df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        tail = -0.5 * (df + 1) * torch.log1p(((value - mean) / sd) ** 2 / df)
        return tail - sd.log() - 0.5 * (df * math.pi).log() + torch.lgamma(0.5 * (df + 1)) - torch.lgamma(0.5 * df)

    def _cdf(self, value: Tensor, df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        distance = (value - mean) / sd
        outside = 0.5 * betainc(0.5 * df, torch.full_like(df, 0.5), df / (df + distance**2))
        return torch.where(distance > 0, 1 - outside, outside)

    def _mean(self, df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return torch.where(df > 1, mean, math.nan)

    def _mode(self, df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        return mean

    def _var(self, df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        finite = sd**2 * df / (df - 2)
        return torch.where(df > 2, finite, torch.where(df > 1, math.inf, math.nan))

    def _entropy(self, df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        half, half_next = 0.5 * df, 0.5 * (df + 1)
        spread = half_next * (torch.digamma(half_next) - torch.digamma(half))
        return spread + 0.5 * df.log() + log_beta(half, torch.full_like(half, 0.5)) + sd.log()

    def _sample(self, shape: tuple[int, ...], df: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
        squares = 2 * standard_gamma((0.5 * df).expand(shape), self._generator())
        return mean + sd * self._normal(shape, mean) * (df / squares).sqrt()


@formulas
class Cauchy(Family):
    """The Cauchy distribution, which has no mean and no variance.

    Args:
        loc: the location; as for `Normal`. Default: None.
        scale: half the width at half maximum, greater than 0. Default: None.
        seed, dtype, name: as for `Normal`; the name is "Cauchy".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.Cauchy(1.0, 2.0).cdf(ms.Tensor([1.0, 3.0])))
        [0.5  0.75]
    """

    _type = "Cauchy"
    _accepted = (("scale", POSITIVE),)
    _labels: ClassVar = {"loc": "location"}
    loc = parameter("loc", "The location.")
    scale = parameter("scale", "The scale.")

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Cauchy"
    ) -> None:
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return -torch.log1p(((value - loc) / scale) ** 2) - (math.pi * scale).log()

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.atan((value - loc) / scale) / math.pi + 0.5

    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.atan((loc - value) / scale) / math.pi + 0.5

    def _mean(self, *args: Any, **kwargs: Any) -> _Tensor:
        raise ValueError("For 'Cauchy', there is no mean, no variance and no standard deviation.")

    _sd = _var = _mean

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    def _entropy(self, loc: Tensor, scale: Tensor) -> Tensor:
        return (4 * math.pi * scale).log()

    def _kl_loss(self, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return (((scale + scale_b) ** 2 + (loc - loc_b) ** 2) / (4 * scale * scale_b)).log()

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:
        return loc + scale * torch.tan(math.pi * (self._uniform(shape, loc) - 0.5))


@formulas
class Logistic(Family):
    """The logistic distribution: the sigmoid function is its cdf.

    Args:
        loc: the mean; as for `Normal`. Default: None.
        scale: the scale, greater than 0. Default: None.
        seed, dtype, name: as for `Normal`; the name is "Logistic".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.Logistic(1.0, 2.0).prob(ms.Tensor([1.0])))
        [0.125]
    """

    _type = "Logistic"
    _accepted = (("scale", POSITIVE),)
    _labels: ClassVar = {"loc": "location"}
    loc = parameter("loc", "The mean.")
    scale = parameter("scale", "The scale.")

    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = None, dtype: Any = float32, name: str = "Logistic"
    ) -> None:
        super().__init__(seed, dtype, name, loc=loc, scale=scale)

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        distance = (value - loc) / scale
        return torch.nn.functional.logsigmoid(distance) + torch.nn.functional.logsigmoid(-distance) - scale.log()

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.sigmoid((value - loc) / scale)

    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.nn.functional.logsigmoid((value - loc) / scale)

    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.sigmoid((loc - value) / scale)

    def _log_survival(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.nn.functional.logsigmoid((loc - value) / scale)

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    _mode = _mean

    def _sd(self, loc: Tensor, scale: Tensor) -> Tensor:
        return scale * (math.pi / math.sqrt(3))

    def _entropy(self, loc: Tensor, scale: Tensor) -> Tensor:
        return scale.log() + 2

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:
        return loc + scale * torch.logit(self._uniform(shape, loc))
