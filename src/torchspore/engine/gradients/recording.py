"""Forward passes whose graph outlives their scope: of `vjp`, and of cells as `Cell.set_grad()` requests.

A cell with `set_grad()` that is called outside a scope records its pass. The next `grad` of that cell with the same
inputs takes the gradient from the record instead of running the cell again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from torchspore.common.parameter import Parameter
from torchspore.common.private_torch import functorch_level, saved_by
from torchspore.common.private_torch.error_texts import WRITTEN_SINCE, says
from torchspore.common.scopes import thread_values
from torchspore.common.scopes.aliases import memory
from torchspore.common.scopes.scope import scope
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.gradients import differentiate as engine
from torchspore.engine.gradients import integer_gradients
from torchspore.engine.gradients.gradient_inputs import like_inputs
from torchspore.engine.gradients.integer_gradients import is_integer
from torchspore.engine.values.nested import map_tensors, tensors, unwrap_tree, with_rest, wrap_tree

__all__ = ["Record", "pulled", "record"]


class _Pass:
    """A pass, from inside its scope: its graph, its inputs and its weights."""

    def __init__(self, output: Any, leaves: list[torch.Tensor], weights: list[Parameter], aliases: list[Any]) -> None:
        self.output = unwrap_tree(output)  # Tensors are given other values by writes, and cut from the graph
        self.leaves = leaves
        self.aliases = dict(zip(weights, aliases))
        self._compute = integer_gradients.through(engine.compute_gradients)
        if scope.depth == 1:
            roots, _ = integer_gradients.lowered([tensor._t for tensor in tensors(output)])
            _keep_saved(roots, scope.writes.values())
            for tensor, value in scope.before.items():  # for what the backward pass computes again
                scope.before[tensor] = value.clone()

    def gradients(self, main: Any, wanted: list[torch.Tensor], sens: Any, **options: bool) -> list[torch.Tensor]:
        """Return the gradients of `main`, the outputs as torch tensors, by the aliases `wanted`."""
        weights = list(self.aliases)
        with integer_gradients.transformation():  # custom backward functions, and what is computed again, see a scope
            thread_values.protect(weights)
            before = [weight._t for weight in weights]
            for weight, alias in self.aliases.items():
                weight._t = alias
            try:
                return self._compute(wrap_tree(main), wanted, sens, **options)
            finally:
                engine.restore(weights, before, list(self.aliases.values()))


def _keep_saved(roots: list[torch.Tensor], written: Iterable[torch.Tensor]) -> None:
    """Replace what a graph has saved of memory that is about to be written by copies."""
    keys = set(map(memory, written))
    nodes = [root.grad_fn for root in roots] if keys else []
    seen = set(nodes)
    while nodes:
        node = nodes.pop()
        if node is None:
            continue
        for saved in saved_by(node):
            if saved.data is not None and memory(saved.data) in keys:
                saved.register_hooks(lambda value: value.detach().clone(), lambda value: value)
        following = {each for each, _ in node.next_functions} - seen
        seen |= following
        nodes.extend(following)


def pulled(
    fn: Callable[..., Any], args: Sequence[Any], positions: Sequence[int], weights: list[Parameter], has_aux: bool
) -> tuple[Any, Any, engine.PullBack]:
    """Run `fn` in a scope.

    Returns:
        The outputs that are differentiated, the other ones, and a function of the gradients of the former, which
        returns the gradients of the inputs at `positions` and of `weights`.
    """
    if functorch_level() is not None:
        return engine.pulled_functionally(fn, args, {}, positions, weights, has_aux)

    def keep(output: Any, leaves: list[torch.Tensor], aliases: list[torch.Tensor]) -> Any:
        main, rest = with_rest(output) if has_aux else (output, ())
        return main, rest, _Pass(main, leaves, weights, aliases), aliases

    main, rest, kept, aliases = engine.in_scope(fn, args, {}, positions, weights, keep)

    def pull_back(sens: Any) -> tuple[list[Any], list[Tensor]]:
        wanted = kept.leaves + aliases
        try:
            found = kept.gradients(kept.output, wanted, sens, create_graph=scope.depth > 0, keep_graph=True)
        except RuntimeError as error:
            if not says(error, WRITTEN_SINCE):
                raise
            raise RuntimeError(
                "For 'vjp', the gradient needs the values that the inputs and weights had, but one was written since. "
                "Call vjp again, or write to a copy."
            ) from None
        return like_inputs(args, positions, found), [wrap(g) for g in found[len(kept.leaves) :]]

    if scope.depth == 0:  # a write to an output must not change what the graph has saved
        main, rest = map_tensors(lambda tensor: wrap(tensor._t.detach().clone()), (main, rest))
    return main, rest, pull_back


class Record:
    """The recorded pass of a cell: its graph, its inputs and the state that it saw."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], positions: list[int], kept: _Pass) -> None:
        self.args = args
        self.kwargs = kwargs
        self._pass = kept
        remaining = iter(kept.leaves)
        self.leaves = {position: [next(remaining) for _ in tensors(args[position])] for position in positions}
        self.seen = [(tensor, tensor._t, tensor._t._version) for tensor in tensors((args, kwargs))]
        self.versions = [
            (value, value._version) for value in [tensor._t for tensor in tensors(wrap_tree(kept.output))]
        ] + [(weight._t, weight._t._version) for weight in kept.aliases]

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
            and all(weight in self._pass.aliases for weight in weights)
            and all(tensor._t is value and value._version == version for tensor, value, version in self.seen)
            and all(value._version == version for value, version in self.versions)
        )

    def gradients(
        self, args: Sequence[Any], positions: Sequence[int], weights: list[Parameter], has_aux: bool, sens: Any
    ) -> tuple[Any, list[Any], list[Tensor]]:
        """Return the outputs and the gradients, as `differentiate` does."""
        inputs = [leaf for position in positions for leaf in self.leaves[position]]
        wanted = inputs + [self._pass.aliases[weight] for weight in weights]
        main = with_rest(self._pass.output)[0] if has_aux else self._pass.output
        gradients = self._pass.gradients(main, wanted, sens, create_graph=False)
        output = engine.detached(wrap_tree(self._pass.output))
        return output, like_inputs(args, positions, gradients), [wrap(g) for g in gradients[len(inputs) :]]


def record(
    call: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], weights: list[Parameter]
) -> tuple[Any, Record]:
    """Run `call` in a scope of its own; return its outputs and the record of the pass."""
    # Gradients of integers are rare: the cell runs again for them.
    every = [i for i, a in enumerate(args) if not any(is_integer(tensor._t.dtype) for tensor in tensors(a))]
    weights = [weight for weight in weights if not is_integer(weight._t.dtype)]

    def keep(output: Any, leaves: list[torch.Tensor], aliases: list[torch.Tensor]) -> Any:
        return output, _Pass(output, leaves, weights, aliases)

    output, kept = engine.in_scope(call, args, kwargs, every, weights, keep)
    return engine.detached(output), Record(args, kwargs, every, kept)
