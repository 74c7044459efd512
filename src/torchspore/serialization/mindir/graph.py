"""Graphs of MINDIR files as steps, which Python runs in the file's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor
from torchspore.serialization.exporting.loops import ENDED, RETURNED, UNBOUND, repeat
from torchspore.serialization.mindir.values import MONAD

__all__ = ["Bind", "Call", "Graph", "Held", "Partial", "Step", "Write", "run", "switch", "switch_layer"]


class Held:
    """The value of a parameter while a graph runs.

    Attributes:
        value: the tensor.
    """

    __slots__ = ("value",)

    def __init__(self, value: Tensor) -> None:
        self.value = value


@dataclass(frozen=True)
class Step:
    """One operation.

    Attributes:
        function: takes the inputs and returns the output.
        inputs: the numbers of the values that it takes.
        output: the number of the value that it sets.
        place: the node, for messages.
        spent: the numbers of the values that nothing takes after it.
    """

    function: Callable[..., Any]
    inputs: tuple[int, ...]
    output: int
    place: str
    spent: tuple[int, ...] = ()

    def run(self, values: list[Any]) -> None:
        """Set the output."""
        taken = [values[number] for number in self.inputs]
        values[self.output] = self.function(
            *[value.value if type(value) is Held else value for value in taken if value is not MONAD]
        )


class Write(Step):
    """An operation that writes into parameters: into its first input, what it returns, and perhaps into others."""

    def run(self, values: list[Any]) -> None:
        """Set the output and the parameters."""
        taken = [values[number] for number in self.inputs if values[number] is not MONAD]
        given = [value.value.copy() if type(value) is Held else value for value in taken]
        result = values[self.output] = self.function(*given)
        for held, value in zip(taken, given):
            if type(held) is Held:
                held.value = value
        if type(taken[0]) is Held and isinstance(result, Tensor):
            taken[0].value = result
            values[self.output] = taken[0]  # the parameter itself, with what is written into it later


class Call(Step):
    """A call of a graph, or of what a node of the graph returned."""

    def run(self, values: list[Any]) -> None:
        """Set the output to the result of the call."""
        values[self.output] = run(*self.prepared(values))

    def prepared(self, values: list[Any]) -> tuple[Graph, Sequence[Any]]:
        """Return the graph and its arguments."""
        target, *args = [values[number] for number in self.inputs]
        return _prepared(target, args)


class Bind(Step):
    """The step that gives a graph its first arguments: parameters stay parameters."""

    def run(self, values: list[Any]) -> None:
        """Set the output to the graph with these arguments."""
        target, *args = [values[number] for number in self.inputs]
        values[self.output] = Partial(target, tuple(args))


@dataclass(frozen=True)
class Partial:
    """A graph with its first arguments."""

    target: Any
    args: tuple[Any, ...]


def _prepared(target: Any, args: Sequence[Any] = ()) -> tuple[Graph, Sequence[Any]]:
    """Return the graph of a call and all its arguments."""
    while isinstance(target, Partial):
        args = [*target.args, *args]
        target = target.target
    if not isinstance(target, Graph):
        raise TypeError("it calls what is not a graph")
    return target, args


@dataclass
class Graph:
    """A graph: its steps work on a list of values.

    Attributes:
        name: its name.
        inputs: the numbers of its inputs' values.
        values: the values that are known before it runs.
        steps: the operations.
        output: the number of the result.
    """

    name: str
    inputs: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    output: int = 0

    @property
    def last_call(self) -> Call | None:
        """The call whose result is the graph's."""
        last = self.steps[-1] if self.steps else None
        return last if isinstance(last, Call) and last.output == self.output else None


@dataclass(frozen=True)
class _Jump:
    """A call of a graph whose loop runs already: its next run."""

    target: Graph
    args: Sequence[Any]


def run(graph: Graph, args: Sequence[Any]) -> Any:
    """Run a graph. Calls at the end of graphs, which make loops, do not nest."""
    result = _result(graph, args, ())
    return result.value if type(result) is Held else result


