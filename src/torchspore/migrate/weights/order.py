"""Whether the order of definition is the other side's, for layers or weights that differ in nothing else."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any, TypeVar

from torchspore.migrate.weights.names import similarity

__all__ = ["Anchor", "are_numbered", "groups", "in_number_order", "is_crossed", "is_disturbed"]

Anchor = tuple[int, int]
"""The places of two layers that correspond."""

T = TypeVar("T")

_NUMBER = re.compile(r"\d+")
_NEIGHBOURS = 50  # among many layers only these are compared: it takes time
_CLEARLY = 0.12  # more similar names in another order make the order uncertain


def groups(a: list[T], b: list[T], key: Callable[[T], Any]) -> dict[Any, tuple[list[T], list[T]]]:
    """Return the elements of both lists that have the same key, by the key."""
    result: dict[Any, tuple[list[T], list[T]]] = defaultdict(lambda: ([], []))
    for side, elements in enumerate((a, b)):
        for element in elements:
            result[key(element)][side].append(element)
    return result


def are_numbered(elements: list[Any]) -> bool:
    """Return whether the paths of layers or weights differ only by numbers."""
    return len({_NUMBER.sub("0", element.path) for element in elements}) == 1


def in_number_order(elements: list[T]) -> list[T]:
    """Return the layers or weights in the order of the numbers in their paths."""
    return sorted(elements, key=lambda element: [int(number) for number in _NUMBER.findall(element.path)])  # type: ignore[attr-defined]


def is_crossed(ours: list[str], theirs: list[str]) -> bool:
    """Return whether two names in another order would be much more similar."""
    for i in range(len(ours)):
        for j in range(i + 1, min(len(ours), i + _NEIGHBOURS)):
            kept = similarity(ours[i], theirs[i]) + similarity(ours[j], theirs[j])
            swapped = similarity(ours[i], theirs[j]) + similarity(ours[j], theirs[i])
            if swapped > kept + _CLEARLY:
                return True
    return False


def is_disturbed(ours: list[Any], theirs: list[Any], anchors: list[Anchor]) -> bool:
    """Return whether a pair that is known has different numbers of these layers before it on both sides.

    One that is before all on one side and after all on the other is only defined elsewhere.
    """
    places = [sorted(element.place for element in side) for side in (ours, theirs)]
    for anchor in anchors:
        before = [sum(place < at for place in side) for side, at in zip(places, anchor)]
        if before[0] != before[1] and sorted(before) != [0, len(ours)]:
            return True
    return False
