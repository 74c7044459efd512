"""Polynomials, given by their coefficients from the highest power to the lowest."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchspore.engine.op import op
from torchspore.engine.parameters import NotNegative
from torchspore.numpy.arrays import array, floating, promoted, single
from torchspore.numpy.linear_algebra import convolve

__all__ = ["polyadd", "polyder", "polyint", "polymul", "polysub", "polyval"]


def _coefficients(*polynomials: Any) -> list[Tensor]:
    found = [torch.atleast_1d(coefficients) for coefficients in promoted(*polynomials)]
    if any(coefficients.dim() > 1 for coefficients in found):
        raise ValueError("coefficients must be arrays of at most one dimension")
    return found


def _padded(coefficients: Tensor, length: int) -> Tensor:
    return torch.nn.functional.pad(coefficients, (length - coefficients.numel(), 0))


@op
def polyadd(a1: Any, a2: Any) -> Tensor:
    """The sum of two polynomials.

    Args:
        a1, a2: the coefficients, from the highest power to the lowest.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.polyadd([1, 2], [9, 5, 4]))
        [9 6 6]
    """
    first, second = _coefficients(a1, a2)
    length = max(first.numel(), second.numel())
    return _padded(first, length) + _padded(second, length)


@op
def polysub(a1: Any, a2: Any) -> Tensor:
    """The difference of two polynomials; arguments as for `polyadd`."""
    return polyadd.body(a1, -array(a2))


@op
def polymul(a1: Any, a2: Any) -> Tensor:
    """The product of two polynomials; arguments as for `polyadd`."""
    return convolve.body(*_coefficients(a1, a2))


@op
def polyval(p: Any, x: Any) -> Tensor:
    """The values of a polynomial.

    Args:
        p: the coefficients, from the highest power to the lowest.
        x: the points to evaluate, an array.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.polyval([3.0, 0.0, 1.0], [1, 2]))
        [ 4. 13.]
    """
    (coefficients,) = _coefficients(p)
    coefficients, x = promoted(single(coefficients), x)
    result = torch.zeros_like(x)
    for coefficient in coefficients.unbind(0):  # Horner's rule
        result = result * x + coefficient
    return result


@op
def polyder(p: Any, m: NotNegative = 1) -> Tensor:
    """The derivative of order `m` of a polynomial."""
    (p,) = _coefficients(p)
    for _ in range(m):
        p = p[:-1] * torch.arange(p.numel() - 1, 0, -1, device=p.device, dtype=torch.int32)
    return p


@op
def polyint(p: Any, m: NotNegative = 1, k: Any = None) -> Tensor:
    """The antiderivative of a polynomial.

    Args:
        p: the coefficients, from the highest power to the lowest.
        m: the number of integrations. Default: 1.
        k: the constants of integration, a number or a list with one for each integration. Default: None, 0.

    Examples:
        >>> import torchspore.numpy as np
        >>> print(np.polyint([6, 4], k=3))
        [3. 4. 3.]
    """
    (p,) = _coefficients(p)
    constants = torch.atleast_1d(array(0 if k is None else k)).reshape(-1)
    if constants.numel() not in (1, m) and m:
        raise ValueError(f"'k' must be a number or have {m} numbers, but has {constants.numel()}")
    for constant in constants.expand(m) if m else ():
        p = floating(p)
        powers = torch.arange(p.numel(), 0, -1, device=p.device)
        p = torch.cat((p / powers, constant.to(p.dtype).reshape(1)))
    return p
