"""Exchanges between processes in graphs: started as early as possible, and never compiled.

All processes must run their exchanges in the same order, although one may replay a graph while another still records
it or runs plain code. So exchanges keep their order here, at all levels.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common.private_torch import collectives, schema_of
from torchspore.engine.capture.compiling.generated_python import python_function
from torchspore.engine.capture.recording.dead_code import is_exchange, written
from torchspore.engine.capture.recording.random_state import is_of_state

__all__ = ["between_exchanges", "has_exchanges", "runs_in_order", "start_early"]

_Node = torch.fx.Node
_Run = Callable[..., list[torch.Tensor]]
_Compile = Callable[[torch.fx.Graph, Sequence[Any]], _Run]

_WAIT = collectives.wait_tensor.default
# Operations that only bring tensors into the form in which they are sent: they move with an exchange.
_FORMS = {
    getattr(torch.ops.aten, name)
    for name in ("_to_copy", "_unsafe_view", "cat", "clone", "squeeze", "t", "transpose", "unsqueeze", "view")
}


def has_exchanges(graph: torch.fx.Graph) -> bool:
    """Return whether a graph exchanges data with other processes."""
    return any(map(is_exchange, graph.nodes))


def runs_in_order(graph: torch.fx.Graph) -> bool:
    """Return whether a graph has operations that must stay where they are, so that only the rest is compiled."""
    return any(is_exchange(node) or is_of_state(node.target) for node in graph.nodes)


def start_early(graph: torch.fx.Graph) -> None:
    """Move the start of each exchange to where its tensors are ready, so that it overlaps with what follows there.

    Gradients are sent while the backward pass goes on. What waits for the results stays where it is.
    """
    place = {node: i for i, node in enumerate(graph.nodes)}
    writes = [(node, {_base(target) for target in written(node)}) for node in graph.nodes if written(node)]
    last_input = max((node for node in graph.nodes if node.op in ("placeholder", "get_attr")), key=place.__getitem__)
    after = [last_input]
    for start in [node for node in graph.nodes if is_exchange(node) and node.target is not _WAIT]:
        moved = sorted(_with_forms(start), key=place.__getitem__)
        sources = {source for node in moved for source in node.all_input_nodes}.difference(moved)
        memory = set(map(_base, sources))
        # A write to a tensor that is sent, between the places, must stay before the exchange.
        hazards = [node for node, bases in writes if place[node] < place[start] and bases & memory]
        anchor = max((*sources, *hazards, *after), key=lambda node: (place[node], node in after))
        while anchor.next.target is operator.getitem:
            anchor = anchor.next  # the parts of a result stay beside it
        for node in moved:
            place[node] = place[anchor]
            anchor.append(node)
            anchor = node
        after = [last_input, start]


def _with_forms(start: _Node) -> set[_Node]:
    """Return an exchange, and the operations that serve only to bring its tensors into form."""
    found = {start}
    waiting = [*start.all_input_nodes]
    while waiting:
        node = waiting.pop()
        if getattr(node.target, "overloadpacket", None) in _FORMS and found.issuperset(node.users):
            found.add(node)
            waiting += node.all_input_nodes
    return found


def _base(node: _Node) -> _Node:
    """Return the node whose memory a view, or the result of a write, shares."""
    while node.op == "call_function":
        schema = schema_of(node.target)
        is_view = schema is not None and any(result.alias_info is not None for result in schema.returns)
        if not (is_view or node.target in (_WAIT, operator.getitem)):
            break
        node = node.all_input_nodes[0]
    return node


def between_exchanges(graph: torch.fx.Graph, compile_graph: _Compile) -> _Run:
    """Return a function of a graph's inputs that runs the parts between exchanges and random states compiled.

    Args:
        graph: the graph.
        compile_graph: compiles a graph, given the inputs of its first run.
    """
    outer = torch.fx.Graph()
    values: dict[_Node, _Node] = {}
    part: list[_Node] = []

    def end_part(following: set[_Node]) -> None:
        if part:
            inputs = list(dict.fromkeys(s for node in part for s in node.all_input_nodes if s not in part))
            outputs = [node for node in part if following.intersection(node.users)]
            piece = _Piece(_part_of_graph(part, inputs, outputs), compile_graph)
            call = outer.create_node("call_function", piece, tuple(values[node] for node in inputs), name="part")
            for i, node in enumerate(outputs):
                values[node] = outer.call_function(operator.getitem, (call, i))
            part.clear()

    rest = set(graph.nodes)
    for node in graph.nodes:
        rest.discard(node)
        if node.op == "call_function" and not (is_exchange(node) or is_of_state(node.target)):
            part.append(node)
            continue
        if node.op not in ("placeholder", "get_attr"):
            end_part({node, *rest})
        values[node] = outer.node_copy(node, values.__getitem__)
    return python_function(outer)


def _part_of_graph(nodes: Sequence[_Node], inputs: Sequence[_Node], outputs: Sequence[_Node]) -> torch.fx.Graph:
    graph = torch.fx.Graph()
    copies: dict[_Node, _Node] = {}
    for node in inputs:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = dict(node.meta)
    for node in nodes:
        copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output([copies[node] for node in outputs])
    return graph


class _Piece:
    """A part of a graph that is compiled at its first run."""

    def __init__(self, graph: torch.fx.Graph, compile_graph: _Compile) -> None:
        self._graph = graph
        self._compile = compile_graph
        self._run: _Run | None = None

    def __call__(self, *values: Any) -> list[torch.Tensor]:
        """Run it."""
        if self._run is None:
            self._run = self._compile(self._graph, values)
        return self._run(*values)
