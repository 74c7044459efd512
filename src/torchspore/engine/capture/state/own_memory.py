"""Results of captured functions have memory of their own, as in MindSpore's graphs.

Among several results, a Parameter or an argument is a new Tensor with the value that it has at the end of the call, and
a ParameterTuple is a tuple of those. As the whole result it is returned itself, if the call writes into nothing. Views
of tensors from outside the call are copies too (in a call that is not recorded, all views). Containers among the
arguments, and what they hold, are returned themselves.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from torchspore.common.parameter import Parameter, ParameterTuple
from torchspore.common.private_torch import is_view
from torchspore.common.scopes.scope import scope
from torchspore.common.string_tensor import StringTensor
from torchspore.common.tensor import Tensor, wrap
from torchspore.engine.arguments.mutable import PLAIN
from torchspore.engine.values.nested import tensors
from torchspore.engine.values.plain_reads import is_a

__all__ = ["replaced", "with_own_memory"]

_CONTAINERS = frozenset({tuple, list, dict, OrderedDict, ParameterTuple, *PLAIN})


def with_own_memory(result: Any, arguments: tuple[Any, ...]) -> Any:
    """Return the result of a call with copies of what shares memory with its arguments or with Parameters.

    Args:
        result: the result.
        arguments: all arguments of the call.
    """
    given = {id(value): value for value in arguments}
    tracing = scope.tracing
    if is_a(result, Tensor) and (isinstance(result, Parameter) or id(result) in given):
        return _copy(result) if tracing is not None and tracing.writes_inputs() else result
    is_foreign = is_view if tracing is None else tracing.is_given
    kept = {id(tensor) for tensor in tensors([value for value in arguments if not is_a(value, Tensor)])}
    kept.update(map(id, () if tracing is None else tracing.fakes))
    copies: dict[int, Tensor] = {}

    def separate(value: Any) -> Any:
        if not is_a(value, Tensor) or value.__class__ is StringTensor:
            return value
        if not (isinstance(value, Parameter) or id(value) in given) and (id(value) in kept or not is_foreign(value._t)):
            return value
        if id(value) not in copies:
            copies[id(value)] = _copy(value)
        return copies[id(value)]

    return replaced(result, separate, given)


def _copy(tensor: Tensor) -> Tensor:
    return wrap(tensor._t.clone())


def replaced(value: Any, new: Callable[[Any], Any], done: dict[int, Any]) -> Any:
    """Return a value with other objects in place of some; containers without them are not copied.

    Args:
        value: nested tuples, lists and dicts.
        new: returns what to put in the place of a list, or of what is not a container.
        done: by id, the containers that are done.
    """
    kind = type(value)
    if kind not in _CONTAINERS and not (issubclass(kind, tuple) and hasattr(kind, "_make")):
        return new(value)
    if id(value) in done:
        return done[id(value)]
    result: Any = value
    if is_a(value, dict):
        parts = {key: replaced(part, new, done) for key, part in value.items()}
        if any(parts[key] is not part for key, part in value.items()):
            result = kind(parts)
    else:
        source = new(value)
        items = [replaced(part, new, done) for part in source]
        if source is not value or any(a is not b for a, b in zip(items, value)):
            made: Any = tuple if kind is ParameterTuple else kind
            result = made._make(items) if hasattr(made, "_make") else made(items)
    done[id(value)] = result
    return result
