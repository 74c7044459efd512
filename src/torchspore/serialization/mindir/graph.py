"""Graphs of MINDIR files as steps, which Python runs in the file's order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from torchspore.common.tensor import Tensor
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

    def prepared(self, values: list[Any]) -> tuple[Graph, list[Any]]:
        """Return the graph and its arguments."""
        target, *args = [values[number] for number in self.inputs]
        while isinstance(target, Partial):
            args = [*target.args, *args]
            target = target.target
        if not isinstance(target, Graph):
            raise TypeError(f"{self.place} calls what is not a graph")
        return target, args


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


def run(graph: Graph, args: Sequence[Any]) -> Any:
    """Run a graph. Calls at the end of graphs, which make loops, do not nest."""
    while True:
        if len(args) != len(graph.inputs):
            raise ValueError(f"the graph '{graph.name}' takes {len(graph.inputs)} inputs, but is given {len(args)}")
        values = graph.values.copy()
        for number, value in zip(graph.inputs, args):
            values[number] = value
        last = graph.last_call
        step = None
        try:
            for step in graph.steps if last is None else graph.steps[:-1]:
                step.run(values)
                for number in step.spent:
                    values[number] = None
        except Exception as error:
            if step is not None and not hasattr(error, "node"):
                error.node = step.place  # type: ignore[attr-defined]
            raise
        if last is None:
            result = values[graph.output]
            return result.value if type(result) is Held else result
        graph, args = last.prepared(values)


def switch(condition: Any, first: Any, second: Any) -> Any:
    """Return `first` if a condition holds, else `second`."""
    return first if condition else second


def switch_layer(index: Any, choices: Sequence[Any]) -> Any:
    """Return one of several."""
    return choices[int(index)]
