"""Checks of the inputs and the initial values of layers."""

from __future__ import annotations

from typing import Any

from torchspore.common.error_classes import also
from torchspore.common.tensor import Tensor
from torchspore.engine.failures.errors import describe
from torchspore.engine.parameters import Rule

__all__ = ["DIVISIBLE", "check_initial", "rank"]

# Of the constructors that take them.
DIVISIBLE = Rule(
    "'num_channels' must be a multiple of 'num_groups'",
    lambda num_channels, num_groups: not num_channels % num_groups,
)


def rank(x: Any, api: str) -> int:
    """Return the number of dimensions of a tensor."""
    try:
        return x._t.dim()
    except AttributeError:
        raise also(TypeError, AttributeError)(
            f"For '{api}', the input must be a Tensor, but got {describe(x)}."
        ) from None


def check_initial(value: Any, name: str, shape: tuple[int, ...]) -> None:
    """Check the shape of a Tensor that is a parameter's initial value."""
    if isinstance(value, Tensor) and value.shape != shape:
        raise ValueError(f"'{name}' must be of shape {shape}")
