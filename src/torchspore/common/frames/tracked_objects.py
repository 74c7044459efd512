"""Objects that the garbage collector tracks, found without a moment in which other threads run.

`gc.get_objects` also lists tuples that other threads are making: `tuple(map(...))` has a tuple before its elements
are known. While anything else refers to such a tuple, CPython cannot give it its size and raises SystemError. So the
list must be gone before another thread runs, which is only possible between instructions of Python code, never inside
C functions.
"""

from __future__ import annotations

import functools
import gc
import itertools
import operator
from collections.abc import Collection
from typing import Any

__all__ = ["objects_of"]


def objects_of(kinds: Collection[type], generation: int | None, known: Any = None) -> tuple[list[Any], bool]:
    """Return the objects of a generation of the garbage collector that have exactly these types.

    Args:
        kinds: the types; a set, where there are many.
        generation: the generation, from 0 (the youngest) to 2. None: all that refer to their type, as instances of
            classes that are written in Python do. Objects that `gc.freeze` hid go back to the oldest generation, as
            none may be missed.
        known: an object.

    Returns:
        The objects, and whether `known` is in this generation.
    """
    if generation is None:
        gc.unfreeze()  # it costs nothing, while counting what is frozen takes as long as the search
    everything: list[Any] = []
    listed = gc.get_referrers if generation is None else gc.get_objects
    steps = itertools.chain(
        map(everything.extend, itertools.starmap(listed, (tuple(kinds) if generation is None else (generation,),))),
        itertools.compress(everything, map(kinds.__contains__, map(type, everything))),
        filter(functools.partial(operator.is_, known), everything),
        map(list.clear, (everything,)),
    )
    found = list(steps)[1:-1]
    is_here = bool(found) and known is not None and found[-1] is known
    return found[: len(found) - is_here], is_here
