"""The random numbers of MindSpore's transforms: the 32-bit Mersenne Twister and the distributions of libstdc++."""

from __future__ import annotations

import functools
import math
import random
import threading
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from typing import Any, TypeVar

import numpy as np

from torchspore.dataset.rows.orders import below, shuffled
from torchspore.dataset.rows.streams import new_seed

__all__ = ["Draws", "Gamma", "draws_of", "with_draws"]

Result = TypeVar("Result")

_RANGE = 2.0**32
_FIRST = 64  # words of a seed that are kept
_f = np.float32


@functools.lru_cache(32)
def _start(seed: int) -> tuple[tuple[int, ...], list[int]]:
    """Return the state after a seed, and the first words."""
    bits: Any = np.random.MT19937(0)
    bits._legacy_seeding(seed & 0xFFFFFFFF)
    state = (*bits.state["state"]["key"].tolist(), 624)
    return state, bits.random_raw(_FIRST).tolist()


class Draws(Iterator[int]):
    """A sequence of random numbers, as of `std::mt19937`, and what distributions of C++ make of them.

    Args:
        seed: the seed; None for any numbers.
        position: how many words come before. Default: 0.
    """

    def __init__(self, seed: int | None, position: int = 0) -> None:
        self._seed = 0 if seed is None else seed
        self._words = None if seed is not None else random.Random(new_seed())
        self._drawn = max(position, ~position)
        self._kept: Any = None  # the second normal number of a pair
        if position < 0:
            self.normal()

    @property
    def position(self) -> int:
        """The position to begin from for the same numbers: before the pair of which a normal number is left, as ~it."""
        return self._drawn if self._kept is None else self._before_kept

    def __next__(self) -> int:
        drawn = self._drawn
        self._drawn += 1
        if self._words is None:
            state, first = _start(self._seed)
            if drawn < _FIRST:
                return first[drawn]
            self._words = random.Random()
            self._words.setstate((3, state, None))
            self._words.getrandbits(32 * drawn)
        return self._words.getrandbits(32)

    def below(self, size: int) -> int:
        """Return an int in [0, size), as `uniform_int_distribution` does."""
        return below(self, size)

    def between(self, low: int, high: int) -> int:
        """Return an int in [low, high]."""
        return low + below(self, high - low + 1)

    def fraction(self) -> float:
        """Return a number in [0, 1) of float64."""
        low = next(self)
        return min((low + next(self) * _RANGE) / 2.0**64, 1 - 2.0**-53)

    def fraction32(self) -> np.float32:
        """Return a number in [0, 1) of float32."""
        return min(_f(next(self)) / _f(_RANGE), _f(1 - 2.0**-24))

    def fractions32(self, shape: tuple[int, ...]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return numbers in [0, 1) of float32."""
        return np.array([self.fraction32() for _ in range(math.prod(shape))], np.float32).reshape(shape)

    def uniform32(self, low: float, high: float) -> float:
        """Return a number in [low, high) of float32."""
        return float(self.fraction32() * (_f(high) - _f(low)) + _f(low))

    def happens(self, prob: float) -> bool:
        """Return whether something of this probability happens, as `bernoulli_distribution` does."""
        return self.fraction() < prob

    def normal(self) -> Any:
        """Return a normally distributed number of float32, one of two from a pair."""
        if self._kept is None:
            number, self._kept = self.normal_pair()
        else:
            number, self._kept = self._kept, None
        return number

    def normal_pair(self) -> tuple[Any, Any]:
        """Return two normally distributed numbers of float32, by the polar method of Marsaglia."""
        square = _f(0)
        while square > 1 or square == 0:
            self._before_kept = ~self._drawn
            x = _f(2) * self.fraction32() - _f(1)
            y = _f(2) * self.fraction32() - _f(1)
            square = x * x + y * y
        scale = np.sqrt(_f(-2) * _f(math.log(square)) / square)
        return y * scale, x * scale

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffle in place."""
        shuffled(items, self)

    def sample(self, items: Sequence[Any], count: int) -> list[Any]:
        """Return some of the items in their order, as `std::sample` does."""
        found: list[Any] = []
        left = len(items)
        while len(found) < count and left >= 2:  # one number serves for two items
            for number in divmod(self.below(left * (left - 1)), left - 1):
                if number < count - len(found):
                    found.append(items[-left])
                left -= 1
        if len(found) < count and self.below(left) < count - len(found):
            found.append(items[-1])
        return found


class Gamma:
    """Gamma distributed numbers of float32 of scale 1, by the method of Marsaglia and Tsang.

    Args:
        draws: the random numbers.
        alpha: the shape.
    """

    def __init__(self, draws: Draws, alpha: float) -> None:
        self._draws, self._alpha = draws, _f(alpha)
        self._normals: list[Any] = []

    def __call__(self) -> Any:
        one = _f(1)
        raised = self._alpha + one if self._alpha < 1 else self._alpha
        size = raised - one / _f(3)
        spread = one / np.sqrt(_f(9) * size)
        while True:
            self._normals = self._normals or [*self._draws.normal_pair()]
            number = self._normals.pop(0)
            cube = one + spread * number
            if cube <= 0:
                continue
            cube = cube * cube * cube
            part = self._draws.fraction32()
            limit = _f(0.5) * number * number + size * (one - cube + _f(math.log(cube)))
            if part <= 1 - 0.0331 * float(number) ** 4 or math.log(part) <= limit:
                break
        if self._alpha >= 1:
            return size * cube
        part = _f(0)
        while not part:
            part = self._draws.fraction32()
        return _f(float(part) ** float(one / self._alpha)) * size * cube


class _Thread(threading.local):
    draws: dict[int, Draws] = {}  # noqa: RUF012 - of the transforms of the current row, by their ids


_thread = _Thread()


def with_draws(draws: dict[int, Draws], function: Callable[..., Result], *arguments: Any) -> Result:
    """Return the result of a function, during which the transforms of some ids have these random numbers."""
    outer, _thread.draws = _thread.draws, draws
    try:
        return function(*arguments)
    finally:
        _thread.draws = outer


def draws_of(transform: object) -> Draws | None:
    """Return the random numbers of a transform of the operation whose row this thread computes, or None elsewhere."""
    return _thread.draws.get(id(transform))
