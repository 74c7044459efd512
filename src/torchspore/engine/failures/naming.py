"""Errors of functions, constructors and calls of cells that are not operations, under the name that was called."""

from __future__ import annotations

import functools
import inspect
import re
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from torchspore.common.error_classes import widened
from torchspore.common.names.class_modules import module_of
from torchspore.common.names.earlier_names import todays_arguments
from torchspore.common.names.torch_habits import keyword_hint, note_called_size
from torchspore.engine.failures.errors import explain

__all__ = ["explain_call", "explain_unnamed", "name_constructor", "named"]

_IN_CELL = "It arose in the cell '"

_F = TypeVar("_F", bound=Callable[..., Any])

# Cells that compute by themselves. Others run what they were given, which names itself.
_LAYERS = re.compile(r"torchspore\.(nn\.(layer(?!\.(container|graph_cell))|loss|probability)|mint\.nn)\b")


def named(function: _F) -> _F:
    """Decorate a function so that all its errors name it; errors of a `__call__` name the class."""
    is_call = function.__name__ == "__call__"

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            name = type(args[0]).__name__ if is_call else function.__name__.lstrip("_")
            explained = _explained(error, name, function, args, kwargs)
            try:
                if explained is error:
                    raise
                raise explained
            finally:
                del explained  # else the traceback's frames keep themselves alive

    return run  # type: ignore[return-value]


def name_constructor(cls: type, translate: Callable[[Exception], Exception] | None = None) -> type:
    """Make the errors of a constructor of this package name the class that was called.

    Args:
        cls: the class.
        translate: what turns such an error into the one to raise.
    """
    init = vars(cls).get("__init__")
    if init is None or not cls.__module__.startswith("torchspore."):
        return cls

    @functools.wraps(init)
    def run(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            init(self, *args, **kwargs)
        except Exception as error:
            kind = type(self) if type(self).__init__ is run else cls
            today = todays_arguments(kind, args, kwargs) if isinstance(error, TypeError) else None
            if today is not None:
                return run(self, *today[0], **today[1])
            explained = _explained(error, type(self).__name__, init, (self, *args), kwargs)
            own = f"{init.__qualname__}()"
            if explained is error and error.args and str(error.args[0]).startswith(own):  # of a base class
                error.args = (f"{type(self).__qualname__}.__init__(){str(error.args[0])[len(own) :]}", *error.args[1:])
            if translate is not None:
                explained = translate(explained)
            try:
                if explained is error:
                    raise
                raise explained
            finally:
                del explained  # else the traceback's frames keep themselves alive

    cls.__init__ = run  # type: ignore[misc]
    return cls


def explain_call(error: Exception, cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception:
    """Return the exception to raise instead of one that arose in a cell's call: `error` itself if it is a user's.

    It has a note with the path of the cell where it arose, below the one that was called; tracebacks show it.
    """
    note_called_size(error)
    passed = _passed(error, cell)
    notes = [note for note in getattr(error, "__notes__", ()) if not note.startswith(_IN_CELL)]
    explained = _of_call(error, cell, args, kwargs)
    explained._passed = passed  # type: ignore[attr-defined]
    if passed.path:
        notes.append(f"{_IN_CELL}{passed.path}' ({passed.failed}) of {passed.outer}.")
    if notes:
        explained.__notes__ = notes  # type: ignore[attr-defined]
    return explained


class _Passed:
    """The last cell through which an error passed; it is not pickled with the error.

    Args:
        cell: the cell.
        path: the path of the cell where it arose, below `outer`.
        failed, outer: the classes of that cell, and of the one where the path starts.
    """

    def __init__(self, cell: Any, path: str, failed: str, outer: str) -> None:
        self.cell, self.path, self.failed, self.outer = weakref.ref(cell), path, failed, outer

    def __reduce__(self) -> Any:
        return type(None), ()


def _passed(error: Exception, cell: Any) -> _Passed:
    """Return the path of the cell where an error arose, for the cell through which it passes now."""
    kind = type(cell).__name__
    last: _Passed | None = getattr(error, "_passed", None)
    if last is None:
        return _Passed(cell, "", kind, kind)
    child = last.cell()
    name = next((name for name, other in cell._cells.items() if other is child and other is not None), None)
    if name is None:  # the same cell, or one that does not have the last as a child: the path starts further inside
        return last
    return _Passed(cell, f"{name}.{last.path}".rstrip("."), last.failed, kind)


def _of_call(error: Exception, cell: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Exception:
    name, module = type(cell).__name__, module_of(type(cell))
    if _LAYERS.match(module):
        return _explained(error, name, cell.construct, args, kwargs)
    return explain_unnamed(error, name, {"inputs": args}) if module.startswith("torchspore.") else error


def explain_unnamed(error: Exception, name: str, given: dict[str, Any]) -> Exception:
    """Return the exception to raise instead of one of Python or torch; with the same text if it names an API."""
    return widened(error) if str(error).startswith("For '") else explain(error, name, given)


def _explained(
    error: Exception, name: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Exception:
    defaults: dict[str, Any] = {}
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
        given = dict(bound.arguments)
        bound.apply_defaults()
        defaults = dict(bound.arguments)
    except TypeError:
        given = {}
        if isinstance(error, TypeError) and str(error).startswith(f"{function.__qualname__}()"):
            hint = keyword_hint(str(error), inspect.signature(function).parameters)
            if hint:
                error.args = (str(error) + hint,)
            return error  # Python's own, about the number or the names of the arguments
    given.pop("self", None)
    return explain(error, name, given, defaults)
