"""Operations that fill a tensor with random numbers in place, and tensor methods that draw with a generator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.generator import Generator
from torchspore.common.scopes.scope import writable
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.conversions import as_float, as_int
from torchspore.engine.failures.errors import describe, explain
from torchspore.engine.op import attach

__all__ = ["bernoulli_", "exponential_", "normal_", "random_", "uniform_"]


def _filled(input: Any, api: str, fill: Callable[[torch.Tensor], Any]) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"For '{api}', 'input' must be a Tensor, but got {describe(input)}.")
    try:
        fill(writable(input))
    except Exception as error:
        raise explain(error, api, {"input": input}) from None
    return input


def _source(generator: Any, api: str) -> torch.Generator | None:
    if generator is None:
        return None
    if not isinstance(generator, Generator):
        raise TypeError(f"For '{api}', 'generator' must be a Generator or None, but got {describe(generator)}.")
    return generator._g


def normal_(input: Tensor, mean: Any = 0, std: Any = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with numbers from the normal distribution, and return it.

    Args:
        input: a floating-point Tensor.
        mean, std: the mean and standard deviation, >= 0 (RuntimeError otherwise). Default: 0 and 1.
        generator: the source of the random numbers. Default: None, the default generator.
    """
    mean, std = as_float(mean, "normal_", "mean"), as_float(std, "normal_", "std")
    source = _source(generator, "normal_")
    return _filled(input, "normal_", lambda value: value.normal_(mean, std, generator=source))


def uniform_(input: Tensor, from_: Any = 0, to: Any = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with numbers from the uniform distribution over [from_, to), and return it."""
    low, high = as_float(from_, "uniform_", "from_"), as_float(to, "uniform_", "to")
    source = _source(generator, "uniform_")
    return _filled(input, "uniform_", lambda value: value.uniform_(low, high, generator=source))


def random_(input: Tensor, from_: Any = 0, to: Any = None, *, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with integers from [from_, to), and return it.

    Args:
        input, generator: as for `normal_`.
        from_, to: the bounds. Default: 0 and None, the largest range of integers without gaps.
    """
    low = as_int(from_, "random_", "from_")
    high = None if to is None else as_int(to, "random_", "to")
    source = _source(generator, "random_")
    return _filled(input, "random_", lambda value: value.random_(low, high, generator=source))


def bernoulli_(input: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with zeros and ones, and return it.

    Args:
        input, generator: as for `normal_`.
        p: the probability of a one, a number or a Tensor that broadcasts with this one. Default: 0.5.
    """
    probability = p._t if isinstance(p, Tensor) else as_float(p, "bernoulli_", "p")
    source = _source(generator, "bernoulli_")
    return _filled(input, "bernoulli_", lambda value: value.bernoulli_(probability, generator=source))


def exponential_(input: Tensor, lambd: Any = 1, *, generator: Generator | None = None) -> Tensor:
    """Fill a tensor with numbers from the exponential distribution of rate `lambd`, and return it."""
    rate = as_float(lambd, "exponential_", "lambd")
    source = _source(generator, "exponential_")
    return _filled(input, "exponential_", lambda value: value.exponential_(rate, generator=source))


def _uniform(self: Tensor, from_: Any = 0.0, to: Any = 1.0, generator: Generator | None = None) -> Tensor:
    """Return numbers from the uniform distribution over [from_, to), in the shape and dtype of the tensor."""
    low, high = as_float(from_, "uniform", "from_"), as_float(to, "uniform", "to")
    source = _source(generator, "uniform")
    fresh = wrap(torch.empty_like(self._t))
    return _filled(fresh, "uniform", lambda value: value.uniform_(low, high, generator=source))


def _bernoulli(self: Tensor, *, generator: Generator | None = None) -> Tensor:
    """Return zeros and ones; each element of the tensor is the probability of a one in its position."""
    source = _source(generator, "bernoulli")
    fresh = wrap(torch.empty_like(self._t))
    return _filled(fresh, "bernoulli", lambda value: value.bernoulli_(self._t, generator=source))


def _cauchy(self: Tensor, median: Any = 0.0, sigma: Any = 1.0) -> Tensor:
    """Return numbers from the Cauchy distribution, in the shape and dtype of the tensor.

    Args:
        median: the median. Default: 0.0.
        sigma: the scale, half of the width at half of the height, > 0. Default: 1.0.
    """
    centre, width = as_float(median, "cauchy", "median"), as_float(sigma, "cauchy", "sigma")
    dtype = self._t.dtype
    is_whole = not (dtype.is_floating_point or dtype.is_complex)  # numbers for integers are drawn as floats
    empty = torch.empty_like(self._t, dtype=torch.float32 if is_whole else dtype)
    drawn = _filled(wrap(empty), "cauchy", lambda value: value.cauchy_(centre, width))
    return wrap(drawn._t.to(dtype))


def _log_normal(self: Tensor, mean: Any = 1.0, std: Any = 2.0) -> Tensor:
    """Return numbers from the log-normal distribution, in the shape and dtype of the tensor.

    Args:
        mean, std: the mean and standard deviation, > 0, of the logarithms. Default: 1.0 and 2.0.
    """
    centre, width = as_float(mean, "log_normal", "mean"), as_float(std, "log_normal", "std")
    return _filled(wrap(torch.empty_like(self._t)), "log_normal", lambda value: value.log_normal_(centre, width))


attach(normal_, "normal_")
attach(_cauchy, "cauchy")
attach(_log_normal, "log_normal")
attach(uniform_, "uniform_")
attach(random_, "random_")
attach(bernoulli_, "bernoulli_")
attach(exponential_, "exponential_")
attach(_uniform, "uniform")
attach(_bernoulli, "bernoulli")
