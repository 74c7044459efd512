"""Tensors of a recorded call that were kept where a graph cannot put others: found among the youngest objects."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor

__all__ = ["TensorEscaped", "check_nothing_escaped", "youngest_kept"]

_KINDS = (Tensor, Parameter)


class TensorEscaped(Exception):
    """A tensor of the recorded call was kept by the user's Python: only a plain call gives that tensor a value."""


@contextmanager
def youngest_kept() -> Iterator[None]:
    """Keep what is made in the meantime among the youngest objects, where it is found again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def check_nothing_escaped(is_of_the_call: Callable[[Tensor], bool]) -> None:
    """Look for tensors that live on.

    Args:
        is_of_the_call: returns whether a tensor has a value that only the recorded call has, and is not to live on.

    Raises:
        TensorEscaped: there is one.
    """
    if _lives(is_of_the_call, 0):
        gc.collect()  # some may only wait for the collector
        if _lives(is_of_the_call, 2):
            raise TensorEscaped("a tensor was kept outside the function's result")


def _lives(is_of_the_call: Callable[[Tensor], bool], generation: int) -> bool:
    found = [thing for thing in gc.get_objects(generation) if type(thing) in _KINDS]
    return any(hasattr(tensor, "_t") and is_of_the_call(tensor) for tensor in found)
