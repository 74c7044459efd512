"""Functions that the formulas of several families share."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from torchspore.common.tensor import Tensor as _Tensor
from torchspore.ops.math import special_functions

__all__ = ["betainc", "gammainc", "log_beta", "normal_entropy", "normal_kl", "normal_log_prob"]

_HALF_LOG_TAU = 0.5 * math.log(2 * math.pi)


def normal_log_prob(value: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
    """The logarithm of the normal density."""
    return -0.5 * ((value - mean) / sd) ** 2 - sd.log() - _HALF_LOG_TAU


def normal_entropy(sd: Tensor) -> Tensor:
    """The entropy of a normal distribution."""
    return sd.log() + (0.5 + _HALF_LOG_TAU)


def normal_kl(mean_b: Tensor, sd_b: Tensor, mean: Tensor, sd: Tensor) -> Tensor:
    """The divergence of two normal distributions."""
    log_ratio = sd.log() - sd_b.log()
    return 0.5 * ((mean - mean_b) / sd_b) ** 2 + 0.5 * torch.expm1(2 * log_ratio) - log_ratio


def gammainc(concentration: Tensor, value: Tensor) -> Tensor:
    """The regularized lower incomplete gamma function, with gradients for both arguments."""
    return special_functions.igamma(_Tensor(concentration), _Tensor(value))._t


def betainc(a: Tensor, b: Tensor, value: Tensor) -> Tensor:
    """The regularized incomplete beta function."""
    return special_functions.Betainc()(*[_Tensor(x) for x in torch.broadcast_tensors(a, b, value)])._t


def log_beta(a: Tensor, b: Tensor) -> Tensor:
    """The logarithm of the beta function."""
    return torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b)
