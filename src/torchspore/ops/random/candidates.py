"""Candidate samplers, and random numbers of further distributions."""

from __future__ import annotations

import math
from typing import Annotated, Any

import torch
from torch import Tensor

from torchspore.common import device as devices
from torchspore.common import dtype as mstype
from torchspore.common.random import op_generator
from torchspore.engine.distributed.cutting import rules
from torchspore.engine.op import Size, Type, op
from torchspore.engine.parameters import Dimensions, IndexType, Ints, Positive, Rule
from torchspore.engine.parameters.of_operations import ruled
from torchspore.engine.primitive import as_primitive, primitive
from torchspore.ops.random.distributions import joined

__all__ = [
    "Cauchy", "ComputeAccidentalHits", "LogNormalReverse", "LogUniformCandidateSampler", "MultinomialWithReplacement",
    "NonDeterministicInts", "ParameterizedTruncatedNormal", "Randperm", "TruncatedNormal", "UniformCandidateSampler",
    "log_uniform_candidate_sampler", "multinomial_with_replacement", "uniform_candidate_sampler",
]  # fmt: skip


_enough = ruled(
    Rule(
        "'num_sampled' must be <= 'range_max' with 'unique'",
        lambda num_sampled, range_max, unique: not unique or num_sampled <= range_max,
    )
)


def _expected(probabilities: Tensor, tries: int, unique: bool) -> Tensor:
    """Return the expected counts of classes among the candidates, or their probabilities among unique ones."""
    return (-torch.expm1(tries * torch.log1p(-probabilities)) if unique else probabilities * tries).float()


def _draw_classes(
    draw: Any, count: int, unique: bool, refused: Tensor | None, device: torch.device
) -> tuple[Tensor, int]:
    """Draw `count` classes; return them and the number of tries, which is greater for unique classes."""
    found: list[int] = []
    known = set() if refused is None else set(refused.flatten().tolist())
    barred = frozenset(known)
    tries = 0
    while len(found) < count:
        for candidate in draw(4 * count).tolist():
            tries += 1
            if candidate in (known if unique else barred):
                continue
            known.add(candidate)
            found.append(candidate)
            if len(found) == count:
                break
    return torch.tensor(found, dtype=torch.int64, device=device), tries


@op
@_enough
def uniform_candidate_sampler(
    true_classes: Annotated[Ints, "N num_true"],
    num_true: Positive,
    num_sampled: Positive,
    unique: bool,
    range_max: Positive,
    seed: int = 0,
    remove_accidental_hits: bool = False,
) -> Any:
    """Draw classes, all equally likely.

    Args:
        true_classes: the right classes, a Tensor of int32 or int64 of shape (N, num_true).
        num_true: the number of right classes of a sample.
        num_sampled: the number of classes to draw.
        unique: whether they must differ.
        range_max: the number of classes.
        seed: the seed, >= 0; 0 follows `set_seed`. Default: 0.
        remove_accidental_hits: whether to draw no right classes. Default: False.

    Returns:
        (sampled, true_expected, sampled_expected): the classes, in the dtype of `true_classes`, and the expected counts
        of the right and of the sampled classes, in float32.

    Raises ValueError if the shape does not fit, or there are not enough classes.
    Examples:
        >>> import torchspore as ms
        >>> sampled, _, expected = ms.ops.uniform_candidate_sampler(ms.Tensor([[1], [3]]), 1, 3, False, 6)
        >>> print(sampled.shape, expected)
        (3,) [0.5 0.5 0.5]
    """
    api = "uniform_candidate_sampler"
    if remove_accidental_hits and range_max - true_classes.unique().numel() < (num_sampled if unique else 1):
        raise ValueError("there are not enough classes besides the right ones")
    source, device = op_generator(api, seed), true_classes.device

    def draw(count: int) -> Tensor:
        return torch.randint(range_max, (count,), generator=source, device=device)

    refused = true_classes if remove_accidental_hits else None
    sampled, tries = _draw_classes(draw, num_sampled, unique, refused, device)
    probabilities = [
        torch.full(shape, 1 / range_max, dtype=torch.float64, device=device)
        for shape in (true_classes.shape, (num_sampled,))
    ]
    tries = tries if unique else num_sampled
    return sampled.to(true_classes.dtype), *[_expected(part, tries, unique) for part in probabilities]


UniformCandidateSampler = primitive(
    "UniformCandidateSampler", uniform_candidate_sampler, "num_true", "num_sampled", "unique", "range_max", seed=0,
    remove_accidental_hits=False,
)  # fmt: skip


