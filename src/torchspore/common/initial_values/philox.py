"""Random numbers for initial values: MindSpore's, from the same seed.

MindSpore's initializers take a seed from NumPy's global generator and draw with the counter-based generator
Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"). With the same arithmetic a network starts
from the same weights after the same `set_seed`, and losses can be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch

_CHUNK = 2**15  # counters at a time, so that intermediate values stay in the processor's cache
_WORD = 2**32 - 1
_MASK, _SHIFT = np.uint64(_WORD), np.uint64(32)
_FACTORS = np.array([[0xD2511F53], [0xCD9E8D57]], np.uint64)
_KEY_STEPS = np.array([[0x9E3779B9], [0xBB67AE85]], np.uint64)
_ROUNDS = 10
_MANTISSA = 2**23 - 1
_SMALLEST = float(np.float32(1e-7))  # the logarithm of 0 is infinite
_PI = float(np.float32(3.1415925))  # as MindSpore's kernel has it


def new_seed() -> int:
    """Return a seed from NumPy's global generator, which `set_seed` seeds."""
    return int(np.random.randint(1, 2**63, dtype=np.int64))


def fill_uniform(values: torch.Tensor, low: float, high: float, seed: int | None = None) -> None:
    """Fill a floating-point tensor with numbers that are uniform between two bounds."""
    first, last = float(np.float32(low)), float(np.float32(high))
    scale = (last - first) / 2**32
    for place, bits in _chunks(values, seed):
        _write(values, place, bits.double().mul_(scale).add_(first))


def fill_normal(values: torch.Tensor, mean: float, sigma: float, seed: int | None = None) -> None:
    """Fill a floating-point tensor with numbers of a normal distribution (by Box and Muller)."""
    sigma, mean = float(np.float32(sigma)), float(np.float32(mean))
    for place, bits in _chunks(values, seed):
        radius, angle = (bits & _MANTISSA).double().mul_(2.0**-23).view(-1, 2).unbind(1)
        length = radius.float().clamp_(min=_SMALLEST).double().log_().mul_(-2).sqrt_()
        turned = angle * (2 * _PI)
        pairs = torch.stack([turned.cos().mul_(length), turned.sin().mul_(length)], 1)
        _write(values, place, pairs.view(-1).mul_(sigma).add_(mean))


def fill_truncated_normal(
    values: torch.Tensor, mean: float, sigma: float, low: float, high: float, seed: int | None = None
) -> None:
    """Fill a floating-point tensor with numbers of a normal distribution, given that they lie between two bounds."""
    first, last = (low - mean) / sigma, (high - mean) / sigma
    # An interval above the mean is mirrored: float64 resolves probabilities near 0, but not near 1.
    sign = -1 if min(first, last) > 0 else 1
    start = _normal_cdf(sign * first)
    width = _normal_cdf(sign * last) - start
    bounds = min(low, high), max(low, high)
    for place, bits in _chunks(values, seed):
        parts = bits.double().mul_(2.0**-32 * width).add_(start).clamp_(torch.finfo(torch.double).tiny)
        _write(values, place, torch.special.ndtri(parts).mul_(sign * sigma).add_(mean).clamp_(*bounds))


def _normal_cdf(value: float) -> float:
    return math.erfc(-value / math.sqrt(2)) / 2


def _write(values: torch.Tensor, place: int, drawn: torch.Tensor) -> None:
    flat = values.view(-1)[place : place + drawn.numel()]
    flat.copy_(drawn[: flat.numel()])


def _chunks(values: torch.Tensor, seed: int | None) -> Iterator[tuple[int, torch.Tensor]]:
    """Yield (place, words of 32 random bits as int64) for all elements of a contiguous tensor, a chunk at a time."""
    seed = new_seed() if seed is None else seed
    counters = -(-values.numel() // 4)
    for start in range(0, counters, _CHUNK):
        yield 4 * start, _words(seed, start, min(_CHUNK, counters - start))


def _words(seed: int, start: int, count: int) -> torch.Tensor:
    """Return 4 words for each of `count` counters from `start` on; the seed is the key and the counters' upper half."""
    halves = np.array([[seed & _WORD], [seed >> 32]], np.uint64)
    counters = np.arange(start, start + count, dtype=np.uint64)
    even = np.stack([counters & _MASK, np.full(count, halves[0, 0])])  # words 0 and 2; both are multiplied
    odd = np.stack([counters >> _SHIFT, np.full(count, halves[1, 0])])  # words 1 and 3
    keys = halves
    for _ in range(_ROUNDS):
        products = (even * _FACTORS)[::-1]
        even = products >> _SHIFT
        even ^= odd
        even ^= keys
        odd = products & _MASK
        keys = (keys + _KEY_STEPS) & _MASK
    words = np.empty((count, 4), np.int64)
    words[:, 0::2], words[:, 1::2] = even.T, odd.T
    return torch.from_numpy(words.reshape(-1))
