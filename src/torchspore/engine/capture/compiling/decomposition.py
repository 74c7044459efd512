"""Decompositions of this package's operations for the compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common.private_torch import FakeTensorMode, make_fx

__all__ = ["decomposed", "in_simple_operations"]

in_simple_operations: dict[Any, Callable[..., Any]] = {}  # operation -> its decomposition


def decomposed(module: torch.fx.GraphModule, values: Sequence[Any]) -> torch.fx.GraphModule:
    """Return the graph with this package's operations decomposed.

    Args:
        module: the graph.
        values: its inputs in one call; a graph recorded from real tensors has no fake ones.
    """
    if not any(node.target in in_simple_operations for node in module.graph.nodes):
        return module
    inputs = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
    if any(value is None for value in inputs):
        mode = FakeTensorMode(allow_non_fake_inputs=True)
        inputs = [mode.from_tensor(value) if isinstance(value, torch.Tensor) else value for value in values]
    with torch.no_grad():
        return make_fx(module, decomposition_table=in_simple_operations, _allow_non_fake_inputs=True)(*inputs)
