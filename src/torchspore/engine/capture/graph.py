"""The graph of one signature: the traced paths of a function, what they depend on, and how its inputs are found."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.capture.effects import HiddenChange
from torchspore.engine.capture.guards import Guards, members, reach
from torchspore.engine.capture.places import line_of
from torchspore.engine.capture.signature import Openness, objects, signature
from torchspore.engine.capture.straight import place_in_graph
from torchspore.engine.capture.trace import Trace, trace
from torchspore.engine.capture.tree import Tree, Unexplored
from torchspore.engine.errors import explain
from torchspore.engine.tree import map_tensors, tensors

__all__ = ["Graph", "recording"]

_set_grad_enabled = torch._C._set_grad_enabled

# Held while a graph is recorded, when parameters have stand-ins, and while the inputs of a run are read.
recording = threading.RLock()


class Graph:
    """The captured paths of one signature and state of the cells, and what they depend on.

    Args:
        fn: the function.
        args: the arguments of its first call.
        kwargs: the keyword arguments.
        level: "O0", "O1" or "O2".
        tiered: whether straight code runs while the graph is compiled.
        openness: what in the arguments is left open.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        level: str,
        tiered: bool,
        openness: Openness,
    ) -> None:
        reached = reach(fn, *objects((args, kwargs)))
        leaves: list[Any] = []
        signature((args, kwargs), leaves, openness)
        self._cells = reached.cells
        self._guards = Guards(reached)
        self._read: dict[Tensor, tuple[torch.Tensor, int]] = {}
        self._openness = openness
        self.unsettled = ""  # an attribute that the function reads and sets to another value
        self._conditions: list[Callable[[list[Any]], bool]] = []
        known = set(map(id, leaves))
        # Other tensors of cells than parameters are found by their places: an attribute may be set to another tensor.
        places = {id(_member(*place)): place for place in members(self._cells)}
        self._members = [place for tensor, place in places.items() if tensor not in known]
        known |= places.keys()
        held = [*[p for cell in self._cells for p in cell.get_parameters(expand=False)], *reached.tensors]
        self._tensors = list(dict.fromkeys(tensor for tensor in held if id(tensor) not in known))
        self.tree = Tree(self._trace(fn, args, kwargs, ()), len(leaves), level, tiered)
        self._choose_inputs()

    def explore(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], answers: list[Any]) -> int:
        """Trace the path that begins with these answers, unless it is known; return the number of traces."""
        if self.tree.knows(answers):
            return 0
        self.tree.add(self._trace(fn, args, kwargs, answers))
        self._choose_inputs()
        return 1

    def _trace(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], answers: Any) -> Trace:
        held = [*self._tensors, *[_member(*place) for place in self._members]]
        try:
            traced = trace(fn, args, kwargs, held, self._cells, answers, self._openness)
        except BaseException:
            self._guards.restore_places()
            raise
        if not self._guards.places_hold():
            changed = self._guards.changed()
            self._guards.restore_places()
            raise HiddenChange(f"it changes {changed}")
        self._read |= traced.read
        for effect in traced.effects:
            if effect.noted:
                self.unsettled = f"'{effect.name}' of {type(effect.cell).__name__}"
        if traced.condition is not None:
            self._conditions.append(traced.condition)
        return traced

    def _choose_inputs(self) -> None:
        count = len(self._tensors)
        self._used = [self._tensors[i] for i in self.tree.held if i < count]
        self._used_members = [self._members[i - count] for i in self.tree.held if i >= count]

    def holds(self, leaves: list[Any]) -> bool:
        """Tell whether the graph is what the function would do with these tensors as arguments."""
        if not self._guards.hold():
            return False
        if self._conditions and not all(condition(leaves) for condition in self._conditions):
            return False
        read = self._read
        return not read or all(
            tensor._t is value and value._version == version for tensor, (value, version) in read.items()
        )

    def change(self) -> str:
        """Say why the graph is not what the function would do now."""
        if not self._guards.hold():
            return f"{self._guards.changed()} has changed"
        return "a value that the function read has changed" if self._read else "the sizes are others"

    def run(self, leaves: list[Any]) -> Any:
        """Run the graph; return the function's result.

        Raises:
            Unexplored: a condition on values leads where no trace has been; nothing has been changed.
        """
        with recording:
            inputs = [tensor._t for tensor in leaves]
            inputs += [tensor._t for tensor in self._used]
            inputs += [_member(*place)._t for place in self._used_members]
            inputs += self.tree.constants
            way = self.tree.way
        was_enabled = torch.is_grad_enabled()
        _set_grad_enabled(False)
        try:
            end, values = self.tree.run(way, inputs)
        except Unexplored:
            raise
        except Exception as error:
            raise _at_the_users_line(error) from error
        finally:
            _set_grad_enabled(was_enabled)
        return wrap(values[0]) if end.single else _result(end, leaves, values)


def _result(end: Trace, leaves: list[Any], values: list[torch.Tensor]) -> Any:
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