@op
@_enough
def log_uniform_candidate_sampler(
    true_classes: Annotated[Ints, "N num_true"],
    num_true: Positive = 1,
    num_sampled: Positive = 5,
    unique: bool = True,
    range_max: Positive = 5,
    seed: int = 0,
) -> Any:
    """Draw class k with probability log((k + 2) / (k + 1)) / log(range_max + 1); see `uniform_candidate_sampler`."""
    api = "log_uniform_candidate_sampler"
    source, device = op_generator(api, seed), true_classes.device
    whole = math.log(range_max + 1)

    def draw(count: int) -> Tensor:
        uniform = torch.rand(count, dtype=torch.float64, generator=source, device=device)
        return (torch.exp(uniform * whole) - 1).long() % range_max

    def probability(classes: Tensor) -> Tensor:
        return torch.log1p(1 / (classes.double() + 1)) / whole

    sampled, tries = _draw_classes(draw, num_sampled, unique, None, device)
    tries = tries if unique else num_sampled
    true_expected = _expected(probability(true_classes), tries, unique)
    return sampled.to(true_classes.dtype), true_expected, _expected(probability(sampled), tries, unique)


LogUniformCandidateSampler = primitive(
    "LogUniformCandidateSampler", log_uniform_candidate_sampler, num_true=1, num_sampled=5, unique=True, range_max=5,
    seed=0,
)  # fmt: skip


@as_primitive
def ComputeAccidentalHits(
    true_classes: Annotated[Tensor, "N num_true"],
    sampled_candidates: Annotated[Tensor, "M"],
    *,
    num_true: int = 1,
) -> Any:
    """Find the sampled classes that are right ones.

    Args:
        true_classes: the right classes, a Tensor of ints of shape (N, num_true).
        sampled_candidates: the sampled classes, a Tensor of ints of shape (M,).
        num_true: the number of right classes of a sample. Default: 1.

    Returns:
        (indices, ids, weights): for every hit the index of the sample, in int32, the position in `sampled_candidates`,
        and the minimum of float32, to add to its score.

    Examples:
        >>> import torchspore as ms
        >>> hits = ms.ops.ComputeAccidentalHits(1)(ms.Tensor([[1], [0]]), ms.Tensor([0, 1, 2]))
        >>> print(hits[0], hits[1])
        [0 1] [1 0]
    """
    rows, _, ids = (true_classes.unsqueeze(2) == sampled_candidates).nonzero(as_tuple=True)
    weights = torch.full(rows.shape, torch.finfo(torch.float32).min, device=rows.device)
    return rows.to(torch.int32), ids.to(sampled_candidates.dtype), weights


# Distributions


def _truncated(shape: tuple[int, ...], low: Any, high: Any, source: Any, device: torch.device) -> Tensor:
    """Draw from the standard normal distribution between `low` and `high`, in float64."""
    limits = [torch.as_tensor(limit, dtype=torch.float64, device=device) for limit in (low, high)]
    # Far above the mean the distribution function is rounded to 1, far below it is accurate: draw below.
    mirrored = limits[0] > 0
    low, high = torch.where(mirrored, -limits[1], limits[0]), torch.where(mirrored, -limits[0], limits[1])
    bottom, top = torch.special.ndtr(low), torch.special.ndtr(high)
    share = torch.rand(shape, dtype=torch.float64, generator=source, device=device)
    drawn = torch.special.ndtri(bottom + share * (top - bottom))
    drawn = torch.maximum(torch.minimum(drawn, high), low)
    return torch.where(mirrored, -drawn, drawn)


@as_primitive
def TruncatedNormal(shape: Size, *, dtype: Type = mstype.float32, seed: int = 0, seed2: int = 0) -> Tensor:
    """Draw from the standard normal distribution, truncated at -2 and 2.

    Args:
        shape: the sizes, a tuple or a Tensor of ints.
        dtype: a floating-point type. Default: float32.
        seed, seed2: the seeds, >= 0; both 0 follow `set_seed`. Default: 0.

    Examples:
        >>> import torchspore as ms
        >>> bool(abs(ms.ops.TruncatedNormal()((100,))).max() <= 2)
        True
    """
    if not dtype.is_floating_point:
        raise TypeError("'dtype' must be a floating-point type")
    source = op_generator("TruncatedNormal", joined(seed, seed2))
    return _truncated(shape, -2.0, 2.0, source, devices.current()).to(dtype)


