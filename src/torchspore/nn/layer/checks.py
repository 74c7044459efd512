"""Checks of the inputs and the initial values of layers."""

from __future__ import annotations

from typing import Any

from torchspore.common.error_classes import also
from torchspore.common.tensor import Tensor
from torchspore.engine.arguments.checks import check_int
from torchspore.engine.failures.errors import describe

__all__ = ["check_groups", "check_initial", "rank"]


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


def check_groups(num_groups: Any, num_channels: Any, api: str) -> tuple[int, int]:
    """Return a number of groups and a number of channels, which must be a multiple of it."""
    groups, channels = check_int(num_groups, "num_groups", api), check_int(num_channels, "num_channels", api)
    if channels % groups:
        raise ValueError(f"'num_channels' must be a multiple of 'num_groups', but got {channels} and {groups}")
    return groups, channels
