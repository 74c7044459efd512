"""Operations that other operations compute: by torch's own decompositions, or by ours in torch's terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common.private_torch import FakeTensorMode, decomposition_of, make_fx, tree_unflatten

__all__ = ["EXPANSIONS", "expanded", "expansion"]

EXPANSIONS: dict[Any, Callable[..., Any]] = {}
"""Our decompositions, as functions of torch tensors, which are preferred."""


def expansion(*operations: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function as the decomposition of operations."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        EXPANSIONS.update(dict.fromkeys(operations, function))
        return function

    return register


def expanded(operation: Any, leaves: Sequence[Any], spec: Any, mode: FakeTensorMode) -> torch.fx.Graph | None:
    """Return an operation as a graph of others, whose placeholders are the tensors in order; None if it has none.

    Args:
        operation: the operation.
        leaves: the leaves of its positional and named arguments, with fake tensors.
        spec: how they are nested.
        mode: the mode of the fake tensors.
    """
    function = EXPANSIONS.get(operation) or decomposition_of(operation)
    if function is None:
        return None
    places = [number for number, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]

    def run(*tensors: torch.Tensor) -> Any:
        given = list(leaves)
        for number, tensor in zip(places, tensors):
            given[number] = tensor
        args, kwargs = tree_unflatten(given, spec)
        return function(*args, **kwargs)

    tensors = [leaves[number] for number in places]
    with mode, torch.no_grad():
        found = make_fx(torch.func.functionalize(run), _allow_non_fake_inputs=True)(*tensors)
    graph: torch.fx.Graph = found.graph
    return None if any(node.target is operation for node in graph.nodes) else graph
