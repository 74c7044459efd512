"""Level O0: a graph as generated Python, one line per torch operation, ready without compilation."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.frames.stack import names_of, steps
from torchspore.common.private_torch import OpOverload, entry_point
from torchspore.engine.capture.compiling.pointwise import convolution_gradients
from torchspore.engine.capture.recording.source_lines import line_text

__all__ = ["line_in_graph", "operation_label", "python_function", "readable_lines"]

_MAX_LABEL = 30


def python_function(graph: torch.fx.Graph) -> Callable[..., list[torch.Tensor]]:
    """Return a function of the graph's inputs that returns the list of its outputs."""
    writer = _Writer(graph)
    lines, source_lines = writer.lines()
    parameters = [writer.variable(node) for node in graph.nodes if node.op == "placeholder"]
    source = "\n    ".join([f"def captured({', '.join(parameters)}):", *lines]) + "\n"
    writer.names["__source_lines__"] = ["", *source_lines]
    exec(_code(source), writer.names)
    return writer.names["captured"]


@functools.lru_cache(maxsize=256)
def _code(source: str) -> Any:
    return compile(source, "<captured graph>", "exec")  # iterations of a loop often have the same text


def readable_lines(graph: torch.fx.Graph) -> list[str]:
    """Return the graph's operations as text, each group preceded by the user's line that it comes from."""
    lines, last_line = [], ""
    for line, source_line in zip(*_Writer(graph, readable=True).lines()):
        if source_line != last_line and source_line:
            lines.append(f"# {source_line}: {line_text(source_line)}")
            last_line = source_line
        lines.append(line)
    return lines


def operation_label(node: torch.fx.Node) -> str:
    """Return an operation's name, and its arguments other than tensors on a second line."""
    numbers = [str(value) for value in node.args if not _has_nodes(value)]
    numbers += [f"{name}={value}" for name, value in node.kwargs.items() if not _has_nodes(value)]
    text = ", ".join(numbers)
    shown = text if len(text) <= _MAX_LABEL else f"{text[:_MAX_LABEL]}…"
    return str(node.target).removeprefix("aten.").removesuffix(".default") + (f"\n{shown}" if shown else "")


def _has_nodes(value: Any) -> bool:
    return isinstance(value, torch.fx.Node) or (isinstance(value, (list, tuple)) and any(map(_has_nodes, value)))


def line_in_graph(error: BaseException) -> str:
    """Return "file:line" of the user's line whose operation in a graph raised an error, or ""."""
    for step in steps(error.__traceback__):
        source_lines = names_of(step.tb_frame).get("__source_lines__")
        if source_lines is not None:
            return source_lines[step.tb_lineno - 1]
    return ""


class _Writer:
    """Writes values and calls as Python code, and collects the objects that the code names.

    Args:
        graph: the graph.
        readable: whether operations are named as torch names them.
    """

    def __init__(self, graph: torch.fx.Graph, readable: bool = False) -> None:
        self.names: dict[str, Any] = {}
        self._graph = graph
        self._readable = readable
        self._known: dict[Any, str] = {}
        self._variables = {node: node.name if readable else f"v{i}" for i, node in enumerate(graph.nodes)}

    def variable(self, node: torch.fx.Node) -> str:
        """Return the name of a node's value."""
        return self._variables[node]

    def lines(self) -> tuple[list[str], list[str]]:
        """Return the lines, and the user's line of each."""
        last_use = {source: node for node in self._graph.nodes for source in node.all_input_nodes}
        done_after: dict[torch.fx.Node, list[str]] = {}
        for source, node in last_use.items():
            done_after.setdefault(node, []).append(self.variable(source))
        lines, source_lines = [], []
        for node in self._graph.nodes:
            if node.op == "placeholder":
                continue
            lines.append(self._line(node))
            finished = done_after.get(node)
            if finished and node.op != "output" and not self._readable:
                lines[-1] += f"; del {', '.join(finished)}"  # free the memory of values after their last use
            source_lines.append(node.meta.get("source_line", ""))
        return lines, source_lines

    def _line(self, node: torch.fx.Node) -> str:
        if node.op == "output":
            return f"return {self._value(node.args[0])}"
        if node.op == "get_attr":
            value: Any = self._graph.owning_module
            for part in str(node.target).split("."):
                value = getattr(value, part)
            return f"{self.variable(node)} = {self._name(value, 'constant')}"
        if node.target is operator.getitem:
            return f"{self.variable(node)} = {self._value(node.args[0])}[{node.args[1]}]"
        arguments = [self._value(argument) for argument in node.args]
        arguments += [f"{name}={self._value(argument)}" for name, argument in node.kwargs.items()]
        text = f"{self._function(node.target)}({', '.join(arguments)})"
        return f"{self.variable(node)} = {text}" if node.users else text

    def _function(self, target: Any) -> str:
        if self._readable:
            return str(target).removesuffix(".default")
        if target is torch.ops.aten.convolution_backward.default:
            target = convolution_gradients
        # The C++ entry point of the overload: no dispatch in Python at each call.
        return self._name(entry_point(target) if isinstance(target, OpOverload) else target, "op")

    def _value(self, value: Any) -> str:
        """Return an argument as text."""
        if isinstance(value, torch.fx.Node):
            return self.variable(value)
        if isinstance(value, list):
            return f"[{', '.join(map(self._value, value))}]"
        if isinstance(value, tuple):
            return f"({''.join(self._value(part) + ', ' for part in value)})"
        plain = (
            value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))
        )
        return repr(value) if plain or self._readable else self._name(value, "value")

    def _name(self, value: Any, kind: str) -> str:
        key = id(value)
        if key not in self._known:
            self._known[key] = f"{kind}{len(self._known)}"
            self.names[self._known[key]] = value
        return self._known[key]
