"""Steps of schedulers in graphs: a step is one operation, which computes the learning rates in Python.

What a step changes, the numbers of the scheduler and the learning rates, are tensors: the operation returns their new
values, and the graph writes them. So one graph serves all steps.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import torch

from torchspore.common.scopes.scope import scope, writable
from torchspore.common.tensor import Tensor, wrap

__all__ = ["Count", "in_graphs"]


class Count:
    """A number of a scheduler that its steps change; in a graph it is a Tensor.

    Args:
        kind: int, or float.
    """

    def __init__(self, kind: type[int] | type[float] = int) -> None:
        self._kind = kind

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, scheduler: Any, owner: type | None = None) -> Any:
        if scheduler is None:
            return self
        if self._name not in scheduler.__dict__:
            raise AttributeError(f"For '{type(scheduler).__name__}', call the constructor of its base class first.")
        value = scheduler.__dict__[self._name]._t
        if scope.tracing is not None:
            return wrap(value.to(torch.float32))
        found = value.item()
        return int(found) if self._kind is int and found.is_integer() else found

    def __set__(self, scheduler: Any, value: Any) -> None:
        tensor = scheduler.__dict__.get(self._name)
        if tensor is None:
            tensor = scheduler.__dict__[self._name] = wrap(torch.zeros((), dtype=torch.float64))
        if isinstance(value, Tensor):
            writable(tensor).copy_(value._t.reshape(()))
        else:
            writable(tensor).fill_(value)


def in_graphs(returned: bool | None) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate the `step` of a scheduler of this package, which returns `returned`, so that it is one operation.

    The steps of a user's subclass are recorded unchanged.
    """

    def decorate(step: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(step)
        def run(self: Any, *args: Any, **kwargs: Any) -> Any:
            if scope.tracing is None or not _is_ours(self):
                return step(self, *args, **kwargs)
            _record(self, (*args, *kwargs.values()))  # a step has one argument at most
            return returned

        return run

    return decorate


def _is_ours(scheduler: Any) -> bool:
    rule = getattr(type(scheduler), "get_lr", type(scheduler).step)
    return str(rule.__globals__["__name__"]).startswith("torchspore.")


def _record(scheduler: Any, args: tuple[Any, ...]) -> None:
    changed = [*_counts(scheduler), *[group["lr"] for group in scheduler.optimizer.param_groups]]
    given = [arg for arg in args if isinstance(arg, Tensor)]
    values = [tensor._t.detach() for tensor in (*changed, *given)]
    key = _key(scheduler, None if given or not args else args[0])
    for tensor, value in zip(changed, torch.ops.torchspore.schedule(values, len(changed), key)):
        writable(tensor).copy_(value)


_numbers: weakref.WeakKeyDictionary[Any, dict[Any, int]] = weakref.WeakKeyDictionary()
_steps: list[tuple[weakref.ref[Any], Any]] = []


def _key(scheduler: Any, argument: Any) -> int:
    """Return the number by which the operation finds a scheduler, and the argument of its step."""
    known = _numbers.setdefault(scheduler, {})
    if argument not in known:
        known[argument] = len(_steps)
        _steps.append((weakref.ref(scheduler), argument))
    return known[argument]


def _run(values: list[torch.Tensor], count: int, key: int) -> list[torch.Tensor]:
    scheduler, argument = _steps[key]
    before, scope.tracing, scope.depth = (scope.tracing, scope.depth), None, 0  # the call may be recorded as it runs
    try:
        given = iter([wrap(value.clone()) for value in values])
        copy = _copy(scheduler(), given)
        groups = [{**group, "lr": next(given)} for group in copy.optimizer.param_groups]
        for part in _parts(copy):
            part.optimizer = SimpleNamespace(param_groups=groups)
            part._last_lr = [group["lr"] for group in groups]
        metrics = list(given)
        copy.step(*(metrics or ([] if argument is None else [argument])))
        return [tensor._t for tensor in (*_counts(copy), *[group["lr"] for group in groups])]
    finally:
        scope.tracing, scope.depth = before


def _copy(scheduler: Any, given: Iterator[Tensor]) -> Any:
    """Return a copy of a scheduler, and of those that it applies, with given numbers."""
    copy = object.__new__(type(scheduler))
    copy.__dict__.update(scheduler.__dict__)
    for name in _names(copy):
        copy.__dict__[name] = next(given)
    if hasattr(copy, "_schedulers"):
        copy._schedulers = [_copy(part, given) for part in copy._schedulers]
    return copy


def _counts(scheduler: Any) -> list[Tensor]:
    return [part.__dict__[name] for part in _parts(scheduler) for name in _names(part)]


def _parts(scheduler: Any) -> list[Any]:
    """Return a scheduler and those that it applies, in the order of `_copy`."""
    return [scheduler, *[part for inner in getattr(scheduler, "_schedulers", ()) for part in _parts(inner)]]


def _names(scheduler: Any) -> list[str]:
    return [name for cls in type(scheduler).__mro__ for name, value in vars(cls).items() if isinstance(value, Count)]


_library = torch.library.Library("torchspore", "FRAGMENT")
_library.define("schedule(Tensor[] values, int count, int key) -> Tensor[]")
_library.impl("schedule", _run, "CompositeExplicitAutograd")
_library.impl("schedule", lambda values, count, key: [torch.empty_like(v) for v in values[:count]], "Meta")
