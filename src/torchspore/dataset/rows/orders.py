"""The random orders of MindSpore: with the same seed, rows come in the same order here.

MindSpore draws from the Mersenne Twisters of the C++ standard library and shuffles as `std::shuffle` of libstdc++ does.
NumPy has the 32-bit generator; the 64-bit one, of the `shuffle` operation, follows Matsumoto's definition. Rows of
MindRecord files are shuffled with the minimal standard generator of Park and Miller.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

__all__ = [
    "MERSENNE_TWISTER", "MINIMAL_STANDARD", "Order", "Step", "Words", "drawn_from_classes", "drawn_once",
    "drawn_one_by_one", "drawn_with_replacement", "drawn_with_weights", "interleaved", "mixed", "random_words",
    "shuffle",
]  # fmt: skip

Item = TypeVar("Item")

_WORD = (1 << 32) - 1
_PRIME = (1 << 31) - 1


def _raw(seed: int) -> Iterator[int]:
    bits: Any = np.random.MT19937()
    bits._legacy_seeding(seed & _WORD)
    while True:
        yield from bits.random_raw(1024).tolist()


def _park_miller(seed: int) -> Iterator[int]:
    state = seed % _PRIME or 1
    while True:
        state = 16807 * state % _PRIME
        yield state - 1


class Generator(NamedTuple):
    """A generator of random numbers.

    Args:
        words: returns its numbers from a seed on.
        maximum: the largest one; the smallest one is 0.
    """

    words: Callable[[int], Iterator[int]]
    maximum: int


MERSENNE_TWISTER = Generator(_raw, _WORD)
MINIMAL_STANDARD = Generator(_park_miller, _PRIME - 2)


def below(raw: Iterator[int], size: int, maximum: int = _WORD) -> int:
    """Return the next number in [0, size), as `std::uniform_int_distribution` does."""
    scaling = maximum // size
    past = size * scaling
    for word in raw:
        if word < past:
            return word // scaling
    raise AssertionError("the generator never ends")


def shuffle(items: MutableSequence[int], seed: int, generator: Generator = MERSENNE_TWISTER) -> None:
    """Shuffle in place, as `std::shuffle` does."""
    shuffled(items, generator.words(seed), generator.maximum)


def shuffled(items: MutableSequence[int], raw: Iterator[int], maximum: int = _WORD) -> None:
    size, start = len(items), 1
    if maximum // max(size, 1) < size:  # too many for one number to choose two positions
        for index in range(1, size):
            other = below(raw, index + 1, maximum)
            items[index], items[other] = items[other], items[index]
        return
    if size and size % 2 == 0:
        other = below(raw, 2, maximum)
        items[1], items[other] = items[other], items[1]
        start = 2
    for index in range(start, size, 2):
        first, second = divmod(below(raw, (index + 1) * (index + 2), maximum), index + 2)
        items[index], items[first] = items[first], items[index]
        items[index + 1], items[second] = items[second], items[index + 1]


def drawn_with_replacement(size: int, count: int, seed: int) -> list[int]:
    """Return random numbers in [0, size)."""
    raw = _raw(seed)
    return [below(raw, size) for _ in range(count)]


def drawn_one_by_one(size: int, count: int, seed: int) -> list[int]:
    """Return random numbers in [0, size), each from the next seed."""
    return [below(_raw(seed + number), size) for number in range(count)]


def drawn_with_weights(weights: np.ndarray[Any, Any], count: int, seed: int) -> np.ndarray[Any, Any]:
    """Return random indexes of weights, with their probabilities, as `std::discrete_distribution` does."""
    bounds = np.cumsum(weights / weights.sum())
    bounds[-1] = 1.0
    return np.searchsorted(bounds, _fractions(count, seed))


def _fractions(count: int, seed: int) -> np.ndarray[Any, Any]:
    """Return random numbers in [0, 1), as `std::generate_canonical` does."""
    words = np.array([*itertools.islice(_raw(seed), 2 * count)], np.float64).reshape(-1, 2)
    return (words[:, 0] + words[:, 1] * 2.0**32) / 2.0**64


def drawn_once(weights: np.ndarray[Any, Any], count: int, seed: int) -> np.ndarray[Any, Any]:
    """Return different random indexes of weights: the first arrivals of Poisson processes with these rates."""
    with np.errstate(divide="ignore"):
        return np.argsort(-np.log(1 - _fractions(len(weights), seed)) / weights, kind="stable")[:count]


def drawn_from_classes(
    classes: Sequence[Sequence[int]], count: int, seed: int, number: int, shuffles: bool
) -> list[int]:
    """Return random rows of each class for a pass, any of which may come several times.

    Args:
        classes: the rows of each class.
        count: the number of rows to return of each.
        seed: the seed.
        number: the number of the pass.
        shuffles: whether the classes come in random order, as in the first pass.
    """
    raw, order = _raw(seed), list(range(len(classes)))
    if shuffles:
        shuffled(order, raw)
    if number:
        raw = _raw(seed + number)
    return [classes[each][below(raw, len(classes[each]))] for each in order for _ in range(count)]


Step = Callable[[list[int], int], list[int]]


def _shuffled(rows: list[int], seed: int) -> list[int]:
    shuffle(rows, seed)
    return rows


class Order:
    """Rows that each pass shuffles again, starting from the order of the previous pass.

    Args:
        rows: the rows before the first pass.
        seed_of: the seed for each number of a pass.
        step: returns the rows of the next pass, from the previous pass's rows, which it may change, and a seed.
            Default: it shuffles them.
    """

    def __init__(self, rows: list[int], seed_of: Callable[[int], int], step: Step = _shuffled) -> None:
        self._initial, self._seed_of, self._step = rows, seed_of, step
        self._rows, self._done = list(rows), -1

    def of_pass(self, number: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the rows in the order of a pass."""
        if number < self._done:
            self._rows, self._done = list(self._initial), -1
        while self._done < number:
            self._done += 1
            self._rows = self._step(self._rows, self._seed_of(self._done))
        return np.array(self._rows, np.int64)