def _result(graph: Graph, args: Sequence[Any], loops: tuple[Graph, ...]) -> Any:
    """Return the result of a graph, or a `_Jump` if the last call is of one of `loops`."""
    while True:
        if any(graph is each for each in loops):
            return _Jump(graph, args)
        choice = _choice(graph, loops) if getattr(scope.tracing, "is_for_file", False) else None
        if choice is not None:
            return _loop(graph, choice, args, loops)
        last = graph.last_call
        values = _run_steps(graph, args, graph.steps if last is None else graph.steps[:-1])
        if last is None:
            return values[graph.output]
        graph, args = last.prepared(values)


def _run_steps(graph: Graph, args: Sequence[Any], steps: Sequence[Step]) -> list[Any]:
    """Run some steps of a graph; return the values."""
    if len(args) != len(graph.inputs):
        raise ValueError(f"the graph '{graph.name}' takes {len(graph.inputs)} inputs, but is given {len(args)}")
    values = graph.values.copy()
    for number, value in zip(graph.inputs, args):
        values[number] = value
    step = None
    try:
        for step in steps:
            step.run(values)
            for number in step.spent:
                values[number] = None
    except Exception as error:
        if step is not None and not hasattr(error, "node"):
            error.node = step.place  # type: ignore[attr-defined]
        raise
    return values


def _choice(graph: Graph, loops: tuple[Graph, ...]) -> Step | None:
    """Return the step that ends or goes on with a loop in `loops`, which a graph begins; None if it begins none."""
    last = graph.last_call
    found = [each for each in graph.steps[:-1] if last is not None and each.output == last.inputs[0]]
    is_loop = found and found[0].function is switch and _is_called_again(graph, loops)
    return found[0] if is_loop else None


def _is_called_again(graph: Graph, loops: tuple[Graph, ...]) -> bool:
    """Return whether a graph calls itself, or graphs that do, without a call of one of `loops`."""
    waiting, known = [graph], {id(each) for each in loops}
    for each in waiting:
        for value in each.values:
            if value is graph:
                return True
            if isinstance(value, Graph) and id(value) not in known:
                known.add(id(value))
                waiting.append(value)
    return False


def _loop(graph: Graph, choice: Step, args: Sequence[Any], loops: tuple[Graph, ...]) -> Any:
    """Run a loop for a file, where it becomes an operation if it runs until a value is reached.

    Args:
        graph: the graph that begins each run.
        choice: the step in it that chooses between the body and what follows the loop.
        args: its arguments.
        loops: the graphs that begin the loops around it.
    """
    calls: list[Graph] = []  # of loops around this one, in its body

    def given(state: Sequence[Any]) -> list[Any]:
        held = {id(arg): Held(value) for arg, value in zip(args, state) if type(arg) is Held}
        return [held.get(id(arg), value) for arg, value in zip(args, state)]

    def chosen(values: Sequence[Any]) -> list[Any]:
        steps = [step for step in graph.steps[:-1] if step is not choice]
        found = _run_steps(graph, values, steps)
        return [found[number] for number in choice.inputs]

    def test(*state: Any) -> Any:
        return chosen(given(state))[0]

    def body(*state: Any) -> list[Any]:
        values = given(state)
        result = _result(*_prepared(chosen(values)[1]), (*loops, graph))
        if isinstance(result, _Jump) and result.target is graph:
            return [ENDED, UNBOUND, *_contents(result.args)]
        if isinstance(result, _Jump):
            calls.append(result.target)
            result = tuple(_contents(result.args))
        return [RETURNED, result.value if type(result) is Held else result, *_contents(values)]

    names = [f"value {number}" for number in range(len(args))]
    end, result, *state = repeat(test, body, names, dict(zip(names, _contents(args))))
    for arg, value in zip(args, state):
        if type(arg) is Held:
            arg.value = value
    if end == RETURNED:
        return _Jump(calls[0], result) if calls else result
    last = [arg if type(arg) is Held else value for arg, value in zip(args, state)]
    return _result(*_prepared(chosen(last)[2]), loops)


def _contents(values: Sequence[Any]) -> list[Any]:
    return [each.value if type(each) is Held else each for each in values]


def switch(condition: Any, first: Any, second: Any) -> Any:
    """Return `first` if a condition holds, else `second`."""
    return first if condition else second


def switch_layer(index: Any, choices: Sequence[Any]) -> Any:
    """Return one of several."""
    return choices[int(index)]
