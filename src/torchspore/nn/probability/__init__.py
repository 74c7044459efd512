"""Probability: distributions, bijectors that transform them, and layers of Bayesian networks."""

from __future__ import annotations

from torchspore.nn.probability import (
    bijector,
    bnn_layers,
    distribution,
)

__all__ = ["bijector", "bnn_layers", "distribution"]
