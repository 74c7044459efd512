"""Tracing: the user's Python runs once, over fake tensors, and what reaches torch becomes a graph.

Everything runs: forward, backward, parameter updates. Real tensors that the function meets (parameters, states of an
optimizer, constants) become inputs of the graph, found by identity, so that a later call reads and writes their
storage as it is then.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.proxy_tensor import make_fx

from torchspore.common.tensor import Tensor
from torchspore.engine.tree import filled, tensors

__all__ = ["Trace", "TensorEscaped", "trace"]


class TensorEscaped(Exception):
    """A tensor of the traced call was kept by the user's Python: only running it for real gives that tensor a value."""


@dataclass
class Trace:
    """A captured function.

    Attributes:
        graph: its inputs are the tensors of the arguments, then `held`; its outputs the tensors of `output`.
        held: the real tensors that the function uses.
        output: the nesting of the result.
        aliased: for each output, the index of the graph input that it is, or None.
    """

    graph: torch.fx.GraphModule
    held: list[torch.Tensor]
    output: Any
    aliased: list[int | None]


def trace(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Trace:
    """Trace one call of `fn`.

    Raises:
        TensorEscaped: the function stored a tensor where the graph cannot follow.
        Exception: whatever the function raises, and torch's exceptions for what a fake tensor cannot answer.
    """
    inputs = [tensor._t for tensor in tensors((args, kwargs))]
    result: list[Any] = []

    def run(*values: torch.Tensor) -> list[torch.Tensor]:
        fake_args, fake_kwargs = filled((args, kwargs), values)
        output = fn(*fake_args, **fake_kwargs)
        result[:] = [output]
        return [tensor._t for tensor in tensors(output)]

    with torch.no_grad():
        module = make_fx(run, tracing_mode="fake", _allow_non_fake_inputs=True)(*inputs)
    output = result.pop()
    _check_nothing_escaped(tensors(output))
    held = _lift(module, len(inputs))
    _clean(module.graph)
    module.recompile()
    return Trace(module, held, output, _aliases(module))


def _check_nothing_escaped(known: list[Tensor]) -> None:
    kept = {id(tensor) for tensor in known}
    for thing in gc.get_objects():
        # By type: some objects answer isinstance with code of their own.
        if issubclass(type(thing), Tensor) and isinstance(thing._t, FakeTensor) and id(thing) not in kept:
            raise TensorEscaped


def _lift(module: torch.fx.GraphModule, count: int) -> list[torch.Tensor]:
    """Turn the constants of the graph into inputs; return the tensors they stand for."""
    graph = module.graph
    held: dict[int, tuple[torch.Tensor, torch.fx.Node]] = {}
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    position = placeholders[-1] if placeholders else None
    for node in list(graph.nodes):
        if node.op != "get_attr":
            continue
        value = getattr(module, node.target)
        if not isinstance(value, torch.Tensor):
            continue
        if id(value) not in held:
            before = next(iter(graph.nodes)) if position is None else position.next
            with graph.inserting_before(before):
                position = graph.placeholder(f"held_{len(held)}")
            position.meta = node.meta
            held[id(value)] = value, position
        node.replace_all_uses_with(held[id(value)][1])
        graph.erase_node(node)
    return [value for value, _ in held.values()]


def _clean(graph: torch.fx.Graph) -> None:
    """Drop what computes nothing: unused results, detach, transposes of transposes, repeated transposes."""
    detach, t = torch.ops.aten.detach.default, torch.ops.aten.t.default
    transposed: dict[torch.fx.Node, torch.fx.Node] = {}
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        source = node.args[0] if node.args else None
        if node.target is detach:
            same = source
        elif node.target is t and isinstance(source, torch.fx.Node) and source.target is t:
            same = source.args[0]
        elif node.target is t and source in transposed:
            same = transposed[source]
        else:
            if node.target is t:
                transposed[source] = node
            continue
        node.replace_all_uses_with(same)
        graph.erase_node(node)
    graph.eliminate_dead_code(_has_effect)


def _has_effect(node: torch.fx.Node) -> bool:
    if node.op in ("placeholder", "output"):
        return True
    schema = getattr(node.target, "_schema", None)
    return schema is not None and (schema.is_mutable or not schema.returns)


def _aliases(module: torch.fx.GraphModule) -> list[int | None]:
    nodes = list(module.graph.nodes)
    placeholders = [node for node in nodes if node.op == "placeholder"]
    return [placeholders.index(o) if o in placeholders else None for o in nodes[-1].args[0]]
