"""A function that runs as a captured graph: captured once per signature, run eagerly where it cannot be captured."""

from __future__ import annotations

import functools
import pathlib
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common import edits
from torchspore.common.parameter import Parameter
from torchspore.common.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.levels import executable
from torchspore.engine.capture.signature import fingerprint, reachable_cells, signature
from torchspore.engine.capture.straight import straight_code
from torchspore.engine.capture.trace import Trace, trace
from torchspore.engine.tree import map_tensors

__all__ = ["CapturedFunction", "NotOneGraph"]

_set_grad_enabled = torch._C._set_grad_enabled
_functorch_level = torch._C._functorch.maybe_current_level
_NOT_THE_USERS = (str(pathlib.Path(torch.__file__).parent), str(pathlib.Path(__file__).parents[2]), "<")


class NotOneGraph(RuntimeError):
    """The function cannot be captured, and `fullgraph=True` forbids running it eagerly."""


class _Graph:
    """One captured graph and what it depends on."""

    def __init__(self, traced: Trace, level: str, cells: list[Any], leaves: list[Tensor]) -> None:
        self.traced = traced
        self.cells = cells
        self.fingerprint = fingerprint(cells)
        self.edits = edits.count()
        self.single = isinstance(traced.output, Tensor) and traced.passed == [None]
        self.run = executable(traced.graph, level, self._inputs(leaves))

    def holds(self) -> bool:
        """Tell whether the graph is still what the function would do."""
        if edits.count() != self.edits:
            if fingerprint(self.cells) != self.fingerprint:
                return False
            self.edits = edits.count()
        read = self.traced.read
        return not read or all(parameter._t._version == version for parameter, version in read.items())

    def __call__(self, leaves: list[Tensor]) -> Any:
        was_enabled = torch.is_grad_enabled()
        _set_grad_enabled(False)
        try:
            values = self.run(*self._inputs(leaves))
        finally:
            _set_grad_enabled(was_enabled)
        if self.single:
            return wrap(values[0])
        remaining = iter(zip(values, self.traced.passed))

        def result(tensor: Tensor) -> Tensor:
            value, position = next(remaining)
            if position is not None:
                return leaves[position]
            return tensor if isinstance(tensor, Parameter) else wrap(value)

        return map_tensors(result, self.traced.output)

    def _inputs(self, leaves: list[Tensor]) -> list[torch.Tensor]:
        return [*[t._t for t in leaves], *[p._t for p in self.traced.parameters], *self.traced.constants]


class CapturedFunction:
    """Calls `fn` as one graph for each signature: shapes and dtypes of tensors, other arguments, state of the cells.

    Args:
        fn: the function.
        level: "O0", "O1" or "O2".
        strict: whether a function that cannot be captured is an error; else it runs eagerly, with one warning.
        name: the name in messages. Default: the function's.
    """

    def __init__(self, fn: Callable[..., Any], level: str, strict: bool, name: str | None = None) -> None:
        functools.update_wrapper(self, fn, updated=())
        self._name = name or getattr(fn, "__qualname__", type(fn).__name__)
        self.fn = fn
        self.level = level
        self.strict = strict
        self.captures = 0
        self._graphs: dict[Any, list[_Graph]] = {}
        self._eager: dict[Any, str] = {}

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function."""
        if scope.depth or scope.tracing is not None or _functorch_level() is not None:
            return self.fn(*args, **kwargs)  # as a part of the outer gradient, graph or transformation
        leaves: list[Tensor] = []
        key = signature((args, kwargs), leaves)
        for graph in self._graphs.get(key, ()):
            if graph.holds():
                return graph(leaves)
        if key in self._eager:
            return self.fn(*args, **kwargs)
        return self._first_call(key, args, kwargs, leaves)

    def graph(self, *args: Any, **kwargs: Any) -> str:
        """Return the captured graph of a call with these arguments, as text."""
        leaves: list[Tensor] = []
        key = signature((args, kwargs), leaves)
        found = next((graph for graph in self._graphs.get(key, ()) if graph.holds()), None)
        if found is None:
            found = self._capture(key, args, kwargs, leaves)
        return straight_code(found.traced.graph.graph)[0]

    def _first_call(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Tensor]) -> Any:
        try:
            graph = self._capture(key, args, kwargs, leaves)
        except Exception as error:
            reason = _reason(error, self.fn)
            if self.strict:
                raise NotOneGraph(f"For 'jit', '{self._name}' cannot be one graph: {reason}") from error
            result = self.fn(*args, **kwargs)  # what is wrong with the program itself shows here
            self._eager[key] = reason
            warnings.warn(f"'{self._name}' runs eagerly, not as one graph: {reason}", RuntimeWarning, stacklevel=3)
            return result
        try:
            return graph(leaves)
        except Exception:
            # Tracing lets some mistakes pass that the kernels refuse; run eagerly, they are explained.
            del self._graphs[key]
            return self.fn(*args, **kwargs)

    def _capture(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Tensor]) -> _Graph:
        cells = reachable_cells((self.fn, args, kwargs))
        inputs = set(map(id, leaves))
        parameters = [p for cell in cells for p in cell.get_parameters(expand=False) if id(p) not in inputs]
        before = [_copied(cell) for cell in cells]
        try:
            traced = trace(self.fn, args, kwargs, list(dict.fromkeys(parameters)))
        except BaseException:
            for cell, attributes in zip(cells, before):
                cell.__dict__.clear()
                cell.__dict__.update(attributes)
            raise
        graph = _Graph(traced, self.level, cells, leaves)
        self._graphs.setdefault(key, []).append(graph)
        self.captures += 1
        return graph


def _copied(cell: Any) -> dict[str, Any]:
    """Return a copy of a cell's attributes, one level into its registries and lists."""
    return {name: value.copy() if type(value) in (dict, list, set) else value for name, value in cell.__dict__.items()}


def _reason(error: Exception, fn: Any) -> str:
    """Return why a function could not be captured, and where: in the user's file."""
    place = ""
    step = error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if not filename.startswith(_NOT_THE_USERS):
            place = f" ({filename}:{step.tb_lineno})"
        step = step.tb_next
    if not place and hasattr(fn, "__code__"):
        place = f" ({fn.__code__.co_filename}:{fn.__code__.co_firstlineno})"
    text = str(error).strip().splitlines()
    return f"{text[0] if text else type(error).__name__}{place}"
