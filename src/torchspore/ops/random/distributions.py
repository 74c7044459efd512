"""Random tensors.

A `seed` continues its own stream (see `common.random.op_generator`): two calls with the same seed differ, and a program
that runs again draws the same numbers again. None and 0 stand for the stream of `set_seed`.
"""

from __future__ import annotations

import math
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.frames.user_lines import warn_user
from torchspore.common.private_torch import standard_gamma
from torchspore.common.private_torch.error_texts import NOT_WEIGHTS, says
from torchspore.common.random import op_generator
from torchspore.engine.arguments.conversions import as_size
from torchspore.engine.failures.errors import describe
from torchspore.engine.op import Operand, Size, Type, op
from torchspore.engine.parameters import Among, Bools, Dimensions, Floats, Limits, Positive, holding
from torchspore.ops.math.elementwise import add, mul

__all__ = [
    "bernoulli", "choice_with_mask", "gamma", "gumbel_softmax", "laplace", "multinomial", "normal", "poisson", "rand",
    "rand_like", "randint", "randint_like", "randn", "randn_like", "random_categorical", "random_gamma",
    "random_poisson", "randperm", "shuffle", "standard_laplace", "standard_normal", "uniform",
]  # fmt: skip


def joined(seed: int, seed2: int) -> int:
    """Return two seeds as one."""
    return seed + (seed2 << 64)


# Floating point


@op
def uniform(
    shape: Size,
    minval: Tensor,
    maxval: Tensor,
    seed: int | None = None,
    dtype: Annotated[Type, Among((torch.float32, torch.int32))] = mstype.float32,
) -> Tensor:
    """Draw from the uniform distribution over [minval, maxval).

    Args:
        shape: the sizes, a tuple of ints.
        minval, maxval: the bounds, Tensors of `dtype`; of float32 they may have any shape that broadcasts with `shape`.
        seed: the seed of the stream, >= 0. Default: None.
        dtype: float32, or int32 for integers. Default: float32.

    Raises:
        TypeError: a bound is not a Tensor or not of `dtype`, or another `dtype`.
        ValueError: bounds of int32 have dimensions, or `minval` is not less than `maxval`.

    Examples:
        >>> import torchspore as ms
        >>> x = ms.ops.uniform((2, 3), ms.Tensor(1.0), ms.Tensor(2.0), seed=1)
        >>> x.shape, bool((x >= 1).all() and (x < 2).all())
        ((2, 3), True)
    """
    if minval.dtype is not dtype or maxval.dtype is not dtype:
        raise TypeError(f"'minval' and 'maxval' must be of dtype {mstype.FROM_TORCH[dtype]}")
    if dtype is torch.int32:
        return _uniform_int(shape, minval, maxval, seed, "uniform")
    drawn = torch.rand(shape, generator=op_generator("uniform", seed), device=devices.current())
    return drawn * (maxval - minval) + minval


def _uniform_int(shape: Any, minval: Tensor, maxval: Tensor, seed: int | None, api: str) -> Tensor:
    if minval.dim() or maxval.dim():
        raise ValueError("'minval' and 'maxval' must have no dimensions for integers")
    return _integers(int(minval), int(maxval), shape, torch.int32, devices.current(), seed, api)


def _integers(
    low: int, high: int, shape: Any, dtype: torch.dtype, device: torch.device, seed: int | None, api: str
) -> Tensor:
    if low >= high:
        raise ValueError(f"For '{api}', the lower bound must be less than the upper one, but got {low} and {high}.")
    return torch.randint(low, high, shape, generator=op_generator(api, seed), dtype=dtype, device=device)


@op
def normal(shape: Size, mean: Operand, stddev: Operand, seed: int | None = None) -> Tensor:
    """Draw from the normal distribution, in float32 unless the arguments are wider.

    Args:
        shape: the sizes, a tuple of ints.
        mean, stddev: the mean and standard deviation, numbers or Tensors that broadcast with `shape`.
        seed: the seed of the stream, >= 0. Default: None.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.normal((2, 3), 0.0, ms.Tensor([0.1, 1.0, 10.0])).shape
        (2, 3)
    """
    drawn = torch.randn(shape, generator=op_generator("normal", seed), device=devices.current())
    return add.body(mul.body(drawn, stddev), mean)


@op
def standard_normal(shape: Size, seed: int | None = None) -> Tensor:
    """Draw from the normal distribution with mean 0 and standard deviation 1, in float32."""
    return torch.randn(shape, generator=op_generator("standard_normal", seed), device=devices.current())


