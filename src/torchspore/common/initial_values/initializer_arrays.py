"""Random NumPy arrays, and gains, for initializers that packages write themselves.

MindSpore: the private functions of `mindspore.common.initializer`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from torchspore.common.initial_values.fan_in_out import _calculate_fan_in_and_fan_out
from torchspore.common.initial_values.philox import fill_normal, fill_truncated_normal, fill_uniform, new_seed
from torchspore.common.np_dtype import Array

__all__: list[str] = []


def _assignment(arr: Array, num: Any) -> Array:
    """Fill an array with a number, or an array of its shape, and return it."""
    arr[...] = num
    return arr


def _calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor by which a function of layers changes the scale: `param` is the slope of a leaky ReLU."""
    gains = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2)}
    gains["leaky_relu"] = math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity not in gains:
        raise ValueError(f"'nonlinearity' must be one of {', '.join(gains)}, but got {nonlinearity!r}.")
    return gains[nonlinearity]


def _calculate_in_and_out(arr: Array) -> tuple[int, int]:
    """Return fan-in and fan-out of a weight."""
    return _calculate_fan_in_and_fan_out(arr.shape)


def _numpy_seed() -> int:
    """Return a seed, drawn from NumPy's global generator."""
    return new_seed()


def _init_random_uniform(a: float, b: float, shape: Sequence[int]) -> Array:
    """Return numbers that are uniform in [a, b)."""
    values = torch.empty(tuple(shape))
    fill_uniform(values, a, b)
    return values.numpy()


def _init_random_normal(mean: float, sigma: float, shape: Sequence[int]) -> Array:
    """Return numbers of a normal distribution."""
    values = torch.empty(tuple(shape))
    fill_normal(values, mean, sigma)
    return values.numpy()


def _init_truncated_normal(a: float, b: float, mean: float, sigma: float, shape: Sequence[int]) -> Array:
    """Return numbers of a normal distribution between a and b deviations."""
    values = torch.empty(tuple(shape))
    fill_truncated_normal(values, mean, sigma, mean + a * sigma, mean + b * sigma)
    return values.numpy()


def _init_random_uniform_inplace(a: float, b: float, arr: Array) -> None:
    """Fill an array with numbers that are uniform in [a, b)."""
    arr[...] = _init_random_uniform(a, b, arr.shape)


def _init_random_normal_inplace(mean: float, sigma: float, arr: Array) -> None:
    """Fill an array with numbers of a normal distribution."""
    arr[...] = _init_random_normal(mean, sigma, arr.shape)


def _init_truncated_normal_inplace(a: float, b: float, mean: float, sigma: float, arr: Array) -> None:
    """Fill an array with numbers of a normal distribution between a and b deviations."""
    arr[...] = _init_truncated_normal(a, b, mean, sigma, arr.shape)
