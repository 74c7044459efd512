"""Distributions of integers, as formulas over torch tensors."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchspore.common import dtype as mstype
from torchspore.engine.parameters import Where, kind_of
from torchspore.nn.probability.distribution.base import Family, dtype_of, formulas
from torchspore.nn.probability.distribution.functions import gammainc
from torchspore.nn.probability.parametric import POSITIVE, PROBABILITY, parameter

__all__ = ["Bernoulli", "Categorical", "Geometric", "Poisson"]


class _Discrete(Family):
    _dtype_kind = kind_of(dtype_of(*mstype.int_type, *mstype.uint_type, *mstype.float_type))


@formulas
class Bernoulli(_Discrete):
    """The Bernoulli distribution: 1 with a probability, otherwise 0.

    Args:
        probs: the probability of 1, between 0 and 1: a number, a list, an array, a Tensor, or None if every
            call passes it. Default: None.
        seed: the seed of the samples, >= 0; with None or 0 they follow `set_seed`. Default: None.
        dtype: the dtype of the samples, of integers or floats. Default: int32.
        name: the name. Default: "Bernoulli".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.Bernoulli(0.25).prob(ms.Tensor([1, 0, 1])), msd.Bernoulli(0.25).var())
        [0.25 0.75 0.25] 0.1875
    """

    _type = "Bernoulli"
    _accepted = (("probs", PROBABILITY),)
    probs = parameter("probs", "The probability of 1.")

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: Any = mstype.int32, name: str = "Bernoulli"
    ) -> None:
        super().__init__(seed, dtype, name, probs=probs)

    def _log_prob(self, value: Tensor, probs: Tensor) -> Tensor:
        return torch.xlogy(value, probs) + torch.special.xlog1py(1 - value, -probs)

    def _cdf(self, value: Tensor, probs: Tensor) -> Tensor:
        return torch.where(value < 0, 0, torch.where(value < 1, 1 - probs, 1))

    def _mean(self, probs: Tensor) -> Tensor:
        return probs

    def _mode(self, probs: Tensor) -> Tensor:
        return (probs > 0.5).to(self.dtype.torch)

    def _var(self, probs: Tensor) -> Tensor:
        return probs * (1 - probs)

    def _entropy(self, probs: Tensor) -> Tensor:
        return torch.special.entr(probs) + torch.special.entr(1 - probs)

    def _kl_loss(self, probs_b: Tensor, probs: Tensor) -> Tensor:
        failure = torch.xlogy(1 - probs, (1 - probs) / (1 - probs_b))
        return torch.xlogy(probs, probs / probs_b) + failure

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Tensor:
        return self._uniform(shape, probs) < probs


@formulas
class Geometric(_Discrete):
    """The geometric distribution: the number of failures before the first success.

    Args:
        probs: the probability of success, between 0 and 1; as for `Bernoulli`. Default: None.
        seed, dtype, name: as for `Bernoulli`; the name is "Geometric".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.Geometric(0.5).prob(ms.Tensor([0, 1, 2])), msd.Geometric(0.5).mean())
        [0.5   0.25  0.125] 1.0
    """

    _type = "Geometric"
    _accepted = (("probs", PROBABILITY),)
    probs = parameter("probs", "The probability of success.")

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: Any = mstype.int32, name: str = "Geometric"
    ) -> None:
        super().__init__(seed, dtype, name, probs=probs)

    def _log_prob(self, value: Tensor, probs: Tensor) -> Tensor:
        return torch.where(value < 0, -math.inf, probs.log() + value.floor() * torch.log1p(-probs))

    def _cdf(self, value: Tensor, probs: Tensor) -> Tensor:
        return -torch.expm1((value.floor() + 1).clamp_min(0) * torch.log1p(-probs))

    def _log_survival(self, value: Tensor, probs: Tensor) -> Tensor:
        return (value.floor() + 1).clamp_min(0) * torch.log1p(-probs)

    def _mean(self, probs: Tensor) -> Tensor:
        return (1 - probs) / probs

    def _mode(self, probs: Tensor) -> Tensor:
        return torch.zeros_like(probs, dtype=self.dtype.torch)

    def _var(self, probs: Tensor) -> Tensor:
        return (1 - probs) / probs**2

    def _entropy(self, probs: Tensor) -> Tensor:
        return (torch.special.entr(probs) + torch.special.entr(1 - probs)) / probs

    def _kl_loss(self, probs_b: Tensor, probs: Tensor) -> Tensor:
        failure = (1 - probs) / probs * ((1 - probs) / (1 - probs_b)).log()
        return (probs / probs_b).log() + failure

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Tensor:
        return (self._uniform(shape, probs).log() / torch.log1p(-probs)).floor()


@formulas
class Poisson(_Discrete):
    """The Poisson distribution.

    Args:
        rate: the mean, greater than 0; as `probs` of `Bernoulli`. Default: None.
        seed, dtype, name: as for `Bernoulli`; the name is "Poisson", the dtype float32. For a dtype of integers,
            values are truncated.

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.Poisson([0.5]).prob(ms.Tensor([0.0, 1.0])))
        [0.60653067 0.30326533]

    MindSpore: `mindspore.nn.probability.distribution.Poisson`, which takes no rate without dimensions.
    """

    _type = "Poisson"
    _accepted = (("rate", POSITIVE),)
    rate = parameter("rate", "The mean.")

    def __init__(
        self, rate: Any = None, seed: int | None = None, dtype: Any = mstype.float32, name: str = "Poisson"
    ) -> None:
        super().__init__(seed, dtype, name, rate=rate)

    def _counted(self, value: Tensor) -> Tensor:
        return value if self.dtype in mstype.float_type else value.trunc()

    def _log_prob(self, value: Tensor, rate: Tensor) -> Tensor:
        value = self._counted(value)
        return torch.where(value < 0, -math.inf, torch.xlogy(value, rate) - rate - torch.lgamma(value + 1))

    def _cdf(self, value: Tensor, rate: Tensor) -> Tensor:
        value = self._counted(value)
        return torch.where(value < 0, 0, 1 - gammainc(value.clamp_min(0) + 1, rate))

    def _mean(self, rate: Tensor) -> Tensor:
        return rate

    _var = _mean

    def _mode(self, rate: Tensor) -> Tensor:
        return rate.floor()

    def _kl_loss(self, rate_b: Tensor, rate: Tensor) -> Tensor:
        return torch.xlogy(rate, rate / rate_b) - rate + rate_b

    def _sample(self, shape: tuple[int, ...], rate: Tensor) -> Tensor:
        return torch.poisson(rate.expand(shape), self._generator())


@formulas
class Categorical(_Discrete):
    """The categorical distribution: the index of a category, each with its probability.

    Args:
        probs: the probabilities, along the last dimension, each between 0 and 1 and their sum 1; as for `Bernoulli`.
            Default: None.
        seed, dtype, name: as for `Bernoulli`; the name is "Categorical".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> categorical = msd.Categorical([0.25, 0.5, 0.25])
        >>> print(categorical.prob(ms.Tensor([0, 1])), categorical.mean(), categorical.mode())
        [0.25 0.5 ] [1.] 1
    """

    _type = "Categorical"
    _accepted = (
        ("probs", PROBABILITY),
        ("probs", Where("probabilities whose sum is 1", lambda values: (values.sum(-1) - 1).abs() < 1e-3)),
    )
    probs = parameter("probs", "The probabilities.")

    def __init__(
        self, probs: Any = None, seed: int | None = None, dtype: Any = mstype.int32, name: str = "Categorical"
    ) -> None:
        super().__init__(seed, dtype, name, probs=probs)
        if self.batch_shape == ():
            raise ValueError("'probs' must have a dimension for the categories, but it has none")

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of one sample: the shape of `probs` without the categories; None while `probs` is missing."""
        return None if self.batch_shape is None else self.batch_shape[:-1]

    @property
    def is_scalar_batch(self) -> bool:
        """Whether there is one set of categories."""
        return not self.broadcast_shape

    def extend_repr(self) -> str:
        """Return the probabilities, or the shape of one sample."""
        return f"batch_shape = {self.broadcast_shape}" if self.broadcast_shape else super().extend_repr()

    def _log_prob(self, value: Tensor, probs: Tensor) -> Tensor:
        index, found = _looked_up(probs.log(), value)
        return torch.where((index < 0) | (index >= probs.shape[-1]), math.nan, found)

    def _cdf(self, value: Tensor, probs: Tensor) -> Tensor:
        index, found = _looked_up(probs.cumsum(-1), value)
        return torch.where(index < 0, 0, torch.where(index >= probs.shape[-1] - 1, 1, found))

    def _mean(self, probs: Tensor) -> Tensor:
        return (probs * _numbers(probs)).sum(-1, keepdim=True)

    def _var(self, probs: Tensor) -> Tensor:
        numbers = _numbers(probs)
        mean = (probs * numbers).sum(-1, keepdim=True)
        return (probs * (numbers - mean) ** 2).sum(-1, keepdim=True)

    def _mode(self, probs: Tensor) -> Tensor:
        return probs.argmax(-1).to(self.dtype.torch)

    def _entropy(self, probs: Tensor) -> Tensor:
        return torch.special.entr(probs).sum(-1)

    def _kl_loss(self, probs_b: Tensor, probs: Tensor) -> Tensor:
        return torch.xlogy(probs, probs / probs_b).sum(-1)

    def _sample(self, shape: tuple[int, ...], probs: Tensor) -> Tensor:
        exponential = -self._uniform(shape, probs).log()  # the first of clocks that run at the rates `probs`
        return (exponential / probs).argmin(-1)


def _numbers(probs: Tensor) -> Tensor:
    return torch.arange(probs.shape[-1], dtype=probs.dtype, device=probs.device)


def _looked_up(table: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Return the index in the last dimension that each value means, and the element at it."""
    shape = torch.broadcast_shapes(table.shape[:-1], value.shape)
    index = value.floor().expand(shape)
    inside = index.clamp(0, table.shape[-1] - 1).long()
    return index, table.expand(*shape, table.shape[-1]).gather(-1, inside[..., None])[..., 0]