def _sizes(size: tuple[Any, ...], api: str) -> tuple[int, ...]:
    return as_size(size, api, "size") if size else (1,)


def _floating(dtype: Any) -> torch.dtype:
    if not dtype.is_floating_point:
        raise ValueError("'dtype' must be a floating-point type")
    return dtype


@op
def rand(*size: Any, dtype: Type | None = None, seed: int | None = None) -> Tensor:
    """Draw from the uniform distribution over [0, 1).

    Args:
        size: the sizes, as ints or as one tuple. Default: one element.
        dtype: a floating-point type; ValueError for others. Default: None, float32.
        seed: the seed of the stream, >= 0. Default: None.

    Examples:
        >>> from torchspore import ops
        >>> ops.rand(2, 3).shape
        (2, 3)
    """
    dtype = _floating(dtype or torch.float32)
    shape = _sizes(size, "rand")
    return torch.rand(shape, dtype=dtype, generator=op_generator("rand", seed), device=devices.current())


@op
def randn(*size: Any, dtype: Type | None = None, seed: int | None = None) -> Tensor:
    """Draw from the normal distribution with mean 0 and standard deviation 1; arguments as for `rand`."""
    dtype = _floating(dtype or torch.float32)
    shape = _sizes(size, "randn")
    return torch.randn(shape, dtype=dtype, generator=op_generator("randn", seed), device=devices.current())


