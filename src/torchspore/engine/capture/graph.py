"""The graph of one signature: the traced paths of a function, what they depend on, and how its inputs are found."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import torch

from torchspore.common.private_torch import set_grad_enabled
from torchspore.common.scope import Unread
from torchspore.common.tensor import Tensor
from torchspore.engine.capture import live
from torchspore.engine.capture.branching import Tree, Unexplored
from torchspore.engine.capture.generated_python import place_in_graph
from torchspore.engine.capture.guards import Guards, member, members
from torchspore.engine.capture.reachable_state import HiddenChange, is_foreign, reach
from torchspore.engine.capture.signature import Number, Openness, objects, signature
from torchspore.engine.capture.stand_ins import recording
from torchspore.engine.capture.trace import Trace, trace
from torchspore.engine.capture.user_places import IndexPlace, error_place, line_of
from torchspore.engine.capture.watch import Found, Watch
from torchspore.engine.errors import kind_of

__all__ = ["Graph"]


class Graph:
    """The captured paths of one signature and state of the cells, and what they depend on.

    Args:
        fn: the function.
        args: the arguments of its first call.
        kwargs: the keyword arguments.
        level: "O0", "O1" or "O2".
        tiered: whether straight code runs while the graph is compiled.
        openness: what in the arguments is left open.
        found: more functions that it runs.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        level: str,
        tiered: bool,
        openness: Openness,
        found: Iterable[Any],
    ) -> None:
        self._reached = reached = reach(fn, *objects((args, kwargs)), *found)
        leaves: list[Any] = []
        signature((args, kwargs), leaves, openness)
        self._cells = reached.cells
        self._guards = Guards(reached)
        self._read: dict[Tensor, tuple[torch.Tensor, int]] = {}
        self._openness = openness
        self._place = error_place(RuntimeError(), fn)
        self.unsettled = ""  # an attribute that the function reads and sets to another value
        self._conditions: list[Callable[[list[Any]], bool]] = []
        known = set(map(id, leaves))
        # Other tensors of cells than parameters are found by their places: an attribute may be set to another tensor.
        places = {id(member(*place)): place for place in members(self._cells)}
        self._members = [place for tensor, place in places.items() if tensor not in known]
        # Arguments may be among what the function reaches, too. For parameters the signature tells.
        self._given = reached.given
        self._users_members = [place for place in places.values() if not is_foreign(type(place[0]))]
        self._may_share = bool(self._given or self._users_members)
        self._shared = self._shared_by(leaves)
        known |= places.keys()
        held = [*[p for cell in self._cells for p in cell.get_parameters(expand=False)], *reached.tensors]
        self._tensors = list(dict.fromkeys(tensor for tensor in held if id(tensor) not in known))
        self.tree = Tree(len(leaves), level, tiered)

    def explore(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], answers: list[Any]) -> int:
        """Trace the path that begins with these answers, unless it is known; return the number of traces."""
        if self.tree.knows(answers):
            return 0
        self._add(self._trace(fn, args, kwargs, answers))
        return 1

    def can_run_live(self, leaves: list[Any]) -> bool:
        """Return whether all inputs are tensors, each with a value of its own, so that the values tell the inputs."""
        inputs = [*leaves, *self._tensors, *[member(*place) for place in self._members]]
        return not any(isinstance(leaf, Number) for leaf in leaves) and len({id(t._t) for t in inputs}) == len(inputs)

    def run_and_record(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any]
    ) -> live.Run:
        """Run the function itself, and add the path that it takes, if a graph can repeat it."""
        placed = {member(*place): place for place in self._members}
        watch = Watch(self._reached.codes)
        done = live.run(fn, args, kwargs, leaves, self._tensors, placed, self._reached, watch)
        if done.trace is None:
            return done
        try:
            watch.check()
            self._guards.settle(watch)
            self._add(done.trace)
        except (Unread, Found, HiddenChange) as refusal:
            return done._replace(refusal=refusal)
        self.tree.prepare()
        return done

    def _add(self, traced: Trace) -> None:
        self.tree.add(traced)
        self._read |= traced.read
        self.unsettled = traced.sets or self.unsettled
        if traced.condition is not None:
            self._conditions.append(traced.condition)
        self._choose_inputs()

    def fix_sizes(self, leaves: list[Any]) -> None:
        """Let the graph hold for the sizes of these arguments only, although their signature leaves some open."""
        shapes = [getattr(leaf._t, "shape", None) for leaf in leaves]
        self._conditions.append(lambda given: [getattr(leaf._t, "shape", None) for leaf in given] == shapes)

    def _trace(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], answers: Any) -> Trace:
        watch = Watch(self._reached.codes)
        try:
            traced = trace(
                fn, args, kwargs, self._tensors, self._members, self._reached, watch, answers, self._openness
            )
            watch.check()
            self._guards.settle(watch)
        except BaseException:
            self._guards.restore_places()
            raise
        return traced

    def _choose_inputs(self) -> None:
        count = len(self._tensors)
        self._used = [self._tensors[i] for i in self.tree.held if i < count]
        self._used_members = [self._members[i - count] for i in self.tree.held if i >= count]

    def holds(self, leaves: list[Any]) -> bool:
        """Return whether the graph is what the function would do with these tensors as arguments."""
        if not self._guards.hold():
            return False
        if self._conditions and not all(condition(leaves) for condition in self._conditions):
            return False
        if self._may_share and not all(map(operator.is_, self._shared_by(leaves), self._shared)):
            return False
        read = self._read
        return not read or all(
            tensor._t is value and value._version == version for tensor, (value, version) in read.items()
        )

    def _shared_by(self, leaves: list[Any]) -> list[Any]:
        """Return which arguments are tensors that the function also reaches by itself."""
        if not self._may_share:
            return []
        now = self._given
        if self._users_members:
            now = {**now, **{id(tensor): tensor for tensor in [member(*place) for place in self._users_members]}}
        return [now.get(id(leaf)) for leaf in leaves]

    def change(self) -> str:
        """Say why the graph is not what the function would do now."""
        if not self._guards.hold():
            return f"{self._guards.changed()} has changed"
        return "a value that the function read has changed" if self._read else "the sizes are others"

    def run(self, leaves: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the graph; return the function's result.

        Args:
            leaves: the inputs among the arguments, as `signature` finds them.
            args: the arguments.
            kwargs: the keyword arguments.

        Raises:
            Unexplored: a condition on values leads where no trace has been; nothing has been changed.
        """
        with recording:
            inputs = [tensor._t for tensor in leaves]
            inputs += [tensor._t for tensor in self._used]
            inputs += [member(*place)._t for place in self._used_members]
            inputs += self.tree.constants
            way = self.tree.way
        was_enabled = torch.is_grad_enabled()
        set_grad_enabled(False)
        try:
            end, values = self.tree.run(way, inputs)
        except Unexplored:
            raise
        except Exception as error:
            raise _at_the_users_line(error, self._place) from error
        finally:
            set_grad_enabled(was_enabled)
        return end.outcome(values, args, kwargs)


def _at_the_users_line(error: Exception, function_place: str) -> Exception:
    place = place_in_graph(error)
    where = f"For the line `{line_of(place)}` ({place})" if place else f"For the function at {function_place}"
    summary = str(error).strip().split("\n")[0].rstrip(".")
    is_index_error = isinstance(error, IndexError) and isinstance(place, IndexPlace)
    kind = IndexError if is_index_error else kind_of(error)
    return kind(f"{where}, {summary}.")
