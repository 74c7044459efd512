"""Operations that other operations compute: by torch's own decompositions, or by ours in torch's terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common.private_torch import FakeTensorMode, decomposition_of, make_fx, size_functions, tree_unflatten
from torchspore.serialization.mindir.building import NoForm

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
    """Return an operation as a graph of others, or None; its placeholders are the tensors and open sizes in order.

    Args:
        operation: the operation.
        leaves: the leaves of its positional and named arguments, with fake tensors.
        spec: how they are nested.
        mode: the mode of the fake tensors.
    """
    function = EXPANSIONS.get(operation) or decomposition_of(operation)
    if function is None:
        return None
    places = [number for number, leaf in enumerate(leaves) if isinstance(leaf, (torch.Tensor, torch.SymInt))]

    def run(*tensors: torch.Tensor) -> Any:
        given = list(leaves)
        for number, tensor in zip(places, tensors):
            given[number] = tensor
        args, kwargs = _changeable(tree_unflatten(given, spec))
        return function(*args, **kwargs)

    tensors = [leaves[number] for number in places]
    assumed = _assumptions(mode)
    with mode, torch.no_grad():
        try:
            found = make_fx(torch.func.functionalize(run), _allow_non_fake_inputs=True)(*tensors)
        except RuntimeError:  # it uses torch's own primitives, which have no writes
            found = make_fx(run, _allow_non_fake_inputs=True)(*tensors)
    if _assumptions(mode) != assumed:
        raise NoForm("how it is computed depends on an open size")
    graph: torch.fx.Graph = found.graph
    for node in reversed(graph.nodes):  # what torch writes back to the arguments, which the operation does not change
        if node.target is torch.ops.aten.copy_.default and node.args[0].op == "placeholder" and not node.users:
            graph.erase_node(node)
    is_itself = operation not in EXPANSIONS and any(node.target is operation for node in graph.nodes)
    return None if is_itself else graph


def _changeable(tree: Any) -> Any:
    """Return arguments with lists in place of those of graphs, which decompositions of torch may change."""
    if isinstance(tree, dict):
        return {name: _changeable(value) for name, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return (list if isinstance(tree, list) else tuple)([_changeable(value) for value in tree])
    return tree


def _assumptions(mode: FakeTensorMode) -> Any:
    """Return how many equations of open sizes are assumed. Inequalities are of sizes that are not 0 or 1."""
    sizes = mode.shape_env
    if sizes is None:
        return None
    import sympy  # type: ignore[import-untyped]

    equations = [guard.expr for guard in sizes.guards if isinstance(guard.expr, sympy.Equality)]
    return len([each for each in equations if not _says_not_empty(each)]), len(sizes.replacements)


def _says_not_empty(equation: Any) -> bool:
    """Return whether an equation says max(1, size) = size."""
    one, other = [side.replace(size_functions().Max, _largest) for side in equation.args]
    return bool((one - other).expand() == 0)


def _largest(*parts: Any) -> Any:
    rest = [part for part in parts if part != 1]
    return rest[0] if len(rest) == 1 else size_functions().Max(*parts)
