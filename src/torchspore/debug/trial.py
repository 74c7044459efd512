"""Runs that change nothing: what they write to cells and random generators is undone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

import torch

from torchspore.common import change_count, mode
from torchspore.common.open_shape import OpenTensor
from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import DispatchMode
from torchspore.common.string_tensor import StringTensor
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.function import CapturedFunction
from torchspore.engine.capture.recording.dead_code import written_arguments
from torchspore.engine.capture.recording.undo import Undo
from torchspore.engine.capture.state.reachable_state import UntrackedState, find_reachable
from torchspore.engine.gradients.differentiate import in_scope

__all__ = ["cells_of", "parameters_of", "restored", "tensors_of", "try_out", "undone"]

_T = TypeVar("_T")


class _Finished(BaseException):
    """Ends a scope, which drops the writes as for a failure. Programs catch Exception, but rarely this."""


def cells_of(*functions: Any) -> list[Any]:
    """Return all cells that functions and cells can reach; those inside the cells only if the others are unknown."""
    try:
        return list(find_reachable(*functions).cells)
    except UntrackedState:
        found = [cell for f in functions if hasattr(f, "cells_and_names") for _, cell in f.cells_and_names()]
        return list(dict.fromkeys(found))


def parameters_of(cells: Sequence[Any]) -> list[Parameter]:
    """Return the parameters of cells, each once."""
    return list(dict.fromkeys(p for cell in cells for p in cell.get_parameters(expand=False)))


def tensors_of(cells: Sequence[Any]) -> list[Tensor]:
    """Return the tensors of cells that have elements to compute with, parameters among them, each once."""
    found = (value for cell in cells for value in vars(cell).values() if isinstance(value, Tensor))
    return [value for value in dict.fromkeys(found) if not isinstance(value, (OpenTensor, StringTensor))]


@contextmanager
def restored(cells: Sequence[Any], values: Sequence[Tensor] = ()) -> Iterator[Undo]:
    """Restore the attributes of cells and the random generators after a block, and of tensors what it has noted."""
    undo = Undo(cells, values)
    try:
        yield undo
    finally:
        undo.restore()
        change_count.increase()


@contextmanager
def undone(cells: Sequence[Any], values: Sequence[Tensor] = ()) -> Iterator[None]:
    """Restore cells, their tensors, other tensors and the random generators after a block with calls of `try_out`."""
    with restored(cells, (*tensors_of(cells), *values)) as undo, _Writes(undo):
        yield


class _Writes(DispatchMode):
    """Notes what kernels overwrite, such as running statistics. A scope defers all other writes."""

    def __init__(self, undo: Undo) -> None:
        super().__init__()
        self._undo = undo

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        written = written_arguments(func, args, kwargs or {}, torch.Tensor)
        self._undo.note(written, (*args, *(kwargs or {}).values()))
        return func(*args, **(kwargs or {}))


def try_out(
    function: Callable[..., Any],
    inputs: Sequence[Any],
    weights: Sequence[Parameter],
    then: Callable[[Any, list[torch.Tensor]], _T],
) -> _T:
    """Run a function and then `then(output, aliases of the weights)` in a scope; return the result of that.

    Everything runs as Python; in GRAPH_MODE with the results that graphs have.
    """
    results: list[_T] = []

    def finish(output: Any, _: Any, aliases: list[torch.Tensor]) -> None:
        results.append(then(output, aliases))
        raise _Finished

    run = CapturedFunction(function)._inline if mode.graph else function
    with suppress(_Finished):
        in_scope(run, inputs, {}, (), list(weights), finish)
    return results[0]
