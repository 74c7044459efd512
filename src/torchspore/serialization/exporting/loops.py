"""Loops that run until a value is reached: in a file, a `while` of the network is one operation.

Torch records what a loop of Python does, once for each time that it runs. Functions therefore run rewritten
(`loop_source`): `while test: body` becomes a call of `repeat` with the two as functions of the variables that the loop
sets. `repeat` is the loop of Python until the first condition on a value that depends on the network's inputs; from
there on it is torch's `while_loop`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

import torch

from torchspore.common.private_torch import (
    DispatchMode,
    FakeTensor,
    fake_mode,
    tree_flatten,
    tree_leaves,
    tree_map_only,
    tree_unflatten,
)
from torchspore.common.scopes.scope import NotRecordable, scope
from torchspore.engine.failures.errors import describe
from torchspore.engine.values.nested import unwrap_tree, wrap_tree
from torchspore.serialization.exporting.paths import UNBOUND, Asked, Path, as_tensor, every_path, is_value, truth

__all__ = ["BROKEN", "ENDED", "RETURNED", "UNBOUND", "repeat"]

ENDED, BROKEN, RETURNED = range(3)  # how the body of a loop ended

_Function = Callable[..., Any]


def repeat(test: _Function, body: _Function, names: Sequence[str], variables: dict[str, Any]) -> list[Any]:
    """Run a loop; return how it ended, the value that it returned, and the values of the variables that it sets.

    Args:
        test: the condition, a function of these variables.
        body: a function of them that returns the same as `repeat`, for one run of the body.
        names: their names.
        variables: all local variables of the function around the loop.
    """
    state = [variables.get(name, UNBOUND) for name in names]
    while True:
        outer = scope.tracing
        if isinstance(outer, Path):
            scope.tracing = Path()
        try:
            if not test(*state):
                return [ENDED, UNBOUND, *state]
            end, result, *state = body(*state)
        except Asked:
            break
        finally:
            scope.tracing = outer
        if end is not ENDED:
            return [end, result, *state]
    lists = [value for value in variables.values() if isinstance(value, (list, dict, set))]
    sizes = [len(value) for value in lists]
    found = _Loop(test, body, names, state).run()
    if sizes != [len(value) for value in lists]:
        raise NotRecordable("a loop on values changes the length of a list or dict")
    return found


class _Loop:
    """A loop as torch's operation: it carries whether it goes on, how the body ended, and the variables.

    Args:
        test: as of `repeat`.
        body: likewise.
        names: likewise.
        state: the values of the variables before the loop.
    """

    def __init__(self, test: _Function, body: _Function, names: Sequence[str], state: list[Any]) -> None:
        self._test = test
        self._body = body
        self._names = ["", "the result", *[f"'{name}'" for name in names]]
        self._state = [ENDED, UNBOUND, *unwrap_tree(state)]
        self._leaves: list[Any] = []
        self._structure: Any = None
        self._carried: list[int] = []  # which of the leaves it carries

    def run(self) -> list[Any]:
        """Add the loop to the graph; return what `repeat` returns."""
        outside = self._settle()
        first = [self._leaves[number].clone() for number in self._carried]
        goes_on = as_tensor(self._goes_on(self._state[2:])).clone()

        def condition(goes_on: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
            return goes_on.clone()

        def once(_: torch.Tensor, *values: torch.Tensor) -> tuple[torch.Tensor, ...]:
            carried = [value.clone() for value in values[: len(first)]]
            with _Outside(carried, values[len(first) :]):
                goes_on, state = self._once(carried)
            leaves = tree_leaves(state)
            results = [as_tensor(leaves[number]) for number in self._carried]
            return (as_tensor(goes_on).clone(), *[value.clone() for value in results])

        _, *last = torch.ops.higher_order.while_loop(condition, once, (goes_on, *first), tuple(outside))
        return list(wrap_tree(self._with(last)))

    def _settle(self) -> list[torch.Tensor]:
        """Find the tensors and numbers that the loop changes; return the other tensors that it reads."""
        while True:
            self._leaves, self._structure = tree_flatten(self._state)
            self._carried = [number for number, leaf in enumerate(self._leaves) if isinstance(leaf, torch.Tensor)]
            values = [_unknown(self._leaves[number]) for number in self._carried]
            with _Outside(values) as outside:
                _, after = self._once(values)
            before = self._state
            self._state = [_like(*each) for each in zip(before, after, self._names)]
            if all(old is new for old, new in zip(before, self._state)):
                return outside.found

    def _once(self, carried: Sequence[torch.Tensor]) -> tuple[Any, list[Any]]:
        """Run the body; return whether the loop goes on, and the state."""
        state = every_path(lambda _: unwrap_tree(self._body(*wrap_tree(self._with(carried)[2:]))))
        end, _, *variables = state
        goes_on = self._goes_on(variables)
        if end is not ENDED:
            goes_on = torch.logical_and(as_tensor(goes_on), as_tensor(end) == ENDED)
        return goes_on, state

    def _goes_on(self, variables: list[Any]) -> Any:
        """Return whether the test holds, as a tensor or a bool."""

        def tested(_: Path) -> Any:
            answer = unwrap_tree(self._test(*wrap_tree(variables)))
            return truth(answer) if isinstance(answer, torch.Tensor) else bool(answer)

        return every_path(tested)

    def _with(self, carried: Sequence[torch.Tensor]) -> list[Any]:
        """Return the state with other values of what the loop carries."""
        leaves = list(self._leaves)
        for number, value in zip(self._carried, carried):
            leaves[number] = value
        return list(tree_unflatten(leaves, self._structure))


def _unknown(value: torch.Tensor) -> torch.Tensor:
    """Return a copy of a tensor that torch does not take for a constant."""
    copy = value.clone()
    if isinstance(copy, FakeTensor):
        copy.constant = None
    return copy


def _like(before: Any, after: Any, name: str) -> Any:
    """Return a value with which a variable can enter the loop, given its value before and after the first run.

    Raises:
        NotRecordable: a file cannot hold what the loop does with the variable.
    """
    if before is UNBOUND:
        if isinstance(after, FunctionType):
            return UNBOUND  # each run defines it
        return tree_map_only(torch.Tensor, torch.zeros_like, after)
    if isinstance(before, (tuple, list, dict)) and tree_flatten(before)[1] == tree_flatten(after)[1]:
        leaves, structure = tree_flatten(before)
        found = [_like(old, new, name) for old, new in zip(leaves, tree_leaves(after))]
        same = all(old is new for old, new in zip(leaves, found))
        return before if same else tree_unflatten(found, structure)
    if is_value(before) and is_value(after):
        if isinstance(before, torch.Tensor):
            after = as_tensor(after)
            if (before.shape, before.dtype) == (after.shape, after.dtype):
                return before
        elif type(before) is type(after) and before == after:
            return before
        elif not as_tensor(after).dim():
            return as_tensor(before).to(as_tensor(after).dtype)
    elif before is after:
        return before
    raise NotRecordable(f"a loop on values changes {name} from {_shown(before)} to {_shown(after)}")


def _shown(value: Any) -> str:
    is_tensor = isinstance(value, torch.Tensor)
    return f"a tensor of shape {tuple(value.shape)} and {value.dtype}" if is_tensor else describe(value)


class _Outside(DispatchMode):
    """Find the tensors that operations read without making them.

    Args:
        known: tensors that do not count.
        others: tensors which operations get in place of those found, in the same order. Default: none.

    Attributes:
        found: the tensors, in order.
    """

    supports_higher_order_operators = True  # a loop in the loop

    def __init__(self, known: Iterable[torch.Tensor], others: Sequence[torch.Tensor] | None = None) -> None:
        super().__init__()
        self.found: list[torch.Tensor] = []
        self._known = {tensor: tensor for tensor in known}
        self._others = others

    def __torch_dispatch__(self, function: Any, kinds: Any, args: Any = (), kwargs: Any = None) -> Any:
        if fake_mode() is None:  # torch computes the values of constants, too
            return function(*args, **(kwargs or {}))
        args, kwargs = tree_map_only(torch.Tensor, self._read, (args, kwargs or {}))
        result = function(*args, **kwargs)
        made = [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]
        self._known |= {tensor: self._known.get(tensor, tensor) for tensor in made}
        return result

    def _read(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor not in self._known:
            self._known[tensor] = tensor if self._others is None else self._others[len(self.found)]
            self.found.append(tensor)
        return self._known[tensor]
