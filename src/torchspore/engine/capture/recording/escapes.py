"""Tensors that escape from a recorded call: the program keeps them where a graph cannot store new values."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from torchspore.common.frames.tracked_objects import objects_of
from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor

__all__ = ["TensorEscaped", "check_nothing_escaped", "garbage_collection_paused"]

_KINDS = (Tensor, Parameter)


class TensorEscaped(Exception):
    """The program kept a tensor of the recorded call outside the result: only an eager call gives it a value."""


@contextmanager
def garbage_collection_paused() -> Iterator[None]:
    """Disable the garbage collector, so that objects made in the block stay in its youngest generation."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def check_nothing_escaped(is_of_the_call: Callable[[Tensor], bool]) -> None:
    """Check that no tensor of the call is still alive.

    Args:
        is_of_the_call: returns whether a tensor has a value of the recorded call and must not outlive it.

    Raises:
        TensorEscaped: there is one.
    """
    if _lives(is_of_the_call, 0):
        gc.collect()  # some may be garbage in reference cycles
        if _lives(is_of_the_call, 2):
            raise TensorEscaped("a tensor was kept outside the function's result")


def _lives(is_of_the_call: Callable[[Tensor], bool], generation: int) -> bool:
    found, _ = objects_of(_KINDS, generation)
    return any(hasattr(tensor, "_t") and is_of_the_call(tensor) for tensor in found)
