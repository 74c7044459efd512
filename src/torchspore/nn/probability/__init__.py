"""Probability: distributions, bijectors that transform them, and layers of Bayesian networks."""

from __future__ import annotations

from torchspore.common.names.missing_names import suggest_names as _suggest_names
from torchspore.nn.probability import (
    bijector,
    bnn_layers,
    distribution,
)

__all__ = ["bijector", "bnn_layers", "distribution"]

_suggest_names(globals())
