"""Tracing: the user's Python runs once over fake tensors, and the operations that reach torch become a graph.

That includes forward, backward and parameter updates. Parameters and other tensors of cells are inputs of the graph,
which it updates in place. Other tensors, such as data in a closure, become inputs too, by identity, so that a later
call reads their current values.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import FakeTensor
from torchspore.common.scopes.scope import NotRecordable, Tracing, discard, scope
from torchspore.common.tensor import Tensor
from torchspore.engine.capture.recording.concrete_run import ConcreteRun, Question
from torchspore.engine.capture.recording.escapes import TensorEscaped, check_nothing_escaped, garbage_collection_paused
from torchspore.engine.capture.recording.fake_values import RecordingFakeMode, note_real_value
from torchspore.engine.capture.recording.printing import recorded_prints
from torchspore.engine.capture.recording.record import Recorder
from torchspore.engine.capture.state.effects import Snapshot, contents, same_items
from torchspore.engine.capture.state.guards import member
from torchspore.engine.capture.state.number_types import plain_types
from torchspore.engine.capture.state.reachable_state import Reachable, UntrackedState
from torchspore.engine.capture.state.results import Outcome, outcome, paths
from torchspore.engine.capture.state.signature import CLOSED, Number, Openness, refilled, signature
from torchspore.engine.capture.state.watch import RecordingRefused, Watch

__all__ = ["Conclusion", "Trace", "concluded", "exchange_conditions", "trace"]


@dataclass
class Trace:
    """One path through a function.

    Attributes:
        graph: its inputs are the tensors of the arguments, then the lifted ones.
        outside: other tensors that it uses, by name.
        questions: the branches on values along the path, in order.
        read: the lifted tensors whose values the function read as numbers, with those values and their versions.
        outcome: builds the result of a call, and sets attributes.
        sets: an attribute that the call sets and on which other graphs may depend, or "".
        conditions: return whether the trace is valid for other arguments, and for the processes of the program.
    """

    graph: torch.fx.Graph
    outside: dict[str, torch.Tensor]
    questions: list[Question]
    read: dict[Tensor, tuple[torch.Tensor, int]]
    outcome: Outcome
    sets: str
    conditions: list[Callable[[Sequence[Any]], bool]]


@garbage_collection_paused()
def trace(
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    lifted: list[Tensor],
    members: list[tuple[Any, str, int]],
    reachable: Reachable,
    watch: Watch,
    answers: Sequence[Any] = (),
    openness: Openness = CLOSED,
) -> Trace:
    """Trace one call of `fn`.

    Args:
        fn: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        lifted: the tensors outside the arguments that are inputs of the graph.
        members: the locations of more such tensors, in attributes that may hold others in later calls.
        reachable: what the function can reach.
        watch: observes what it runs.
        answers: the answers to the first questions about values; the others are answered by a concrete run.
        openness: which sizes and numbers in the arguments are inputs.

    Raises:
        TensorEscaped: the function stored a tensor where the graph cannot follow.
        UntrackedState: the function does something else that a graph cannot repeat.
        Exception: whatever the function raises, and torch's exceptions for what a fake tensor cannot answer.
    """
    arguments: list[Any] = []
    signature((args, kwargs), arguments, openness)
    attribute_tensors = [member(*line) for line in members]
    inputs = _distinct([leaf._t for leaf in (*arguments, *lifted, *attribute_tensors)])
    is_open = any(openness.sizes) or any(isinstance(leaf, Number) for leaf in arguments)
    before = Snapshot(reachable.cells)
    conclusions: list[Conclusion] = []

    def run(*values: torch.Tensor) -> list[torch.Tensor]:
        # An argument that is also reachable in another way stays that very object, holding a fake tensor.
        made: dict[int, Tensor] = {}
        known = {id(leaf) for leaf in arguments if isinstance(leaf, Parameter) or id(leaf) in reachable.known}
        known.update(map(id, (*lifted, *attribute_tensors)))
        for tensor, value in zip((*arguments, *lifted, *attribute_tensors), values):
            if id(tensor) in known and id(tensor) not in made:
                made[id(tensor)] = tensor
                note_real_value(value, tensor._t)
                tracing.replace(tensor, value)
        given = refilled((args, kwargs), iter(values), openness, made)
        items = list(contents(given))
        with watch:
            output = fn(*given[0], **given[1])
        conclusion = concluded(output, given, items, tracing, before, dict(zip(attribute_tensors, members)), reachable)
        conclusions.append(conclusion)
        return conclusion.values

    from torchspore.common.private_torch.shapes import ShapeEnv  # it loads a large part of torch

    recorder = Recorder()
    concrete_run = ConcreteRun(answers, lambda: inputs, recorder)
    tracing = scope.tracing = Tracing(concrete_run.answer, recorder)
    try:
        watch.has_symbols = is_open
        with torch.no_grad(), recorded_prints(), plain_types(reachable.codes if is_open else {}):
            if is_open:
                from torchspore.engine.capture.recording.symbols import Symbols

                symbols = Symbols(inputs, openness.sizes)
                mode, fakes = symbols.mode, symbols.fakes
            else:
                mode = RecordingFakeMode(shape_env=ShapeEnv(), static_shapes=True)
                fakes = [mode.from_tensor(value) for value in inputs]
            with mode:
                graph = recorder.record(run, fakes)
    except RecordingRefused as refused:
        raise NotRecordable(refused.reason, refused.line) from None
    finally:
        scope.tracing = None
        discard()
        concrete_run.close()
        tracing.restore()
        before.restore()
    (conclusion,) = conclusions
    check_nothing_escaped(lambda tensor: isinstance(tensor._t, FakeTensor))
    conditions = [*([symbols.condition()] if is_open else []), *exchange_conditions(tracing)]
    return Trace(
        graph, recorder.outside, concrete_run.questions, tracing.read, conclusion.outcome, conclusion.sets, conditions
    )


def exchange_conditions(tracing: Tracing) -> list[Callable[[Sequence[Any]], bool]]:
    """Return the condition of exchanges with other processes: what the first one needs still exists."""
    exchanges = tracing.exchanges
    return [lambda _: exchanges[0]()] if exchanges else []


class Conclusion(NamedTuple):
    """What a call did.

    Attributes:
        outcome: builds the result of a call, and sets attributes.
        values: the outputs of the graph that it uses.
        sets: an attribute that the call sets and on which other graphs may depend, or "".
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
    attribute_tensors: Mapping[Tensor, tuple[Any, str, int]],
    reachable: Reachable,
) -> Conclusion:
    """Return what the call that has just been recorded did.

    Args:
        output: its result.
        arguments: its arguments and keyword arguments.
        items: the lists and dicts among them, with their contents before the call.
        tracing: the recording.
        before: the attributes as they were before the call.
        attribute_tensors: the tensors that cells have as attributes, with their locations.
        reachable: what the function can reach.

    Raises:
        TensorEscaped: the function gave a tensor another memory.
        UntrackedState: it did something else that a graph cannot repeat.
    """
    if not all(same_items(container, contained) for container, contained in items):
        raise UntrackedState("it changes a list or a dict among its arguments")
    if tracing.replaced():
        raise TensorEscaped("a parameter or another tensor of a cell got another memory")
    done = before.effects()
    parts = [*paths(arguments[0], "args"), *paths(arguments[1], "kwargs")]
    places = {id(tensor): line for tensor, line in attribute_tensors.items()}
    make, values, known = outcome(output, done, parts, places, reachable.known)
    return Conclusion(make, values, next((effect.attribute for effect in done if effect.noted), ""), known)


def _distinct(values: list[Any]) -> list[Any]:
    """Return the inputs with repeated tensors replaced by views, so that each input has its own node."""
    seen: set[int] = set()
    distinct = []
    for value in values:
        distinct.append(value.detach() if isinstance(value, torch.Tensor) and id(value) in seen else value)
        seen.add(id(value))
    return distinct
