"""Distributions: densities, probabilities, moments, divergences and samples."""

from __future__ import annotations

from torchspore.common.missing_names import suggest_names as _suggest_names
from torchspore.nn.probability.distribution.base import (
    Distribution,
)
from torchspore.nn.probability.distribution.discrete import (
    Bernoulli,
    Categorical,
    Geometric,
    Poisson,
)
from torchspore.nn.probability.distribution.intervals import (
    Beta,
    Exponential,
    Gamma,
    HalfNormal,
    Uniform,
)
from torchspore.nn.probability.distribution.real_line import (
    Cauchy,
    Laplace,
    Logistic,
    Normal,
    StudentT,
)
from torchspore.nn.probability.distribution.transformed import (
    Gumbel,
    LogNormal,
    TransformedDistribution,
)

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Cauchy", "Distribution", "Exponential", "Gamma", "Geometric", "Gumbel",
    "HalfNormal", "Laplace", "LogNormal", "Logistic", "Normal", "Poisson", "StudentT", "TransformedDistribution",
    "Uniform",
]  # fmt: skip

_suggest_names(globals())
