"""Which parameters of an optimizer are states of which parameters that it trains."""

from __future__ import annotations

from typing import Any

from torchspore.common.parameter import Parameter, ParameterTuple

__all__ = ["states_of"]


def states_of(cell: Any) -> list[tuple[Parameter, Parameter]]:
    """Return pairs of a parameter and a state of it, which has its place and its shape; none unless of an optimizer."""
    parameters = cell.__dict__.get("parameters")
    if not isinstance(parameters, ParameterTuple):
        return []
    kinds = [value for value in vars(cell).values() if isinstance(value, ParameterTuple)]
    pairs = [pair for kind in kinds if len(kind) == len(parameters) for pair in zip(parameters, kind)]
    return [(p, state) for p, state in pairs if p is not state and p.shape == state.shape and state.twin is None]
