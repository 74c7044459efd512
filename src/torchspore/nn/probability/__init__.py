"""Probability: distributions, and bijectors that transform them."""

from __future__ import annotations

from torchspore.nn.probability import (
    bijector,
    distribution,
)

__all__ = ["bijector", "distribution"]
