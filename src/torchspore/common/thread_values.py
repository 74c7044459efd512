"""Parameters that hold something else in a thread that differentiates than in the other threads.

A scope puts aliases that require grad, and new values, into parameters. Other threads must not see them: they would
record graphs, or take the alias for the value. So while threads run beside a scope, its parameters are of a class that
looks up their value by thread. Without other threads nothing of this happens.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections import Counter
from collections.abc import Iterable
from typing import Any

__all__ = ["begin", "end", "protect"]

_lock = threading.Lock()
_holders: Counter[Any] = Counter()  # a parameter -> the number of threads that have a value of it for themselves
_set_class = object.__dict__["__class__"].__set__


class _Own(threading.local):
    values: dict[Any, Any] | None = None  # by parameter, what this thread has; None: no scope is beside other threads


_own = _Own()


def begin() -> bool:
    """Note that this thread opens its outermost scope; return whether `end` is to be called."""
    if threading.active_count() == 1:
        return False
    _own.values = {}
    return True


def protect(parameters: Iterable[Any]) -> None:
    """Let only this thread see what is put into `_t` of parameters, until `end`."""
    values = _own.values
    if values is None:
        return
    for parameter in parameters:
        if parameter not in values:
            with _lock:
                values[parameter] = parameter._t
                _holders[parameter] += 1
                if _holders[parameter] == 1:
                    _set_class(parameter, _with_own_values(parameter.__class__))


def end() -> None:
    """Forget what this thread had: it sees what the others see."""
    values, _own.values = _own.values or {}, None
    with _lock:
        for parameter in values:
            parameter._t = parameter._storage
            _holders[parameter] -= 1
            if not _holders[parameter]:
                del _holders[parameter]
                _set_class(parameter, parameter.__class__)


@functools.cache
def _with_own_values(kind: Any) -> type:
    """Return the class of parameters of a kind while threads hold different values of them."""
    slot = inspect.getattr_static(kind, "_t")

    def get(parameter: Any) -> Any:
        values = _own.values
        return values[parameter] if values is not None and parameter in values else slot.__get__(parameter)

    def put(parameter: Any, value: Any) -> None:
        values = _own.values
        if values is not None and parameter in values:
            values[parameter] = value
        else:
            slot.__set__(parameter, value)

    members = {
        "__slots__": (),
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__class__": property(lambda parameter: kind),  # for `isinstance` and copies it is what it was
        "_t": property(get, put),
    }
    made: type = type(kind)(kind.__name__, (kind,), members)
    return made
