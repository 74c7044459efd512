"""Dead code elimination in captured graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import torch

from torchspore.common.private_torch import schema_of

__all__ = ["clean", "has_effect", "is_exchange", "written", "written_arguments", "written_inputs"]

_T = TypeVar("_T")

# Kernels that update running statistics although their schema does not say so, and the positions of those.
_WRITES_STATISTICS = {
    torch.ops.aten.native_batch_norm.default: (3, 4),
    torch.ops.aten.cudnn_batch_norm.default: (3, 4),
    torch.ops.aten.miopen_batch_norm.default: (3, 4),
}


def clean(graph: torch.fx.Graph) -> None:
    """Drop unused results, detach, transposes of transposes and repeated transposes."""
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
    graph.eliminate_dead_code(lambda node: node.op in ("placeholder", "output") or has_effect(node))


def has_effect(node: torch.fx.Node) -> bool:
    """Return whether an operation does more than return its results."""
    if node.op != "call_function":
        return False
    if node.target in _WRITES_STATISTICS or is_exchange(node):
        return True
    schema = schema_of(node.target)
    return schema is not None and (schema.is_mutable or not schema.returns)


def is_exchange(node: torch.fx.Node) -> bool:
    """Return whether an operation exchanges data with other processes, which must all run it in the same order."""
    return getattr(node.target, "namespace", "") == "_c10d_functional"


def written(node: torch.fx.Node) -> list[torch.fx.Node]:
    """Return the arguments that an operation mutates."""
    return written_arguments(node.target, node.args, node.kwargs, torch.fx.Node)


def written_arguments(target: Any, args: Sequence[Any], kwargs: Mapping[str, Any], kind: type[_T]) -> list[_T]:
    """Return the arguments of one kind that a call of an operation mutates."""
    if target in _WRITES_STATISTICS:
        return [args[i] for i in _WRITES_STATISTICS[target] if isinstance(args[i], kind)]
    schema = schema_of(target)
    if schema is None or not schema.is_mutable:
        return []
    found: list[_T] = []
    for i, argument in enumerate(schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[i] if i < len(args) else kwargs.get(argument.name)
            found += [v for v in (value if isinstance(value, (list, tuple)) else [value]) if isinstance(v, kind)]
    return found


def written_inputs(graph: torch.fx.Graph) -> list[int]:
    """Return the positions of the inputs of a graph that it mutates, themselves or a view of them."""
    found = {_viewed(node) for user in graph.nodes for node in written(user)}
    return [i for i, node in enumerate(graph.find_nodes(op="placeholder")) if node in found]


def _viewed(node: torch.fx.Node) -> torch.fx.Node:
    """Return the node whose memory a view, or the result of a mutation, shares."""
    while node.op == "call_function":
        schema = schema_of(node.target)
        if schema is None or not schema.returns or schema.returns[0].alias_info is None:
            break
        node = node.args[0]  # type: ignore[assignment]
    return node