def mixed(
    rows: Iterator[Item], buffer_size: int, words: Iterator[int], waiting: list[Item] | None = None
) -> Iterator[Item]:
    """Yield rows through a buffer: a random one leaves it, the last one takes its place, and the next row follows.

    Args:
        rows: the rows.
        buffer_size: the number of rows of the buffer.
        words: the random numbers, one for each row.
        waiting: the buffer with the rows in it. Default: None, a new one with the first rows.
    """
    buffer = list(itertools.islice(rows, buffer_size)) if waiting is None else waiting
    while buffer:
        position = next(words) % len(buffer)
        buffer[position], buffer[-1] = buffer[-1], buffer[position]
        yield buffer.pop()
        buffer.extend(itertools.islice(rows, 1))


def interleaved(counts: Sequence[int], words: Iterator[int]) -> Iterator[int]:
    """Yield numbers of sequences, each as often as it is long: which one gives the next item, by what they have left.

    Args:
        counts: the lengths of the sequences.
        words: random numbers of 32 bits, two for each item.
    """
    left = np.array(counts)
    for _ in range(left.sum()):
        bounds = np.cumsum(left / left.sum())
        bounds[-1] = 1.0
        number = int(np.searchsorted(bounds, (next(words) + next(words) * 2.0**32) / 2.0**64))
        left[number] -= 1
        yield number


class Words:
    """The numbers of a generator, from any position on; going on from the last one costs nothing.

    Args:
        seed: the seed.
        make: returns the numbers of a seed. Default: None, the numbers of the 64-bit Mersenne Twister.
    """

    def __init__(self, seed: int, make: Callable[[int], Iterator[int]] | None = None) -> None:
        self._seed, self._make, self._position = seed, make or random_words, 0
        self._words = self._make(seed)

    def after(self, position: int) -> Iterator[int]:
        """Yield the numbers after the first `position` ones."""
        if position < self._position:
            self._words, self._position = self._make(self._seed), 0
        self._words = itertools.islice(self._words, position - self._position, None)
        self._position = position
        for word in self._words:
            self._position += 1
            yield word


_LENGTH, _MIDDLE = 312, 156
_UPPER, _LOWER = np.uint64(0xFFFFFFFF80000000), np.uint64(0x7FFFFFFF)
_TWIST = np.uint64(0xB5026F5AA96619E9)


def random_words(seed: int) -> Iterator[int]:
    """Yield the numbers of the 64-bit Mersenne Twister."""
    words = [seed & 0xFFFFFFFFFFFFFFFF]
    for index in range(1, _LENGTH):
        words.append((6364136223846793005 * (words[-1] ^ (words[-1] >> 62)) + index) & 0xFFFFFFFFFFFFFFFF)
    state = np.array(words, np.uint64)
    while True:
        for part in (slice(0, _MIDDLE), slice(_MIDDLE, _LENGTH - 1), slice(_LENGTH - 1, _LENGTH)):
            _twist(state, np.arange(_LENGTH)[part])
        yield from _tempered(state).tolist()


def _twist(state: np.ndarray[Any, Any], part: np.ndarray[Any, Any]) -> None:
    mixed = (state[part] & _UPPER) | (state[(part + 1) % _LENGTH] & _LOWER)
    odd = np.where(mixed & np.uint64(1), _TWIST, np.uint64(0))
    state[part] = state[(part + _MIDDLE) % _LENGTH] ^ (mixed >> np.uint64(1)) ^ odd


def _tempered(state: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    words = state ^ ((state >> np.uint64(29)) & np.uint64(0x5555555555555555))
    words ^= (words << np.uint64(17)) & np.uint64(0x71D67FFFEDA60000)
    words ^= (words << np.uint64(37)) & np.uint64(0xFFF7EEE000000000)
    return words ^ (words >> np.uint64(43))