@op
def rand_like(input: Tensor, seed: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """`rand` in the shape and, unless given, the dtype of `input`."""
    dtype = _floating(dtype or input.dtype)
    return torch.rand(input.shape, dtype=dtype, generator=op_generator("rand_like", seed), device=input.device)


@op
def randn_like(input: Tensor, seed: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """`randn` in the shape of `input`; by default in float32, as in MindSpore."""
    dtype = _floating(dtype or torch.float32)
    return torch.randn(input.shape, dtype=dtype, generator=op_generator("randn_like", seed), device=input.device)


@op
def standard_laplace(shape: Size, seed: int | None = None) -> Tensor:
    """Draw from the Laplace distribution with mean 0 and scale 1, in float32."""
    generator = op_generator("standard_laplace", seed)
    drawn = torch.empty((2, *shape), device=devices.current()).exponential_(generator=generator)
    return drawn[0] - drawn[1]


@op
def laplace(
    shape: Size,
    mean: Annotated[Tensor, holding(torch.float32)],
    lambda_param: Annotated[Tensor, holding(torch.float32)],
    seed: int | None = None,
) -> Tensor:
    """Draw from the Laplace distribution.

    Args:
        shape: the sizes, a tuple of ints.
        mean, lambda_param: the mean and scale, Tensors of float32 that broadcast with `shape`.
        seed: the seed of the stream, >= 0. Default: None.
    """
    return standard_laplace.body(shape, seed) * lambda_param + mean


def _gammas(shape: Any, alpha: Tensor, seed: int | None, api: str) -> Tensor:
    return standard_gamma(alpha.broadcast_to(shape), generator=op_generator(api, seed))


@op
def gamma(shape: Size, alpha: Floats, beta: Floats, seed: int | None = None) -> Tensor:
    """Draw from the gamma distribution.

    Args:
        shape: the sizes, a tuple of ints.
        alpha, beta: the shape parameter and the inverse scale, floating-point Tensors that broadcast with `shape`.
        seed: the seed of the stream, >= 0. Default: None.
    """
    shape = torch.broadcast_shapes(shape, alpha.shape, beta.shape)
    return _gammas(shape, alpha, seed, "gamma") / beta


@op
def random_gamma(shape: Size, alpha: Tensor, seed: int | None = None) -> Tensor:
    """Draw `shape` numbers from the gamma distribution of each `alpha`, with scale 1; the result has both shapes."""
    return _gammas((*shape, *alpha.shape), alpha, seed, "random_gamma")


def _poissons(shape: Any, rate: Tensor, seed: int | None, api: str) -> Tensor:
    rate = rate if rate.is_floating_point() else rate.float()
    return torch.poisson(rate.broadcast_to(shape), op_generator(api, seed))


@op
def poisson(shape: Size, mean: Tensor, seed: int | None = None) -> Tensor:
    """Draw from the Poisson distribution with means that broadcast with `shape`, in float32."""
    return _poissons(torch.broadcast_shapes(shape, mean.shape), mean.float(), seed, "poisson")


@op
def random_poisson(shape: Size, rate: Tensor, seed: int | None = None, dtype: Type = mstype.float32) -> Tensor:
    """Draw `shape` numbers from the Poisson distribution of each `rate`; the result has both shapes."""
    return _poissons((*shape, *rate.shape), rate, seed, "random_poisson").to(dtype)


# Integers


def _integer(dtype: Any, api: str) -> torch.dtype:
    if dtype not in (torch.int8, torch.int16, torch.int32, torch.int64):
        raise ValueError(f"For '{api}', 'dtype' must be a signed integer type, but got {mstype.FROM_TORCH[dtype]}.")
    return dtype


@op
def randint(low: int, high: int, size: Size, seed: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """Draw integers uniformly from [low, high).

    Args:
        low, high: the bounds.
        size: the sizes, a tuple of ints.
        seed: the seed of the stream, >= 0. Default: None.
        dtype: a signed integer type. Default: None, int64.

    Raises ValueError if `low` is not less than `high`, or `dtype` is not a signed integer type or too narrow.

    Examples:
        >>> from torchspore import ops
        >>> x = ops.randint(1, 10, (2, 3))
        >>> x.shape, bool((x >= 1).all() and (x < 10).all())
        ((2, 3), True)
    """
    dtype = _integer(dtype or torch.int64, "randint")
    return _integers(low, high, size, dtype, devices.current(), seed, "randint")


@op
def randint_like(input: Tensor, low: int, high: int, seed: int | None = None, *, dtype: Type | None = None) -> Tensor:
    """`randint` in the shape and, unless given, the dtype of `input`."""
    dtype = _integer(dtype or input.dtype, "randint_like")
    return _integers(low, high, input.shape, dtype, input.device, seed, "randint_like")


@op
def randperm(n: Positive, seed: int = 0, offset: int = 0, dtype: Type = mstype.int64) -> Tensor:
    """Return the integers from 0 to n - 1 in random order.

    Args:
        n: the number of integers, > 0.
        seed: the seed of the stream; 0 and -1 stand for the seed of `set_seed`. Default: 0.
        offset: a second seed. Default: 0.
        dtype: the data type. Default: int64.

    Raises ValueError if `n` is not positive, or a seed is negative.

    Examples:
        >>> from torchspore import ops
        >>> sorted(ops.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    seed = 0 if seed == -1 else seed
    generator = op_generator("randperm", joined(seed, offset))
    return torch.randperm(n, generator=generator, dtype=dtype, device=devices.current())


@op(method="multinomial")
def multinomial(input: Tensor, num_samples: int, replacement: bool = True, seed: int | None = None) -> Tensor:
    """Draw indices in proportion to weights.

    Args:
        input: the weights, a Tensor of shape (classes,) or (rows, classes), >= 0.
        num_samples: the number of indices to draw (from each row).
        replacement: whether an index may be drawn again. Default: True.
        seed: the seed of the stream, >= 0. Default: None.

    Returns a Tensor of int32, of shape (num_samples,) or (rows, num_samples).
    Raises ValueError if `input` does not have 1 or 2 dimensions, or too few weights to draw without replacement.
    Weights that are negative or not finite count as 0; where only such are left, they are drawn, with a warning.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.multinomial(ms.Tensor([0.0, 1.0, 0.0]), 4))
        [1 1 1 1]
    """
    return _positions(input, num_samples, replacement, seed, "multinomial").to(torch.int32)


def _positions(weights: Tensor, count: int, replacement: bool, seed: int | None, api: str) -> Tensor:
    if weights.dim() not in (1, 2):
        raise ValueError(f"For '{api}', the weights must have 1 or 2 dimensions, but got {describe(weights)}.")
    if count < 0:
        raise ValueError(f"For '{api}', the number of samples must be >= 0, but got {count}.")
    if count == 0:  # which torch refuses
        return weights.new_empty((*weights.shape[:-1], 0), dtype=torch.int64)
    weights = weights if weights.is_floating_point() else weights.float()
    generator = op_generator(api, seed)
    if not replacement and count > weights.shape[-1]:
        raise ValueError(f"For '{api}', {count} of {weights.shape[-1]} indices cannot be drawn without replacement.")
    try:
        return torch.multinomial(weights, count, replacement, generator=generator)
    except RuntimeError as error:
        if not says(error, NOT_WEIGHTS):
            raise
        warn_user(
            f"For '{api}', some weights are negative or not finite, or too few are above 0. They count as 0, and where "
            "no other index is left, indices of weight 0 are drawn."
        )
        possible = torch.where((weights > 0) & weights.isfinite(), weights, 0)
        least = torch.finfo(possible.dtype).tiny
        return torch.multinomial(possible.double().clamp(min=least), count, replacement, generator=generator)


@op(method="random_categorical")
def random_categorical(
    logits: Annotated[Tensor, Dimensions(2)],
    num_sample: int,
    seed: int = 0,
    dtype: Annotated[Type, Among((torch.int16, torch.int32, torch.int64))] = mstype.int64,
) -> Tensor:
    """Draw indices with the probabilities softmax(logits), a Tensor of shape (rows, num_sample).

    Args:
        logits: a Tensor of shape (rows, classes).
        num_sample: the number of indices to draw from each row.
        seed: the seed of the stream; 0 stands for the seed of `set_seed`. Default: 0.
        dtype: int16, int32 or int64. Default: int64.

    Raises TypeError for another `dtype`, ValueError if `logits` does not have 2 dimensions.
    """
    return _positions(logits.softmax(-1), num_sample, True, seed, "random_categorical").to(dtype)


@op
def bernoulli(input: Tensor, p: Operand = 0.5, seed: int | None = None) -> Tensor:
    """Draw zeros and ones.

    Args:
        input: a Tensor that determines shape and dtype of the result.
        p: the probability of a one: a number in [0, 1], or a Tensor of the shape of `input` or of one element.
        seed: the seed of the stream; None, 0 and -1 stand for the seed of `set_seed`. Default: None.

    Raises ValueError if `p` is outside [0, 1] or of another shape, or the seed is less than -1.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.bernoulli(ms.Tensor([1, 2, 3]), p=ms.Tensor([0.0, 1.0, 1.0])))
        [0 1 1]
    """
    if isinstance(p, torch.Tensor):
        if p.shape != input.shape and p.numel() != 1:
            raise ValueError("'p' must be of the shape of 'input' or of one element")
        p = p.reshape(()) if p.numel() == 1 else p
    elif not 0 <= p <= 1:
        raise ValueError("'p' must be in [0, 1]")
    generator = op_generator("bernoulli", 0 if seed == -1 else seed)
    return torch.empty_like(input).bernoulli_(p, generator=generator)


@op
def shuffle(x: Tensor, seed: int | None = None) -> Tensor:
    """Shuffle a Tensor along the first dimension.

    Args:
        x: a Tensor; a scalar is copied.
        seed: the seed of the stream, >= 0. Default: None.

    Examples:
        >>> import torchspore as ms
        >>> sorted(ms.ops.shuffle(ms.Tensor([3, 1, 2])).tolist())
        [1, 2, 3]
    """
    if x.dim() == 0:
        return x.clone()
    order = torch.randperm(x.shape[0], generator=op_generator("shuffle", seed), device=x.device)
    return x.index_select(0, order)


@op
def choice_with_mask(
    input_x: Annotated[Bools, Dimensions(1, 5)], count: Positive = 256, seed: int | None = None
) -> Any:
    """Draw positions of True elements, without repetition.

    Args:
        input_x: a Tensor of bool with 1 to 5 dimensions.
        count: the number of positions to draw, > 0. Default: 256.
        seed: the seed of the stream, >= 0. Default: None.

    Returns:
        (index, mask): positions in a Tensor of int32 of shape (count, dimensions), and whether each is valid; where
        there are fewer True elements than `count`, the rest is zeros and False.
    """
    chosen = shuffle.body(input_x.nonzero().to(torch.int32), seed)[:count]
    missing = count - chosen.shape[0]
    mask = torch.arange(count, device=input_x.device) < chosen.shape[0]
    return torch.nn.functional.pad(chosen, (0, 0, 0, missing)), mask


@op
def gumbel_softmax(
    logits: Tensor, tau: Annotated[float, Limits(above=0, below=math.inf)] = 1.0, hard: bool = False, dim: int = -1
) -> Tensor:
    """Draw from the Gumbel-softmax distribution: soft choices among the elements along a dimension.

    Args:
        logits: the logarithms of the probabilities, not necessarily normalized.
        tau: the temperature, > 0: the lower, the closer to one-hot vectors. Default: 1.0.
        hard: whether to return one-hot vectors, whose gradients are the gradients of the soft choices. Default: False.
        dim: the dimension. Default: -1.

    Raises ValueError if `tau` is not positive, or there is no such dimension.
    """
    return torch.nn.functional.gumbel_softmax(logits, tau, hard, dim=dim)
