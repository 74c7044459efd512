"""The primitives that draw random tensors."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.random import op_generator
from torchspore.engine.op import Size, Type, op
from torchspore.engine.parameters import Limits, NotNegative, Positive, StrictFloat, take_as
from torchspore.engine.primitive import Primitive, primitive
from torchspore.ops.random import distributions as random

__all__ = [
    "Bernoulli", "Gamma", "Multinomial", "Poisson", "RandomCategorical", "RandomChoiceWithMask", "RandomGamma",
    "RandomPoisson", "RandomShuffle", "RandpermV2", "StandardLaplace", "StandardNormal", "Uniform", "UniformInt",
    "UniformReal",
]  # fmt: skip

RandomCategorical = primitive("RandomCategorical", random.random_categorical, dtype=mstype.int64)
RandpermV2 = primitive("RandpermV2", random.randperm, seed=0, offset=0, dtype=mstype.int64)


_Seed: TypeAlias = Annotated[int, Limits(-1)]  # -1 is none


class _Seeded(Primitive):
    """A primitive with two seeds; both 0 stand for the stream of `set_seed`."""

    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        super().__init__()
        self.seed = take_as(NotNegative, seed, "seed", self.name)
        self.seed2 = take_as(NotNegative, seed2, "seed2", self.name)

    def _stream(self) -> int:
        return random.joined(self.seed, self.seed2)


class StandardNormal(_Seeded):
    """Draw from the normal distribution with mean 0 and standard deviation 1: `StandardNormal(seed)(shape)`."""

    def __call__(self, shape: Any) -> Any:
        return random.standard_normal(shape, self._stream())


class StandardLaplace(_Seeded):
    """Draw from the Laplace distribution with mean 0 and scale 1: `StandardLaplace(seed)(shape)`."""

    def __call__(self, shape: Any) -> Any:
        return random.standard_laplace(shape, self._stream())


class UniformReal(_Seeded):
    """Draw from the uniform distribution over [0, 1): `UniformReal(seed)(shape)`."""

    def __call__(self, shape: Any) -> Any:
        return _uniform_real(shape, self._stream())


@op(name="UniformReal")
def _uniform_real(shape: Size, seed: int) -> Tensor:
    return torch.rand(shape, generator=op_generator("UniformReal", seed), device=devices.current())


class Uniform(Primitive):
    """Draw from [minval, maxval) in the shape and data type of a tensor: `Uniform(minval, maxval, seed, offset)(x)`.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.Uniform(1.0, 2.0, seed=3)(ms.ops.zeros((2, 3))).shape
        (2, 3)
    """

    def __init__(self, minval: float = 0.0, maxval: float = 1.0, seed: int = 0, offset: int = 0) -> None:
        super().__init__()
        self.minval = take_as(StrictFloat, minval, "minval", self.name)
        self.maxval = take_as(StrictFloat, maxval, "maxval", self.name)
        self.seed = take_as(NotNegative, seed, "seed", self.name)
        self.offset = take_as(NotNegative, offset, "offset", self.name)

    def __call__(self, input: Any) -> Any:
        return _uniform_like(input, self.minval, self.maxval, random.joined(self.seed, self.offset))


@op(name="Uniform")
def _uniform_like(input: Tensor, minval: float, maxval: float, seed: int) -> Tensor:
    drawn = torch.rand(input.shape, generator=op_generator("Uniform", seed), device=input.device)
    return (minval + (maxval - minval) * drawn).to(input.dtype)


class UniformInt(_Seeded):
    """Draw integers from [minval, maxval), two Tensors of int32: `UniformInt(seed)(shape, minval, maxval)`."""

    def __call__(self, shape: Any, minval: Any, maxval: Any) -> Any:
        return random.uniform(shape, minval, maxval, self._stream(), mstype.int32)


class Gamma(_Seeded):
    """Draw from the gamma distribution, as `gamma` does: `Gamma(seed)(shape, alpha, beta)`."""

    def __call__(self, shape: Any, alpha: Any, beta: Any) -> Any:
        return random.gamma(shape, alpha, beta, self._stream())


class RandomGamma(_Seeded):
    """Draw from the gamma distributions of `alpha`, as `random_gamma` does: `RandomGamma(seed)(shape, alpha)`."""

    def __call__(self, shape: Any, alpha: Any) -> Any:
        return random.random_gamma(shape, alpha, self._stream())


class Poisson(_Seeded):
    """Draw from the Poisson distribution, in int32: `Poisson(seed)(shape, mean)`."""

    def __call__(self, shape: Any, mean: Any) -> Any:
        return _poisson(shape, mean, self._stream())


@op(name="Poisson")
def _poisson(shape: Size, mean: Tensor, seed: int) -> Tensor:
    return random.poisson.body(shape, mean, seed).to(torch.int32)


class RandomPoisson(_Seeded):
    """Draw from the Poisson distributions of `rate`, as `random_poisson` does: `RandomPoisson(seed)(shape, rate)`.

    Args:
        seed, seed2: the seeds, >= 0. Default: 0.
        dtype: the data type of the result. Default: int64.
    """

    def __init__(self, seed: int = 0, seed2: int = 0, dtype: Type = mstype.int64) -> None:
        super().__init__(seed, seed2)
        self.dtype = dtype

    def __call__(self, shape: Any, rate: Any) -> Any:
        return random.random_poisson(shape, rate, self._stream(), self.dtype)


class Multinomial(_Seeded):
    """Draw positions with replacement, as `multinomial` does: `Multinomial(seed)(x, num_samples)`.

    Args:
        seed, seed2: the seeds, >= 0. Default: 0.
        dtype: int32 or int64. Default: int32.
    """

    def __init__(self, seed: int = 0, seed2: int = 0, dtype: Type = mstype.int32) -> None:
        super().__init__(seed, seed2)
        if dtype not in (mstype.int32, mstype.int64):
            raise TypeError("'dtype' must be int32 or int64")
        self.dtype = dtype

    def __call__(self, x: Any, num_samples: Any) -> Any:
        return _multinomial(x, num_samples, self._stream(), self.dtype)


@op(name="Multinomial")
def _multinomial(x: Tensor, num_samples: int, seed: int, dtype: Type) -> Tensor:
    return random.multinomial.body(x, num_samples, True, seed).to(dtype)


class RandomShuffle(_Seeded):
    """Shuffle along the first dimension: `RandomShuffle(seed)(x)`."""

    def __call__(self, x: Any) -> Any:
        return random.shuffle(x, self._stream())


class RandomChoiceWithMask(_Seeded):
    """Draw positions of true elements, as `choice_with_mask` does: `RandomChoiceWithMask(count)(input_x)`.

    Args:
        count: the number of positions to draw. Default: 256.
        seed, seed2: the seeds, >= 0. Default: 0.
    """

    def __init__(self, count: int = 256, seed: int = 0, seed2: int = 0) -> None:
        super().__init__(seed, seed2)
        self.count = take_as(Positive, count, "count", self.name)

    def __call__(self, input_x: Any) -> Any:
        return random.choice_with_mask(input_x, self.count, self._stream())


class Bernoulli(Primitive):
    """Draw zeros and ones, as `bernoulli` does: `Bernoulli(seed)(x, p)`.

    Args:
        seed: the seed, >= 0; -1 follows `set_seed`. Default: -1.
        offset: a second seed, >= 0. Default: 0.
    """

    def __init__(self, seed: int = -1, offset: int = 0) -> None:
        super().__init__()
        self.seed = take_as(_Seed, seed, "seed", "Bernoulli")
        self.offset = take_as(NotNegative, offset, "offset", "Bernoulli")

    def __call__(self, x: Any, p: Any) -> Any:
        return random.bernoulli(x, p, random.joined(max(self.seed, 0), self.offset))
