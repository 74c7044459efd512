"""Tracing: the user's Python runs once, over fake tensors, and what reaches torch becomes a graph.

Everything runs: forward, backward, parameter updates. The parameters that the function can reach are inputs of the
graph, written in place by it; other tensors that it meets (constants, data kept in a closure) become inputs, too, found
by identity, so that a later call reads their storage as it is then.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.experimental.proxy_tensor import make_fx

from torchspore.common.parameter import Parameter
from torchspore.common.scope import Tracing, discard, scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.tree import filled, map_tensors, tensors

__all__ = ["TensorEscaped", "Trace", "trace"]

_NOTHING = torch.empty(0)


class TensorEscaped(Exception):
    """A tensor of the traced call was kept by the user's Python: only running it for real gives that tensor a value."""


@dataclass
class Trace:
    """A captured function.

    Attributes:
        graph: its inputs are the tensors of the arguments, then those of `parameters`, then `constants`; its outputs
            the tensors of `output`.
        parameters: the parameters that the graph uses.
        read: the parameters whose values the function read as numbers, with the version of what it read.
        constants: the other tensors that it uses.
        output: the nesting of the result, with its parameters and, for other tensors, empty ones.
        passed: for each tensor of the result, the position of the argument's tensor that it is, or None.
    """

    graph: torch.fx.GraphModule
    parameters: list[Parameter]
    read: dict[Any, int]
    constants: list[torch.Tensor]
    output: Any
    passed: list[int | None]


def trace(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], parameters: list[Parameter]) -> Trace:
    """Trace one call of `fn`, in which the values of `parameters` are inputs.

    Raises:
        TensorEscaped: the function stored a tensor where the graph cannot follow.
        Exception: whatever the function raises, and torch's exceptions for what a fake tensor cannot answer.
    """
    storages = [parameter._storage for parameter in parameters]
    inputs = [tensor._t for tensor in tensors((args, kwargs))]
    result: list[Any] = []

    def run(*values: torch.Tensor) -> list[torch.Tensor]:
        for parameter, value in zip(parameters, values[len(inputs) :]):
            tracing.replace(parameter, value, parameter._storage)
            parameter._t = parameter._storage = value
        given_args, given_kwargs = filled((args, kwargs), values[: len(inputs)])
        output = fn(*given_args, **given_kwargs)
        if any(p._storage is not value for p, value in zip(parameters, values[len(inputs) :])):
            raise TensorEscaped("a parameter got another shape")
        places = {id(tensor): i for i, tensor in enumerate(tensors((given_args, given_kwargs)))}
        result[:] = [output, [places.get(id(tensor)) for tensor in tensors(output)]]
        return [tensor._t for tensor in tensors(output)]

    tracing = scope.tracing = Tracing()
    try:
        with torch.no_grad():
            module = make_fx(run, tracing_mode="fake", _allow_non_fake_inputs=True)(*inputs, *storages)
    finally:
        scope.tracing = None
        discard()
        for parameter, storage in zip(parameters, storages):
            parameter._t = parameter._storage = storage
    output, passed = result
    del result[:]
    output = map_tensors(lambda t: t if isinstance(t, Parameter) else wrap(_NOTHING), output)
    _check_nothing_escaped()
    _clean(module.graph)
    used = _drop_unused(module.graph, len(inputs), parameters)
    constants = _lift_constants(module)
    module.recompile()
    return Trace(module, used, tracing.read, constants, output, passed)


def _check_nothing_escaped() -> None:
    if _stand_ins_live():
        gc.collect()  # some may only wait for the collector
        if _stand_ins_live():
            raise TensorEscaped("a tensor was kept outside the function's result")


def _stand_ins_live() -> bool:
    # By type: some objects answer isinstance with code of their own.
    return any(
        issubclass(type(thing), Tensor) and isinstance(getattr(thing, "_t", None), FakeTensor)
        for thing in gc.get_objects()
    )


def _drop_unused(graph: torch.fx.Graph, count: int, parameters: list[Parameter]) -> list[Parameter]:
    """Remove the inputs of parameters that the graph does not use; return those that it does."""
    placeholders = [node for node in graph.nodes if node.op == "placeholder"][count:]
    used = []
    for node, parameter in zip(placeholders, parameters):
        if node.users:
            used.append(parameter)
        else:
            graph.erase_node(node)
    return used


def _lift_constants(module: torch.fx.GraphModule) -> list[torch.Tensor]:
    """Turn the tensors inside the graph into inputs; return them."""
    graph = module.graph
    found: dict[int, tuple[torch.Tensor, torch.fx.Node]] = {}
    for node in list(graph.nodes):
        value = getattr(module, str(node.target), None) if node.op == "get_attr" else None
        if not isinstance(value, torch.Tensor):
            continue
        if id(value) not in found:
            with graph.inserting_before(next(n for n in graph.nodes if n.op != "placeholder")):
                found[id(value)] = value, graph.placeholder(f"constant_{len(found)}")
            found[id(value)][1].meta = dict(node.meta)
        node.replace_all_uses_with(found[id(value)][1])
        graph.erase_node(node)
    return [value for value, _ in found.values()]


def _clean(graph: torch.fx.Graph) -> None:
    """Drop what computes nothing: unused results, detach, transposes of transposes, repeated transposes."""
    detach, t = torch.ops.aten.detach.default, torch.ops.aten.t.default
    transposed: dict[Any, torch.fx.Node] = {}
    for node in list(graph.nodes):
        if node.op != "call_function":
            continue
        source: Any = node.args[0] if node.args else None
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
