"""Decompositions of this package's operations for the compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from torchspore.common.private_torch import make_fx

__all__ = ["decomposed", "in_simple_operations"]

in_simple_operations: dict[Any, Callable[..., Any]] = {}  # operation -> its decomposition


def decomposed(module: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Return the graph with this package's operations decomposed."""
    if not any(node.target in in_simple_operations for node in module.graph.nodes):
        return module
    inputs = [node.meta["val"] for node in module.graph.nodes if node.op == "placeholder"]
    with torch.no_grad():
        return make_fx(module, decomposition_table=in_simple_operations, _allow_non_fake_inputs=True)(*inputs)
