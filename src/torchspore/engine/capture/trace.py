"""Tracing: the user's Python runs once, over fake tensors, and what reaches torch becomes a graph.

Everything runs: forward, backward, parameter updates. The tensors that the function's cells have as attributes are
inputs of the graph, written in place by it; other tensors that it meets (data kept in a closure) become inputs, too,
found by identity, so that a later call reads their storage as it is then.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import FakeTensor
from torchspore.common.scope import Tracing, Unread, discard, scope
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.effects import Snapshot, contents, same_items
from torchspore.engine.capture.escapes import TensorEscaped, check_nothing_escaped, youngest_kept
from torchspore.engine.capture.explore import Explorer, Question
from torchspore.engine.capture.guards import member
from torchspore.engine.capture.printing import recorded_prints
from torchspore.engine.capture.reachable_state import HiddenChange, Reached
from torchspore.engine.capture.record import Recorder
from torchspore.engine.capture.results import Outcome, outcome, paths
from torchspore.engine.capture.signature import CLOSED, Number, Openness, refilled, signature
from torchspore.engine.capture.stand_ins import StandIns, stand_in
from torchspore.engine.capture.watch import Refused, Watch

__all__ = ["Conclusion", "Trace", "concluded", "trace"]


@dataclass
class Trace:
    """One path through a function.

    Attributes:
        graph: its inputs are the tensors of the arguments, then the held ones.
        outside: other tensors that it uses, by name.
        questions: where the path depends on values, in order.
        read: the held tensors whose values the function read as numbers, with what it read and its version.
        outcome: makes the result of a call, and sets attributes.
        sets: an attribute that the call sets and on which other graphs may depend; "" without one.
        condition: whether the trace is right for the sizes of other arguments.
    """

    graph: torch.fx.Graph
    outside: dict[str, torch.Tensor]
    questions: list[Question]
    read: dict[Tensor, tuple[torch.Tensor, int]]
    outcome: Outcome
    sets: str
    condition: Callable[[Sequence[Any]], bool] | None


@youngest_kept()
def trace(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    held: list[Tensor],
    members: list[tuple[Any, str, int]],
    reached: Reached,
    watch: Watch,
    answers: Sequence[Any] = (),
    openness: Openness = CLOSED,
) -> Trace:
    """Trace one call of `fn`.

    Args:
        fn: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        held: the tensors outside the arguments whose values are inputs of the graph.
        members: where cells have more such tensors, which may be others in later calls.
        reached: what the function can reach.
        watch: sees what it runs.
        answers: what the first questions about values are answered; the others get the answer of this call.
        openness: what in the arguments the graph leaves open.

    Raises:
        TensorEscaped: the function stored a tensor where the graph cannot follow.
        HiddenChange: the function does something else that a graph cannot repeat.
        Exception: whatever the function raises, and torch's exceptions for what a fake tensor cannot answer.
    """
    arguments: list[Any] = []
    signature((args, kwargs), arguments, openness)
    placed = [member(*place) for place in members]
    inputs = _distinct([leaf._t for leaf in (*arguments, *held, *placed)])
    is_open = any(openness.sizes) or any(isinstance(leaf, Number) for leaf in arguments)
    before = Snapshot(reached.cells)
    conclusions: list[Conclusion] = []

    def run(*values: torch.Tensor) -> list[torch.Tensor]:
        # An argument that the function also reaches in another way is that very tensor, with a stand-in.
        made: dict[int, Tensor] = {}
        known = {id(leaf) for leaf in arguments if isinstance(leaf, Parameter) or id(leaf) in reached.known}
        known.update(map(id, (*held, *placed)))
        for tensor, value in zip((*arguments, *held, *placed), values):
            if id(tensor) in known and id(tensor) not in made:
                made[id(tensor)] = tensor
                stand_in(value, tensor._t)
                tracing.replace(tensor, value)
        given = refilled((args, kwargs), iter(values), openness, made)
        items = list(contents(given))
        with watch:
            output = fn(*given[0], **given[1])
        conclusion = concluded(output, given, items, tracing, before, dict(zip(placed, members)), reached)
        conclusions.append(conclusion)
        return conclusion.values

    from torchspore.common.private_torch.shapes import ShapeEnv  # it loads a large part of torch

    recorder = Recorder()
    explorer = Explorer(answers, lambda: inputs, recorder)
    tracing = scope.tracing = Tracing(explorer.answer)
    try:
        with torch.no_grad(), recorded_prints():
            if is_open:
                from torchspore.engine.capture.symbols import Symbols

                symbols = Symbols(inputs, openness.sizes)
                mode, fakes = symbols.mode, symbols.fakes
            else:
                mode = StandIns(shape_env=ShapeEnv(), static_shapes=True)
                fakes = [mode.from_tensor(value) for value in inputs]
            with mode:
                graph = recorder.record(run, fakes)
    except Refused as refused:
        raise Unread(refused.reason, refused.place) from None
    finally:
        scope.tracing = None
        discard()
        explorer.close()
        tracing.restore()
        before.restore()
    (conclusion,) = conclusions
    check_nothing_escaped(lambda tensor: isinstance(tensor._t, FakeTensor))
    condition = symbols.condition() if is_open else None
    return Trace(
        graph, recorder.outside, explorer.questions, tracing.read, conclusion.outcome, conclusion.sets, condition
    )


class Conclusion(NamedTuple):
    """What a call turned out to do.

    Attributes:
        outcome: makes the result of a call, and sets attributes.
        values: what it takes from the graph.
        sets: an attribute that the call sets and on which other graphs may depend; "" without one.
        known: by id, the objects that the result and the attributes consist of.
    """

    outcome: Outcome
    values: list[Any]
    sets: str
    known: Container[int]


def concluded(
    output: Any,
    arguments: tuple[tuple[Any, ...], dict[str, Any]],
    items: list[tuple[Any, list[Any]]],
    tracing: Tracing,
    before: Snapshot,
    placed: Mapping[Tensor, tuple[Any, str, int]],
    reached: Reached,
) -> Conclusion:
    """Find out what a call did that has just been recorded.

    Args:
        output: its result.
        arguments: its arguments and keyword arguments.
        items: the lists and dicts among them, with what they contained.
        tracing: the recording.
        before: the attributes as they were before the call.
        placed: the tensors that cells have as attributes, with their places.
        reached: what the function can reach.

    Raises:
        TensorEscaped: the function gave a tensor another memory.
        HiddenChange: it did something else that a graph cannot repeat.
    """
    if not all(same_items(container, contained) for container, contained in items):
        raise HiddenChange("it changes a list or a dict among its arguments")
    if tracing.replaced():
        raise TensorEscaped("a parameter or another tensor of a cell got another memory")
    done = before.effects()
    parts = [*paths(arguments[0], "args"), *paths(arguments[1], "kwargs")]
    places = {id(tensor): place for tensor, place in placed.items()}
    make, values, known = outcome(output, done, parts, places, reached.known)
    return Conclusion(make, values, next((effect.attribute for effect in done if effect.noted), ""), known)


def _distinct(values: list[Any]) -> list[Any]:
    """Return the inputs with a view in place of a tensor that is among them already: each has a node of its own."""
    seen: set[int] = set()
    distinct = []
    for value in values:
        distinct.append(value.detach() if isinstance(value, torch.Tensor) and id(value) in seen else value)
        seen.add(id(value))
    return distinct
