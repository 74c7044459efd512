"""Thread-local values of parameters inside differentiation scopes.

A scope puts aliases that require grad, and new values, into parameters. Other threads must not see these: they would
record graphs or use wrong values. So while other threads run, the parameters of a scope temporarily have a class that
looks up their value by thread. In a single-threaded program none of this happens.
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
_holders: Counter[Any] = Counter()  # parameter -> the number of threads with their own value of it
_set_class = object.__dict__["__class__"].__set__


class _Own(threading.local):
    values: dict[Any, Any] | None = None  # this thread's values by parameter; None if they are not needed


_own = _Own()


def begin() -> bool:
    """Register the outermost scope of this thread; return whether `end` must be called."""
    if threading.active_count() == 1:
        return False
    _own.values = {}
    return True


def protect(parameters: Iterable[Any]) -> None:
    """Make writes to `_t` of parameters visible to this thread only, until `end`."""
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
    """Drop the values of this thread: it sees the shared ones again."""
    values, _own.values = _own.values or {}, None
    with _lock:
        for parameter in values:
            # A tensor that a program made a weight has no storage: it keeps what the scope left in it.
            parameter._t = getattr(parameter, "_storage", values[parameter])
            _holders[parameter] -= 1
            if not _holders[parameter]:
                del _holders[parameter]
                _set_class(parameter, parameter.__class__)


@functools.cache
def _with_own_values(kind: Any) -> type:
    """Return the class of a kind of parameters while threads have their own values of them."""
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
        "__class__": property(lambda parameter: kind),  # so that `isinstance` and copies see the original class
        "_t": property(get, put),
    }
    made: type = type(kind)(kind.__name__, (kind,), members)
    return made
