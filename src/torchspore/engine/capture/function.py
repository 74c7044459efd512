"""A function that runs as a captured graph: captured once per signature, run eagerly where it cannot be captured."""

from __future__ import annotations

import functools
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.scope import Unread, scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture import recompiles
from torchspore.engine.capture.effects import HiddenChange
from torchspore.engine.capture.guards import Guards, members, reach
from torchspore.engine.capture.places import error_place, line_of, user_stack_level
from torchspore.engine.capture.signature import Varying, difference, signature
from torchspore.engine.capture.straight import place_in_graph
from torchspore.engine.capture.trace import TensorEscaped, Trace, trace
from torchspore.engine.capture.tree import Tree, Unexplored
from torchspore.engine.errors import explain
from torchspore.engine.tree import map_tensors, tensors

__all__ = ["CapturedFunction", "NotOneGraph"]

_set_grad_enabled = torch._C._set_grad_enabled
_functorch_level = torch._C._functorch.maybe_current_level
_MOST_GRAPHS = 16  # of one signature: a program that changes an attribute at every call runs eagerly in the end
_MOST_TURNS = 8  # traces for one call, before a program counts as one that does not repeat itself

# Held while a graph is recorded, when parameters have stand-ins, and while the inputs of a run are read.
_recording = threading.RLock()


class NotOneGraph(RuntimeError):
    """The function cannot be captured, and `fullgraph=True` forbids running it eagerly."""


class _Graph:
    """The captured paths of one signature and state of the cells, and what they depend on.

    Args:
        fn: the function.
        args: the arguments of its first call.
        kwargs: the keyword arguments.
        level: "O0", "O1" or "O2".
        varying: for each tensor of the arguments, the dimensions whose size is left open.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        level: str,
        varying: list[tuple[int, ...]],
    ) -> None:
        reached = reach(fn, args, kwargs)
        leaves = tensors((args, kwargs))
        self._cells = reached.cells
        self._guards = Guards(reached)
        self._read: dict[Tensor, int] = {}
        self._varying = varying
        self._conditions: list[Callable[[list[Tensor]], bool]] = []
        known = set(map(id, leaves))
        held = [p for cell in self._cells for p in cell.get_parameters(expand=False) if id(p) not in known]
        self._parameters = list(dict.fromkeys(held))
        # Other tensors of cells are found by their places: an attribute may be set to another tensor.
        places = {id(_member(*place)): place for place in members(self._cells)}
        self._members = [place for tensor, place in places.items() if tensor not in known]
        self.tree = Tree(self._trace(fn, args, kwargs, ()), len(leaves), level)
        self._choose_inputs()

    def explore(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], answers: list[Any]) -> int:
        """Trace the path that begins with these answers, unless it is known; return the number of traces."""
        if self.tree.knows(answers):
            return 0
        self.tree.add(self._trace(fn, args, kwargs, answers))
        self._choose_inputs()
        return 1

    def _trace(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], answers: Any) -> Trace:
        held = [*self._parameters, *[_member(*place) for place in self._members]]
        try:
            traced = trace(fn, args, kwargs, held, self._cells, answers, self._varying)
        except BaseException:
            self._guards.restore_places()
            raise
        if not self._guards.places_hold():
            changed = self._guards.changed()
            self._guards.restore_places()
            raise HiddenChange(f"it changes {changed}")
        self._read |= traced.read
        if traced.condition is not None:
            self._conditions.append(traced.condition)
        return traced

    def _choose_inputs(self) -> None:
        count = len(self._parameters)
        self._used = [self._parameters[i] for i in self.tree.held if i < count]
        self._used_members = [self._members[i - count] for i in self.tree.held if i >= count]

    def holds(self, leaves: list[Tensor]) -> bool:
        """Tell whether the graph is what the function would do with these tensors as arguments."""
        if not self._guards.hold():
            return False
        if self._conditions and not all(condition(leaves) for condition in self._conditions):
            return False
        read = self._read
        return not read or all(tensor._t._version == version for tensor, version in read.items())

    def change(self) -> str:
        """Say why the graph is not what the function would do now."""
        if not self._guards.hold():
            return f"{self._guards.changed()} has changed"
        return "a value that the function read has changed" if self._read else "the sizes are others"

    def run(self, leaves: list[Tensor]) -> Any:
        """Run the graph; return the function's result.

        Raises:
            Unexplored: a condition on values leads where no trace has been; nothing has been changed.
        """
        with _recording:
            inputs = [tensor._t for tensor in leaves]
            inputs += [parameter._t for parameter in self._used]
            inputs += [_member(*place)._t for place in self._used_members]
        inputs += self.tree.constants
        was_enabled = torch.is_grad_enabled()
        _set_grad_enabled(False)
        try:
            end, values = self.tree.run(inputs)
        except Unexplored:
            raise
        except Exception as error:
            raise _at_the_users_line(error) from error
        finally:
            _set_grad_enabled(was_enabled)
        return wrap(values[0]) if end.single else _result(end, leaves, values)


def _result(end: Trace, leaves: list[Tensor], values: list[torch.Tensor]) -> Any:
    """Return the function's result, and set the attributes that the function sets."""
    remaining = iter(zip(values, end.passed))

    def result(tensor: Tensor) -> Tensor:
        value, position = next(remaining)
        if position is not None:
            return leaves[position]
        return tensor if isinstance(tensor, Parameter) else wrap(value)

    output = map_tensors(result, end.output)
    rest = iter(values[len(end.passed) :])
    for effect in end.effects:
        effect.apply(map_tensors(lambda tensor: wrap(next(rest)), effect.value))
    return output


