"""Level O0: a graph as straight Python, one line per torch operation, ready as soon as it is written."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import torch

__all__ = ["straight_code", "straight_function"]


def straight_function(graph: torch.fx.Graph) -> Callable[..., list[torch.Tensor]]:
    """Return a function of the graph's inputs that returns the list of its outputs."""
    source, names = straight_code(graph)
    exec(compile(source, "<captured graph>", "exec"), names)
    return names["captured"]


def straight_code(graph: torch.fx.Graph) -> tuple[str, dict[str, Any]]:
    """Return the source of the graph's function, and the names that the source uses."""
    writer = _Writer()
    last_use = {source: node for node in graph.nodes for source in node.all_input_nodes}
    done_after: dict[torch.fx.Node, list[str]] = {}
    for source, node in last_use.items():
        done_after.setdefault(node, []).append(source.name)
    parameters, lines = [], []
    for node in graph.nodes:
        if node.op == "placeholder":
            parameters.append(node.name)
            continue
        if node.op == "output":
            lines.append(f"return {writer.value(node.args[0])}")
            continue
        lines.append(
            writer.call(node) if node.op == "call_function" else f"{node.name} = {writer.constant(node, graph)}"
        )
        finished = done_after.get(node)
        if finished:
            lines.append(f"del {', '.join(finished)}")  # memory is free as soon as a value is no longer needed
    return f"def captured({', '.join(parameters)}):\n    " + "\n    ".join(lines) + "\n", writer.names


class _Writer:
    """Writes values and calls as Python text, and keeps the objects that the text names."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self._known: dict[Any, str] = {}

    def call(self, node: torch.fx.Node) -> str:
        """Return the line of one operation."""
        if node.target is operator.getitem:
            return f"{node.name} = {self.value(node.args[0])}[{node.args[1]}]"
        target: Any = node.target
        # The overload's own entry point: no lookup of the overload at each call.
        function = target._op if isinstance(target, torch._ops.OpOverload) else target
        arguments = [self.value(argument) for argument in node.args]
        arguments += [f"{name}={self.value(argument)}" for name, argument in node.kwargs.items()]
        text = f"{self._name(function, 'op')}({', '.join(arguments)})"
        return f"{node.name} = {text}" if node.users else text

    def constant(self, node: torch.fx.Node, graph: torch.fx.Graph) -> str:
        """Return the name of a module or value that belongs to the graph."""
        value: Any = graph.owning_module
        for part in str(node.target).split("."):
            value = getattr(value, part)
        return self._name(value, "constant")

    def value(self, value: Any) -> str:
        """Return an argument as text."""
        if isinstance(value, torch.fx.Node):
            return value.name
        if isinstance(value, list):
            return f"[{', '.join(map(self.value, value))}]"
        if isinstance(value, tuple):
            return f"({''.join(self.value(part) + ', ' for part in value)})"
        plain = (
            value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))
        )
        return repr(value) if plain else self._name(value, "value")

    def _name(self, value: Any, kind: str) -> str:
        key = id(value)
        if key not in self._known:
            self._known[key] = f"{kind}{len(self._known)}"
            self.names[self._known[key]] = value
        return self._known[key]
