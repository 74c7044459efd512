"""Faster forms of transforms: of two in sequence, and of one for all rows of a batch. Results are the same.

The registers have exact types, so classes that users derive from transforms are called directly.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from torchspore.dataset.rows.failures import Raised
from torchspore.dataset.transforms.base import Array

__all__ = ["Step", "batch_form", "has_batch_form", "joins", "of_batch", "steps"]

Pair = Callable[[Any, Any, Any], Any]
Batch = Callable[[Any, Array], Array]
Step = tuple[int, Callable[..., Any]]  # the index of a function, of several the last; the function

_pairs: dict[tuple[type, type], Pair] = {}
_batches: dict[type, Batch] = {}


def joins(first: type, second: type) -> Callable[[Pair], Pair]:
    """Register a function of two transforms and a value; where it raises, the transforms are called instead."""

    def register(function: Pair) -> Pair:
        _pairs[first, second] = function
        return function

    return register


def batch_form(kind: type) -> Callable[[Batch], Batch]:
    """Register a function of a transform and the values of a column in a batch; where it raises, rows are computed."""

    def register(function: Batch) -> Batch:
        _batches[kind] = function
        return function

    return register


def has_batch_form(transform: Any) -> bool:
    """Return whether `of_batch` accepts a transform."""
    return type(transform) in _batches


def of_batch(transform: Any, values: Array) -> Array:
    """Return the results of a transform for all rows of a batch."""
    return _batches[type(transform)](transform, values)


class _Joined:
    """Two transforms as one.

    Args:
        number: the index of the first one, for errors.
        first: the transform.
        second: the next one.
    """

    def __init__(self, number: int, first: Any, second: Any) -> None:
        self._number, self._both = number, (first, second)
        self._fast = functools.partial(_pairs[type(first), type(second)], first, second)

    def __call__(self, *values: Any) -> Any:
        try:
            return self._fast(*values)
        except Exception:
            result: Any = values
        for number, function in enumerate(self._both, self._number):
            try:
                result = function(*(result if type(result) is tuple else (result,)))
            except Exception as error:
                raise Raised(error, number) from error
        return result


def steps(functions: Sequence[Callable[..., Any]]) -> list[Step]:
    """Return what to call for functions in sequence."""
    found: list[Step] = []
    number = 0
    while number < len(functions):
        pair = functions[number : number + 2]
        if len(pair) == 2 and (type(pair[0]), type(pair[1])) in _pairs:
            found.append((number + 1, _Joined(number, *pair)))
            number += 2
        else:
            found.append((number, pair[0]))
            number += 1
    return found