@as_primitive
def ParameterizedTruncatedNormal(
    shape: Size, mean: Tensor, stdevs: Tensor, min: Tensor, max: Tensor, *, seed: int = 0, seed2: int = 0
) -> Tensor:
    """Draw from normal distributions, truncated at `min` and `max`.

    Args:
        shape: the sizes, (N, ...), a Tensor or a tuple of ints.
        mean, stdevs, min, max: the means, standard deviations and limits, floating-point Tensors of one dtype: scalars,
            or one number for each of N distributions.
        seed, seed2: the seeds, >= 0; both 0 follow `set_seed`. Default: 0.

    Raises TypeError if the dtypes differ, ValueError if the shapes do not fit.
    """
    api = "ParameterizedTruncatedNormal"
    if len({part.dtype for part in (mean, stdevs, min, max)}) > 1 or not mean.is_floating_point():
        raise TypeError("'mean', 'stdevs', 'min' and 'max' must be of one floating-point type")
    if len(shape) < 2:
        raise ValueError("'shape' must hold 2 sizes or more")
    wide = [part.double().reshape(-1, *[1] * (len(shape) - 1)) for part in (mean, stdevs, min, max)]
    if any(part.shape[0] not in (1, shape[0]) for part in wide):
        raise ValueError(f"'mean', 'stdevs', 'min' and 'max' must hold one number or {shape[0]}")
    middle, scale, low, high = wide
    source = op_generator(api, joined(seed, seed2))
    drawn = _truncated(shape, (low - middle) / scale, (high - middle) / scale, source, mean.device)
    return (drawn * scale + middle).to(mean.dtype)


@as_primitive
def Cauchy(*, size: Any, median: float = 0.0, sigma: float = 1.0) -> Tensor:
    """Draw from the Cauchy distribution: `Cauchy(size)()`.

    Args:
        size: the sizes, a list of ints > 0, not empty.
        median: the median. Default: 0.0.
        sigma: the scale, half of the width at half of the height. Default: 1.0.

    Examples:
        >>> import torchspore as ms
        >>> ms.ops.Cauchy([2, 3])().shape
        (2, 3)
    """
    if not isinstance(size, (list, tuple)):
        raise TypeError("'size' must be a list of ints")
    if not size or min(size) < 1:
        raise ValueError("'size' must hold ints > 0")
    return torch.empty(tuple(size), device=devices.current()).cauchy_(median, sigma)


@as_primitive
def LogNormalReverse(input: Tensor, *, mean: float = 1.0, std: float = 2.0) -> Tensor:
    """Draw from the log-normal distribution, in the shape and dtype of the floating-point Tensor `input`."""
    return torch.empty_like(input).log_normal_(mean, std)


@as_primitive
def NonDeterministicInts(shape: Size, *, dtype: IndexType = mstype.int64) -> Tensor:
    """Draw integers over the whole range of a data type.

    Args:
        shape: the sizes, a Tensor or a tuple of ints.
        dtype: int32 or int64; TypeError for others. Default: int64.
    """
    return torch.empty(shape, dtype=dtype, device=devices.current()).random_(torch.iinfo(dtype).min, None)


@as_primitive
def Randperm(n: Tensor, *, max_length: int = 1, pad: int = -1, dtype: Type = mstype.int32) -> Tensor:
    """Return 0, 1, ..., n - 1 in random order, padded to a length.

    Args:
        n: a Tensor of one int that is at most `max_length`.
        max_length: the length of the result. Default: 1.
        pad: the number to pad with. Default: -1.
        dtype: the data type of the result. Default: int32.

    Examples:
        >>> import torchspore as ms
        >>> print(ms.ops.Randperm(max_length=3)(ms.Tensor([1], ms.int32)))
        [ 0 -1 -1]
    """
    real = torch.arange(max_length, device=n.device) < n.reshape(())
    order = torch.where(real, torch.rand(max_length, device=n.device), 2).argsort()
    return torch.where(real, order, pad).to(dtype)


@op
def multinomial_with_replacement(
    x: Annotated[Tensor, Dimensions(1, 2)], seed: int, offset: int, numsamples: int, replacement: bool = False
) -> Tensor:
    """Draw indices in proportion to weights, in int64.

    Args:
        x: the weights, a Tensor of floats >= 0 of shape (C,) or (N, C).
        seed, offset: the seeds, >= 0; both 0 follow `set_seed`.
        numsamples: the number of indices to draw (from each row).
        replacement: whether an index may be drawn again. Default: False.

    Raises ValueError if the shape does not fit, or there are not enough weights.
    """
    source = op_generator("multinomial_with_replacement", joined(seed, offset))
    if replacement:
        return torch.multinomial(x, numsamples, True, generator=source)
    if numsamples > x.shape[-1]:
        raise ValueError(f"{numsamples} of {x.shape[-1]} indices cannot be drawn without replacement")
    # The order of exponential variables with the weights as rates; indices of weight 0 come last.
    waiting = torch.empty_like(x).exponential_(generator=source) / x
    return waiting.argsort(-1)[..., :numsamples]


MultinomialWithReplacement = primitive(
    "MultinomialWithReplacement", multinomial_with_replacement, "numsamples", replacement=False
)
rules.cut_by(rules.first_only, UniformCandidateSampler)