def _at_the_users_line(error: Exception) -> Exception:
    place = place_in_graph(error)
    if not place:
        return error
    summary = str(error).strip().split("\n")[0].rstrip(".")
    return type(explain(error, "", {}))(f"For the line `{line_of(place)}` ({place}), {summary}.")


def _member(cell: Any, name: str, number: int) -> Tensor:
    """Return a tensor that a cell has as an attribute, or inside one."""
    value = cell.__dict__[name]
    return value if isinstance(value, Tensor) else tensors(value)[number]


class CapturedFunction:
    """Calls `fn` as one graph for each signature: shapes and dtypes of tensors, other arguments, state of the cells.

    Args:
        fn: the function.
        level: "O0", "O1" or "O2".
        strict: whether a function that cannot be captured is an error; else it runs eagerly, with one warning.
        name: the name in messages. Default: the function's.
        varying: gives the dimensions of an argument whose size a graph leaves open, for its number and its shape.
            Default: None: a graph for each shape.

    Attributes:
        captures: how often the function was recorded.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        level: str,
        strict: bool,
        name: str | None = None,
        varying: Varying | None = None,
    ) -> None:
        functools.update_wrapper(self, fn, updated=())
        self._name = name or getattr(fn, "__qualname__", type(fn).__name__)
        self.fn = fn
        self.level = level
        self.strict = strict
        self.captures = 0
        self.varying = varying
        self._graphs: dict[Any, list[_Graph]] = {}
        self._eager: dict[Any, str] = {}

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the function."""
        if scope.depth or scope.tracing is not None or _functorch_level() is not None:
            return self.fn(*args, **kwargs)  # as a part of the outer gradient, graph or transformation
        leaves: list[Tensor] = []
        key = signature((args, kwargs), leaves, self.varying)
        for graph in self._graphs.get(key, ()):
            if graph.holds(leaves):
                try:
                    return graph.run(leaves)
                except Unexplored as unexplored:
                    return self._capture_and_run(key, args, kwargs, leaves, graph, unexplored)
        if key in self._eager:
            return self.fn(*args, **kwargs)
        return self._capture_and_run(key, args, kwargs, leaves, None, None)

    def graph(self, *args: Any, **kwargs: Any) -> str:
        """Return the captured graph of a call with these arguments, as text."""
        leaves: list[Tensor] = []
        key = signature((args, kwargs), leaves, self.varying)
        found = next((graph for graph in self._graphs.get(key, ()) if graph.holds(leaves)), None)
        return (found or self._capture(key, args, kwargs, leaves)).tree.text()

    def _capture_and_run(
        self,
        key: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Tensor],
        graph: _Graph | None,
        unexplored: Unexplored | None,
    ) -> Any:
        """Record what is missing for a call, and run it."""
        runs = False
        try:
            for _ in range(_MOST_TURNS):
                with _recording:
                    if graph is None:
                        graph = self._capture(key, args, kwargs, leaves)
                    elif unexplored is not None:
                        recompiles.log(self._name, f"a new answer, {unexplored.answers[-1]}, at {unexplored.place}")
                        self.captures += graph.explore(self.fn, args, kwargs, unexplored.answers)
                try:
                    runs = True
                    return graph.run(leaves)
                except Unexplored as unknown:
                    unexplored, runs = unknown, False
            raise Unread("it does not do the same when it is run again")
        except Exception as error:
            if graph in self._graphs.get(key, ()):
                self._graphs[key].remove(graph)  # type: ignore[arg-type]
            return self._run_eagerly(key, args, kwargs, error, runs)

    def _run_eagerly(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception, captured: bool
    ) -> Any:
        place = error_place(error, self.fn)
        text = str(error).strip().splitlines()
        reason = f"{text[0] if text else type(error).__name__}{f' ({place})' if place else ''}"
        refusal = NotOneGraph(f"For 'jit', '{self._name}' cannot be one graph: {reason}")
        if self.strict and not captured:
            if _is_about_capture(error):
                raise refusal from error
            raise error
        # What is wrong with the program itself shows here: tracing lets some mistakes pass that the kernels refuse.
        result = self.fn(*args, **kwargs)
        if self.strict:
            raise refusal from error
        self._eager[key] = reason
        text = f"'{self._name}' runs eagerly, not as one graph: {reason}"
        warnings.warn(text, RuntimeWarning, stacklevel=user_stack_level())
        return result

    def _capture(self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Tensor]) -> _Graph:
        graphs = self._graphs.setdefault(key, [])
        found = next((graph for graph in graphs if graph.holds(leaves)), None)
        if found is not None:
            return found
        if len(graphs) >= _MOST_GRAPHS:
            raise HiddenChange(f"what it depends on has changed {_MOST_GRAPHS} times")
        self._log(key, graphs)
        varying = [] if self.varying is None else [self.varying(i, leaf._t.shape) for i, leaf in enumerate(leaves)]
        try:
            found = _Graph(self.fn, args, kwargs, self.level, varying)
        except Exception:
            if not any(varying):
                raise
            found = _Graph(self.fn, args, kwargs, self.level, [])  # it needs its sizes as plain numbers
        graphs.append(found)
        self.captures += 1
        return found

    def _log(self, key: Any, graphs: list[_Graph]) -> None:
        """Say why a graph is recorded, where the environment asks for it."""
        if not recompiles.logged():
            return
        if graphs:
            reason = graphs[-1].change()
        else:
            others = [other for other, known in self._graphs.items() if known]
            reason = difference(key, others[-1]) if others else "the first call"
        recompiles.log(self._name, reason)


def _is_about_capture(error: Exception) -> bool:
    """Tell whether an error is one of recording a graph, not of the program."""
    return isinstance(error, (Unread, TensorEscaped, HiddenChange)) or type(error).__module__.startswith("torch")
