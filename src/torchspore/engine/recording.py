"""Forward passes kept for a later gradient, as `Cell.set_grad()` requests.

A cell with `set_grad()` that is called outside a scope records its pass. The next `grad` of that cell with the same
inputs takes the gradient from the record instead of running the cell again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import use_count
from torchspore.common.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine import differentiate as engine
from torchspore.engine.gradient_inputs import like_inputs
from torchspore.engine.integer_gradients import is_integer
from torchspore.engine.nested import tensors, with_rest

__all__ = ["Record", "record"]


class Record:
    """One recorded pass: its graph, its inputs and the state that it saw."""

    def __init__(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        positions: list[int],
        leaves: list[torch.Tensor],
        output: Any,
    ) -> None:
        self.args = args
        self.kwargs = kwargs
        self.output = output
        remaining = iter(leaves)
        self.leaves = {position: [next(remaining) for _ in tensors(args[position])] for position in positions}
        self.seen = [(tensor, tensor._t, tensor._t._version) for tensor in tensors((args, kwargs))]
        self.aliases: dict[Parameter, tuple[torch.Tensor, int]] = {}

    def answers(
        self, args: Sequence[Any], kwargs: dict[str, Any], positions: Sequence[int], weights: list[Parameter]
    ) -> bool:
        """Return whether the pass would be the same with these arguments, and knows these weights."""
        same_arguments = (
            len(args) == len(self.args)
            and all(given is kept for given, kept in zip(args, self.args))
            and kwargs.keys() == self.kwargs.keys()
            and all(kwargs[name] is self.kwargs[name] for name in kwargs)
        )
        return (
            same_arguments
            and all(position in self.leaves for position in positions)
            and all(weight in self.aliases for weight in weights)
            and all(tensor._t is value and value._version == version for tensor, value, version in self.seen)
            and all(weight._t._version == version for weight, (_, version) in self.aliases.items())
        )

    def gradients(
        self, args: Sequence[Any], positions: Sequence[int], weights: list[Parameter], has_aux: bool, sens: Any
    ) -> tuple[Any, list[Any], list[Tensor]]:
        """Return the outputs and the gradients, as `differentiate` does."""
        inputs = [leaf for position in positions for leaf in self.leaves[position]]
        wanted = inputs + [self.aliases[weight][0] for weight in weights]
        main = with_rest(self.output)[0] if has_aux else self.output
        scope.depth += 1  # custom backward functions and hooks run as inside the scope
        try:
            gradients = engine.compute_gradients(main, wanted, sens, create_graph=False)
        finally:
            scope.depth -= 1
        output = engine.detached(self.output)
        of_inputs = like_inputs(args, positions, gradients)
        return output, of_inputs, [wrap(g) for g in gradients[len(inputs) :]]


def record(
    call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], weights: list[Parameter]
) -> tuple[Any, Record | None]:
    """Run `call` in a scope of its own; return its outputs and the record of the pass.

    The record is None if the pass wrote what its graph has saved, or differentiates: it is then out of date.
    """
    # Gradients of integers are rare: the cell runs again for them.
    every = [i for i, a in enumerate(args) if not any(is_integer(tensor._t.dtype) for tensor in tensors(a))]
    weights = [weight for weight in weights if not is_integer(weight._t.dtype)]

    def keep(output: Any, leaves: list[torch.Tensor], aliases: list[torch.Tensor]) -> Any:
        written: dict[Tensor, Any] = scope.writes
        stale = any(weight in written for weight in weights) or any(
            not hasattr(tensor, "_storage") or use_count(old) > 1 for tensor, old in written.items()
        )
        return output, leaves, aliases, stale

    output, leaves, aliases, stale = engine.in_scope(call, args, kwargs, every, weights, keep)
    kept = Record(args, kwargs, every, leaves, output)
    kept.aliases = {weight: (alias, weight._t._version) for weight, alias in zip(weights, aliases)}
    return engine.detached(output), None if stale else kept
