"""Loops and conditions, whose bodies are graphs of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.serialization.mindir.building import Builder, Value

__all__ = ["CONTROL"]

Run = Callable[[torch.fx.Graph, Sequence[Value]], Any]
"""It adds the operations of a graph on values, and returns the results."""


def _while_loop(
    b: Builder, run: Run, test: torch.fx.Graph, body: torch.fx.Graph, carried: Sequence[Any], outside: Sequence[Any]
) -> list[Value]:
    """Add a loop: a graph tests the condition and calls one that runs the body and calls the first one again."""
    first = [each if isinstance(each, Value) else b.constant(torch.tensor(each)) for each in carried]
    first = [Value(each.name, each.example) for each in first]  # the next values are others, also of constants
    values = [*first, *outside]
    result = tuple([each.example for each in first])
    once, end = [b.new_graph(purpose) for purpose in ("body", "after")]

    def go_on(values: Sequence[Value]) -> Value:
        state = values[: len(first)]
        return b.call_either(run(test, values), (once, values), (end, state), result)

    with b.within(once, values) as given:
        after = [b.cast(new, old.dtype) for new, old in zip(run(body, given), first)]
        b.finish(go_on([*after, *given[len(first) :]]))
    with b.within(end, first) as given:
        b.finish(b.together(given))
    found = go_on(values)
    return [b.item(found, number) for number in range(len(first))]


def _cond(
    b: Builder, run: Run, condition: Value, if_true: torch.fx.Graph, if_false: torch.fx.Graph, values: Sequence[Value]
) -> list[Value]:
    """Add a condition: one of two graphs is called."""
    graphs = [b.new_graph("if"), b.new_graph("else")]
    for graph, branch in zip(graphs, (if_true, if_false)):
        with b.within(graph, values) as given:
            result = b.together(run(branch, given))
            b.finish(result)
    found = b.call_either(condition, (graphs[0], values), (graphs[1], values), result.example)
    return [b.item(found, number) for number in range(len(result.example))]


CONTROL: dict[Any, Callable[..., list[Value]]] = {
    torch.ops.higher_order.while_loop: _while_loop, torch.ops.higher_order.cond: _cond,
}  # fmt: skip
"""The forms of operations that take graphs: they get a function that adds the operations of one."""
