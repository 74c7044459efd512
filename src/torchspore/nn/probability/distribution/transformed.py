"""Distributions of transformed numbers."""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch import Tensor

from torchspore import ops
from torchspore.common import dtype as mstype
from torchspore.common.tensor import Tensor as _Tensor
from torchspore.engine.parameters import checked, kind_of
from torchspore.nn.probability.bijector import Bijector, Exp, GumbelCDF, Invert
from torchspore.nn.probability.distribution.base import Distribution, FloatType, Formulas, formulas
from torchspore.nn.probability.distribution.functions import normal_entropy, normal_kl, normal_log_prob
from torchspore.nn.probability.distribution.intervals import Uniform
from torchspore.nn.probability.distribution.real_line import Normal
from torchspore.nn.probability.parametric import parameter

__all__ = ["Gumbel", "LogNormal", "TransformedDistribution"]

_EULER = 0.5772156649015329


class TransformedDistribution(Distribution):
    """The distribution of `bijector.forward(x)`, where `x` is distributed as another says.

    It has the parameters of the other distribution.

    Args:
        bijector: the transformation, a Bijector.
        distribution: the distribution of `x`, of floats.
        seed: the seed of the samples; None for the seed of `distribution`. Default: None.
        name: the name. Default: "transformed_distribution".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import bijector as msb, distribution as msd
        >>> lognormal = msd.TransformedDistribution(msb.Exp(), msd.Normal(0.0, 1.0))
        >>> print(lognormal.cdf(ms.Tensor([1.0])), lognormal.sample((2, 3)).shape)
        [0.5] (2, 3)
    """

    @checked
    def __init__(
        self, bijector: Bijector, distribution: Distribution, seed: int | None = None,
        name: str = "transformed_distribution",
    ) -> None:  # fmt: skip
        kind_of(FloatType).take(distribution.dtype, "dtype", type(self).__name__)
        given = {"bijector": bijector, "distribution": distribution, "seed": seed, "name": name}
        super().__init__(seed, distribution.dtype, name, given)
        if seed is not None:
            distribution = copy.copy(distribution)
            distribution._seed = self._seed
        self._bijector = bijector
        self._distribution = distribution
        self._common_type = distribution.parameter_type
        self.parameter_names = [*distribution.parameter_names]
        self.default_parameters = [*distribution.default_parameters]

    bijector = parameter("bijector", "The transformation.")
    distribution = parameter("distribution", "The distribution of what is transformed.")

    @property
    def is_linear_transformation(self) -> bool:
        """Whether the Jacobian is constant, so that the mean is the transformed mean."""
        return self._bijector.is_constant_jacobian

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        """The shape of one sample, which is the shape of the parameters of both; None while one is missing."""
        shapes = self._distribution.broadcast_shape, self._bijector.batch_shape
        return None if None in shapes else tuple(torch.broadcast_shapes(*shapes))

    @property
    def is_scalar_batch(self) -> bool:
        """Whether no parameter of both has dimensions."""
        return self._distribution.is_scalar_batch and self._bijector.is_scalar_batch

    def extend_repr(self) -> str:
        """Return nothing: the bijector and the distribution are printed as cells."""
        return ""

    def _log_prob(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        density = self._distribution.log_prob(self._bijector.inverse(value), *args, **kwargs)
        return density + self._bijector.inverse_log_jacobian(value)

    def _cdf(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        return self._by_direction(self._distribution.cdf, self._distribution.survival_function, value, args, kwargs)

    def _log_cdf(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        return self._by_direction(self._distribution.log_cdf, self._distribution.log_survival, value, args, kwargs)

    def _survival_function(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        return self._by_direction(self._distribution.survival_function, self._distribution.cdf, value, args, kwargs)

    def _log_survival(self, value: _Tensor, *args: Any, **kwargs: Any) -> _Tensor:
        return self._by_direction(self._distribution.log_survival, self._distribution.log_cdf, value, args, kwargs)

    def _by_direction(self, increasing: Any, decreasing: Any, value: _Tensor, args: Any, kwargs: Any) -> _Tensor:
        """Call the first function where the bijector increases, the other where it decreases."""
        original = self._bijector.inverse(value)
        result = increasing(original, *args, **kwargs)
        decreases = self._bijector._is_decreasing()
        return result if decreases is None else ops.where(decreases, decreasing(original, *args, **kwargs), result)

    def _mean(self, *args: Any, **kwargs: Any) -> _Tensor:
        if not self.is_linear_transformation:
            raise ValueError(
                f"For '{type(self).__name__}', only transformations with a constant Jacobian have a mean, "
                f"but the bijector is {self._bijector.name!r}."
            )
        return self._bijector.forward(self._distribution.mean(*args, **kwargs))

    def _sample(self, shape: tuple[int, ...] = (), *args: Any, **kwargs: Any) -> _Tensor:
        whole = self.broadcast_shape
        if not args and not kwargs and whole is not None and whole != self._distribution.broadcast_shape:
            args = tuple([value.broadcast_to(whole) for value in self.default_parameters])  # type: ignore[union-attr]
        return self._bijector.forward(self._distribution.sample(shape, *args, **kwargs))


@formulas
class LogNormal(Formulas, TransformedDistribution):
    """The log-normal distribution: the exponentials of normal numbers.

    Args:
        loc: the mean of the normal numbers: a number, a list, an array, a Tensor, or None if every call passes
            it. Default: None.
        scale: their standard deviation, greater than 0, likewise.
        seed: the seed of the samples, >= 0; with None or 0 they follow `set_seed`. Default: 0.
        dtype: the dtype of the samples, a float. Default: float32.
        name: the name. Default: "LogNormal".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.LogNormal([0.3], [[0.2], [0.4]]).prob(ms.Tensor([1.0, 2.0])).shape)
        (2, 2)
    """

    _type = "LogNormal"
    loc = parameter("loc", "The mean of the logarithms.")
    scale = parameter("scale", "The standard deviation of the logarithms.")

    @checked
    def __init__(
        self, loc: Any = None, scale: Any = None, seed: int | None = 0, dtype: FloatType = mstype.float32,
        name: str = "LogNormal",
    ) -> None:  # fmt: skip
        super().__init__(Exp(), Normal(loc, scale, dtype=dtype), seed, name)
        loc, scale = self.default_parameters
        self._reset_parameters()
        self._keep({"loc": loc, "scale": scale})

    extend_repr = Distribution.extend_repr

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        logarithm = value.log()
        return torch.where(value > 0, normal_log_prob(logarithm, loc, scale) - logarithm, -math.inf)

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return torch.special.ndtr((value.clamp_min(0).log() - loc) / scale)

    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return torch.special.log_ndtr((value.clamp_min(0).log() - loc) / scale)

    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return torch.special.ndtr((loc - value.clamp_min(0).log()) / scale)

    def _log_survival(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return torch.special.log_ndtr((loc - value.clamp_min(0).log()) / scale)

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return torch.exp(loc + 0.5 * scale**2)

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.exp(loc - scale**2)

    def _var(self, loc: Tensor, scale: Tensor) -> Tensor:
        return torch.expm1(scale**2) * torch.exp(2 * loc + scale**2)

    def _entropy(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc + normal_entropy(scale)

    def _kl_loss(self, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        return normal_kl(loc_b, scale_b, loc, scale)

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return torch.exp(loc + scale * self._normal(shape, loc))


@formulas
class Gumbel(Formulas, TransformedDistribution):
    """The Gumbel distribution, of the maximum of many numbers.

    Args:
        loc: the mode: a number, a list, an array or a Tensor.
        scale: the scale, greater than 0, likewise.
        seed, dtype, name: as for `LogNormal`; the name is "Gumbel".

    Examples:
        >>> import torchspore as ms
        >>> from torchspore.nn.probability import distribution as msd
        >>> print(msd.Gumbel(1.0, 2.0).cdf(ms.Tensor([1.0])), msd.Gumbel(0.0, 1.0).mean())
        [0.36787945] 0.5772157

    MindSpore: `mindspore.nn.probability.distribution.Gumbel`, whose functions take no parameters.
    """

    _type = "Gumbel"
    loc = parameter("loc", "The mode.")
    scale = parameter("scale", "The scale.")

    @checked
    def __init__(
        self, loc: Any, scale: Any, seed: int | None = 0, dtype: FloatType = mstype.float32, name: str = "Gumbel"
    ) -> None:
        super().__init__(Invert(GumbelCDF(loc, scale)), Uniform(0.0, 1.0, dtype=dtype), seed, name)
        self._common_type = self._type_of({"loc": loc, "scale": scale}, dtype)
        self._reset_parameters()
        self._keep({"loc": loc, "scale": scale})

    extend_repr = Distribution.extend_repr

    def _log_prob(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        distance = (value - loc) / scale
        return -(distance + torch.exp(-distance)) - scale.log()

    def _log_cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return -torch.exp((loc - value) / scale)

    def _cdf(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return torch.exp(-torch.exp((loc - value) / scale))

    def _survival_function(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return -torch.expm1(-torch.exp((loc - value) / scale))

    def _log_survival(self, value: Tensor, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return (-torch.expm1(-torch.exp((loc - value) / scale))).log()

    def _mean(self, loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return loc + _EULER * scale

    def _mode(self, loc: Tensor, scale: Tensor) -> Tensor:
        return loc

    def _sd(self, loc: Tensor, scale: Tensor) -> Tensor:
        return scale * (math.pi / math.sqrt(6))

    def _entropy(self, loc: Tensor, scale: Tensor) -> Tensor:
        return scale.log() + (1 + _EULER)

    def _kl_loss(self, loc_b: Tensor, scale_b: Tensor, loc: Tensor, scale: Tensor) -> Tensor:
        ratio = scale / scale_b
        shift = (loc_b - loc) / scale_b
        return _EULER * (ratio - 1) - ratio.log() + torch.expm1(shift + torch.lgamma(ratio + 1)) - shift

    def _sample(self, shape: tuple[int, ...], loc: Tensor, scale: Tensor) -> Tensor:  # type: ignore[override]
        return loc - scale * (-self._uniform(shape, loc).log()).log()


def _transformed_by(distribution: Distribution, bijector: Bijector, *args: Any, **kwargs: Any) -> Distribution:
    return TransformedDistribution(bijector, distribution, *args, **kwargs)


Distribution._transformed_by = _transformed_by
