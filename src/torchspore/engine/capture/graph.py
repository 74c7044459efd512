"""The graph of one signature: the traced paths of a function, what they depend on, and how its inputs are found."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import torch

from torchspore.common import mode
from torchspore.common.error_classes import also
from torchspore.common.private_torch import set_grad_enabled
from torchspore.common.scopes.scope import NotRecordable
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.branching import Box, Tree, UntracedPath
from torchspore.engine.capture.compiling.generated_python import line_in_graph
from torchspore.engine.capture.recording import live
from torchspore.engine.capture.recording.fake_values import recording
from torchspore.engine.capture.recording.source_lines import ExplainedLine, IndexingLine, error_line, line_text
from torchspore.engine.capture.recording.trace import Trace, trace
from torchspore.engine.capture.state.guards import Guards, member, members
from torchspore.engine.capture.state.reachable_state import UntrackedState, find_reachable, is_foreign
from torchspore.engine.capture.state.signature import Number, Openness, objects, signature
from torchspore.engine.capture.state.watch import UnknownFunctions, Watch
from torchspore.engine.failures.errors import kind_of

__all__ = ["Graph"]


class Graph:
    """The captured paths of one signature, and the state that they depend on.

    Args:
        fn: the function.
        args: the arguments of its first call.
        kwargs: the keyword arguments.
        level: "O0", "O1" or "O2".
        tiered: whether generated Python runs while the graph is being compiled.
        openness: which sizes and numbers in the arguments are inputs.
        found: functions that it runs and that only a run could find.
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
        self._reached = reachable = find_reachable(fn, *objects((args, kwargs)), *found)
        leaves: list[Any] = []
        signature((args, kwargs), leaves, openness)
        if reachable.obstacle:
            raise UntrackedState(reachable.obstacle)
        self._cells = reachable.cells
        self._guards = Guards(reachable)
        self._read: dict[Tensor, tuple[torch.Tensor, int]] = {}
        self._openness = openness
        self._line = error_line(RuntimeError(), fn)
        self.unsettled = ""  # an attribute that the function reads and then changes
        self._conditions: list[Callable[[list[Any]], bool]] = []
        seen = set(map(id, leaves))
        # Plain tensors of cells are looked up at each call: the attribute may be set to another tensor.
        locations = {id(member(*line)): line for line in members(self._cells)}
        self._members = [line for tensor, line in locations.items() if tensor not in seen]
        # An argument may also be reachable in another way. For parameters the signature says so.
        self._given = reachable.given
        self._users_members = [line for line in locations.values() if not is_foreign(type(line[0]))]
        self._may_share = bool(self._given or self._users_members)
        self._shared = self._shared_by(leaves)
        seen |= locations.keys()
        lifted = [*[p for cell in self._cells for p in cell.get_parameters(expand=False)], *reachable.tensors]
        self._tensors = list(dict.fromkeys(tensor for tensor in lifted if id(tensor) not in seen))
        self._arguments = len(leaves)
        self.tree = Tree(len(leaves), level, tiered)

    def trace_path(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], answers: list[Any]
    ) -> int:
        """Trace the path that begins with these answers, unless it exists; return the number of traces."""
        if self.tree.knows(answers):
            return 0
        self._add(self._trace(fn, args, kwargs, answers))
        return 1

    def can_run_live(self, leaves: list[Any]) -> bool:
        """Return whether all inputs are distinct tensors, so that each value belongs to one input."""
        inputs = [*leaves, *self._tensors, *[member(*line) for line in self._members]]
        return not any(isinstance(leaf, Number) for leaf in leaves) and len({id(t._t) for t in inputs}) == len(inputs)

    def run_and_record(
        self,
        fn: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        leaves: list[Any],
        run: Callable[..., live.Run] = live.run,
    ) -> live.Run:
        """Run the function itself, and add the path that it takes if a graph can repeat it; `run` runs it."""
        placed = {member(*line): line for line in self._members}
        watch = Watch(self._reached.codes, self._reached.refused)
        done = run(fn, args, kwargs, leaves, self._tensors, placed, self._reached, watch)
        if done.trace is None:
            return done
        try:
            watch.check()
            self._guards.settle(watch)
            self._add(done.trace)
        except (NotRecordable, UnknownFunctions, UntrackedState) as refusal:
            return done._replace(refusal=refusal)
        self.tree.prepare()
        return done

    def boxes(self) -> list[Box]:
        """Return the graph as the boxes of a picture."""
        names = [f"argument {number}" for number in range(self._arguments)]
        names += [str(getattr(tensor, "name", "tensor")) for tensor in self._tensors]
        return self.tree.boxes([*names, *[f"{type(owner).__name__}.{name}" for owner, name, _ in self._members]])

    def _add(self, traced: Trace) -> None:
        self.tree.add(traced)
        self._read |= traced.read
        self.unsettled = traced.sets or self.unsettled
        self._conditions += traced.conditions
        self._choose_inputs()

    def fix_sizes(self, leaves: list[Any]) -> None:
        """Restrict the graph to the sizes of these arguments, although their signature leaves some open."""
        shapes = [getattr(leaf._t, "shape", None) for leaf in leaves]
        self._conditions.append(lambda given: [getattr(leaf._t, "shape", None) for leaf in given] == shapes)

    def _trace(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], answers: Any) -> Trace:
        watch = Watch(self._reached.codes, self._reached.refused)
        try:
            traced = trace(
                fn, args, kwargs, self._tensors, self._members, self._reached, watch, answers, self._openness
            )
            watch.check()
            self._guards.settle(watch)
        except BaseException:
            self._guards.restore_locations()
            raise
        return traced

    def _choose_inputs(self) -> None:
        count = len(self._tensors)
        self._used = [self._tensors[i] for i in self.tree.lifted if i < count]
        self._used_members = [self._members[i - count] for i in self.tree.lifted if i >= count]

    def holds(self, leaves: list[Any]) -> bool:
        """Return whether the graph is valid for these tensors as arguments."""
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
        """Return, for each argument, the tensor that the function also reaches without it, or None."""
        if not self._may_share:
            return []
        now = self._given
        if self._users_members:
            now = {**now, **{id(tensor): tensor for tensor in [member(*line) for line in self._users_members]}}
        return [now.get(id(leaf)) for leaf in leaves]

    def change(self) -> str:
        """Say why the graph is not valid now."""
        if not self._guards.hold():
            return f"{self._guards.changed()} has changed"
        return "a value that the function read has changed" if self._read else "the sizes differ"

    def run(self, leaves: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the graph; return the function's result.

        Args:
            leaves: the inputs among the arguments, as `signature` finds them.
            args: the arguments.
            kwargs: the keyword arguments.

        Raises:
            UntracedPath: a branch on values leads to a path that is not recorded; nothing has been changed.
        """
        with recording:
            inputs = [tensor._t for tensor in leaves]
            inputs += [tensor._t for tensor in self._used]
            inputs += [member(*line)._t for line in self._used_members]
            if mode.cut is not None:
                inputs = list(map(mode.cut.local, inputs))
            inputs += self.tree.constants
            plan = self.tree.plan
        was_enabled = torch.is_grad_enabled()
        set_grad_enabled(False)
        try:
            end, values = self.tree.run(plan, inputs)
        except UntracedPath:
            raise
        except Exception as error:
            raise _at_the_users_line(error, self._line) from error
        finally:
            set_grad_enabled(was_enabled)
        return end.outcome(values, args, kwargs)


def _at_the_users_line(error: Exception, function_line: str) -> Exception:
    line = line_in_graph(error)
    if isinstance(line, ExplainedLine):
        return line.error()
    where = f"For the line `{line_text(line)}` ({line})" if line else f"For the function at {function_line}"
    summary = str(error).strip().split("\n")[0].rstrip(".")
    is_index_error = isinstance(error, IndexError) and isinstance(line, IndexingLine)
    kind = also(IndexError, ValueError) if is_index_error else kind_of(error)
    return kind(f"{where}, {summary}.")
